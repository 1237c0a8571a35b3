// The second kind of federated model: a device answers with statistics of its whole history, where the
// pairwise models of model/federated_model.h answer with steps. Its private row is no state but the exact
// solution of least squares for what it received, so it can be solved again at any time.
//
// A Device is the device's half at work, a Server the server's half in one round: it takes each released row
// once and changes the shared rows. What a server carries from round to round (an optimiser's moments) is a
// matrix, so that a checkpoint can hold it.
// The sink is the contribution pipeline: a row that consent keeps back has no place to be written to.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "base/fixed_point.h"
#include "base/row_matrix.h"
#include "data/ids.h"
#include "model/als.h"
#include "model/federated_model.h"

namespace sotto {

// What a device has in hand.
struct HistoryVisit {
  const FactorSide* received = nullptr;  // the shared rows, and the sum of their products
  std::span<const ItemIndex> history;
  float* own = nullptr;  // the private row
};

template <class M, class Sink>
concept HistoryModel = requires(const M model, float* row, const HistoryVisit& visit,
                                typename M::Device device, typename M::Server server, Sink& sink,
                                const std::int32_t* sum, const std::int64_t* wide) {
  { M::title } -> std::convertible_to<const char*>;
  { model.shared_rows() } -> std::convertible_to<std::size_t>;
  { model.shared_width() } -> std::convertible_to<std::size_t>;
  { model.sum_rows() } -> std::convertible_to<std::size_t>;
  { model.sum_width() } -> std::convertible_to<std::size_t>;
  { model.start_shared() } -> std::same_as<RowMatrix>;
  { model.start_memory() } -> std::same_as<RowMatrix>;
  model.start_private(row);
  { device.solve(visit) } -> std::same_as<AlsSolver::Outcome>;
  { device.contribute(visit, sink) } -> std::same_as<bool>;  // false: a number left the range
  requires std::constructible_from<typename M::Server, const M&, std::uint32_t, FixedPoint, RowMatrix&,
                                   RowMatrix&>;
  server.take(std::uint32_t{}, sum);
  server.take(std::uint32_t{}, wide);
  { server.solved() } -> std::same_as<bool>;
};

}  // namespace sotto
