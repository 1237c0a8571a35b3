#include "fed/weights_message.h"

#include "fed/short_numbers.h"

namespace sotto::fed {

void WeightsMessage::write(Writer& out) const {
  write_short(out, static_cast<std::uint32_t>(weights.items()));
  for (std::size_t item = 0; item < weights.items(); ++item) {
    const auto row = weights.of(item);
    write_short(out, static_cast<std::uint32_t>(row.size()));
    std::uint32_t next = 0;
    for (const Neighbor& weight : row) {
      write_short(out, weight.index - next);
      out.number(weight.likeness);
      next = weight.index + 1;
    }
  }
}

Result<WeightsMessage> WeightsMessage::read(Reader& in) {
  SOTTO_TRY(const std::uint32_t items, read_short(in));
  if (items > in.remaining()) return fail(Code::bad_input, "message refused: it ends before its items do");
  std::vector<std::uint64_t> offsets{0};
  std::vector<Neighbor> weights;
  for (std::uint32_t item = 0; item < items; ++item) {
    SOTTO_TRY(const std::uint32_t count, read_short(in));
    std::uint64_t next = 0;
    for (std::uint32_t n = 0; n < count; ++n) {
      SOTTO_TRY(const std::uint32_t gap, read_short(in));
      const auto weight = in.number<float>();
      next += gap;
      if (in.spoiled() || next >= items || !(weight - weight == 0.0f))
        return fail(Code::bad_input, "message refused: a weight is missing, infinite or outside the table");
      weights.push_back({static_cast<std::uint32_t>(next++), weight});
    }
    offsets.push_back(weights.size());
  }
  return WeightsMessage{ItemWeights(std::move(offsets), std::move(weights))};
}

std::uint64_t encoded_weights_bytes(const ItemWeights& weights) {
  constexpr std::uint64_t prefix_bytes = 8;
  std::uint64_t bytes = prefix_bytes + short_bytes(static_cast<std::uint32_t>(weights.items()));
  for (std::size_t item = 0; item < weights.items(); ++item) {
    const auto row = weights.of(item);
    bytes += short_bytes(static_cast<std::uint32_t>(row.size())) + row.size() * sizeof(float);
    std::uint32_t next = 0;
    for (const Neighbor& weight : row) {
      bytes += short_bytes(weight.index - next);
      next = weight.index + 1;
    }
  }
  return bytes;
}

}  // namespace sotto::fed
