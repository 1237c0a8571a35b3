#include "fed/item_set_message.h"

#include "fed/short_numbers.h"

namespace sotto::fed {

namespace {

constexpr std::size_t head_bytes = 12;  // header and round

// Hands on the numbers of a message in order: the count, then each item less what the last one leaves open.
template <class Each>
void each_number(std::span<const std::uint32_t> items, const Each& each) {
  each(static_cast<std::uint32_t>(items.size()));
  std::uint32_t next = 0;
  for (const std::uint32_t item : items) {
    each(item - next);
    next = item + 1;
  }
}

}  // namespace

void ItemSetMessage::write(Writer& out) const {
  out.number(round);
  each_number(set.items(), [&](std::uint32_t number) { write_short(out, number); });
}

Result<ItemSetMessage> ItemSetMessage::read(Reader& in) {
  ItemSetMessage message;
  message.round = in.number<std::uint32_t>();
  SOTTO_TRY(const std::uint32_t count, read_short(in));
  if (count > in.remaining()) return fail(Code::bad_input, "message refused: it ends before its items do");
  message.set.items_.reserve(count);
  std::uint64_t next = 0;
  for (std::uint32_t n = 0; n < count; ++n) {
    SOTTO_TRY(const std::uint32_t gap, read_short(in));
    next += gap;
    if (next >= UINT32_MAX) return fail(Code::bad_input, "message refused: an item's number is too large");
    message.set.items_.push_back(static_cast<std::uint32_t>(next++));
  }
  return message;
}

std::uint64_t encoded_item_set_bytes(const ItemSet& set) {
  std::uint64_t bytes = head_bytes;
  each_number(set.items(), [&](std::uint32_t number) { bytes += short_bytes(number); });
  return bytes;
}

}  // namespace sotto::fed
