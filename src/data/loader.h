// Interactions from text: several sources become one dataset.
//
// Laws: ids stay the strings they are, numbered as they first appear; repeated (user, item) pairs
// become one record, the latest (the last in the file among equals), and are counted. An error names
// source, line, cause and remedy, and never an id. Cells of a context that are empty, "NA" or "?" say
// nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/dataset.h"
#include "data/records.h"
#include "data/text_format.h"
#include "data/text_source.h"

namespace sotto::data {

struct LoadOptions {
  std::string columns;                    // see parse_columns; empty: known from the content
  std::optional<RatingScale> scale = {};  // a rating that is not on it is an error; none: any is right
  bool needs_user = true;                 // false: a source without a column of users is one person's
};

[[nodiscard]] Result<Dataset> load_interactions(std::span<const TextSource> sources,
                                                const LoadOptions& options = {});

// How load_interactions would read this source, for a person to look at.
[[nodiscard]] Result<TextFormat> inspect_format(const TextSource& source, const LoadOptions& options = {});

// Sorts by (user, item) and keeps the latest record of each pair; returns how many collapsed.
// `rows` are in file order; linear but for a sort within each user.
[[nodiscard]] std::uint64_t sort_and_collapse(std::vector<Interaction>& rows, std::size_t users);

}  // namespace sotto::data
