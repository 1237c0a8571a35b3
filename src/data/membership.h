// Membership: is this item in this user's history? Asked millions of times a second by rejection
// sampling, so a bitmap answers where it fits, and a binary search where it does not.
// Law: the answer is Histories::contains'; the histories outlive this object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/histories.h"

namespace sotto::data {

class Membership {
 public:
  // A bitmap that does not stay in a cache answers slower than a search in a short history.
  static constexpr std::size_t default_budget_bytes = std::size_t{16} << 20;

  // Items are [0, item_count). The bitmap is built when it takes at most `byte_budget` bytes.
  Membership(const Histories& histories, std::size_t item_count,
             std::size_t byte_budget = default_budget_bytes);

  [[nodiscard]] bool contains(UserIndex user, ItemIndex item) const {
    if (words_a_user_ == 0) return histories_->contains(user, item);
    return (bits_[user.value * words_a_user_ + (item.value >> 6)] >> (item.value & 63u) & 1u) != 0;
  }
  [[nodiscard]] const Histories& histories() const { return *histories_; }
  // One user's answers, for who asks many times.
  class OfUser {
   public:
    [[nodiscard]] bool contains(ItemIndex item) const {
      if (bits_ == nullptr) return of_->histories_->contains(user_, item);
      return (bits_[item.value >> 6] >> (item.value & 63u) & 1u) != 0;
    }

   private:
    friend class Membership;
    OfUser(const Membership& of, UserIndex user)
        : of_(&of),
          user_(user),
          bits_(of.words_a_user_ == 0 ? nullptr : &of.bits_[user.value * of.words_a_user_]) {}
    const Membership* of_;
    UserIndex user_;
    const std::uint64_t* bits_;
  };
  [[nodiscard]] OfUser of(UserIndex user) const { return {*this, user}; }
  // Asks for the memory that contains() will look at.
  void prefetch(UserIndex user, ItemIndex item) const {
    if (words_a_user_ != 0) __builtin_prefetch(&bits_[user.value * words_a_user_ + (item.value >> 6)]);
  }
  [[nodiscard]] bool uses_bitmap() const { return words_a_user_ != 0; }
  [[nodiscard]] std::size_t bytes() const { return bits_.size() * sizeof(std::uint64_t); }

 private:
  const Histories* histories_;
  std::size_t words_a_user_ = 0;  // 0: no bitmap
  std::vector<std::uint64_t> bits_;
};

}  // namespace sotto::data
