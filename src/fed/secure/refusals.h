// What the halves of every secure sum refuse alike, in one voice. The sentences name no device and no value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace sotto::fed {

[[nodiscard]] inline Error sum_refused(const std::string& why) {
  return fail(Code::bad_input, "secure sum refused: " + why);
}

// What a device gives has one value an entry, each within ±limit.
[[nodiscard]] inline Status check_input(std::span<const std::int32_t> input, std::size_t entries,
                                        std::int32_t limit) {
  const auto fits = [&](std::int32_t value) { return value <= limit && value >= -limit; };
  if (input.size() != entries || !std::all_of(input.begin(), input.end(), fits))
    return sum_refused("the input has a value out of range, or not one for each entry");
  return Done{};
}

// A total of so many survivors lies within their limits; what does not is no sum of inputs.
[[nodiscard]] inline bool in_range(std::span<const std::int64_t> total, std::int32_t limit,
                                   std::uint32_t survivors) {
  const std::int64_t most = std::int64_t{limit} * survivors;
  return std::all_of(total.begin(), total.end(),
                     [&](std::int64_t value) { return value <= most && value >= -most; });
}

}  // namespace sotto::fed
