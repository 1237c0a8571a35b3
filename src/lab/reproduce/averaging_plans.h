// The plans behind the targets of chapter 5 (papers/averaging/plans.toml).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/plan/request.h"
#include "lab/reproduce/studies.h"

namespace sotto::lab {

// What --rounds is unless told.
inline constexpr const char* rounds_unless_told = "60 MNIST IID, 200 in shards, 100 CelebA; with --quick 40";

// How the examples of a dataset are dealt, and what is looked at.
struct Experiment {
  std::string dataset;
  std::vector<std::string> settings;      // the baseline first; written "DS>LD>MW"
  std::vector<std::uint32_t> accuracies;  // that are printed, in percent
  std::string best, gaining;              // what the thesis finds best, and what gains alone; empty: nothing
  // The accuracies whose baseline is held against the print, and within how many rounds.
  std::vector<std::uint32_t> held, within;
  double seconds = 0.0;  // of a round on one core, of the first setting that was measured
  double quick_seconds = 0.0;
  TrainRequest plan, quick;
};
[[nodiscard]] const Experiment& experiment_on(std::string_view dataset);

// A setting of an experiment. Quick: a fifth of the devices with some of their examples and a small network.
[[nodiscard]] Result<TrainRequest> averaging_request(const Target& target, const PaperData& data,
                                                     std::string_view setting, std::uint64_t seed,
                                                     Effort effort);

// An estimate for one core.
[[nodiscard]] double averaging_core_seconds(const Target& target, const PaperData& data, Effort effort);

}  // namespace sotto::lab
