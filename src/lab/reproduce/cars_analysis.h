// What the targets of Fed-CARS and of criteria share: means over seeds, votes for a claim, and tables drawn
// as lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/reproduce/reproduction.h"

namespace sotto {

// Counts what speaks for a claim and what against it.
struct ClaimVotes {
  std::size_t yes = 0, no = 0;
  void cast(bool holds) { ++(holds ? yes : no); }
  [[nodiscard]] ClaimOutcome outcome() const {
    if (yes + no == 0) return ClaimOutcome::untested;
    return no == 0 ? ClaimOutcome::holds : yes == 0 ? ClaimOutcome::fails : ClaimOutcome::mixed;
  }
};

// The mean over seeds; none where there is no such cell.
[[nodiscard]] std::optional<double> mean_of(const TargetData& at, const PaperData& data,
                                            std::string_view model, std::string_view metric);

// The mean of one value a seed, with its interval where there are several; empty without any.
[[nodiscard]] PaperCell over_seeds(const std::vector<double>& values);

// A finding without evidence is left out.
void add_finding(Finding finding, const ClaimVotes& votes, Reproduction& out);

// "×3": how many seeds.
[[nodiscard]] std::string seeds_text(const TargetData& at, const PaperData& data, std::string_view model);

// One series of a chart: a column of a table over x, one x a row.
[[nodiscard]] ChartSeries series_of(const PaperTable& table, const std::string& name, std::size_t column,
                                    const std::vector<double>& x);

}  // namespace sotto
