#include "privacy/item_set.h"

namespace sotto::privacy {

ItemSet ItemSet::consented(std::span<const ItemIndex> history, ConsentGate gate) {
  ItemSet set;
  for (const ItemIndex item : history)
    if (gate.allows(Evidence::positive, item.value)) set.items_.push_back(item.value);
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
