// What a server makes of a round's released sum, in place: once for the simulator and for tasks over a
// network. Averaged networks have theirs in fed/averaged_update.h.
#pragma once

#include <cstdint>
#include <utility>

#include "base/fixed_point.h"
#include "base/row_matrix.h"
#include "fed/aggregator.h"

namespace sotto::fed {

// Of a model of model/federated_model.h: adds the sum to the shared rows. each(row) follows each that moved.
template <class Model, class Each>
void take_sum(const Model& model, FixedPoint fixed, Aggregator&& sum, RowMatrix& shared, const Each& each) {
  std::move(sum).release([&](std::uint32_t row, const auto* values) {
    model.apply(values, fixed, shared.row(row));
    each(row);
  });
}

// Of a model of model/history_model.h, in one round: false where no next rows follow from the sum.
template <class Model>
[[nodiscard]] bool take_sum(const Model& model, std::uint32_t round, FixedPoint fixed, Aggregator&& sum,
                            RowMatrix& shared, RowMatrix& memory) {
  typename Model::Server server(model, round, fixed, shared, memory);
  std::move(sum).release([&](std::uint32_t row, const auto* values) { server.take(row, values); });
  return server.solved();
}

}  // namespace sotto::fed
