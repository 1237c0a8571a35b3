// How a model does on each device's own test examples over the rounds of a training (thesis 5.5.4): curves,
// rounds until many devices are served well, and whose mistakes two trainings share.
//
// Laws: counts are whole and percents are too, so that nothing is decided by rounding; a device without test
// examples counts nowhere; rounds are counted from 1, the first after which there is a model to look at.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/layers.h"

namespace sotto::metrics {

// After a round: how many of each device's test examples are right.
struct AccuracyLook {
  std::uint32_t round = 0;
  std::vector<std::uint32_t> right;  // one a device
};

struct AccuracyCurve {
  std::vector<std::uint32_t> examples;  // test examples of each device
  std::vector<AccuracyLook> looks;      // by round
};

// The devices' accuracies, weighted by their test examples.
[[nodiscard]] double global_accuracy(std::span<const std::uint32_t> examples, const AccuracyLook& look);
// The accuracy that 10%, 20% … 90% of the devices do not exceed (the nearest rank's).
[[nodiscard]] std::array<double, 9> accuracy_deciles(std::span<const std::uint32_t> examples,
                                                     const AccuracyLook& look);

// "At least so many percent of the devices are right in at least so many percent of their examples."
struct AccuracyGoal {
  std::uint32_t devices = 50;
  std::uint32_t accuracy = 90;
};
[[nodiscard]] bool reaches(std::span<const std::uint32_t> examples, const AccuracyLook& look,
                           const AccuracyGoal& goal);
// The first look at which the goal is reached, whatever comes after; none: never.
[[nodiscard]] std::optional<std::uint32_t> rounds_until(const AccuracyCurve& curve, const AccuracyGoal& goal);
// The same for 10%, 20% … 90% of the devices.
[[nodiscard]] std::array<std::optional<std::uint32_t>, 9> rounds_until_shares(const AccuracyCurve& curve,
                                                                              std::uint32_t accuracy);

// How many rounds earlier than the baseline. Who never got there counts as having needed `most_rounds`, as in
// the thesis' table 5.5; none where neither got there.
[[nodiscard]] std::optional<double> gain_in_rounds(std::optional<std::uint32_t> baseline,
                                                   std::optional<std::uint32_t> other,
                                                   std::uint32_t most_rounds);

// The look with the highest global accuracy, the first of equals; its place among the looks.
[[nodiscard]] std::size_t best_look(const AccuracyCurve& curve);

// Two trainings on the same examples: 1 where one is right.
struct Confusion {
  std::uint64_t both_wrong = 0;
  std::uint64_t only_other = 0;  // the baseline is wrong there, the other right
  std::uint64_t only_baseline = 0;
  std::uint64_t both_right = 0;

  [[nodiscard]] std::uint64_t examples() const {
    return both_wrong + only_other + only_baseline + both_right;
  }
};
// Both of the same length.
[[nodiscard]] Confusion confusion_of(std::span<const std::uint8_t> baseline,
                                     std::span<const std::uint8_t> other);

}  // namespace sotto::metrics
