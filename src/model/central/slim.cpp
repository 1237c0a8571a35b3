#include "model/central/slim.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto::model {

namespace {

// All rows of the counts, for a descent that comes back to them often.
class HeldRows {
 public:
  HeldRows(const PairCounts& pairs, Executor& executor) : rows_(pairs.items()) {
    const std::size_t shards = std::min(rows_.size(), executor.threads() * 8);
    executor.run(shards, [&](std::size_t shard) {
      PairRow made;
      for (std::size_t n = rows_.size() * shard / shards; n < rows_.size() * (shard + 1) / shards; ++n) {
        pairs.row(static_cast<std::uint32_t>(n), made);
        rows_[n].items = made.items;
        for (std::size_t k = 0; k < made.items.size(); ++k) {
          rows_[n].sums.push_back(static_cast<float>(static_cast<double>(made.sums[k]) / pairs.unit()));
          if (made.items[k] == n) rows_[n].own = static_cast<double>(rows_[n].sums.back());
        }
      }
    });
  }
  struct Row {
    std::vector<std::uint32_t> items;
    std::vector<float> sums;
    double own = 0.0;  // on the diagonal
  };
  [[nodiscard]] const Row& of(std::size_t item) const { return rows_[item]; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  std::vector<Row> rows_;
};

// One column's descent. Keeps g_j − Gw for all items up to date, so that a step costs one row.
class Descent {
 public:
  Descent(const HeldRows& rows, const SlimOptions& options)
      : rows_(rows), options_(options), left_(rows.size(), 0.0), weights_(rows.size(), 0.0) {}

  // The weights that are not zero, largest first, at most k.
  [[nodiscard]] std::vector<Neighbor> solve(std::uint32_t target) {
    start(target);
    const double enough = options_.tolerance * rows_.of(target).own;
    // Most coordinates stay at zero: between two passes over all of them the others settle.
    bool settled = true;
    for (std::uint32_t pass = 0; pass < options_.most_passes; ++pass) {
      const bool all = settled;
      settled = visit(all ? candidates_ : active_, target) <= enough;
      if (!all) continue;
      if (settled) break;
      active_.clear();
      for (const std::uint32_t item : candidates_)
        if (weights_[item] != 0.0) active_.push_back(item);
    }
    return finish();
  }

 private:
  void start(std::uint32_t target) {
    const HeldRows::Row& row = rows_.of(target);
    std::fill(left_.begin(), left_.end(), 0.0);
    for (std::size_t k = 0; k < row.items.size(); ++k) left_[row.items[k]] = static_cast<double>(row.sums[k]);
    candidates_.clear();
    // Without negative weights only those that share somebody with the target can rise above zero.
    if (options_.non_negative) {
      candidates_ = row.items;
    } else {
      for (std::uint32_t item = 0; item < rows_.size(); ++item) candidates_.push_back(item);
    }
  }

  // One step a coordinate; the largest distance from its optimum that one had, as a gradient.
  double visit(const std::vector<std::uint32_t>& items, std::uint32_t target) {
    double furthest = 0.0;
    const auto l1 = static_cast<double>(options_.l1), l2 = static_cast<double>(options_.l2);
    for (const std::uint32_t item : items) {
      const HeldRows::Row& row = rows_.of(item);
      if (item == target || row.own == 0.0) continue;
      const double curve = row.own + l2;
      const double pull = left_[item] + row.own * weights_[item];
      double best = pull > l1 ? (pull - l1) / curve : 0.0;
      if (!options_.non_negative && pull < -l1) best = (pull + l1) / curve;
      const double step = best - weights_[item];
      if (step == 0.0) continue;
      furthest = std::max(furthest, std::abs(step) * curve);
      weights_[item] = best;
      for (std::size_t k = 0; k < row.items.size(); ++k)
        left_[row.items[k]] -= step * static_cast<double>(row.sums[k]);
    }
    return furthest;
  }

  [[nodiscard]] std::vector<Neighbor> finish() {
    std::vector<Neighbor> found;
    for (const std::uint32_t item : candidates_)
      if (const double weight = std::exchange(weights_[item], 0.0); weight != 0.0)
        found.push_back({item, static_cast<float>(weight)});
    std::sort(found.begin(), found.end(), [](const Neighbor& a, const Neighbor& b) {
      const float x = std::abs(a.likeness), y = std::abs(b.likeness);
      return x > y || (x == y && a.index < b.index);
    });
    found.resize(std::min<std::size_t>(found.size(), options_.neighbors));
    return found;
  }

  const HeldRows& rows_;
  const SlimOptions& options_;
  std::vector<double> left_;  // g_j − Gw
  std::vector<double> weights_;
  std::vector<std::uint32_t> candidates_, active_;
};

}  // namespace

Status check(const SlimOptions& options) {
  const auto sensible = [](float value) { return value >= 0.0f && std::isfinite(value); };
  if (!sensible(options.l1)) return fail(Code::usage, "l1 must be a number that is 0 or larger");
  if (!sensible(options.l2)) return fail(Code::usage, "lambda must be a number that is 0 or larger");
  if (options.neighbors == 0)
    return fail(Code::usage, "the number of neighbours is 0: SLIM needs at least 1 weight an item");
  return Done{};
}

Result<ItemWeights> fit_slim(const PairCounts& pairs, const SlimOptions& options, Executor& executor) {
  SOTTO_TRY_DONE(check(options));
  const HeldRows rows(pairs, executor);
  NeighborLists lists(rows.size(), std::min<std::size_t>(options.neighbors, rows.size()));
  const std::size_t shards = std::min(rows.size(), executor.threads() * 32);
  executor.run(shards, [&](std::size_t shard) {
    Descent descent(rows, options);
    for (std::size_t n = rows.size() * shard / shards; n < rows.size() * (shard + 1) / shards; ++n)
      lists.set(n, descent.solve(static_cast<std::uint32_t>(n)));
  });
  return ItemWeights::by_target(lists);
}

}  // namespace sotto::model
