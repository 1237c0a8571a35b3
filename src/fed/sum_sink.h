// SumSink: the short way from a device to the round's sum where both are in one process: consent filter →
// fixed point → sum, with no Contribution in between.
//
// Law: the sums and the counts are those of accepting the visits' Contributions one by one.
#pragma once

#include <cstdint>
#include <span>

#include "fed/aggregator.h"
#include "fed/plan.h"

namespace sotto {

class SumSink {
 public:
  SumSink() = default;  // leads nowhere
  // Opens the contributions of visits with `each` pairs. `allowed` are the consent's answers to their
  // positive items (allow_positives); they outlive the sink.
  SumSink(Aggregator& sum, FixedPoint fixed, std::span<const Pair> pairs, std::size_t each,
          const std::uint8_t* allowed)
      : sum_(&sum), allowed_(allowed), scale_(fixed.scale()) {
    for (std::size_t first = 0; first < pairs.size(); first += each) {
      sum.begin();
      for (std::size_t n = first; n < first + each; ++n) {
        sum.note(pairs[n].negative.value);
        if (allowed[n] != 0) sum.note(pairs[n].positive.value);
      }
    }
  }

  void make_room(std::size_t /*rows*/) {}
  // Where the fixed-point update of a row is added; null if consent keeps it on the device. The positive
  // items come in the order of the pairs.
  [[nodiscard]] std::int32_t* open(Evidence evidence, std::uint32_t row) {
    if (evidence == Evidence::positive && *allowed_++ == 0) return nullptr;
    return sum_->sums_of(row);
  }
  // Asks for the memory that an update of the row will touch.
  void prefetch(std::uint32_t row) const { sum_->prefetch(row); }
  // The row's sum has come near its end.
  void relieve(std::uint32_t row) { sum_->widen(row); }
  [[nodiscard]] float scale() const { return scale_; }

 private:
  Aggregator* sum_ = nullptr;
  const std::uint8_t* allowed_ = nullptr;
  float scale_ = 0.0f;
};

}  // namespace sotto
