#include "model/central/pair_knn.h"

#include <algorithm>

namespace sotto::model {

Result<ItemWeights> fit_pair_knn(const PairCounts& pairs, const KnnOptions& options, Executor& executor) {
  SOTTO_TRY_DONE(check(options));
  SOTTO_ASSERT(pairs.unit() == 1.0, "likeness counts people");
  const std::size_t items = pairs.items();
  const auto popularity = pairs.popularity();
  const auto people = static_cast<std::size_t>(pairs.people());
  NeighborLists lists(items, std::min<std::size_t>(options.neighbors, items));
  const std::size_t shards = std::min(items, executor.threads() * 8);
  executor.run(shards, [&](std::size_t shard) {
    PairRow row;
    Nearest nearest(options.neighbors);
    for (std::size_t item = items * shard / shards; item < items * (shard + 1) / shards; ++item) {
      pairs.row(static_cast<std::uint32_t>(item), row);
      nearest.clear();
      for (std::size_t k = 0; k < row.items.size(); ++k) {
        if (row.items[k] == item) continue;
        const float alike =
            likeness({row.sums[k], popularity[item], popularity[row.items[k]], people}, options);
        if (alike > 0.0f) nearest.offer(row.items[k], alike);
      }
      lists.set(item, nearest.finish());
    }
  });
  return ItemWeights::by_target(lists);
}

}  // namespace sotto::model
