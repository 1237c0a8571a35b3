// The records of a split: ratings, times and columns of its parts, looked up in the datasets that the parts
// came from by the names of user and item.
#pragma once

#include <array>
#include <optional>

#include "base/result.h"
#include "data/split.h"

namespace sotto::data {

// Where the training, validation and test part came from; the same one three times where it was cut.
using RecordSources = std::array<const Dataset*, 3>;

// Every pair of the split is in its source. What not all sources know (ratings, times of one kind) nobody is
// said to know. Fails on a rating that is not on the given scale.
[[nodiscard]] Result<Records> gather_records(const Split& split, const RecordSources& sources,
                                             const std::optional<RatingScale>& scale);

// The same records without the rows that one user has in the parts of `split`.
[[nodiscard]] Records without_records_of(const Records& records, const Split& split, UserIndex user);

}  // namespace sotto::data
