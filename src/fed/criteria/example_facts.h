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
#include "fed/criteria/device_facts.h"

namespace sotto {

struct ExampleFactsOptions {
  std::uint64_t most_records = 0;  // the bound that everybody knows; 0: the largest hand
  std::vector<double> trust = {};  // one a device; empty: all are trusted alike
};
[[nodiscard]] Status check(const ExampleFactsOptions& options, std::size_t devices);

class ExampleFacts final : public FactsSource {
 public:
  // Examples and hands outlive it; the options obey check().
  ExampleFacts(const Examples& examples, const Dealt& dealt, ExampleFactsOptions options = {});

  [[nodiscard]] DeviceFacts of(UserIndex device) const override;
  // That the round, counted from 0, is over and who took part. Rounds are noted in their order; some may be
  // left out. After it, rounds_since is the number of rounds that went by without the device.
  void note_round(std::uint32_t round, std::span<const UserIndex> cohort);

 private:
  const Examples& examples_;
  const Dealt& dealt_;
  ExampleFactsOptions options_;
  std::uint32_t rounds_ = 0;           // that are over
  std::vector<std::uint32_t> met_at_;  // of each device: rounds that were over after its last one; 0: never
};

}  // namespace sotto
