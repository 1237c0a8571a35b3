// ExampleFacts: what a device knows of itself where its data are labelled examples (data/examples).
//
// Laws: what is counted is the hand's training part, the only one that makes the update; the same hands and
// the same rounds noted give the same facts. of() may be asked by several threads, but not while a round is
// noted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "data/examples/examples.h"
#include "fed/criteria/criterion.h"

namespace sotto::fed {

// Whether examples can tell the criterion: of novelty and trust they say nothing.
[[nodiscard]] bool examples_tell(Criterion criterion);
// Those that they can.
[[nodiscard]] std::vector<Criterion> example_criteria();
// Fails where the order has a criterion that no examples can tell, or that these cannot.
[[nodiscard]] Status check_measurable(const CriteriaOrder& order);
[[nodiscard]] Status check_measurable(const CriteriaOrder& order, const Examples& examples);

class ExampleFacts final : public FactsSource {
 public:
  // Examples and hands outlive it. `most_records` is the bound that everybody knows; 0: the largest hand.
  ExampleFacts(const Examples& examples, const Dealt& dealt, std::uint64_t most_records = 0);

  [[nodiscard]] DeviceFacts of(UserIndex device) const override;
  // That the round, counted from 0, is over and who took part. Rounds are noted in their order; some may be
  // left out. After it, rounds_since is the number of rounds that went by without the device.
  void note_round(std::uint32_t round, std::span<const UserIndex> cohort);

 private:
  const Examples& examples_;
  const Dealt& dealt_;
  std::uint64_t most_records_;
  std::uint32_t rounds_ = 0;           // that are over
  std::vector<std::uint32_t> met_at_;  // of each device: rounds that were over after its last one; 0: never
};

}  // namespace sotto::fed
