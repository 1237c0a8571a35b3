// What contexts are made of a split's records, items and people, and the making of them.
//
// The dimensions, in this order:
//   interval   (record, user side) how long ago the same person rated before, in bins of 24 hours as in the
//              paper: "first", "0 days", "1 day", "2 days", "3-4 days", … Long intervals are rare, and each
//              value of its own would be learned from a handful of records: so bins double in width, and the
//              last one is open. Exact bins by option.
//   daypart    (record, item side as in the paper) working day or weekend, by day or by night.
//   columns    (record, user side) each further column of the file, by its name.
//   item       (item, item side) one dimension a predicate of the split's features.
//   person     (person, user side) one dimension a column of the people's attributes.
//   recency    (person, user side) no values: whether the age of a record may say how much it counts.
//
// Laws: only what occurs in the training part is a value, in an order that does not depend on the order of
// the file; a record's values depend on the same person's records alone, and on none that is newer.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "data/person_attributes.h"
#include "data/split.h"

namespace sotto::data {

struct ContextSchema {
  bool interval = false;
  bool daypart = false;
  bool columns = false;
  bool item = false;
  bool person = false;
  bool recency = false;
  std::uint32_t bin_hours = 24;
  std::uint32_t bins = 8;         // the last one is open
  bool exact_bins = false;        // all of one width
  std::uint32_t day_from = 6;     // the hour at which the day begins,
  std::uint32_t night_from = 18;  // and the night
  double utc_offset_hours = 0.0;  // of the people's clocks

  [[nodiscard]] bool any() const { return interval || daypart || columns || item || person || recency; }
};

[[nodiscard]] Status check(const ContextSchema& schema);

// The bin of an interval, 0 to bins − 1, and what it is called.
[[nodiscard]] std::uint32_t interval_bin(std::int64_t seconds, const ContextSchema& schema);
[[nodiscard]] std::string interval_name(std::uint32_t bin, const ContextSchema& schema);
// Of a record before which there is none.
inline constexpr const char* first_interval = "first";
// 0 and 1: a working day by day and by night; 2 and 3: a weekend's.
[[nodiscard]] std::uint32_t daypart_of(std::int64_t unix_seconds, const ContextSchema& schema);
inline constexpr std::array<const char*, 4> daypart_names{"working day, day", "working day, night",
                                                          "weekend, day", "weekend, night"};

// The split has records (and features, where items are asked for); `people` may be null unless persons are
// asked for. Fails where what is asked for is not there, with what to do.
[[nodiscard]] Result<Contexts> derive_contexts(const Split& split, const ContextSchema& schema,
                                               const PersonAttributes* people = nullptr);

// The dimensions with all the values that there can be, and the items' own: what a task needs before
// anybody's records were seen. Columns and people's attributes bring their values; nobody has one.
// `features` are those of the items, or null.
[[nodiscard]] Result<Contexts> context_vocabulary(const ContextSchema& schema,
                                                  const std::vector<RecordColumn>& columns,
                                                  const ItemFeatures* features,
                                                  const std::vector<RecordColumn>& attributes = {});

// The same contexts without the rows of one user, whose values are gone too.
[[nodiscard]] Contexts without_contexts_of(const Contexts& contexts, const Split& split, UserIndex user);

}  // namespace sotto::data
