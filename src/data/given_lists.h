// Recommendation lists that another program made, to be judged here.
//
// Read are TREC run files ("user Q0 item rank score tag", known by the Q0), and the same text formats as
// interactions: a user, an item and, where there is one, a score (a column named score or rating, or the
// third). Laws: each list is best first: by falling score, equal scores in the order of the lines; without
// scores the order of the lines counts. All items are within the catalogue, none is in a list twice, none was
// in the parts that the user has already. Anything else is refused with file and line, and never with an id.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/split.h"
#include "data/text_source.h"

namespace sotto::data {

struct GivenLists {
  std::vector<std::uint64_t> offsets;  // a list a user of the split, perhaps an empty one
  std::vector<ItemIndex> items;
  std::uint64_t lists = 0;      // that are not empty
  std::uint64_t reordered = 0;  // whose lines did not stand best first

  [[nodiscard]] std::span<const ItemIndex> of(UserIndex user) const {
    return std::span(items).subspan(offsets[user.value], offsets[user.value + 1] - offsets[user.value]);
  }
};

// `seen` are the parts whose items may not be recommended to their user; `columns` as in parse_columns, with
// the score as rating.
[[nodiscard]] Result<GivenLists> load_given_lists(const TextSource& source, const Split& split,
                                                  std::span<const Histories* const> seen,
                                                  const std::string& columns = "");

}  // namespace sotto::data
