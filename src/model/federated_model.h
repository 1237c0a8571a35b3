// The model concept: a federated model is two halves that never meet in one place.
//
//   shared    rows of floats on the server; every device receives them
//   private   what one device keeps: a row of floats that is never sent
//
// The server half knows how the shared rows start and how a released sum changes them. The device
// half knows how a private row starts and how a visit turns (shared rows, own history) into rows of
// an update, written into a sink. Several devices' visits can be computed side by side, each with its
// own sink; the result is that of one after the other. The sink is the contribution pipeline: consent decides
// what leaves. Engine code (rounds, aggregation, simulator, network) is written against this concept alone.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "base/fixed_point.h"
#include "base/row_matrix.h"
#include "data/ids.h"
#include "data/pair_sampler.h"

namespace sotto::model {

// Where an update comes from: an item the person consumed (positive) or one they did not.
enum class Evidence : std::uint8_t { negative, positive };

// What a device has in hand while it computes.
struct Visit {
  const RowMatrix* shared = nullptr;  // the received snapshot
  float* own = nullptr;               // the private row
  float* scratch = nullptr;           // room for one more private row
  std::span<const Pair> pairs;        // training pairs drawn from its own history
  UserIndex user;
  std::uint32_t round = 0;
};

// What visits report to the simulator, summed. It is not part of any contribution: nothing of it leaves.
struct VisitReport {
  std::int64_t loss_units = 0;  // Σ −ln σ(x̂) over the triples, before each step, in units of 2^-20
  bool finite = true;           // false: the numbers left the range, training diverged
};

// A visit with one pair.
struct SoloVisit {
  float* own = nullptr;
  Pair pair;
  bool send_positive = false;  // what consent says to the pair's positive item
};

template <class M, class Sink>
concept FederatedModel = requires(const M model, float* row, RowMatrix& shared, const Visit& visit,
                                  std::span<const Visit> visits, std::span<const SoloVisit> solo,
                                  std::span<Sink> sinks, const std::int32_t* sum, const std::int64_t* wide) {
  { model.shared_rows() } -> std::convertible_to<std::size_t>;
  { model.shared_width() } -> std::convertible_to<std::size_t>;
  { model.private_width() } -> std::convertible_to<std::size_t>;
  { model.start_shared() } -> std::same_as<RowMatrix>;
  model.start_private(UserIndex{}, row);
  model.apply(sum, FixedPoint{}, row);
  model.apply(wide, FixedPoint{}, row);
  model.prefetch(*visit.shared, visit.pairs[0]);
  { model.fit(visits, sinks) } -> std::same_as<VisitReport>;
  // Visits with one pair each, into one sink: the result is that of fit().
  { model.fit_once(solo, shared, sinks[0]) } -> std::same_as<VisitReport>;
  // Whole rounds of one such visit that share no row, side by side: fit, then apply.
  { model.play_solo(solo, FixedPoint{}, shared) } -> std::same_as<VisitReport>;
};

}  // namespace sotto::model
