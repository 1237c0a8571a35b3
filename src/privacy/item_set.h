// ItemSet: what a device gives to a sum of pairs: which items its person has, as far as they consent. The sum
// of x xᵀ over everybody's sets is all that the item-item models learn from (model/pair_counts.h).
//
// Laws: it is made from a history by the consent gate alone, so what consent withholds is in no pair; items
// ascend, each once. A history, or any list of items, does not fit where an ItemSet is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privacy/contribution.h"
#include "privacy/kept_items.h"

namespace sotto::fed {
struct ItemSetMessage;
}

namespace sotto::privacy {

class ItemSet {
 public:
  ItemSet() = default;  // of somebody who gives nothing
  // The items of `history` (ascending) that the gate lets out.
  [[nodiscard]] static ItemSet consented(std::span<const ItemIndex> history, ConsentGate gate);
  // The rows of a contribution in canonical form, which went through that gate; each once.
  [[nodiscard]] static ItemSet in(const Contribution& contribution);

  [[nodiscard]] std::span<const std::uint32_t> items() const { return items_; }
  // Those of its items that are kept, each by its place among these.
  [[nodiscard]] ItemSet among(const KeptItems& kept) const;

 private:
  friend struct fed::ItemSetMessage;
  std::vector<std::uint32_t> items_;
};

}  // namespace sotto::privacy
