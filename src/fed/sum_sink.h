// SumSink: the short way from a device to the round's sum where both are in one process: consent filter →
// fixed point → sum, with no Contribution in between.
//
// Law: the sums and the counts are those of accepting the visits' Contributions one by one.
#pragma once

#include <cstdint>
#include <span>

#include "fed/aggregator.h"
#include "fed/plan.h"

namespace sotto::fed {

class SumSink {
 public:
  SumSink() = default;  // leads nowhere
  // Opens the contributions of visits with `each` pairs. Consent's answers to them begin at `first`; they and
  // the pairs outlive the sink.
  SumSink(Aggregator& sum, FixedPoint fixed, std::span<const Pair> pairs, std::size_t each,
          const ConsentAnswers& answers, std::size_t first)
      : sum_(&sum), pairs_(pairs), answers_(&answers), first_(first), scale_(fixed.scale()) {
    for (std::size_t visit = 0; visit < pairs.size(); visit += each) {
      sum.begin();
      for (std::size_t n = visit; n < visit + each; ++n) {
        sum.note(pairs[n].negative.value);
        if (answers.allows(first + n)) sum.note(pairs[n].positive.value);
      }
    }
  }

  void make_room(std::size_t /*rows*/) {}
  // Where the fixed-point update of a row is added; null if consent keeps it on the device. The positive
  // items come in the order of the pairs, each once.
  [[nodiscard]] std::int32_t* open(Evidence evidence, std::uint32_t row) {
    if (evidence == Evidence::positive) {
      SOTTO_ASSERT(next_ < pairs_.size() && pairs_[next_].positive.value == row,
                   "what consent was not asked about does not leave");
      if (!answers_->allows(first_ + next_++)) return nullptr;
    }
    return sum_->sums_of(row);
  }
  // Asks for the memory that an update of the row will touch.
  void prefetch(std::uint32_t row) const { sum_->prefetch(row); }
  // The row's sum has come near its end.
  void relieve(std::uint32_t row) { sum_->widen(row); }
  [[nodiscard]] float scale() const { return scale_; }

 private:
  Aggregator* sum_ = nullptr;
  std::span<const Pair> pairs_;
  const ConsentAnswers* answers_ = nullptr;
  std::size_t first_ = 0;
  std::size_t next_ = 0;
  float scale_ = 0.0f;
};

}  // namespace sotto::fed
