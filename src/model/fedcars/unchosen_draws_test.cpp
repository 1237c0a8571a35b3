// Draws of what was not chosen, counted.
#include "model/fedcars/unchosen_draws.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace sotto::model::unchosen_draws_test {

// 3000 draws of three items: a count is 1000 ± 26, and 130 are five times that.
TEST(UnchosenDraws, WhatWasNotChosenIsDrawnEquallyOften) {
  const std::vector<std::uint32_t> chosen{0, 1, 3, 4, 6, 7, 9};
  UnchosenDraws draws(Stream(5, Purpose::draw_choices), chosen, 10);
  ASSERT_TRUE(draws.any());
  std::array<int, 10> times{};
  for (int n = 0; n < 3000; ++n) ++times.at(draws.next().value);
  for (const std::uint32_t item : chosen) EXPECT_EQ(times.at(item), 0) << item;
  for (const std::uint32_t item : {2u, 5u, 8u}) EXPECT_NEAR(times.at(item), 1000, 130) << item;
}

TEST(UnchosenDraws, NothingIsLeftOfAllAndAllIsLeftOfNothing) {
  const std::vector<std::uint32_t> all{0, 1, 2};
  EXPECT_FALSE(UnchosenDraws(Stream(5, Purpose::draw_choices), all, 3).any());
  UnchosenDraws draws(Stream(5, Purpose::draw_choices), {}, 3);
  std::set<std::uint32_t> seen;
  for (int n = 0; n < 200; ++n) seen.insert(draws.next().value);
  EXPECT_EQ(seen, (std::set<std::uint32_t>{0, 1, 2}));
}

// A chance of one in 10^9 that an item of at most 8 stays away from 400 draws.
RC_GTEST_PROP(UnchosenDraws, ExactlyTheOthersAreDrawn, ()) {
  const auto items = *rc::gen::inRange(1u, 9u);
  std::vector<std::uint32_t> chosen;
  std::set<std::uint32_t> others;
  for (std::uint32_t item = 0; item < items; ++item) {
    if (*rc::gen::arbitrary<bool>())
      chosen.push_back(item);
    else
      others.insert(item);
  }
  UnchosenDraws draws(Stream(7, Purpose::draw_choices), chosen, items);
  RC_ASSERT(draws.any() == !others.empty());
  std::set<std::uint32_t> seen;
  for (int n = 0; draws.any() && n < 400; ++n) seen.insert(draws.next().value);
  RC_ASSERT(seen == others);
}

}  // namespace sotto::model::unchosen_draws_test
