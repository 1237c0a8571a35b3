#include "privacy/item_set.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sotto::privacy::item_set_test {

std::vector<ItemIndex> hundred_items() {
  std::vector<ItemIndex> items;
  for (std::uint32_t item = 0; item < 100; ++item) items.push_back({3 * item});
  return items;
}

TEST(ItemSet, HoldsWhatTheGateLetsOutAndNothingElse) {
  const auto history = hundred_items();
  for (const MaskKind mask : {MaskKind::sticky, MaskKind::redraw})
    for (const double pi : {0.0, 0.4, 1.0}) {
      const ConsentGate gate({pi, mask}, 5, 0, UserIndex{9});
      const ItemSet set = ItemSet::consented(history, gate);
      std::vector<std::uint32_t> expected;
      ConsentGate asked = gate;
      for (const ItemIndex item : history)
        if (asked.allows(Evidence::positive, item.value)) expected.push_back(item.value);
      EXPECT_EQ(std::vector(set.items().begin(), set.items().end()), expected);
      EXPECT_EQ(pi == 0.0, set.items().empty());
      EXPECT_EQ(pi == 1.0, set.items().size() == history.size());
    }
}

TEST(ItemSet, ALargerShareWithholdsNothingThatASmallerOneGave) {
  const auto history = hundred_items();
  const ItemSet some = ItemSet::consented(history, ConsentGate({0.3, MaskKind::sticky}, 5, 0, UserIndex{9}));
  const ItemSet more = ItemSet::consented(history, ConsentGate({0.6, MaskKind::sticky}, 5, 0, UserIndex{9}));
  EXPECT_GT(more.items().size(), some.items().size());
  EXPECT_TRUE(
      std::includes(more.items().begin(), more.items().end(), some.items().begin(), some.items().end()));
}

}  // namespace sotto::privacy::item_set_test
