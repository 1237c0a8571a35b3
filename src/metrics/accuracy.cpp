#include "metrics/accuracy.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sotto::metrics {

namespace {

double discount_of(std::size_t index) { return 1.0 / std::log2(static_cast<double>(index) + 2.0); }

// The logarithm costs more than all the rest: the usual places have theirs ready.
double discount(std::size_t index) {
  static const std::array<double, 64> ready = [] {
    std::array<double, 64> values{};
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = discount_of(n);
    return values;
  }();
  return index < ready.size() ? ready[index] : discount_of(index);
}

std::span<const std::uint8_t> first_places(const JudgedList& list, std::size_t k) {
  return list.hits().first(std::min(k, list.hits().size()));
}

}  // namespace

void JudgedList::judge(ItemList list, ItemList relevant) {
  relevant_ = relevant.size();
  hits_.clear();
  for (const ItemIndex item : list)
    hits_.push_back(std::binary_search(relevant.begin(), relevant.end(), item) ? 1 : 0);
}

std::size_t hits_at(const JudgedList& list, std::size_t k) {
  std::size_t hits = 0;
  for (const std::uint8_t hit : first_places(list, k)) hits += hit;
  return hits;
}

double precision_at(const JudgedList& list, std::size_t k) {
  return static_cast<double>(hits_at(list, k)) / static_cast<double>(k);
}

double recall_at(const JudgedList& list, std::size_t k) {
  return static_cast<double>(hits_at(list, k)) / static_cast<double>(list.relevant());
}

double f1_at(const JudgedList& list, std::size_t k) {
  return f1_of(precision_at(list, k), recall_at(list, k));
}

double hit_rate_at(const JudgedList& list, std::size_t k) { return hits_at(list, k) > 0 ? 1.0 : 0.0; }

double ndcg_at(const JudgedList& list, std::size_t k) {
  const auto hits = first_places(list, k);
  double gained = 0.0;
  for (std::size_t n = 0; n < hits.size(); ++n)
    if (hits[n] != 0) gained += discount(n);
  double ideal = 0.0;
  for (std::size_t n = 0; n < std::min(k, list.relevant()); ++n) ideal += discount(n);
  return gained / ideal;
}

double ndcg_of_hits_at(const JudgedList& list, std::size_t k) {
  // CaseRecommender leaves the first place out of the discount and gives the others 1/log2(place).
  const auto weight = [](std::size_t index) { return index == 0 ? 1.0 : discount(index - 1); };
  const auto hits = first_places(list, k);
  double gained = 0.0, ideal = 0.0;
  std::size_t count = 0;
  for (std::size_t n = 0; n < hits.size(); ++n) {
    if (hits[n] == 0) continue;
    gained += weight(n);
    ideal += weight(count++);
  }
  return count == 0 ? 0.0 : gained / ideal;
}

double reciprocal_rank_at(const JudgedList& list, std::size_t k) {
  const auto hits = first_places(list, k);
  const auto first = std::find(hits.begin(), hits.end(), std::uint8_t{1});
  return first == hits.end() ? 0.0 : 1.0 / static_cast<double>(first - hits.begin() + 1);
}

double average_precision_at(const JudgedList& list, std::size_t k) {
  std::size_t hits = 0;
  double sum = 0.0;
  for (std::size_t n = 0; n < k; ++n) {
    if (n < list.hits().size()) hits += list.hits()[n];
    sum += static_cast<double>(hits) / static_cast<double>(n + 1);
  }
  return sum / static_cast<double>(k);
}

double area_under_curve(const kernels::PairCount& pairs, std::uint64_t known, std::uint64_t negatives,
                        std::uint64_t relevant) {
  if (negatives == 0) return static_cast<double>(known) / static_cast<double>(relevant);
  const double won =
      static_cast<double>(known * negatives - pairs.above) - 0.5 * static_cast<double>(pairs.level);
  return won / static_cast<double>(negatives) / static_cast<double>(relevant);
}

}  // namespace sotto::metrics
