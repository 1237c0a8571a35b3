#include "privacy/consent_book.h"

#include <algorithm>

namespace sotto {

ConsentBook::ConsentBook(std::vector<ConsentTerms> kinds, std::vector<std::uint16_t> kind_of)
    : kinds_(std::move(kinds)), kind_of_(std::move(kind_of)) {
  SOTTO_ASSERT(std::ranges::all_of(kind_of_, [this](std::uint16_t kind) { return kind < kinds_.size(); }),
               "every user has one of the kinds");
}

ConsentBook::ConsentBook(ConsentTerms own) { kinds_.push_back(std::move(own)); }

Histories ConsentBook::shareable(const Histories& histories) const {
  const std::size_t users = histories.users();
  SOTTO_ASSERT(users == kind_of_.size() || kind_of_.empty(), "the book is of these users");
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  offsets.reserve(users + 1);
  items.reserve(histories.interactions());
  for (std::uint32_t user = 0; user < users; ++user) {
    const ConsentTerms& terms = of(UserIndex{user});
    for (const ItemIndex item : histories.of(UserIndex{user}))
      if (terms.takes_part && (terms.rules.empty() || terms.rules[item.value] != ItemRule::never))
        items.push_back(item);
    offsets.push_back(items.size());
  }
  return {std::move(offsets), std::move(items)};
}

std::span<const UserIndex> answering(std::span<const UserIndex> cohort, const Histories& shareable,
                                     std::vector<UserIndex>& room) {
  room.clear();
  for (const UserIndex user : cohort)
    if (!shareable.of(user).empty()) room.push_back(user);
  return room;
}

ConsentBook ConsentBook::without(UserIndex user) const {
  SOTTO_ASSERT(!kind_of_.empty(), "one person's own book has nobody to take out");
  ConsentBook book = *this;
  book.kind_of_[user.value] = static_cast<std::uint16_t>(book.kinds_.size());
  book.kinds_.push_back({.takes_part = false, .rules = {}});
  return book;
}

}  // namespace sotto
