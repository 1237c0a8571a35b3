// TREC's two files, for trec_eval and what reads like it: a run (user, Q0, item, rank, score, tag) and the
// relevance judgements (user, 0, item, 1).
//
// Laws: fields are parted by blanks, so ids that hold one are refused. Scores fall strictly within a list:
// where two are equal, the later one is written as the next smaller float, because trec_eval goes by scores
// alone and would break the tie its own way.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/split.h"
#include "metrics/top_k.h"

namespace sotto::lab {

// One user's lines of a run.
[[nodiscard]] Result<std::string> trec_run_lines(std::string_view user, std::span<const ScoredItem> list,
                                                 const Split& split);

// The items of one part that these users are judged on, those outside the catalogue too.
[[nodiscard]] Result<std::string> trec_qrels(const Split& split, const Histories& part,
                                             std::span<const UserIndex> users);

}  // namespace sotto::lab
