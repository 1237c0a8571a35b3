// Who masks with whom: a circulant graph over a random permutation of the round's devices (Bell et al. 2020),
// and the committee that signs the survivors. Both follow from the round's beacon, so that every device works
// out its own neighbours and nobody assigns them.
//
// Laws: symmetric; every device has exactly `degree` neighbours (even, or all others); neighbours ascend.
#pragma once

#include <cstdint>
#include <vector>

#include "privacy/secure/secret.h"
#include "privacy/secure/sum_terms.h"

namespace sotto::privacy {

class NeighbourGraph {
 public:
  NeighbourGraph(const SumTerms& terms, const Bytes32& beacon);

  [[nodiscard]] std::vector<std::uint32_t> neighbours(std::uint32_t device) const;
  [[nodiscard]] const std::vector<std::uint32_t>& committee() const { return committee_; }  // ascending
  [[nodiscard]] std::uint32_t devices() const { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  std::uint32_t degree_;
  std::vector<std::uint32_t> slots_;    // of each device on the circle
  std::vector<std::uint32_t> members_;  // the device of each slot
  std::vector<std::uint32_t> committee_;
};

}  // namespace sotto::privacy
