#include "model/central/item_weights.h"

#include <algorithm>

namespace sotto::model {

ItemWeights ItemWeights::by_target(const NeighborLists& lists) {
  std::vector<std::uint64_t> offsets(lists.rows() + 1, 0);
  for (std::size_t item = 0; item < lists.rows(); ++item)
    for (const Neighbor& neighbor : lists.of(item)) ++offsets[neighbor.index + 1];
  for (std::size_t item = 0; item < lists.rows(); ++item) offsets[item + 1] += offsets[item];
  std::vector<Neighbor> weights(offsets.back());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for (std::uint32_t item = 0; item < lists.rows(); ++item)
    for (const Neighbor& neighbor : lists.of(item))
      weights[next[neighbor.index]++] = {item, neighbor.likeness};
  return {std::move(offsets), std::move(weights)};
}

ItemWeights ItemWeights::by_source(const NeighborLists& lists) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<Neighbor> weights;
  for (std::size_t item = 0; item < lists.rows(); ++item) {
    const auto row = lists.of(item);
    weights.insert(weights.end(), row.begin(), row.end());
    std::sort(weights.end() - static_cast<std::ptrdiff_t>(row.size()), weights.end(),
              [](const Neighbor& a, const Neighbor& b) { return a.index < b.index; });
    offsets.push_back(weights.size());
  }
  return {std::move(offsets), std::move(weights)};
}

void ItemWeights::add_up(std::span<const ItemIndex> history, std::span<const float> recency, ItemRange items,
                         float* out) const {
  std::fill(out, out + items.size(), 0.0f);
  for (std::size_t k = 0; k < history.size(); ++k) {
    const auto row = of(history[k].value);
    const float weight = recency.empty() ? 1.0f : recency[k];
    for (auto it = std::lower_bound(row.begin(), row.end(), items.begin,
                                    [](const Neighbor&a, std::uint32_t begin) { return a.index < begin; });
         it != row.end() && it->index < items.end; ++it)
      out[it->index - items.begin] += weight * it->likeness;
  }
}

void WeightedItems::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  std::vector<float> recency;
  for (std::size_t k = 0; k < users.size(); ++k) {
    recency_.weigh(train_.ages_of(users[k]), recency);
    weights_.add_up(train_.of(users[k]), recency, items, out.data() + k * items.size());
  }
}

void WeightedItems::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue(), "one place for each score");
  weights_.add_up(history, {}, {0, static_cast<std::uint32_t>(out.size())}, out.data());
}

Status WeightedItems::similar(ItemIndex item, std::span<float> out) const {
  score_history(std::span(&item, 1), out);
  return Done{};
}

}  // namespace sotto::model
