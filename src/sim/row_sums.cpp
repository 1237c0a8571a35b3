#include "sim/row_sums.h"

#include <utility>

#include "fed/item_set_message.h"

namespace sotto::sim {

namespace {

template <Message M>
Result<std::uint64_t> carry(M& message) {
  const Bytes bytes = encode(message);
  SOTTO_TRY(M arrived, decode<M>(bytes));
  SOTTO_ASSERT(arrived.round == message.round, "a message says its round");
  message = std::move(arrived);
  return std::uint64_t{bytes.size()};
}

}  // namespace

Result<std::uint64_t> over_the_wire(std::uint32_t round, Contribution& sent) {
  ContributionMessage message{.round = round, .contribution = std::move(sent)};
  SOTTO_TRY(const std::uint64_t bytes, carry(message));
  sent = std::move(message.contribution);
  return bytes;
}

Result<std::uint64_t> over_the_wire(std::uint32_t round, ItemSet& sent) {
  ItemSetMessage message{.round = round, .set = std::move(sent)};
  SOTTO_TRY(const std::uint64_t bytes, carry(message));
  sent = std::move(message.set);
  return bytes;
}

}  // namespace sotto::sim
