// SumTerms: on what terms devices take part in a secure sum, reckoned from what is assumed about them.
//
// The calculation (docs/adr/0013). Of n devices C = ⌊corrupt · n⌋ work for the server and D = ⌊dropped · n⌋
// fall silent in a round; neither knows the graph of neighbours before it is drawn. For a device with k
// neighbours, c and d are the largest numbers of corrupt and of silent ones among them that occur
// (hypergeometric tails, times n for all devices) with chance leak/3 and abort/2. The smallest even k is
// taken, or the complete graph, for which
//   t = k − d                 shares bring a secret back whoever falls silent;
//   t + 1 − c ≥ crowd         corrupt neighbours alone do not, and whatever a lying server declares silent, a
//                             device is summed with at least so many honest ones;
//   n · P(k/2 slots in a row are all corrupt or silent) ≤ leak/3   what is left of the graph stays in one
//   piece.
// A survivor set counts when more than (m + c')/2 of a committee of m devices sign it, c' as above for the
// committee: two sets cannot both be signed so often. The smallest m is taken whose quorum survives d'.
// Laws: more corrupt, more silent or rarer failure never ask for less; what cannot hold is refused.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace sotto::privacy {

struct SumAssumptions {
  double corrupt = 0.05;
  double dropped = 0.3;
  double leak = 0x1p-40;   // chance that somebody's contribution is less hidden than said
  double abort = 0x1p-20;  // chance that a round with no more silent devices than assumed fails
  std::uint32_t crowd = 10;
};

struct SumTerms {
  std::uint32_t devices = 0;
  std::uint32_t degree = 0;           // neighbours of each device
  std::uint32_t threshold = 0;        // shares that give a secret back
  std::uint32_t committee = 0;        // devices that sign the survivors
  std::uint32_t quorum = 0;           // signatures that make a survivor set count
  std::uint32_t least_survivors = 0;  // below them nothing is released
  std::uint32_t crowd = 0;            // honest devices that anybody is at least summed with, self included
  [[nodiscard]] bool operator==(const SumTerms& other) const = default;
};

[[nodiscard]] Status check(const SumAssumptions& assumptions);
[[nodiscard]] Result<SumTerms> sum_terms(std::uint32_t devices, const SumAssumptions& assumptions);

// The most devices of one secure sum.
inline constexpr std::uint32_t most_sum_devices = 1u << 17;

}  // namespace sotto::privacy
