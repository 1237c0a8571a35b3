// The venues of a generated world: what they are, where they stand, what they are called.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

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

}  // namespace sotto
