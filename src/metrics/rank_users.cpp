#include "metrics/rank_users.h"

#include <algorithm>

#include "metrics/accuracy.h"
#include "metrics/top_k.h"

namespace sotto {

namespace {

constexpr std::size_t most_users_a_block = 32;

struct BlockShape {
  std::size_t users = 1;
  std::size_t items = 1;
};

// As many users as share the whole catalogue in the memory one thread has; one user and a part of the
// catalogue where not even that fits.
BlockShape shape_blocks(std::size_t catalogue, std::size_t memory_bytes, std::size_t threads) {
  const std::size_t floats =
      std::max<std::size_t>(1, memory_bytes / sizeof(float) / std::max<std::size_t>(1, threads));
  if (floats < catalogue) return {1, floats};
  return {std::min(most_users_a_block, floats / catalogue), catalogue};
}

bool all_finite(std::span<const float> scores) {
  // x − x is 0 for a finite x and not a number otherwise.
  bool finite = true;
  for (const float score : scores) finite &= score - score == 0.0f;
  return finite;
}

// One user's way through the blocks of the catalogue.
class UserRanking {
 public:
  UserRanking(const RankTask& task, UserIndex user)
      : task_(task), user_(user), best_(std::min(task.depth, task.model->catalogue())) {
    const auto catalogue = static_cast<std::uint32_t>(task.model->catalogue());
    const auto relevant = task.relevant->of(user);
    const auto known = std::lower_bound(relevant.begin(), relevant.end(), ItemIndex{catalogue});
    known_ = relevant.first(static_cast<std::size_t>(known - relevant.begin()));
    candidates_ = catalogue;
    for (const Histories* part : task.masked)
      for (const ItemIndex item : part->of(user)) candidates_ -= item.value < catalogue ? 1 : 0;
  }

  // The scores of the relevant items, which the counting needs before the first block is counted: out of
  // the block where that is the whole catalogue, else one by one (a score does not depend on blocks).
  void know_relevant(ItemRange block, std::span<const float> scores) {
    relevant_scores_.resize(known_.size());
    ranks_.assign(known_.size(), {});
    for (std::size_t n = 0; n < known_.size(); ++n) {
      const std::uint32_t item = known_[n].value;
      if (block.size() == task_.model->catalogue())
        relevant_scores_[n] = scores[item];
      else
        task_.model->score(std::span(&user_, 1), {item, item + 1}, std::span(&relevant_scores_[n], 1));
    }
  }

  void take_block(ItemRange block, std::span<float> scores) {
    for (const Histories* part : task_.masked) mask_seen(part->of(user_), block, scores);
    best_.offer(block.begin, scores);
    // Now the relevant items go too: what is left are the negatives.
    mask_seen(known_, block, scores);
    for (std::size_t n = 0; n < known_.size(); ++n) {
      const float own = relevant_scores_[n];
      std::uint32_t above = 0;
      std::uint32_t level = 0;
      for (const float score : scores) {
        above += score > own ? 1 : 0;
        level += score == own ? 1 : 0;
      }
      ranks_[n].above += above;
      ranks_[n].level += level;
    }
  }

  void write(Ranking& ranking, std::size_t row) {
    const auto best = best_.take();
    for (std::size_t n = 0; n < best.size(); ++n)
      ranking.lists.items[row * ranking.lists.depth + n] = best[n].item;
    ranking.lists.lengths[row] = static_cast<std::uint32_t>(best.size());
    ranking.candidates[row] = candidates_;
    ranking.auc[row] =
        area_under_curve(ranks_, candidates_ - known_.size(), task_.relevant->of(user_).size());
  }

 private:
  const RankTask& task_;
  UserIndex user_;
  TopK best_;
  std::span<const ItemIndex> known_;  // relevant items within the catalogue
  std::vector<float> relevant_scores_;
  std::vector<RankCount> ranks_;
  std::uint64_t candidates_ = 0;
};

// Ranks users[first, first + count) into their rows; false where a score is not finite.
bool rank_block(const RankTask& task, const BlockShape& shape, std::size_t first, std::size_t count,
                Ranking& ranking) {
  const std::size_t catalogue = task.model->catalogue();
  const auto users = std::span(ranking.lists.users).subspan(first, count);
  std::vector<UserRanking> states;
  for (const UserIndex user : users) states.emplace_back(task, user);
  std::vector<float> scores(count * std::min(shape.items, catalogue));
  for (std::size_t begin = 0; begin < catalogue; begin += shape.items) {
    const ItemRange block{static_cast<std::uint32_t>(begin),
                          static_cast<std::uint32_t>(std::min(begin + shape.items, catalogue))};
    const auto filled = std::span(scores).first(count * block.size());
    task.model->score(users, block, filled);
    if (!all_finite(filled)) return false;
    for (std::size_t k = 0; k < count; ++k) {
      const auto row = filled.subspan(k * block.size(), block.size());
      if (begin == 0) states[k].know_relevant(block, row);
      states[k].take_block(block, row);
    }
  }
  for (std::size_t k = 0; k < count; ++k) states[k].write(ranking, first + k);
  return true;
}

}  // namespace

Result<Ranking> rank_users(const RankTask& task, std::vector<UserIndex> users, Executor& executor) {
  Ranking ranking;
  ranking.lists.depth = task.depth;
  ranking.lists.items.resize(users.size() * task.depth);
  ranking.lists.lengths.resize(users.size());
  ranking.auc.resize(users.size());
  ranking.candidates.resize(users.size());
  ranking.lists.users = std::move(users);

  const BlockShape shape = shape_blocks(task.model->catalogue(), task.memory_bytes, executor.threads());
  const std::size_t total = ranking.lists.users.size();
  const std::size_t shards = (total + shape.users - 1) / shape.users;
  std::vector<std::uint8_t> finite(shards, 1);  // each shard writes its own byte
  executor.run(shards, [&](std::size_t shard) {
    const std::size_t first = shard * shape.users;
    finite[shard] = rank_block(task, shape, first, std::min(shape.users, total - first), ranking) ? 1 : 0;
  });
  if (std::find(finite.begin(), finite.end(), 0) != finite.end())
    return fail(Code::diverged,
                "the model's scores are not finite numbers: its training diverged; train again with a "
                "smaller learning rate");
  return ranking;
}

}  // namespace sotto
