#include "fed/selection.h"

#include <algorithm>

#include "base/assert.h"
#include "base/rng.h"

namespace sotto {

CohortSelector::CohortSelector(std::vector<UserIndex> eligible, std::uint32_t cohort, std::uint64_t seed)
    : eligible_(std::move(eligible)), chosen_(cohort), cohort_(cohort), seed_(seed) {
  SOTTO_ASSERT(cohort >= 1 && cohort <= eligible_.size(),
               "a cohort is a non-empty part of the eligible users");
}

std::span<const UserIndex> CohortSelector::select(std::uint32_t round) {
  if (cohort_ == eligible_.size()) return eligible_;
  Stream draws(seed_, Purpose::select_cohort, round);
  const auto count = static_cast<std::uint32_t>(eligible_.size());
  if (cohort_ == 1) {
    chosen_[0] = eligible_[draws.below(count)];
    return chosen_;
  }
  // The first steps of a Fisher–Yates shuffle, undone afterwards so that rounds do not depend on
  // their history.
  swaps_.resize(cohort_);
  for (std::uint32_t n = 0; n < cohort_; ++n) {
    swaps_[n] = n + draws.below(count - n);
    std::swap(eligible_[n], eligible_[swaps_[n]]);
  }
  std::copy_n(eligible_.begin(), cohort_, chosen_.begin());
  for (std::uint32_t n = cohort_; n-- > 0;) std::swap(eligible_[n], eligible_[swaps_[n]]);
  std::sort(chosen_.begin(), chosen_.end());
  return chosen_;
}

}  // namespace sotto
