// HistorySink: the short way into the round's sum for models that answer with their whole history
// (model/history_model.h), where device and sum are in one process: consent filter → fixed point → sum.
// Law: the sums and the counts are those of accepting the visits' Contributions one by one.
#pragma once

#include <cstdint>
#include <utility>

#include "fed/aggregator.h"
#include "privacy/consent.h"

namespace sotto::fed {

class HistorySink {
 public:
  // Opens one visit's contribution.
  HistorySink(Aggregator& sum, FixedPoint fixed, const ConsentGate& gate)
      : sum_(sum), gate_(gate), scale_(fixed.scale()) {
    sum_.begin();
  }

  // Where the fixed-point numbers of a row that comes from an item are added; null if consent keeps them on
  // the device.
  [[nodiscard]] std::int32_t* open(Evidence evidence, std::uint32_t item, std::uint32_t row) {
    return leave(evidence, item) ? open_row(row) : nullptr;
  }
  // Whether what an item says may leave, for models that gather it before they write rows.
  [[nodiscard]] bool leave(Evidence evidence, std::uint32_t item) { return gate_.allows(evidence, item); }
  // Where a row of what was gathered with leave is added.
  [[nodiscard]] std::int32_t* open_row(std::uint32_t row) {
    sum_.note(row);
    return sum_.sums_of(row);
  }
  // The row's sum has come near its end.
  void relieve(std::uint32_t row) { sum_.widen(row); }
  [[nodiscard]] float scale() const { return scale_; }

 private:
  Aggregator& sum_;
  ConsentGate gate_;
  float scale_;
};

// What such a model's server makes of the round's sum, in place: false where no next rows follow from it.
template <class Model>
[[nodiscard]] bool take_sum(const Model& model, std::uint32_t round, FixedPoint fixed, Aggregator&& sum,
                            RowMatrix& shared, RowMatrix& memory) {
  typename Model::Server server(model, round, fixed, shared, memory);
  std::move(sum).release([&](std::uint32_t row, const auto* values) { server.take(row, values); });
  return server.solved();
}

}  // namespace sotto::fed
