// Records: what is known of each interaction of a split beside its user and item: the rating, the time, and
// any further column of the file. Beside the split and not in it, because most models look at neither.
//
// Laws: each array of a part has one entry an interaction, in the order of the part's Histories::items(), or
// is empty where the source said nothing; ratings lie on the scale.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/ids.h"

namespace sotto {

struct RatingScale {
  float lowest = 1.0f;
  float highest = 5.0f;
};

// A column of words, such as the weather or the device.
struct RecordColumn {
  std::string name;
  IdTable values;
};
inline constexpr std::uint32_t no_value = 0xFFFFFFFFu;  // of a column: the record has none

struct PartRecords {
  std::vector<float> ratings;
  std::vector<std::int64_t> times;
  std::vector<std::vector<std::uint32_t>> columns;  // one array a RecordColumn: the number of the value
};

struct Records {
  RatingScale scale;  // of the ratings, where there are some
  bool has_ratings = false;
  TimeKind time_kind = TimeKind::none;
  std::vector<RecordColumn> columns;
  PartRecords train, validation, test;

  // Names all of it.
  [[nodiscard]] std::string hash() const;
};

}  // namespace sotto
