#include "data/membership.h"

#include "base/large_pages.h"

namespace sotto::data {

Membership::Membership(const Histories& histories, std::size_t item_count, std::size_t byte_budget)
    : histories_(&histories) {
  const std::size_t words = (item_count + 63) / 64;
  // Divided rather than multiplied, so that no size overflows.
  if (words == 0 || histories.users() > byte_budget / sizeof(std::uint64_t) / words) return;
  words_a_user_ = words;
  bits_.assign(histories.users() * words, 0);
  join_pages(bits_.data(), bytes());
  for (std::uint32_t user = 0; user < histories.users(); ++user) {
    for (const ItemIndex item : histories.of({user})) {
      SOTTO_ASSERT(item.value < item_count, "histories hold items of the given range");
      bits_[user * words + (item.value >> 6)] |= std::uint64_t{1} << (item.value & 63u);
    }
  }
}

}  // namespace sotto::data
