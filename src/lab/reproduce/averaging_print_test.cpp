#include "lab/reproduce/averaging_print.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fed/criteria/criterion.h"

namespace sotto {
namespace {

constexpr std::array experiments{mnist_iid, mnist_shards, celeba_people};

// A number that was copied wrongly would most likely miss the printed average.
TEST(AveragingPrint, CompleteRowsHaveThePrintedAverage) {
  std::size_t complete = 0;
  for (const std::string_view setting : averaging_settings(mnist_shards).subspan(1))
    for (const std::uint32_t accuracy : printed_targets(mnist_shards)) {
      const auto row = printed_rounds(mnist_shards, setting, accuracy);
      ASSERT_TRUE(row) << setting << accuracy;
      const double sum = std::accumulate(row->shares.begin(), row->shares.end(), 0.0);
      if (std::isnan(sum)) continue;
      ++complete;
      EXPECT_NEAR(sum / 9.0, row->average, 0.0051) << setting << " " << accuracy;
    }
  EXPECT_EQ(complete, 30u);
}

TEST(AveragingPrint, BaselinesNeedMoreRoundsForMoreDevicesAndMoreAccuracy) {
  for (const std::string_view experiment : experiments) {
    std::array<double, 9> before{};
    for (const std::uint32_t accuracy : printed_targets(experiment)) {
      const auto row = printed_rounds(experiment, averaging_baseline, accuracy);
      ASSERT_TRUE(row);
      for (std::size_t n = 0; n < 9; ++n) {
        if (std::isnan(row->shares[n])) continue;
        EXPECT_GE(row->shares[n], before[n]);
        before[n] = row->shares[n];
        if (n > 0 && !std::isnan(row->shares[n - 1])) {
          EXPECT_GE(row->shares[n], row->shares[n - 1]);
        }
      }
    }
  }
  // The figures that the work is held against.
  EXPECT_EQ(printed_rounds(mnist_iid, "DS", 90)->shares[4], 7);
  EXPECT_EQ(printed_rounds(mnist_shards, "DS", 90)->shares[4], 23);
  EXPECT_EQ(printed_rounds(mnist_shards, "DS", 95)->shares[4], 66);
}

// The baseline is the same in all matrices of a table: so many wrong, so many right.
TEST(AveragingPrint, ConfusionsAgreeAboutTheBaseline) {
  for (const std::string_view experiment : experiments) {
    const auto first = printed_confusion(experiment, averaging_settings(experiment)[1]);
    ASSERT_TRUE(first);
    for (const std::string_view setting : averaging_settings(experiment).subspan(1)) {
      const auto counts = printed_confusion(experiment, setting);
      ASSERT_TRUE(counts) << setting;
      EXPECT_EQ(counts->both_wrong + counts->only_other, first->both_wrong + first->only_other) << setting;
      EXPECT_EQ(counts->examples(), first->examples()) << setting;
    }
    EXPECT_FALSE(printed_confusion(experiment, averaging_baseline));
  }
}

TEST(AveragingPrint, SettingsAreOrdersThatCanBeRead) {
  for (const std::string_view experiment : experiments) {
    EXPECT_EQ(averaging_settings(experiment).front(), averaging_baseline);
    for (const std::string_view setting : averaging_settings(experiment))
      EXPECT_TRUE(parse_order(std::string(setting)).ok()) << setting;
  }
}

}  // namespace
}  // namespace sotto
