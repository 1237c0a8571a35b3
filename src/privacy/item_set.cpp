#include "privacy/item_set.h"

namespace sotto::privacy {

ItemSet ItemSet::consented(std::span<const ItemIndex> history, ConsentGate gate) {
  ItemSet set;
  for (const ItemIndex item : history)
    if (gate.allows(Evidence::positive, item.value)) set.items_.push_back(item.value);
  return set;
}

}  // namespace sotto::privacy
