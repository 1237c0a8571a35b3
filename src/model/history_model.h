// The second kind of federated model: a device answers from its whole history at once, where the pairwise
// models of model/federated_model.h answer pair by pair. Of some (FedALS, FCF) the private row is no state
// but the exact solution of least squares for what was received: such a device can solve() it again at any
// time. Of others (KGFlex) it is state, which contribute() moves.
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

namespace sotto::model {

// What a device has in hand. `Received` is what a model makes of the shared rows: they themselves
// (RowMatrix), or with the sum of their products (FactorSide).
template <class Received>
struct DeviceVisit {
  const Received* received = nullptr;
  std::span<const ItemIndex> history;
  float* own = nullptr;  // the private row
  UserIndex user = {};
  std::uint32_t round = 0;
};
using HistoryVisit = DeviceVisit<FactorSide>;

// What an answer reports to the simulator. It is not part of any contribution: nothing of it leaves.
struct AnswerReport {
  bool finite = true;  // false: a number left the range
  std::int64_t loss_units =
      0;  // in units of 2^-20; of models whose rows are solved it comes with the solution
  std::uint64_t steps = 0;
  std::uint64_t held_rows = 0;  // with a number that was held within ±step_limit
};

template <class M>
concept SolvesPrivateRows = requires(typename M::Device device, DeviceVisit<typename M::Received> visit) {
  { device.solve(visit) } -> std::same_as<AlsSolver::Outcome>;
};

template <class M, class Sink>
concept HistoryModel = requires(const M model, float* row, const DeviceVisit<typename M::Received>& visit,
                                typename M::Device device, typename M::Server server, Sink& sink,
                                const std::int32_t* sum, const std::int64_t* wide) {
  { M::title } -> std::convertible_to<const char*>;
  { model.shared_rows() } -> std::convertible_to<std::size_t>;
  { model.shared_width() } -> std::convertible_to<std::size_t>;
  { model.sum_rows() } -> std::convertible_to<std::size_t>;
  { model.sum_width() } -> std::convertible_to<std::size_t>;
  { model.start_shared() } -> std::same_as<RowMatrix>;
  { model.start_memory() } -> std::same_as<RowMatrix>;
  { model.private_width() } -> std::convertible_to<std::size_t>;
  model.start_private(UserIndex{}, row);
  { device.contribute(visit, sink) } -> std::same_as<AnswerReport>;
  requires std::constructible_from<typename M::Server, const M&, std::uint32_t, FixedPoint, RowMatrix&,
                                   RowMatrix&>;
  server.take(std::uint32_t{}, sum);
  server.take(std::uint32_t{}, wide);
  { server.solved() } -> std::same_as<bool>;
};

}  // namespace sotto::model
