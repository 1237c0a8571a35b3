// The plans behind the tables: for --quick one plan a cell, chosen beforehand; for --full the papers' grids.
//
// Laws: a plan is what TOML says on top of the papers' protocol (α = .05, exchanges, masks redrawn, lists of
// ten); a dataset without a plan of its own takes the plan for any data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/plan/request.h"
#include "lab/study/study.h"

namespace sotto {

// All plans of chapter 4 start from it; those of chapter 6 have their own (knowledge_plans.h).
[[nodiscard]] TrainRequest paper_protocol();

// Where a stored plan comes from; reports say so.
enum class PlanOrigin : std::uint8_t {
  nothing,     // there is nothing to choose
  validation,  // tried against others on a validation part of this dataset
  given,       // taken over from other data or from published figures, which may have seen the test part
};

struct QuickPlan {
  std::string_view dataset;  // empty: any
  std::string_view model;
  PlanOrigin origin;
  std::uint32_t seeds;     // 1 where nothing is drawn, or where a cell is slow
  double seconds;          // of one cell, on one core
  std::string_view toml;   // on top of paper_protocol(), or of chapter 6's
  bool knowledge = false;  // of chapter 6
};

[[nodiscard]] const QuickPlan& quick_plan(std::string_view dataset, std::string_view model);
[[nodiscard]] Result<TrainRequest> request_of(const QuickPlan& plan);

// Beside the chosen one.
[[nodiscard]] std::vector<double> quick_pis();
[[nodiscard]] std::vector<double> full_pis();

// The grid that is searched, on top of the quick plan.
struct FullPlan {
  std::vector<Axis> grid;    // π included
  std::uint32_t epochs = 0;  // at most; 0: the model has none
};
[[nodiscard]] FullPlan full_plan(std::string_view dataset, std::string_view model);
// Settings that a search tries of each grid, and what becomes of them.
[[nodiscard]] Search full_search(std::string_view dataset);

}  // namespace sotto
