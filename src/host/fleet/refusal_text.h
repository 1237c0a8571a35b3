// What a coordinator refused, for people: in words, with what to do about it, and its code.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <cstdint>
#include <map>
#include <string>

#include "base/layers.h"

namespace sotto::host {

// "answers that came after the end of their round or phase: raise round_s or phase_s if there are many".
[[nodiscard]] std::string refusal_text(v1::Refusal refusal);

// A line for each code that was met, the most frequent first; `refusals` counts by v1::Refusal. Empty: none.
[[nodiscard]] std::string refusal_lines(const std::map<int, std::uint64_t>& refusals);

}  // namespace sotto::host
