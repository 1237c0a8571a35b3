#include "fed/secure/sum_cost.h"

#include "fed/secure/masked_sum.h"
#include "fed/secure/paillier_sum.h"
#include "fed/secure/part_sum.h"

namespace sotto::fed {

namespace {

constexpr std::uint64_t up_to_whole(std::uint64_t number, std::uint64_t parts) {
  return (number + parts - 1) / parts;
}

// A block's values, and what goes with them.
struct BlockBytes {
  std::uint64_t head = 0;
  std::uint64_t slot = 1;         // bytes that are never cut
  std::uint64_t slot_values = 1;  // how many values they hold; 0: values are packed by bits
  std::uint32_t bits = 8;

  [[nodiscard]] std::uint64_t of(std::uint64_t values) const {
    if (slot_values == 0) return head + up_to_whole(values * bits, 8);
    return head + up_to_whole(values, slot_values) * slot;
  }
};

Result<BlockBytes> block_bytes(const SumOptions& sum, std::uint32_t devices) {
  const std::int32_t limit = sum.limit == 0 ? fixed_limit : static_cast<std::int32_t>(sum.limit);
  BlockBytes bytes{.slot_values = 0};
  if (sum.kind == SumKind::paillier) {
    SOTTO_TRY(const SumRange range, plan_range(devices, limit));
    const std::uint64_t each = sum.key_bits / 4;  // a ciphertext is twice as long as the key
    return BlockBytes{.head = encode(CiphertextsMessage{.session = 0, .each = 1, .ciphertexts = {}}).size(),
                      .slot = each,
                      .slot_values = (sum.key_bits - 1) / range.bits,
                      .bits = range.bits};
  }
  SOTTO_TRY(const SumRange range, plan_range(devices, limit, sum.bits));
  bytes.bits = range.bits;
  if (sum.kind == SumKind::shares) {
    const std::uint64_t part = encode(PartMessage{}).size();
    bytes.head = part + (sum.aggregators - 1) * (part + sizeof(Bytes32));
    return bytes;
  }
  SumOffer offer;
  SOTTO_TRY(offer.terms, terms_of_cohort(devices, sum.assumed));
  offer.range = range;
  bytes.head = masked_cost(offer).up;
  return bytes;
}

}  // namespace

Result<std::uint64_t> sum_bytes_up(const SumOptions& sum, std::size_t devices, SumShape shape) {
  SOTTO_ASSERT(sum.kind != SumKind::plain, "a plain sum has no messages of its own");
  const std::uint64_t groups = sum.group == 0 ? 1 : std::max<std::uint64_t>(devices / sum.group, 1);
  SOTTO_TRY(const BlockBytes bytes,
            block_bytes(sum, static_cast<std::uint32_t>(up_to_whole(devices, groups))));
  const std::uint64_t step = sum.block == 0 ? std::max<std::uint64_t>(shape.rows, 1) : sum.block;
  const std::uint64_t last = shape.rows % step;
  return shape.rows / step * bytes.of(step * shape.width) + (last == 0 ? 0 : bytes.of(last * shape.width));
}

}  // namespace sotto::fed
