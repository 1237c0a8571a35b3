// ItemSetMessage: an ItemSet on the wire. Header, round, then the number of items and the gaps between them
// as short numbers (fed/short_numbers.h): one or two bytes an item.
//
// Laws: decode(encode(x)) == x and no other bytes decode to x; who sent it is not in it. What it shows:
// whoever opens a single message sees which items its sender shares. Where that must not be, the same sum is
// made from masked dense triangles; docs/models.md has the price of both.
#pragma once

#include "fed/messages.h"
#include "privacy/item_set.h"

namespace sotto::fed {

struct ItemSetMessage {
  static constexpr MessageKind kind = MessageKind::item_set;
  std::uint32_t round = 0;
  ItemSet set;

  void write(Writer& out) const;
  [[nodiscard]] static Result<ItemSetMessage> read(Reader& in);
};

// The exact size of the encoded message, for accounting without encoding.
[[nodiscard]] std::uint64_t encoded_item_set_bytes(const ItemSet& set);

}  // namespace sotto::fed
