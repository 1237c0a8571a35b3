// Records: what is known of each interaction of a split beside its user and item: the rating, the time, and
// any further column of the file. Beside the split and not in it, because most models look at neither.
//
// Laws: each array of a part has one entry an interaction, in the order of the part's Histories::items(), or
// is empty where the source said nothing; ratings lie on the scale.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/dataset.h"
#include "data/ids.h"

namespace sotto::data {

struct RatingScale {
  float lowest = 1.0f;
  float highest = 5.0f;
};

// "1:5": the lowest and the highest rating.
[[nodiscard]] Result<RatingScale> parse_rating_scale(const std::string& text);

inline constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::min();

struct PartRecords {
  std::vector<float> ratings;
  std::vector<std::int64_t> times;
  // When the same user had rated before, in any part; no_time: never. Of records of equal time the one with
  // the smaller item id counts as the newer, as in a split. Only where times are dates.
  std::vector<std::int64_t> previous;
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

}  // namespace sotto::data
