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
#include "lab/reproduce/targets.h"
#include "lab/study/study.h"

namespace sotto {

enum class Effort : std::uint8_t { quick, full };
[[nodiscard]] const char* to_string(Effort effort);

// A study and what it is expected to take.
struct PlannedStudy {
  Study study;
  std::string dataset;        // the papers' name
  double core_seconds = 0.0;  // an estimate, for one core
};

// The models of a target that are trained on this data, extras included.
[[nodiscard]] std::vector<std::string_view> trained_models(const Target& target, const PaperData& data);

// --quick: stored plans, few π. --full: what is searched first.
[[nodiscard]] Result<std::vector<PlannedStudy>> first_studies(const Target& target, const PaperData& data,
                                                              Effort effort);
// --full, after the search: all π with what it chose. `chosen` are complete requests by model.
[[nodiscard]] Result<std::vector<PlannedStudy>> pi_studies(const Target& target, const PaperData& data,
                                                           const std::map<std::string, TrainRequest>& chosen);
// What pi_studies will take, for an estimate before anything runs.
[[nodiscard]] double pi_core_seconds(const Target& target, const PaperData& data);

}  // namespace sotto
