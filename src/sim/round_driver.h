// RoundDriver: the order of a round, for every federation in one process.
//
// 1. Distribution: those of the cohort who answer receive the shared model.
// 2. Computation and 3. transmission: devices compute, on as many lanes (threads) as pay. What they send is
//    added up by the short way; as messages, encoded and decoded; or by a collector, one after the other.
// 4. Aggregation: the lanes' sums become one, which is released once, to the server.
// Where nobody answers the round passes.
//
// An heir says what its devices and its server do in these steps; a Seat is what a lane needs for it, kept
// over rounds: open() is what it adds up, sent(n) what the n-th of the last devices sent, as a Message.
// Laws: the same plan, data and seed give the same bytes for any number of threads, on the wire, and through
// a collector, which gets the contributions in the cohort's order; a restored federation goes on as if
// nothing had happened. Where a federation is defined, sim/round_steps.h has the steps themselves.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "data/ids.h"
#include "fed/collector.h"
#include "fed/messages.h"
#include "sim/round_report.h"

namespace sotto::sim {

// Of seats whose devices send rows. The room for the sum is taken when it is first needed.
class RowSums {
 public:
  using Message = ContributionMessage;

  RowSums(std::size_t rows, std::size_t width) : shape_{rows, width} {}
  [[nodiscard]] Aggregator open() {
    if (!space_) space_.emplace(shape_.rows, shape_.width);
    return Aggregator(*space_);
  }
  // What came by the short way, had it been encoded.
  [[nodiscard]] std::uint64_t bytes_of(const Aggregator& sum) const {
    return encoded_contribution_bytes(sum.contributions(), sum.distinct_rows(), shape_.width);
  }

 private:
  SumShape shape_;
  std::optional<SumSpace> space_;
};

template <class Heir, class Seat>
class RoundDriver {
 public:
  // Runs so many rounds. After a failure the state is spent: go back to a checkpoint.
  [[nodiscard]] Result<RoundReport> run(std::uint32_t rounds);

  [[nodiscard]] const FederationState& state() const { return state_; }
  void restore(FederationState state) {
    // Private rows stay where they lie, be it in a file.
    state_.devices.on_device().take_values(state.devices.on_device());
    state_.round = state.round;
    state_.shared = std::move(state.shared);
    state_.memory = std::move(state.memory);
    heir().restored();
  }
  // From now on every contribution goes through the collector, which outlives the federation. Its shape is
  // that of the sum.
  void collect_with(Collector& collector) { collector_ = &collector; }
  // The state for good; the federation is used up.
  [[nodiscard]] FederationState take() && { return std::move(state_); }

 protected:
  using Users = std::span<const UserIndex>;
  using Sum = decltype(std::declval<Seat&>().open());
  struct Lane : Seat {
    using Seat::Seat;
    std::optional<Sum> sum;  // of the round in progress
    RoundReport counts;      // of its devices
    Status status = Done{};
  };

  RoundDriver(Executor& executor, Path path) : executor_(executor), path_(path) {}
  // Once, before the first round: as many lanes as a cohort fills; `terms` make a seat.
  template <class... Terms>
  void open_lanes(std::size_t cohort, std::size_t devices_a_lane, const Terms&... terms) {
    devices_a_lane_ = devices_a_lane;
    const std::size_t lanes = std::clamp<std::size_t>(cohort / devices_a_lane, 1, executor_.threads());
    lanes_.reserve(lanes);
    for (std::size_t n = 0; n < lanes; ++n) lanes_.emplace_back(terms...);
  }

  // An heir has
  //   Users cohort()                  who answers in the round at hand; valid until the next call
  //   Status answer(Users, Lane&)     at most at_once() devices compute, each into its sent()
  //   Status release(Sum&&)           the server moves the state, but for its round
  // and may have
  void distribute(std::size_t /*devices*/) {}                                // makes ready what they receive
  [[nodiscard]] const RowMatrix& received() const { return state_.shared; }  // that
  [[nodiscard]] std::uint64_t bytes_down() const { return 0; }               // of it, for one device
  [[nodiscard]] std::size_t at_once() const { return 1; }
  [[nodiscard]] Status play(Users users, Lane& lane) { return send(users, lane); }  // the short way
  [[nodiscard]] Status end_round() { return Done{}; }                               // of one that passed, too
  void restored() {}

  // Calls each(some of the users, lane), side by side on so many lanes.
  template <class Each>
  [[nodiscard]] Status share_out(Users users, std::size_t lanes, const Each& each);
  void take_counts(RoundReport& report) {
    for (Lane& lane : lanes_) report.add(std::exchange(lane.counts, {}));
  }

  Executor& executor_;
  const Path path_;
  Collector* collector_ = nullptr;
  FederationState state_;
  std::vector<Lane> lanes_;

 private:
  [[nodiscard]] Heir& heir() { return static_cast<Heir&>(*this); }
  [[nodiscard]] static Users part_of(Users users, std::size_t n, std::size_t lanes) {
    const std::size_t begin = users.size() * n / lanes;
    return users.subspan(begin, users.size() * (n + 1) / lanes - begin);
  }
  [[nodiscard]] Status run_round(RoundReport& report);
  // What devices send arrives at the lane's sum.
  [[nodiscard]] Status send(Users users, Lane& lane);
  // The same at the collector, in the cohort's order.
  [[nodiscard]] Status collect(Users cohort);
  // What some devices send is on the other side.
  [[nodiscard]] Status hear(Users users, Lane& lane);

  std::size_t devices_a_lane_ = 1;
};

}  // namespace sotto::sim
