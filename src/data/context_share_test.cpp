#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rng.h"
#include "data/contexts.h"

namespace sotto::data::context_share_test {

TEST(ContextShare, NothingAtZeroAllAtOneAndTheFirstDimensionIsTheStreams) {
  for (std::uint32_t item = 0; item < 200; ++item) {
    EXPECT_FALSE(carries(7, {3}, {item}, 2, 0.0f));
    EXPECT_TRUE(carries(7, {3}, {item}, 2, 1.0f));
    EXPECT_EQ(carries(7, {3}, {item}, 0, 0.3f),
              Stream(7, Purpose::context_share, item, 3).chance(double{0.3f}));
  }
}

// 20000 draws at 0.3: six deviations are 0.02. With this seed it never fails.
TEST(ContextShare, TheShareIsWhatIsCarriedAndDimensionsDrawApart) {
  std::size_t first = 0, both = 0;
  for (std::uint32_t item = 0; item < 20000; ++item) {
    const bool one = carries(1, {5}, {item}, 1, 0.3f), other = carries(1, {5}, {item}, 2, 0.3f);
    first += one ? 1 : 0;
    both += one && other ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(first) / 20000.0, 0.3, 0.02);
  EXPECT_NEAR(static_cast<double>(both) / 20000.0, 0.09, 0.013);
}

RC_GTEST_PROP(ContextShareLaw, WhatIsCarriedAtSomeShareIsCarriedAtAnyLargerOne,
              (std::uint64_t seed, std::uint32_t user, std::uint32_t item, std::uint8_t dimension)) {
  const float small = static_cast<float>(*rc::gen::inRange(0, 1001)) / 1000.0f;
  const float large = static_cast<float>(*rc::gen::inRange(0, 1001)) / 1000.0f;
  const bool at_small = carries(seed, {user}, {item}, dimension, std::min(small, large));
  const bool at_large = carries(seed, {user}, {item}, dimension, std::max(small, large));
  RC_ASSERT(!at_small || at_large);
  RC_ASSERT(carries(seed, {user}, {item}, dimension, std::min(small, large)) == at_small);
}

}  // namespace sotto::data::context_share_test
