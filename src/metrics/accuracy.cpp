#include "metrics/accuracy.h"

#include <algorithm>
#include <cmath>

namespace sotto {

namespace {

bool is_hit(ItemIndex item, ItemList relevant) {
  return std::binary_search(relevant.begin(), relevant.end(), item);
}

double discount(std::size_t index) { return 1.0 / std::log2(static_cast<double>(index) + 2.0); }

}  // namespace

std::size_t hits_at(ItemList list, ItemList relevant, std::size_t k) {
  std::size_t hits = 0;
  for (const ItemIndex item : list.first(std::min(k, list.size()))) hits += is_hit(item, relevant) ? 1 : 0;
  return hits;
}

double precision_at(ItemList list, ItemList relevant, std::size_t k) {
  return static_cast<double>(hits_at(list, relevant, k)) / static_cast<double>(k);
}

double recall_at(ItemList list, ItemList relevant, std::size_t k) {
  return static_cast<double>(hits_at(list, relevant, k)) / static_cast<double>(relevant.size());
}

double f1_at(ItemList list, ItemList relevant, std::size_t k) {
  const double precision = precision_at(list, relevant, k);
  const double recall = recall_at(list, relevant, k);
  return precision + recall > 0.0 ? 2.0 * precision * recall / (precision + recall) : 0.0;
}

double hit_rate_at(ItemList list, ItemList relevant, std::size_t k) {
  return hits_at(list, relevant, k) > 0 ? 1.0 : 0.0;
}

double ndcg_at(ItemList list, ItemList relevant, std::size_t k) {
  double gained = 0.0;
  for (std::size_t n = 0; n < std::min(k, list.size()); ++n)
    if (is_hit(list[n], relevant)) gained += discount(n);
  double ideal = 0.0;
  for (std::size_t n = 0; n < std::min(k, relevant.size()); ++n) ideal += discount(n);
  return gained / ideal;
}

double reciprocal_rank_at(ItemList list, ItemList relevant, std::size_t k) {
  for (std::size_t n = 0; n < std::min(k, list.size()); ++n)
    if (is_hit(list[n], relevant)) return 1.0 / static_cast<double>(n + 1);
  return 0.0;
}

double average_precision_at(ItemList list, ItemList relevant, std::size_t k) {
  std::size_t hits = 0;
  double sum = 0.0;
  for (std::size_t n = 0; n < k; ++n) {
    if (n < list.size() && is_hit(list[n], relevant)) ++hits;
    sum += static_cast<double>(hits) / static_cast<double>(n + 1);
  }
  return sum / static_cast<double>(k);
}

double area_under_curve(std::span<const RankCount> ranks, std::uint64_t negatives, std::size_t relevant) {
  double sum = 0.0;
  for (const RankCount& rank : ranks) {
    const double worse = static_cast<double>(negatives - rank.above) - 0.5 * static_cast<double>(rank.level);
    sum += negatives > 0 ? worse / static_cast<double>(negatives) : 1.0;
  }
  return sum / static_cast<double>(relevant);
}

}  // namespace sotto
