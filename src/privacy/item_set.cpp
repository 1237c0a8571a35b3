#include "privacy/item_set.h"

namespace sotto::privacy {

ItemSet ItemSet::consented(std::span<const ItemIndex> history, ConsentGate gate) {
  ItemSet set;
  for (const ItemIndex item : history)
    if (gate.allows(Evidence::positive, item.value)) set.items_.push_back(item.value);
  return set;
}

ItemSet ItemSet::in(const Contribution& contribution) {
  ItemSet set;
  for (std::size_t n = 0; n < contribution.size(); ++n)
    if (set.items_.empty() || set.items_.back() != contribution.row(n))
      set.items_.push_back(contribution.row(n));
  return set;
}

ItemSet ItemSet::among(const KeptItems& kept) const {
  ItemSet set;
  for (const std::uint32_t item : items_)
    if (const std::uint32_t place = kept.place(item); place != KeptItems::nowhere)
      set.items_.push_back(place);
  return set;
}

}  // namespace sotto::privacy
