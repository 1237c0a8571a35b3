// Numbers and dates as files write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/layers.h"

namespace sotto::data {

// The whole token as a number; "nan" and "inf" are numbers here, for the caller to refuse by name.
[[nodiscard]] std::optional<double> parse_number(std::string_view token);

// Unix seconds of "2012-04-03", "2012-04-03T18:20:27Z" (or a blank for the T, a fraction, an offset
// such as +02:00) and "Tue Apr 03 18:20:27 +0000 2012". Without an offset the time is UTC.
[[nodiscard]] std::optional<std::int64_t> parse_date(std::string_view token);

// A number above this is a unix time; no rating or rank is that large.
inline constexpr double smallest_unix_time = 1e8;

// Whole unix seconds (or a rank). Milli- and microseconds, known by their size, become seconds.
// Nothing when the number is not finite or lies beyond any calendar.
[[nodiscard]] std::optional<std::int64_t> whole_seconds(double number);

}  // namespace sotto::data
