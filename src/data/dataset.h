// Dataset: what was loaded, before it is split. One record a (user, item) pair.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "data/ids.h"

namespace sotto::data {

// What the source said of the order of a user's interactions.
enum class TimeKind : std::uint8_t { none, rank, unix_seconds };

struct Interaction {
  UserIndex user;
  ItemIndex item;
  float rating = 1.0f;
  std::int64_t time = 0;  // unix seconds, or a rank; 0 when there is none
};

// A further column of words, such as the weather or the device.
struct RecordColumn {
  std::string name;
  IdTable values;
};
inline constexpr std::uint32_t no_value = 0xFFFFFFFFu;  // of a column: the record has none

struct Dataset {
  IdTable users;
  IdTable items;
  // Sorted by (user, item); each pair once (the latest is kept).
  std::vector<Interaction> interactions;
  TimeKind time_kind = TimeKind::none;
  bool has_ratings = false;
  std::uint64_t repeated = 0;  // records that collapsed into another
  // One label an item where the source has one (a venue's category, a film's title); else empty.
  std::vector<std::string> item_categories;
  std::vector<std::string> item_names;
  std::vector<RecordColumn> columns;
  std::vector<std::vector<std::uint32_t>> column_values;  // one array a column, one value an interaction
};

}  // namespace sotto::data
