#include "model/pair_counts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"

namespace sotto::model {

std::uint64_t PersonWeight::of(std::size_t items) const {
  if (power_ == 0.0f || items == 0) return 1;
  const float weight = exp_f32(-power_ * log_f32(static_cast<float>(items)));
  return static_cast<std::uint64_t>(std::max(1.0f, std::nearbyint(weight * 0x1.0p20f)));
}

HistoryPairs::HistoryPairs(const Histories& histories, const Audiences& audiences, PersonWeight weight)
    : histories_(histories),
      audiences_(audiences),
      weight_(weight),
      popularity_(histories.popularity(audiences.items())) {
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    people_ += histories.of(UserIndex{user}).empty() ? 0 : 1;
}

void HistoryPairs::row(std::uint32_t item, PairRow& out) const {
  out.counters.resize(items(), 0);
  out.items.clear();
  out.sums.clear();
  for (const UserIndex user : audiences_.of(ItemIndex{item})) {
    const auto history = histories_.of(user);
    const std::uint64_t weight = weight_.of(history.size());
    for (const ItemIndex other : history) {
      std::uint64_t& sum = out.counters[other.value];
      if (sum == 0) out.items.push_back(other.value);
      sum += weight;
    }
  }
  std::sort(out.items.begin(), out.items.end());
  for (const std::uint32_t other : out.items) out.sums.push_back(std::exchange(out.counters[other], 0));
}

}  // namespace sotto::model
