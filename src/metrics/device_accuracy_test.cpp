#include "metrics/device_accuracy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace sotto::metrics::device_accuracy_test {

// Three devices with 10, 20 and 0 test examples.
AccuracyCurve worked_example() {
  return {.examples = {10, 20, 0},
          .looks = {{1, {7, 10, 0}}, {2, {6, 16, 0}}, {3, {9, 18, 0}}, {4, {8, 17, 0}}}};
}

TEST(DeviceAccuracy, WorkedExample) {
  const AccuracyCurve curve = worked_example();
  EXPECT_DOUBLE_EQ(global_accuracy(curve.examples, curve.looks[0]), 17.0 / 30.0);
  EXPECT_DOUBLE_EQ(global_accuracy(curve.examples, curve.looks[2]), 0.9);
  EXPECT_EQ(rounds_until(curve, {50, 70}), 1u);   // one of two
  EXPECT_EQ(rounds_until(curve, {51, 70}), 3u);   // both at once: in round 2 the first fell behind
  EXPECT_EQ(rounds_until(curve, {100, 90}), 3u);  // exactly 90%, exactly all
  EXPECT_EQ(rounds_until(curve, {10, 91}), std::nullopt);
  EXPECT_EQ(best_look(curve), 2u);
  const auto deciles = accuracy_deciles(curve.examples, curve.looks[0]);
  EXPECT_DOUBLE_EQ(deciles[4], 0.5);  // half of the devices are at 0.5 at most
  EXPECT_DOUBLE_EQ(deciles[5], 0.7);
}

TEST(DeviceAccuracy, NobodyHasTestExamples) {
  const AccuracyCurve curve{.examples = {0, 0}, .looks = {{1, {0, 0}}}};
  EXPECT_EQ(global_accuracy(curve.examples, curve.looks[0]), 0.0);
  EXPECT_EQ(rounds_until(curve, {10, 0}), std::nullopt);
}

TEST(DeviceAccuracy, TheGainIsCappedAsInTable55) {
  EXPECT_EQ(gain_in_rounds(58, std::nullopt, 100), -42.0);  // IS, 80% of devices at 70%
  EXPECT_EQ(gain_in_rounds(50, std::nullopt, 100), -50.0);
  EXPECT_EQ(gain_in_rounds(std::nullopt, 57, 100), 43.0);  // DS>CB>IS, 70% of devices at 80%
  EXPECT_EQ(gain_in_rounds(23, 21, 1000), 2.0);
  EXPECT_EQ(gain_in_rounds(std::nullopt, std::nullopt, 100), std::nullopt);
}

// Slowly: sort the devices' accuracies of every round as fractions, and look at the one in its place.
RC_GTEST_PROP(DeviceAccuracy, RoundsUntilIsThatOfTheSlowWay, ()) {
  const auto devices = *rc::gen::inRange<std::size_t>(1, 12);
  AccuracyCurve curve;
  for (std::size_t n = 0; n < devices; ++n) curve.examples.push_back(*rc::gen::inRange(0u, 9u));
  const auto rounds = *rc::gen::inRange(1u, 8u);
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    AccuracyLook look{round, {}};
    for (std::size_t n = 0; n < devices; ++n)
      look.right.push_back(*rc::gen::inRange(0u, curve.examples[n] + 1));
    curve.looks.push_back(look);
  }
  const AccuracyGoal goal{*rc::gen::inRange(1u, 101u), *rc::gen::inRange(1u, 101u)};
  std::optional<std::uint32_t> slow;
  for (const AccuracyLook& look : curve.looks) {
    std::vector<bool> there;
    for (std::size_t n = 0; n < devices; ++n)
      if (curve.examples[n] > 0) there.push_back(look.right[n] * 100 >= goal.accuracy * curve.examples[n]);
    if (there.empty()) continue;
    // The fewest devices that are the asked share, found by trying.
    std::size_t needed = 0;
    while (needed * 100 < goal.devices * there.size()) ++needed;
    const auto count = static_cast<std::size_t>(std::count(there.begin(), there.end(), true));
    if (count >= needed && !slow) slow = look.round;
  }
  RC_ASSERT(rounds_until(curve, goal) == slow);
  // More devices or more accuracy are never earlier.
  const auto rows = rounds_until_shares(curve, goal.accuracy);
  for (std::size_t n = 1; n < rows.size(); ++n) RC_ASSERT(rows[n - 1].value_or(99) <= rows[n].value_or(99));
}

RC_GTEST_PROP(DeviceAccuracy, ConfusionCountsPairs, (std::vector<std::pair<bool, bool>> pairs)) {
  std::vector<std::uint8_t> first, second;
  std::map<std::pair<bool, bool>, std::uint64_t> counts;
  for (const auto& [a, b] : pairs) {
    first.push_back(a ? 1 : 0);
    second.push_back(b ? 1 : 0);
    ++counts[{a, b}];
  }
  const Confusion confusion = confusion_of(first, second);
  RC_ASSERT(confusion.both_wrong == (counts[{false, false}]));
  RC_ASSERT(confusion.only_other == (counts[{false, true}]));
  RC_ASSERT(confusion.only_baseline == (counts[{true, false}]));
  RC_ASSERT(confusion.both_right == (counts[{true, true}]));
  RC_ASSERT(confusion.examples() == pairs.size());
}

}  // namespace sotto::metrics::device_accuracy_test
