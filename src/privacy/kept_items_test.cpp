#include "privacy/kept_items.h"

#include <gtest/gtest.h>

#include "privacy/item_set.h"

namespace sotto::privacy::kept_items_test {

TEST(KeptItems, AreTheMostPopularAndOfEqualOnesTheFirst) {
  const std::vector<std::int64_t> sums{3, 9, 0, 7, 7, 7};
  EXPECT_EQ(KeptItems::most_popular(sums, 1).items(), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(KeptItems::most_popular(sums, 3).items(), (std::vector<std::uint32_t>{1, 3, 4}));
  EXPECT_EQ(KeptItems::most_popular(sums, 99).items().size(), 6u);
  const KeptItems kept = KeptItems::most_popular(sums, 3);
  EXPECT_EQ(kept.catalogue(), 6u);
  EXPECT_EQ(kept.place(3), 1u);
  EXPECT_EQ(kept.place(5), KeptItems::nowhere);
}

TEST(KeptItems, ASetAmongThemHasTheirPlaces) {
  const KeptItems kept({1, 3, 4}, 6);
  const std::vector<ItemIndex> history{ItemIndex{0}, ItemIndex{1}, ItemIndex{4}, ItemIndex{5}};
  const ItemSet set = ItemSet::consented(history, ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}));
  const ItemSet among = set.among(kept);
  EXPECT_TRUE(std::ranges::equal(among.items(), std::vector<std::uint32_t>{0, 2}));
  EXPECT_TRUE(ItemSet().among(kept).items().empty());
}

}  // namespace sotto::privacy::kept_items_test
