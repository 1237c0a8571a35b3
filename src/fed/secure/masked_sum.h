// MaskedSum: SumDevices and a SumServer in one process, every message encoded and decoded between them.
#pragma once

#include <map>

#include "fed/secure/sum_messages.h"
#include "fed/secure/sum_protocol.h"

namespace sotto::fed {

// What one device sends and receives in a sum, in bytes, beside what its integers take as they are.
struct SumCost {
  std::uint64_t up = 0;  // of a member of the committee, which has one message more
  std::uint64_t down = 0;
  std::uint64_t dense = 0;  // 4 bytes a value
  [[nodiscard]] double expansion() const { return static_cast<double>(up) / static_cast<double>(dense); }
};
// The terms of so many devices; where there are none, what would change that.
[[nodiscard]] Result<SumTerms> terms_of_cohort(std::uint32_t devices, const SumAssumptions& assumed);
// Where nobody falls silent: the most it can be.
[[nodiscard]] SumCost masked_cost(const SumOffer& offer);

class MaskedSum final : public SumProtocol {
 public:
  // `bits` of the ring; 0: the fewest that hold the sum. Secrets follow from the seed: this is a simulation.
  MaskedSum(const SumAssumptions& assumed, std::uint32_t bits, std::uint64_t seed, Executor& executor)
      : assumed_(assumed), bits_(bits), seed_(seed), executor_(executor) {}
  [[nodiscard]] Result<SumOutcome> sum(const SumTask& task) override;

 private:
  SumAssumptions assumed_;
  std::uint32_t bits_;
  std::uint64_t seed_;
  Executor& executor_;
  std::map<std::uint32_t, SumTerms> terms_;  // by the number of devices
};

}  // namespace sotto::fed
