// The venues of a generated world: what they are, where they stand, what they are called.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto::data {

struct VenueKind {
  std::string_view category;
  std::string_view before;  // "Café " + name
  std::string_view after;   // name + " Museum"
  std::uint32_t share;      // how common
  std::string_view hours;   // a digit an hour: how busy
};

// All categories of the world.
[[nodiscard]] std::span<const VenueKind> venue_kinds();

// Invented, and different for every number.
[[nodiscard]] std::string city_name(std::uint32_t city);

// The name of the nth venue of its kind in its city; no two venues share one.
[[nodiscard]] std::string venue_name(std::uint32_t city, std::uint32_t kind, std::uint32_t nth);

// "venue-00317" of so many: wide enough for all, so that the letters sort as the numbers do.
[[nodiscard]] std::string numbered_id(const char* prefix, std::uint32_t number, std::uint32_t count);

// Where each venue of a world stands and what it is.
struct VenuePlace {
  std::uint32_t city = 0, kind = 0;
};
struct WorldOptions;
[[nodiscard]] Result<std::vector<VenuePlace>> venue_places(const WorldOptions& options);

}  // namespace sotto::data
