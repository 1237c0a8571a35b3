// Which of a column's values is the best and which the second best, as tables mark them.
//
// Laws: equal values stand alike; what is not a number stands nowhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/layers.h"

namespace sotto::lab {

enum class RankMark : std::uint8_t { plain, best, second };

// One a value.
[[nodiscard]] std::vector<RankMark> rank_marks_of(std::span<const double> values, bool less_is_better);

}  // namespace sotto::lab
