// The values that contexts get from times.
#include <fmt/format.h>

#include <cmath>

#include "data/context_schema.h"

namespace sotto::data {

namespace {

constexpr std::int64_t hour_seconds = 3600;
constexpr std::int64_t day_seconds = 24 * hour_seconds;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// The first of the narrow bins that a bin holds: 0, 1, 2, 3, 5, 9, 17, …
std::uint64_t first_of(std::uint32_t bin, const ContextSchema& schema) {
  if (schema.exact_bins || bin < 3) return bin;
  return (std::uint64_t{1} << (bin - 2)) + 1;
}

}  // namespace

Status check(const ContextSchema& schema) {
  if (schema.bin_hours < 1 || schema.bin_hours > 24 * 366)
    return fail(Code::usage, "bins of intervals are 1 hour to 8784 hours (a year) wide, such as 24");
  const std::uint32_t most = schema.exact_bins ? 10'000 : 32;
  if (schema.bins < 1 || schema.bins > most)
    return fail(Code::usage, fmt::format("intervals have 1 to {} bins, not {}", most, schema.bins));
  if (schema.day_from >= schema.night_from || schema.night_from > 24)
    return fail(Code::usage, fmt::format("the day from hour {} to hour {} is none: give two hours of 0 to "
                                         "24 that rise, such as 6-18",
                                         schema.day_from, schema.night_from));
  if (!(std::abs(schema.utc_offset_hours) <= 14.0))
    return fail(Code::usage, "clocks are at most 14 hours from UTC: give an offset from -14 to 14");
  return Done{};
}

std::uint32_t interval_bin(std::int64_t seconds, const ContextSchema& schema) {
  const auto narrow =
      static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0) / (hour_seconds * schema.bin_hours));
  std::uint32_t bin = 0;
  if (schema.exact_bins) return static_cast<std::uint32_t>(std::min<std::uint64_t>(narrow, schema.bins - 1));
  while (bin + 1 < schema.bins && first_of(bin + 1, schema) <= narrow) ++bin;
  return bin;
}

std::string interval_name(std::uint32_t bin, const ContextSchema& schema) {
  const bool open = bin + 1 == schema.bins;
  const std::uint64_t first = first_of(bin, schema), last = first_of(bin + 1, schema) - 1;
  if (schema.bin_hours != 24) {
    if (open) return fmt::format("{} hours or more", first * schema.bin_hours);
    return fmt::format("{}-{} hours", first * schema.bin_hours, (last + 1) * schema.bin_hours);
  }
  if (open) return fmt::format("{} days or more", first);
  if (first == last) return fmt::format("{} {}", first, first == 1 ? "day" : "days");
  return fmt::format("{}-{} days", first, last);
}

std::uint32_t daypart_of(std::int64_t unix_seconds, const ContextSchema& schema) {
  const std::int64_t local = unix_seconds + std::llround(schema.utc_offset_hours * hour_seconds);
  const std::int64_t day = floor_div(local, day_seconds);
  const auto hour = static_cast<std::uint32_t>((local - day * day_seconds) / hour_seconds);
  const std::int64_t weekday = day + 3 - floor_div(day + 3, 7) * 7;  // 0 is Monday; day 0 was a Thursday
  const bool night = hour < schema.day_from || hour >= schema.night_from;
  return (weekday >= 5 ? 2u : 0u) + (night ? 1u : 0u);
}

}  // namespace sotto::data
