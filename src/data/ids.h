// Strong indices and the table between them and the user's own strings.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/plain.h"

namespace sotto::data {

// An index into the users (or items) of one dataset; the two cannot be mixed up.
template <class Tag>
struct Index {
  std::uint32_t value = 0;
  auto operator<=>(const Index&) const = default;
};
using UserIndex = Index<struct UserTag>;
using ItemIndex = Index<struct ItemTag>;

// More names have no index.
inline constexpr std::size_t most_ids = 0xFFFF'FFFE;

// The three arrays of an id table: the letters of all names, where each name ends (0 first), and an open
// hash table of name indices + 1 (0 is free), a power of two long.
struct IdArrays {
  std::span<const char> letters;
  std::span<const std::uint64_t> ends;
  std::span<const std::uint32_t> slots;
};

// The strings people know, each with its index. An arena and an open hash table: about 13 bytes an
// id beside its letters.
//
// Laws: a table looks at its own arrays, or at those of somebody else (a mapped file) until the first new
// name: then it takes a copy. The hash of a name is part of the format of saved splits: it never changes.
class IdTable {
 public:
  IdTable() = default;
  // A view of arrays that `owner` keeps alive; they obey lawful().
  IdTable(const IdArrays& arrays, std::shared_ptr<const void> owner)
      : seen_(std::make_shared<const Seen>(Seen{arrays, std::move(owner)})) {}
  // Whether arrays from outside may be looked at: no lookup leaves them or runs for ever.
  [[nodiscard]] static bool lawful(const IdArrays& arrays);

  // The index of `name`, added if new.
  std::uint32_t intern(std::string_view name);
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  [[nodiscard]] std::string_view name(std::uint32_t index) const { return name_in(arrays(), index); }
  [[nodiscard]] std::size_t size() const { return (seen_ ? seen_->arrays.ends.size() : ends_.size()) - 1; }
  void reserve(std::size_t ids, std::size_t letters);

  // A table of the given old indices, in that order.
  [[nodiscard]] IdTable picked(std::span<const std::uint32_t> old_indices) const;

  [[nodiscard]] IdArrays arrays() const { return seen_ ? seen_->arrays : IdArrays{letters_, ends_, slots_}; }
  // The slots that a table of these names has if it grew name by name.
  [[nodiscard]] std::vector<std::uint32_t> plain_slots() const;

 private:
  struct Seen {
    IdArrays arrays;
    std::shared_ptr<const void> owner;
  };
  [[nodiscard]] static std::string_view name_in(const IdArrays& arrays, std::uint32_t index) {
    const std::uint64_t begin = arrays.ends[index];
    return {arrays.letters.data() + begin, static_cast<std::size_t>(arrays.ends[index + 1] - begin)};
  }
  [[nodiscard]] static std::size_t slot_in(const IdArrays& arrays, std::string_view name);
  void own();
  void grow();

  std::vector<char> letters_;
  std::vector<std::uint64_t> ends_{0};
  std::vector<std::uint32_t> slots_;
  std::shared_ptr<const Seen> seen_;
};

}  // namespace sotto::data
