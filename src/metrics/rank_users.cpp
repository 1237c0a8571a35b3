#include "metrics/rank_users.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/accuracy.h"
#include "metrics/list_keeper.h"

namespace sotto::metrics {

namespace {

// Whole tiles of users; enough of them to make laying out a panel of items cheap.
constexpr std::size_t most_users_a_shard = 40 * kernels::tile_users;
constexpr std::size_t most_tiles_a_block = 64;

struct ShardShape {
  std::size_t users = 1;
  std::size_t items = tile_items;  // of a block
};

// As many users as one thread's memory holds with a full block of items; one user and a smaller block
// where not even that fits.
ShardShape shape_shards(const RankTask& task, std::size_t threads) {
  const std::size_t tiles =
      std::clamp<std::size_t>((task.model->catalogue() + tile_items - 1) / tile_items, 1, most_tiles_a_block);
  const std::size_t bytes = task.memory_bytes / std::max<std::size_t>(1, threads);
  const std::size_t tile_bytes = 2 * sizeof(std::uint64_t);
  const std::size_t user_bytes = 256 + (2 * task.depth + 16) * sizeof(ScoredItem);
  const std::size_t users = bytes / (user_bytes + tiles * tile_bytes);
  if (users > 0) return {std::min(users, most_users_a_shard), tiles * tile_items};
  const std::size_t left = bytes > user_bytes ? (bytes - user_bytes) / tile_bytes : 0;
  return {1, std::clamp<std::size_t>(left, 1, tiles) * tile_items};
}

// The user's items of a part that the model knows: those within the catalogue.
std::span<const ItemIndex> known_items(const RankTask& task, const Histories& part, UserIndex user) {
  const auto items = part.of(user);
  const ItemIndex end{static_cast<std::uint32_t>(task.model->catalogue())};
  return items.first(
      static_cast<std::size_t>(std::lower_bound(items.begin(), items.end(), end) - items.begin()));
}

bool judge_user(const RankTask& task, UserIndex user, std::size_t k, ListKeeper& keeper,
                std::vector<float>& scores) {
  const auto known = known_items(task, *task.relevant, user);
  scores.resize(known.size());
  task.model->score_items(user, known, scores);
  const bool finite =
      std::all_of(scores.begin(), scores.end(), [](float score) { return std::isfinite(score); });
  if (finite) keeper.judge(k, known, scores);
  return finite;
}

void write_user(const RankTask& task, ListKeeper& keeper, std::size_t k, Ranking& ranking, std::size_t row) {
  const UserIndex user = ranking.lists.users[row];
  const auto best = keeper.best(k);
  for (std::size_t n = 0; n < best.size(); ++n)
    ranking.lists.items[row * ranking.lists.depth + n] = best[n].item;
  ranking.lists.lengths[row] = static_cast<std::uint32_t>(best.size());
  std::uint64_t candidates = task.model->catalogue();
  for (const Histories* part : task.masked) candidates -= known_items(task, *part, user).size();
  ranking.candidates[row] = candidates;
  if (task.relevant == nullptr) return;
  const std::size_t known = known_items(task, *task.relevant, user).size();
  ranking.auc[row] =
      area_under_curve(keeper.pairs(k), known, candidates - known, task.relevant->of(user).size());
}

// Ranks users[first, first + count) into their rows; false where a score is not finite.
bool rank_shard(const RankTask& task, const ShardShape& shape, std::size_t first, std::size_t count,
                Ranking& ranking) {
  const std::size_t catalogue = task.model->catalogue();
  const auto users = std::span(ranking.lists.users).subspan(first, count);
  ListKeeper keeper(count, std::min(task.depth, catalogue));
  std::vector<float> scores;
  for (std::size_t k = 0; k < count; ++k) {
    for (const Histories* part : task.masked) keeper.mask(k, part->of(users[k]));
    if (task.relevant != nullptr && !judge_user(task, users[k], k, keeper, scores)) return false;
  }
  for (std::size_t begin = 0; begin < catalogue; begin += shape.items) {
    const ItemRange block{static_cast<std::uint32_t>(begin),
                          static_cast<std::uint32_t>(std::min(begin + shape.items, catalogue))};
    keeper.open(block);
    if (!task.model->sweep(users, block, keeper)) return false;
  }
  for (std::size_t k = 0; k < count; ++k) write_user(task, keeper, k, ranking, first + k);
  return true;
}

Status check_sizes(const RankTask& task, std::size_t users) {
  constexpr std::size_t most_items = std::numeric_limits<std::uint32_t>::max() - tile_items;
  if (task.model->catalogue() > most_items)
    return fail(Code::bad_input, fmt::format("the model has {} items and at most {} can be ranked: filter "
                                             "out items with few interactions",
                                             task.model->catalogue(), most_items));
  constexpr std::size_t most_places = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(ItemIndex);
  if (task.depth > 0 && users > most_places / task.depth)
    return fail(Code::usage, fmt::format("{} lists of {} items are too many to keep: ask for fewer users or "
                                         "shorter lists",
                                         users, task.depth));
  return Done{};
}

}  // namespace

Result<Ranking> rank_users(const RankTask& task, std::vector<UserIndex> users, Executor& executor) {
  SOTTO_TRY_DONE(check_sizes(task, users.size()));
  Ranking ranking;
  ranking.lists.depth = task.depth;
  ranking.lists.items.resize(users.size() * task.depth);
  ranking.lists.lengths.resize(users.size());
  ranking.auc.resize(task.relevant != nullptr ? users.size() : 0);
  ranking.candidates.resize(users.size());
  ranking.lists.users = std::move(users);

  const ShardShape shape = shape_shards(task, executor.threads());
  const std::size_t total = ranking.lists.users.size();
  // Fewer users a shard where threads would be idle.
  const std::size_t fair = (total + executor.threads() - 1) / std::max<std::size_t>(1, executor.threads());
  const std::size_t a_shard = std::clamp<std::size_t>(fair, 1, shape.users);
  const std::size_t shards = (total + a_shard - 1) / a_shard;
  std::vector<std::uint8_t> finite(shards, 1);  // each shard writes its own byte
  executor.run(shards, [&](std::size_t shard) {
    const std::size_t first = shard * a_shard;
    finite[shard] = rank_shard(task, shape, first, std::min(a_shard, total - first), ranking) ? 1 : 0;
  });
  if (std::find(finite.begin(), finite.end(), 0) != finite.end())
    return fail(Code::diverged,
                "the model's scores are not finite numbers: its training diverged; train again with a "
                "smaller learning rate");
  return ranking;
}

}  // namespace sotto::metrics
