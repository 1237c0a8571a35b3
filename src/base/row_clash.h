// Finds out whether pairwise steps share a user or an item row, so that those that do not can be computed
// side by side. It may take two rows for one: then two steps are only computed one after the other.
#pragma once

#include <array>
#include <cstdint>

#include "base/layers.h"

namespace sotto::base {

class RowClash {
 public:
  // Forgets all that was added.
  void start() {
    if (++now_ == 0) users_.fill(0), rows_.fill(0), now_ = 1;
  }
  // Adds a step; false where it shares a row with those added since start().
  [[nodiscard]] bool add(std::uint32_t user, std::uint32_t positive, std::uint32_t negative) {
    std::uint8_t& u = users_[user % users_.size()];
    std::uint8_t& i = rows_[positive % rows_.size()];
    std::uint8_t& j = rows_[negative % rows_.size()];
    const bool fits = u != now_ && i != now_ && j != now_;
    u = i = j = now_;
    return fits;
  }

 private:
  std::array<std::uint8_t, 1024> users_{};
  std::array<std::uint8_t, 4096> rows_{};
  std::uint8_t now_ = 0;
};

}  // namespace sotto::base
