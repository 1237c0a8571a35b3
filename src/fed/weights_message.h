// WeightsMessage: a sparse table of item weights on its way to every device. Header, the number of items,
// then for each item the number of its weights, and for each weight the gap to its item and the float.
//
// Laws: decode(encode(x)) == x and no other bytes decode to x; what decodes has finite weights and items
// within the table.
#pragma once

#include "fed/messages.h"
#include "model/central/item_weights.h"

namespace sotto::fed {

struct WeightsMessage {
  static constexpr MessageKind kind = MessageKind::weights;
  ItemWeights weights;

  void write(Writer& out) const;
  [[nodiscard]] static Result<WeightsMessage> read(Reader& in);
};

// The exact size of the encoded message, for accounting without encoding.
[[nodiscard]] std::uint64_t encoded_weights_bytes(const ItemWeights& weights);

}  // namespace sotto::fed
