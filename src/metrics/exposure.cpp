#include "metrics/exposure.h"

#include <algorithm>

namespace sotto::metrics {

Exposure exposure_of(ItemIndex target, const TopLists& lists, const Histories& train, std::size_t cutoff) {
  Exposure exposure;
  for (std::size_t row = 0; row < lists.users.size(); ++row) {
    if (train.contains(lists.users[row], target)) continue;
    const auto shown = lists.of(row, cutoff);
    ++exposure.people;
    exposure.exposed += std::find(shown.begin(), shown.end(), target) != shown.end() ? 1 : 0;
  }
  return exposure;
}

}  // namespace sotto::metrics
