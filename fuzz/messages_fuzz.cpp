// The wire's messages on any bytes.
// Laws checked: what decodes encodes to the same bytes; a decoded contribution or item set fits or is refused
// whole.
#include <cstdint>
#include <cstring>
#include <span>

#include "base/assert.h"
#include "fed/aggregator.h"
#include "fed/item_set_message.h"
#include "fed/messages.h"
#include "fed/pair_aggregator.h"
#include "fed/weights_message.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

namespace {

bool same(std::span<const std::byte> a, const Bytes& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

void check_item_models(std::span<const std::byte> bytes) {
  if (const auto weights = decode<WeightsMessage>(bytes); weights.ok())
    SOTTO_ASSERT(same(bytes, encode(*weights)), "decoded weights encode to their bytes");
  const auto set = decode<ItemSetMessage>(bytes);
  if (!set.ok()) return;
  SOTTO_ASSERT(same(bytes, encode(*set)), "a decoded item set encodes to its bytes");
  SOTTO_ASSERT(bytes.size() == encoded_item_set_bytes(set->set), "its size is foretold");
  PairAggregator sum(64, PersonWeight(), PairAggregator::Form::triangle);
  const bool accepted = sum.accept(set->set).ok();
  SOTTO_ASSERT(accepted == (sum.contributions() == 1), "a refused item set is not counted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  if (const auto model = decode<ModelMessage>(bytes); model.ok())
    SOTTO_ASSERT(same(bytes, encode(*model)), "a decoded model encodes to its bytes");
  check_item_models(bytes);
  const auto answer = decode<ContributionMessage>(bytes);
  if (!answer.ok()) return 0;
  SOTTO_ASSERT(same(bytes, encode(*answer)), "a decoded contribution encodes to its bytes");
  SumSpace space(8, answer->contribution.width());
  Aggregator sum(space);
  const bool accepted = sum.accept(answer->contribution).ok();
  SOTTO_ASSERT(accepted == (sum.contributions() == 1), "a refused contribution is not counted");
  return 0;
}
