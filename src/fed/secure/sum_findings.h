// SumFindings: what a secure sum shows about its members, and what follows from it.
//
// Proof: a member revealed another share than it was dealt, or dealt shares of another secret than it
// committed to. Dispute: a member says that a neighbour gave it nothing to reveal; one of the two is lying,
// and nobody but them knows which. Honest members never dispute with each other, so whoever disputes with
// more members than can be corrupt around it is lying. Law: what is known weighs before what is guessed: a
// dispute with somebody who is named weighs on nobody else.
#pragma once

#include <cstdint>
#include <vector>

#include "privacy/secure/device_set.h"
#include "privacy/secure/sum_terms.h"

namespace sotto::fed {

struct SumFindings {
  struct Dispute {
    std::uint32_t dealer = 0;
    std::uint32_t holder = 0;
  };
  DeviceSet proven;
  std::vector<Dispute> disputes;
  // Every mask came off, and the total is none: some input was no input. Nobody can say whose.
  bool unexplained = false;
};

struct SumVerdict {
  DeviceSet named;                       // they lied
  DeviceSet suspected;                   // they, or the one they dispute with
  std::vector<std::uint32_t> opponents;  // by device: how many it disputes with, undecided
};
[[nodiscard]] SumVerdict judge(const SumFindings& findings, const SumTerms& terms);

}  // namespace sotto::fed
