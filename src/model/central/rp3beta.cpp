#include "model/central/rp3beta.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace sotto::model {

namespace {

double power(std::uint32_t base, float exponent) {
  return static_cast<double>(exp_f32(-exponent * log_f32(static_cast<float>(base))));
}

}  // namespace

Status check(const Rp3Options& options) {
  const auto sensible = [](float value) { return value >= 0.0f && value <= 4.0f; };
  if (!sensible(options.alpha)) return fail(Code::usage, "alpha must be a number from 0 to 4");
  if (!sensible(options.beta)) return fail(Code::usage, "beta must be a number from 0 to 4");
  if (options.neighbors == 0)
    return fail(Code::usage, "the number of neighbours is 0: RP3β needs at least 1 weight an item");
  return Done{};
}

Result<ItemWeights> fit_rp3beta(const PairCounts& pairs, const Rp3Options& options, Executor& executor) {
  SOTTO_TRY_DONE(check(options));
  const std::size_t items = pairs.items();
  const auto popularity = pairs.popularity();
  std::vector<double> start(items, 0.0), end(items, 0.0);
  for (std::size_t item = 0; item < items; ++item) {
    if (popularity[item] == 0) continue;
    start[item] = power(popularity[item], options.alpha) / pairs.unit();
    end[item] = power(popularity[item], options.beta);
  }
  NeighborLists lists(items, std::min<std::size_t>(options.neighbors, items));
  const std::size_t shards = std::min(items, executor.threads() * 8);
  executor.run(shards, [&](std::size_t shard) {
    PairRow row;
    Nearest nearest(options.neighbors);
    for (std::size_t item = items * shard / shards; item < items * (shard + 1) / shards; ++item) {
      pairs.row(static_cast<std::uint32_t>(item), row);
      nearest.clear();
      for (std::size_t k = 0; k < row.items.size(); ++k)
        if (const std::uint32_t other = row.items[k]; other != item)
          nearest.offer(other,
                        static_cast<float>(start[item] * static_cast<double>(row.sums[k]) * end[other]));
      lists.set(item, nearest.finish());
    }
  });
  return ItemWeights::by_source(lists);
}

}  // namespace sotto::model
