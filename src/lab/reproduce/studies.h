// The studies that a target needs, as plain Study objects for lab/study.
//
// Each dataset has studies of its own, because plans differ: one with a single seed, one with three. A
// study's name tells target, mode, dataset and purpose; results are shared by their keys, so what one target
// computed another finds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/reproduce/paper_data.h"
#include "lab/reproduce/paper_plans.h"
#include "lab/study/study.h"

namespace sotto::lab {

// A study and what it is expected to take.
struct PlannedStudy {
  Study study;
  std::string dataset;        // the papers' name
  double core_seconds = 0.0;  // an estimate, for one core

  // Trained once per point of the grid and seed.
  void add(std::string_view label, const TrainRequest& request, std::vector<Axis> grid, double seconds);
};
// Without models, with the target's seeds.
[[nodiscard]] PlannedStudy begin_study(const Target& target, const PaperData& data, Effort effort,
                                       std::string_view purpose);
// As many as were asked for, or as the paper's runs of this effort have.
[[nodiscard]] std::vector<std::uint64_t> seeds_of(const Target& target, Effort effort);

// The models of a target that are trained on this data, extras included.
[[nodiscard]] std::vector<std::string> trained_models(const Target& target, const PaperData& data);

// --quick: stored plans, few π. --full: what is searched first.
[[nodiscard]] Result<std::vector<PlannedStudy>> first_studies(const Target& target, const PaperData& data,
                                                              Effort effort);
// --full, after the search: all π with what it chose. `chosen` are complete requests by model.
[[nodiscard]] Result<std::vector<PlannedStudy>> pi_studies(const Target& target, const PaperData& data,
                                                           const std::map<std::string, TrainRequest>& chosen);
// What pi_studies will take, for an estimate before anything runs.
[[nodiscard]] double pi_core_seconds(const Target& target, const PaperData& data);

// variant_studies.cpp: stored plans and what is varied of them, in either effort.
[[nodiscard]] Result<std::vector<PlannedStudy>> cars_studies(const Target& target, const PaperData& data,
                                                             Effort effort);
[[nodiscard]] Result<std::vector<PlannedStudy>> criteria_studies(const Target& target, const PaperData& data,
                                                                 Effort effort);
// The plan of the paper's own model.
[[nodiscard]] Result<TrainRequest> own_request(const Paper& paper, std::string_view dataset);
// The epochs at which curves over them look, rising; the last are those of the plan.
[[nodiscard]] Result<std::vector<std::uint32_t>> curve_epochs(const Paper& paper, std::string_view dataset,
                                                              Effort effort);
// "both, epoch 20".
[[nodiscard]] std::string curve_label(std::string_view variant, std::uint32_t epoch);
// "pFPL, size".
[[nodiscard]] std::string criteria_label(std::string_view model, const Variant& variant);

}  // namespace sotto::lab
