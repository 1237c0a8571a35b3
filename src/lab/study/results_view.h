// Cells of a results file as a researcher asks for them: filtered, gathered over seeds, the best of each
// model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "lab/study/results.h"
#include "metrics/statistics.h"

namespace sotto::lab {

// "model=sFPL+": the study, dataset, model, phase, seed or status of a cell, or one of its settings. Numbers
// are equal if they are the same number, however they are written.
struct CellCondition {
  std::string key;
  std::string value;
};
[[nodiscard]] Result<CellCondition> parse_condition(const std::string& text);

// The cells for which every condition holds. Fails for a key that no cell has.
[[nodiscard]] Result<std::vector<StoredCell>> filtered(std::vector<StoredCell> cells,
                                                       const std::vector<CellCondition>& conditions);

// Cells that differ in their seed alone, in the order of the first. They are done; failed ones are left out.
struct SeedGroup {
  std::vector<const StoredCell*> cells;

  [[nodiscard]] const CellPlace& place() const { return cells.front()->place; }
  [[nodiscard]] Spread metric(const std::string& name) const;
};
[[nodiscard]] std::vector<SeedGroup> by_seed(const std::vector<StoredCell>& cells);

// Of each study, dataset and model the group with the best mean; the first of equals.
[[nodiscard]] std::vector<SeedGroup> best_groups(const std::vector<SeedGroup>& groups,
                                                 const std::string& metric);

// All metrics that some cell has, in the order in which they come.
[[nodiscard]] std::vector<std::string> metrics_in(const std::vector<StoredCell>& cells);
// "lambda 100, pi 0.5": sections are named where keys would be mistaken for each other.
[[nodiscard]] std::string settings_text(const CellPlace& place);

// How many finished cells an earlier version computed: their plans are none that this one would write. They
// stay, but are found by nobody, because their keys are of the whole plan.
[[nodiscard]] Result<std::uint64_t> outdated_cells(const ResultsFile& results);

}  // namespace sotto::lab
