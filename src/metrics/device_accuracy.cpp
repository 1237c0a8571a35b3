#include "metrics/device_accuracy.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"

namespace sotto::metrics {

double global_accuracy(std::span<const std::uint32_t> examples, const AccuracyLook& look) {
  SOTTO_ASSERT(examples.size() == look.right.size(), "a look has all devices");
  const auto all = std::accumulate(examples.begin(), examples.end(), std::uint64_t{0});
  const auto right = std::accumulate(look.right.begin(), look.right.end(), std::uint64_t{0});
  return all == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(all);
}

std::array<double, 9> accuracy_deciles(std::span<const std::uint32_t> examples, const AccuracyLook& look) {
  SOTTO_ASSERT(examples.size() == look.right.size(), "a look has all devices");
  std::vector<double> accuracies;
  for (std::size_t n = 0; n < examples.size(); ++n)
    if (examples[n] > 0)
      accuracies.push_back(static_cast<double>(look.right[n]) / static_cast<double>(examples[n]));
  std::sort(accuracies.begin(), accuracies.end());
  std::array<double, 9> deciles{};
  if (accuracies.empty()) return deciles;
  for (std::size_t tenth = 1; tenth <= 9; ++tenth)
    deciles[tenth - 1] = accuracies[(tenth * accuracies.size() + 9) / 10 - 1];
  return deciles;
}

bool reaches(std::span<const std::uint32_t> examples, const AccuracyLook& look, const AccuracyGoal& goal) {
  SOTTO_ASSERT(examples.size() == look.right.size(), "a look has all devices");
  std::uint64_t devices = 0, there = 0;
  for (std::size_t n = 0; n < examples.size(); ++n) {
    if (examples[n] == 0) continue;
    ++devices;
    there += std::uint64_t{100} * look.right[n] >= std::uint64_t{goal.accuracy} * examples[n] ? 1 : 0;
  }
  return devices > 0 && 100 * there >= goal.devices * devices;
}

std::optional<std::uint32_t> rounds_until(const AccuracyCurve& curve, const AccuracyGoal& goal) {
  for (const AccuracyLook& look : curve.looks)
    if (reaches(curve.examples, look, goal)) return look.round;
  return std::nullopt;
}

std::array<std::optional<std::uint32_t>, 9> rounds_until_shares(const AccuracyCurve& curve,
                                                                std::uint32_t accuracy) {
  std::array<std::optional<std::uint32_t>, 9> rounds;
  for (std::uint32_t tenth = 1; tenth <= 9; ++tenth)
    rounds[tenth - 1] = rounds_until(curve, {.devices = 10 * tenth, .accuracy = accuracy});
  return rounds;
}

std::optional<double> gain_in_rounds(std::optional<std::uint32_t> baseline,
                                     std::optional<std::uint32_t> other, std::uint32_t most_rounds) {
  if (!baseline && !other) return std::nullopt;
  const auto needed = [most_rounds](std::optional<std::uint32_t> rounds) {
    return static_cast<double>(std::min(rounds.value_or(most_rounds), most_rounds));
  };
  return needed(baseline) - needed(other);
}

std::size_t best_look(const AccuracyCurve& curve) {
  SOTTO_ASSERT(!curve.looks.empty(), "there was a look");
  std::size_t best = 0;
  const auto right = [&](std::size_t n) {
    const std::vector<std::uint32_t>& counts = curve.looks[n].right;
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  for (std::size_t n = 1; n < curve.looks.size(); ++n)
    if (right(n) > right(best)) best = n;
  return best;
}

Confusion confusion_of(std::span<const std::uint8_t> baseline, std::span<const std::uint8_t> other) {
  SOTTO_ASSERT(baseline.size() == other.size(), "both are of the same examples");
  Confusion confusion;
  for (std::size_t n = 0; n < baseline.size(); ++n) {
    const bool first = baseline[n] != 0, second = other[n] != 0;
    ++(first    ? second ? confusion.both_right : confusion.only_baseline
       : second ? confusion.only_other
                : confusion.both_wrong);
  }
  return confusion;
}

}  // namespace sotto::metrics
