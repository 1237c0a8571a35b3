#include "privacy/audit/leak_figures.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/assert.h"

namespace sotto::privacy {

namespace {

constexpr double false_alarms = 0.01;
constexpr double sure = 0.95;

}  // namespace

LeakFigures& LeakFigures::operator+=(const LeakFigures& other) {
  auc += other.auc;
  f1 += other.f1;
  tpr += other.tpr;
  named += other.named;
  return *this;
}

LeakFigures judge_ranking(std::span<const float> scores, std::span<const ItemIndex> history) {
  SOTTO_ASSERT(!history.empty() && history.size() < scores.size(), "a history has items, and not all");
  std::vector<std::uint8_t> own(scores.size(), 0);
  for (const ItemIndex item : history) own[item.value] = 1;
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  const auto positives = static_cast<double>(history.size());
  const double negatives = static_cast<double>(scores.size()) - positives;
  LeakFigures figures;
  double found = 0.0, accused = 0.0;
  for (std::size_t at = 0; at < order.size();) {
    std::size_t end = at;
    double hits = 0.0;
    for (; end < order.size() && scores[order[end]] == scores[order[at]]; ++end) hits += own[order[end]];
    const double tied = static_cast<double>(end - at);
    const double misses = tied - hits;
    // Pairs that are won: with every other item below, and half of those level.
    figures.auc += hits * (negatives - accused - misses / 2.0);
    const double room = positives - static_cast<double>(at);
    figures.f1 += room <= 0.0 ? 0.0 : hits * std::min(room / tied, 1.0);
    const double allowed = false_alarms * negatives - accused;
    figures.tpr += allowed < 0.0 ? 0.0 : hits * (misses > 0.0 ? std::min(allowed / misses, 1.0) : 1.0);
    found += hits;
    accused += misses;
    if (found >= sure * (found + accused)) figures.named = found / positives;
    at = end;
  }
  figures.auc /= positives * negatives;
  figures.f1 /= positives;
  figures.tpr /= positives;
  return figures;
}

}  // namespace sotto::privacy
