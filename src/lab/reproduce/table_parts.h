// What the tables, findings and charts of several targets share: rows of measured cells and what is noted
// below them, votes for a claim, and tables drawn as lines.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/reproduce/reproduction.h"

namespace sotto::lab {

// Counts what speaks for a claim and what against it.
struct ClaimVotes {
  std::size_t yes = 0, no = 0;
  void cast(bool holds) { ++(holds ? yes : no); }
  [[nodiscard]] ClaimOutcome outcome() const {
    if (yes + no == 0) return ClaimOutcome::untested;
    return no == 0 ? ClaimOutcome::holds : yes == 0 ? ClaimOutcome::fails : ClaimOutcome::mixed;
  }
};
// A finding without evidence is left out.
void add_finding(Finding finding, const ClaimVotes& votes, Reproduction& out);

// A model by the mean of a metric.
struct Rival {
  std::string label;
  double value = 0.0;
};
// The better of the two, where there is a value.
void look_at(std::optional<Rival>& best, std::string_view metric, std::string_view label,
             std::optional<double> value);

// The mean over seeds; none where there is no such cell.
[[nodiscard]] std::optional<double> mean_of(const TargetData& at, const PaperData& data,
                                            std::string_view model, std::string_view metric);

// The mean of one value a seed, with its interval where there are several; empty without any.
[[nodiscard]] PaperCell over_seeds(const std::vector<double>& values);
// A point's own value, without print.
[[nodiscard]] Result<PaperCell> point_cell(const TargetData& at, const MeasuredPoint& point,
                                           std::string_view metric);
// A cell of a chosen point; without one it says why there is none.
[[nodiscard]] Result<PaperCell> measured_cell(const TargetData& at, const PaperData& data,
                                              std::string_view model, std::string_view metric,
                                              std::optional<double> printed);
// A row of such cells; `print` says what was printed for a metric.
using PrintOf = std::function<std::optional<double>(std::string_view metric)>;
[[nodiscard]] Result<PaperRow> measured_row(const TargetData& at, const PaperData& data, std::string label,
                                            std::string_view model, const std::vector<std::string>& metrics,
                                            const PrintOf& print = {});

// "×3": how many seeds; with the π that was chosen: "π 0.5 ×3".
[[nodiscard]] std::string seeds_text(const TargetData& at, const PaperData& data, std::string_view model);

// * and ° in each column, among the rows whose labels are `competing` (none: all).
void mark_best(PaperTable& table, const std::vector<std::string>& competing = {});

// Which of the table's rows failed and why; a model without a choice that misses its print; plans that were
// not chosen on this data.
void note_failures(const TargetData& at, const PaperData& data, PaperTable& table);
void note_untuned(const TargetData& at, PaperTable& table);
void note_given_plans(const TargetData& at, const PaperData& data, PaperTable& table);

[[nodiscard]] XyChart line_chart(std::string name, std::string title, std::string caption, std::string x,
                                 std::string y);
// One series of a chart: a column of a table over x, one x a row.
[[nodiscard]] ChartSeries series_of(const PaperTable& table, const std::string& name, std::size_t column,
                                    const std::vector<double>& x);

}  // namespace sotto::lab
