#include "model/recommender.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/score_kernels.h"
#include "model/finite_scores.h"

namespace sotto::model {

static_assert(tile_items == kernels::panel_items, "a tile is as wide as a panel");

namespace {

constexpr std::uint32_t most_items_a_block = 4096;  // scored at once where a model has only score()

ItemRange block_from(std::uint32_t begin, std::uint32_t end) {
  return {begin, end - begin > most_items_a_block ? begin + most_items_a_block : end};
}

}  // namespace

bool Recommender::sweep(std::span<const UserIndex> users, ItemRange items, ScoreSink& sink) const {
  bool finite = true;
  // Places beyond the last item stay at −∞, which is above nothing.
  std::vector<float> scores(std::min<std::size_t>(items.size(), most_items_a_block) + tile_items);
  for (std::size_t k = 0; k < users.size(); ++k)
    for (ItemRange block = block_from(items.begin, items.end); block.size() > 0;
         block = block_from(block.end, items.end)) {
      const auto filled = std::span(scores).first(block.size());
      score(users.subspan(k, 1), block, filled);
      std::fill_n(scores.begin() + static_cast<std::ptrdiff_t>(block.size()), tile_items,
                  -std::numeric_limits<float>::infinity());
      finite &= all_finite(filled);
      for (std::size_t n = 0; n < block.size(); n += tile_items) {
        const auto begin = static_cast<std::uint32_t>(block.begin + n);
        const auto end = static_cast<std::uint32_t>(block.begin + std::min(n + tile_items, block.size()));
        const std::uint64_t above = kernels::lanes_above(scores.data() + n, sink.thresholds()[k]);
        sink.take({k, 1, {begin, end}, scores.data() + n, &above});
      }
    }
  return finite;
}

void Recommender::score_items(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == items.size(), "one place for each score");
  std::vector<float> scores;
  for (std::size_t n = 0; n < items.size();) {
    const ItemRange block = block_from(items[n].value, items.back().value + 1);
    scores.resize(block.size());
    score(std::span(&user, 1), block, scores);
    for (; n < items.size() && items[n].value < block.end; ++n) out[n] = scores[items[n].value - block.begin];
  }
}

}  // namespace sotto::model
