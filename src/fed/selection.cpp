#include "fed/selection.h"

#include <algorithm>

#include "base/assert.h"
#include "base/kernels.h"
#include "base/rng.h"

namespace sotto::fed {

CohortSelector::CohortSelector(std::vector<UserIndex> eligible, std::uint32_t cohort, std::uint64_t seed)
    : eligible_(std::move(eligible)), chosen_(cohort), cohort_(cohort), seed_(seed) {
  SOTTO_ASSERT(cohort >= 1 && cohort <= eligible_.size(),
               "a cohort is a non-empty part of the eligible users");
}

void CohortSelector::select_ahead(std::uint32_t first_round, std::span<UserIndex> out) const {
  constexpr std::size_t at_once = 16;
  const std::uint32_t zeros[at_once] = {};
  std::uint32_t rounds[at_once];
  std::uint32_t words[4 * at_once];
  const kernels::PhiloxRun run{{zeros, zeros, rounds},
                               static_cast<std::uint32_t>(Purpose::select_cohort),
                               {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)}};
  const auto count = static_cast<std::uint32_t>(eligible_.size());
  for (std::size_t done = 0; done < out.size(); done += at_once) {
    for (std::uint32_t n = 0; n < at_once; ++n)
      rounds[n] = first_round + static_cast<std::uint32_t>(done) + n;
    kernels::philox_blocks(run, at_once, words);
    for (std::size_t n = 0; n < std::min(at_once, out.size() - done); ++n) {
      const std::uint64_t product = std::uint64_t{words[n]} * count;
      auto pick = static_cast<std::uint32_t>(product >> 32);
      // Where the first word may be biased, the stream itself decides (Stream::below).
      if (static_cast<std::uint32_t>(product) < count) [[unlikely]]
        pick = Stream(seed_, Purpose::select_cohort, rounds[n]).below(count);
      out[done + n] = eligible_[pick];
    }
  }
}

std::span<const UserIndex> CohortSelector::select(std::uint32_t round) {
  if (cohort_ == eligible_.size()) return eligible_;
  Stream draws(seed_, Purpose::select_cohort, round);
  const auto count = static_cast<std::uint32_t>(eligible_.size());
  if (cohort_ == 1) {
    select_ahead(round, chosen_);
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

}  // namespace sotto::fed
