#include "metrics/exposure.h"

#include <gtest/gtest.h>

#include "model/central/testing/small_worlds.h"

namespace sotto::metrics::exposure_test {

TEST(Exposure, CountsThoseWhoCouldBeShownTheTarget) {
  const Histories train = histories_of({{0, 3}, {1}, {2}, {0}});
  TopLists lists;
  lists.depth = 2;
  for (const std::uint32_t user : {0u, 1u, 2u, 3u}) lists.users.push_back(UserIndex{user});
  for (const std::uint32_t item : {1u, 2u, 3u, 0u, 0u, 3u, 1u, 0u}) lists.items.push_back(ItemIndex{item});
  lists.lengths = {2, 2, 2, 1};
  // The first has it already; the second is shown it first, the third second, the fourth not at all.
  const Exposure both = exposure_of(ItemIndex{3}, lists, train, 2);
  EXPECT_EQ(both.people, 3u);
  EXPECT_EQ(both.exposed, 2u);
  EXPECT_DOUBLE_EQ(exposure_of(ItemIndex{3}, lists, train, 1).rate(), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(Exposure{}.rate(), 0.0);
  // What lies behind a short list's end is not shown.
  EXPECT_EQ(exposure_of(ItemIndex{0}, lists, train, 2).exposed, 2u);
}

}  // namespace sotto::metrics::exposure_test
