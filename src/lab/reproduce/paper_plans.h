// The plans behind the tables, papers/*/plans.toml: for --quick one plan per cell, chosen beforehand; for
// --full the papers' grids; and what is varied of a plan.
//
// Laws: a plan is what TOML says on top of its paper's protocol; a dataset without a plan of its own takes
// the plan for any data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/plan/request.h"
#include "lab/reproduce/targets.h"
#include "lab/study/study.h"

namespace sotto::lab {

enum class Effort : std::uint8_t { quick, full };
[[nodiscard]] const char* to_string(Effort effort);

// Parts of a plan, read on top of another; what is wrong names file and line.
using PlanPart = std::function<Result<TrainRequest>(TrainRequest base)>;

// Where a stored plan comes from; reports say so.
enum class PlanOrigin : std::uint8_t {
  nothing,     // there is nothing to choose
  validation,  // tried against others on a validation part of this dataset
  given,       // taken over from other data or from published figures, which may have seen the test part
};

struct PaperPlan {
  std::vector<std::string> datasets;  // empty: any
  std::string model;
  PlanOrigin origin = PlanOrigin::nothing;
  std::uint32_t seeds = 3;   // 1 where nothing is drawn, or where a cell is slow
  double seconds = 0.0;      // of one cell, on one core
  double quick_seconds = 0;  // the same with `quick`
  PlanPart plan, quick;      // `quick` stands on top, for --quick; may be empty
};

// The plan but for something.
struct Variant {
  std::string target;
  std::string label;
  std::vector<std::string> datasets, models;  // that it is for; empty: all
  bool quick = true;                          // whether --quick takes it
  double work = 1.0;                          // its share of the plan's seconds
  double x = 0.0;                             // where it stands in a chart
  std::string others;   // what those choose who do not let all in; empty: everybody lets all in
  PlanPart data, plan;  // may be empty
};

// What is searched on top of the plan.
struct FullPlan {
  std::vector<Axis> grid;
  std::uint32_t epochs = 0;   // at most; 0: the model has none
  bool more_factors = false;  // up to 50, which take longer than those of the plan
};

// Null where there is none.
[[nodiscard]] const PaperPlan* find_plan(const Paper& paper, std::string_view dataset,
                                         std::string_view model);
[[nodiscard]] const PaperPlan& quick_plan(const Paper& paper, std::string_view dataset,
                                          std::string_view model);
[[nodiscard]] Result<TrainRequest> request_of(const Paper& paper, const PaperPlan& plan,
                                              Effort effort = Effort::full);
[[nodiscard]] std::vector<const Variant*> variants_of(const Target& target, std::string_view dataset,
                                                      std::string_view model, Effort effort);
[[nodiscard]] FullPlan full_plan(const Paper& paper, std::string_view dataset, std::string_view model);
// Settings that a search tries of each grid, and what becomes of them.
[[nodiscard]] const Search& full_search(const Paper& paper);

// Beside the chosen one.
[[nodiscard]] std::vector<double> quick_pis();
[[nodiscard]] std::vector<double> full_pis();

}  // namespace sotto::lab
