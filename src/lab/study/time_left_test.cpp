#include "lab/study/time_left.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sotto::lab::time_left_test {

TEST(TimeLeft, CountsEpochsNotCells) {
  // Nine cells of a ninth each took 3 s in all; three of a third, one whole and three finals are missing.
  const SequenceCost halving{
      .cells = 16, .work = 6.0, .work_finished = 1.0, .work_computed = 1.0, .seconds = 3.0};
  EXPECT_DOUBLE_EQ(seconds_left(std::vector{halving}), 15.0);
}

TEST(TimeLeft, WhatWasFoundCostsNothingAndSaysNothing) {
  const SequenceCost resumed{
      .cells = 4, .work = 4.0, .work_finished = 3.0, .work_computed = 1.0, .seconds = 7.0};
  EXPECT_DOUBLE_EQ(seconds_left(std::vector{resumed}), 7.0);
  const SequenceCost found{.cells = 4, .work = 4.0, .work_finished = 4.0};
  EXPECT_EQ(seconds_left(std::vector{found}), 0.0);
}

TEST(TimeLeft, ALineThatHasNotBegunCostsAsTheMiddleOne) {
  const auto line = [](double seconds) {
    return SequenceCost{
        .cells = 2, .work = 2.0, .work_finished = 2.0, .work_computed = 2.0, .seconds = seconds};
  };
  const SequenceCost fresh{.cells = 3, .work = 3.0};
  EXPECT_DOUBLE_EQ(seconds_left(std::vector{line(2.0), line(200.0), line(4.0), fresh}), 3.0 * 2.0);
  // The slowest lines come first: one of them says nothing of all the others.
  EXPECT_TRUE(std::isnan(seconds_left(std::vector{line(200.0), fresh, fresh})));
}

}  // namespace sotto::lab::time_left_test
