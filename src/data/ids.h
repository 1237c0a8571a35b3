// Strong indices and the table between them and the user's own strings.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/plain.h"

namespace sotto {

// An index into the users (or items) of one dataset; the two cannot be mixed up.
template <class Tag>
struct Index {
  std::uint32_t value = 0;
  auto operator<=>(const Index&) const = default;
};
using UserIndex = Index<struct UserTag>;
using ItemIndex = Index<struct ItemTag>;

// The strings people know, each with its index. An arena and an open hash table: about 13 bytes an
// id beside its letters.
class IdTable {
 public:
  // The index of `name`, added if new.
  std::uint32_t intern(std::string_view name);
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  [[nodiscard]] std::string_view name(std::uint32_t index) const {
    return std::string_view(letters_).substr(ends_[index], ends_[index + 1] - ends_[index]);
  }
  [[nodiscard]] std::size_t size() const { return ends_.size() - 1; }
  void reserve(std::size_t ids, std::size_t letters);

  // A table of the given old indices, in that order.
  [[nodiscard]] IdTable picked(std::span<const std::uint32_t> old_indices) const;

 private:
  [[nodiscard]] std::size_t slot_of(std::string_view name) const;
  void grow();

  std::string letters_;
  std::vector<std::uint64_t> ends_{0};
  std::vector<std::uint32_t> slots_;  // index + 1, 0 is free; a power of two long
};

}  // namespace sotto
