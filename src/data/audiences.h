// Audiences: the users of each item, which is the histories transposed. Users ascend.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/histories.h"

namespace sotto::data {

class Audiences {
 public:
  Audiences(const Histories& histories, std::size_t catalogue);
  [[nodiscard]] std::size_t items() const { return offsets_.size() - 1; }
  [[nodiscard]] std::span<const UserIndex> of(ItemIndex item) const {
    return std::span(users_).subspan(offsets_[item.value], offsets_[item.value + 1] - offsets_[item.value]);
  }

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<UserIndex> users_;
};

}  // namespace sotto::data
