// MessageNoise: clips every contribution and adds Gaussian noise, rounded to the grid, to each of its numbers
// on the device. Filled with all rows first, it is local differential privacy, or, inside a secure sum over n
// devices with a share of 1/√n each, the distributed kind; unfilled it is noise without a promise, because
// which rows were touched still shows. The audit uses it to measure what noise does to an attacker.
//
// Laws: clip first, then noise; the noise comes from a secret stream and depends on (key, round, user) alone.
#pragma once

#include "base/secret_stream.h"
#include "fed/collector.h"
#include "privacy/contribution_edit.h"

namespace sotto {

struct MessageNoiseOptions {
  ClipLimits clip;   // in integer units
  double sd = 0.0;   // in integer units, of each number
  bool fill = true;  // all rows of the catalogue
  std::uint64_t seed = 1;
};

class MessageNoise final : public Collector {
 public:
  // `inner` outlives it.
  MessageNoise(Collector& inner, SumShape shape, const MessageNoiseOptions& options)
      : inner_(inner), shape_(shape), options_(options) {}

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override { return inner_.finish(total); }

 private:
  Collector& inner_;
  SumShape shape_;
  MessageNoiseOptions options_;
  std::uint32_t round_ = 0;
};

}  // namespace sotto
