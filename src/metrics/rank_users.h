// The heavy half of an evaluation: sweeps every candidate of every judged user, a shard of users and a
// block of items at a time, and keeps each user's best items and AUC.
//
// Laws: the same bytes for any number of threads and any memory; the threads' working memory together
// stays within memory_bytes beside the relevant items' scores (or is what one user and 64 items need a
// thread, where that is more).
#pragma once

#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "data/histories.h"
#include "metrics/top_lists.h"
#include "model/recommender.h"

namespace sotto::metrics {

struct RankTask {
  const Recommender* model = nullptr;
  std::vector<const Histories*> masked;  // disjoint parts whose items are no candidates
  const Histories* relevant = nullptr;   // the judged part; null: only lists are wanted
  std::size_t depth = 0;                 // length of the lists
  std::size_t memory_bytes = 0;
};

struct Ranking {
  TopLists lists;
  std::vector<double> auc;                // empty where only lists are wanted
  std::vector<std::uint64_t> candidates;  // of each user
};

// Fails where the model's scores are not finite numbers, and where a size passes what an index can hold.
[[nodiscard]] Result<Ranking> rank_users(const RankTask& task, std::vector<UserIndex> users,
                                         Executor& executor);

}  // namespace sotto::metrics
