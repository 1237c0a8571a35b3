#include "data/membership.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace sotto::data::membership_test {

RC_GTEST_PROP(Membership, BitmapAndSearchEqualTheSet, ()) {
  constexpr std::uint32_t items = 200;
  const auto rows = *rc::gen::container<std::vector<std::set<std::uint32_t>>>(
      rc::gen::container<std::set<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, items)));
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> all;
  for (const auto& row : rows) {
    for (const std::uint32_t item : row) all.push_back({item});
    offsets.push_back(all.size());
  }
  const Histories histories(offsets, all);
  const Membership bitmap(histories, items);
  const Membership search(histories, items, 0);
  RC_ASSERT(bitmap.uses_bitmap());
  RC_ASSERT(!search.uses_bitmap() || rows.empty());
  for (std::uint32_t user = 0; user < rows.size(); ++user) {
    for (std::uint32_t item = 0; item < items; ++item) {
      const bool expected = rows[user].count(item) > 0;
      RC_ASSERT(bitmap.contains({user}, {item}) == expected);
      RC_ASSERT(search.contains({user}, {item}) == expected);
    }
  }
}

TEST(Membership, KeepsToItsBudget) {
  const Histories histories(1000);  // 1000 users × 2 words of 8 bytes
  EXPECT_TRUE(Membership(histories, 128, 16000).uses_bitmap());
  EXPECT_EQ(Membership(histories, 128, 16000).bytes(), 16000u);
  EXPECT_FALSE(Membership(histories, 128, 15999).uses_bitmap());
  EXPECT_FALSE(Membership(histories, std::size_t{1} << 60).uses_bitmap());
  EXPECT_FALSE(Membership(histories, 0).uses_bitmap());
}

}  // namespace sotto::data::membership_test
