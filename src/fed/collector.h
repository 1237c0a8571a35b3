// Collector: what the contributions of a round go through where a plain sum is not enough. A recorder, a
// clip, noise, sums by groups, a secure sum: each is one, and one may stand before another.
//
// Laws: every device of the cohort is accepted once, in the cohort's order; finish() adds the round's sum to
// the total, or fails and adds nothing; after it the next round may begin. What a Collector releases is
// integers, so that its sum has one value whatever the order. Which collectors stand before the sum is
// part of a plan; without any, contributions go the short way (fed/sum_sink.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "data/ids.h"
#include "fed/aggregator.h"

namespace sotto::fed {

// What everybody knows of a round when it begins.
struct RoundPlace {
  std::uint32_t round = 0;
  std::span<const UserIndex> cohort;
  const RowMatrix* shared = nullptr;  // the model that was sent out; none where the round has no model yet
};

// What a round's devices sent and received beyond the model, in bytes, and how many of them are in its sum:
// where its numbers are of different devices, in the number with the fewest.
struct Traffic {
  std::uint64_t up = 0;
  std::uint64_t down = 0;
  std::uint64_t devices = 0;
};

// The shape of a round's sum.
struct SumShape {
  std::size_t rows = 0;
  std::size_t width = 0;
};

class Collector {
 public:
  Collector() = default;
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  virtual ~Collector() = default;

  [[nodiscard]] virtual Status begin(const RoundPlace& place) = 0;
  // One device's contribution in canonical form. What stands on the device's side may change it.
  [[nodiscard]] virtual Status accept(UserIndex user, Contribution& contribution) = 0;
  [[nodiscard]] virtual Result<Traffic> finish(Aggregator& total) = 0;
};

// The plain sum, as the last of a chain.
class PlainCollector final : public Collector {
 public:
  explicit PlainCollector(SumShape shape) : space_(shape.rows, shape.width) {}

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override;

 private:
  SumSpace space_;
  std::optional<Aggregator> sum_;
};

}  // namespace sotto::fed
