#include "privacy/consent_book.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto::privacy {

ConsentBook::ConsentBook(std::vector<ConsentTerms> kinds, std::vector<std::uint16_t> kind_of,
                         std::uint64_t seed)
    : kinds_(std::move(kinds)), kind_of_(std::move(kind_of)), seed_(seed) {
  SOTTO_ASSERT(std::ranges::all_of(kind_of_, [this](std::uint16_t kind) { return kind < kinds_.size(); }),
               "every user has one of the kinds");
}

ConsentBook::ConsentBook(ConsentTerms own, std::uint64_t seed, UserIndex self) : seed_(seed), self_(self) {
  kinds_.push_back(std::move(own));
}

void ConsentBook::keep_newest(UserIndex user, std::vector<ItemIndex>& items,
                              std::span<const std::uint16_t> ages) const {
  const float share = of(user).contexts.history;
  if (ages.empty()) {
    const UserIndex who = kind_of_.empty() ? self_ : user;
    std::erase_if(items, [&](ItemIndex item) { return !carries(seed_, who, item, whole_record, share); });
    return;
  }
  // A share such as 0.3 is a little more in binary; that is no item more.
  const double wanted = double{share} * static_cast<double>(items.size()) * (1.0 - 1e-6);
  const auto kept = static_cast<std::size_t>(std::ceil(std::max(wanted, 0.0)));
  if (kept >= items.size()) return;
  // By age, of equal ones the smaller item first.
  std::vector<std::pair<std::uint16_t, ItemIndex>> by_age;
  for (std::size_t n = 0; n < items.size(); ++n) by_age.emplace_back(ages[n], items[n]);
  std::sort(by_age.begin(), by_age.end());
  items.clear();
  for (std::size_t n = 0; n < kept; ++n) items.push_back(by_age[n].second);
  std::sort(items.begin(), items.end());
}

Histories ConsentBook::shareable(const Histories& histories) const {
  const std::size_t users = histories.users();
  SOTTO_ASSERT(users == kind_of_.size() || kind_of_.empty(), "the book is of these users");
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items, own;
  std::vector<std::uint16_t> own_ages;
  offsets.reserve(users + 1);
  items.reserve(histories.interactions());
  for (std::uint32_t user = 0; user < users; ++user) {
    const ConsentTerms& terms = of(UserIndex{user});
    const auto all = histories.of(UserIndex{user});
    const auto ages = histories.ages_of(UserIndex{user});
    own.clear();
    own_ages.clear();
    for (std::size_t n = 0; n < all.size() && terms.takes_part; ++n) {
      if (!terms.rules.empty() && terms.rules[all[n].value] == ItemRule::never) continue;
      own.push_back(all[n]);
      if (!ages.empty()) own_ages.push_back(ages[n]);
    }
    if (terms.contexts.history < 1.0f) keep_newest(UserIndex{user}, own, own_ages);
    items.insert(items.end(), own.begin(), own.end());
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
  book.kinds_.push_back({.takes_part = false, .rules = {}, .contexts = {.history = 0.0f}});
  return book;
}

}  // namespace sotto::privacy
