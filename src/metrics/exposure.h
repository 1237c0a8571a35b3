// Exposure: how far an attacker got with a target item. ER@k is the share of people whose first k
// recommendations hold it, over those who do not have it in their training part.
#pragma once

#include <cstdint>

#include "data/histories.h"
#include "metrics/top_lists.h"

namespace sotto::metrics {

struct Exposure {
  std::uint64_t people = 0;   // who could be shown the target
  std::uint64_t exposed = 0;  // who are

  [[nodiscard]] double rate() const {
    return people == 0 ? 0.0 : static_cast<double>(exposed) / static_cast<double>(people);
  }
};

[[nodiscard]] Exposure exposure_of(ItemIndex target, const TopLists& lists, const Histories& train,
                                   std::size_t cutoff);

}  // namespace sotto::metrics
