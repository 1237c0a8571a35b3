// A7: canary users. The same noisy rounds are played again and again, half of the times with one more device,
// the canary, whose contribution is as long as the clip allows and always the same. Who looks at the sums and
// projects them on the canary's direction has the best test there is against Gaussian noise; how well it
// tells the runs apart proves a lower bound on ε (privacy/audit/epsilon_bound.h), to be held against what the
// accountant promised.
//
// The other devices of a trial send nothing: what they send is the same in both kinds of runs and can be
// subtracted. Where each message has its own noise nobody else matters: the canary is alone, and in the other
// half of the runs sends the opposite, which is as far from it as two messages can be.
#pragma once

#include "fed/dp_sum.h"
#include "lab/audit/audit.h"
#include "privacy/audit/epsilon_bound.h"

namespace sotto::lab {

struct CanaryRequest {
  AuditNoise noise;
  DpPlace place = DpPlace::distributed;  // or local
  std::uint32_t devices = 50;            // in a round's sum, each with its share of the noise; local: 1
  std::uint32_t rounds = 1;              // the canary is in each
  std::uint32_t trials = 2000;           // of each kind
  int fixed_bits = 20;
  std::uint64_t seed = 1;
};

[[nodiscard]] Status check(const CanaryRequest& request);

struct CanaryOutcome {
  EpsilonBound bound;
  double promised = 0.0;  // by the accountant, for what was played
  CanaryRequest played;
  // No trial contradicts the promise.
  [[nodiscard]] bool held() const { return bound.epsilon <= promised; }
};

// "20 rounds of 5 devices, distributed noise"
[[nodiscard]] std::string describe(const CanaryRequest& request);

[[nodiscard]] Result<CanaryOutcome> play_canaries(const CanaryRequest& request, double promised,
                                                  Executor& executor);

}  // namespace sotto::lab
