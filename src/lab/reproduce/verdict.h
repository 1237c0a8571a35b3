// Verdict: how a value of ours stands beside the printed one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/layers.h"

namespace sotto::lab {

enum class Verdict : std::uint8_t {
  reached,   // at or above print, to the printed five decimals; of facts: the same
  near,      // within 5%
  below,     // further away, below print
  above,     // further away, above print: of errors worse, of facts something else
  no_print,  // nothing printed, or lost
  absent,    // the data is not here
  other,     // print and measurement are of other data or other users: side by side, no verdict
  failed,    // the training failed; the reason is told
};
inline constexpr std::size_t verdict_count = 8;

[[nodiscard]] const char* to_string(Verdict verdict);

enum class Yardstick : std::uint8_t {
  at_least,  // more is better
  at_most,   // less is better
  same,      // a fact: within half a percent is the same
};

// Both values of the same data.
[[nodiscard]] Verdict judge(std::optional<double> printed, double ours, Yardstick yardstick);

// ours / printed; none without both, or where nothing can be divided.
[[nodiscard]] std::optional<double> ratio_of(std::optional<double> printed, std::optional<double> ours);

}  // namespace sotto::lab
