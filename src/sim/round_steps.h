// The steps of sim/round_driver.h, for the files in which federations are defined.
#pragma once

#include <fmt/core.h>

#include <concepts>

#include "sim/round_driver.h"

namespace sotto::sim {

// Rounds are counted from 0 here, and from 1 where people read of them.
inline Error scores_diverged(std::uint32_t round) {
  return fail(Code::diverged,
              fmt::format("training diverged in round {}: scores left the finite numbers; lower the "
                          "learning rate, or raise the regularisation",
                          round + 1));
}

// Makes bytes of what is sent and reads them again; says how many there were.
template <Message M, class Sent>
Result<std::uint64_t> over_the_wire(std::uint32_t round, Sent& sent) {
  const Bytes bytes = encode(M{round, std::move(sent)});
  SOTTO_TRY(M message, decode<M>(bytes));
  auto& [arrived_in, arrived] = message;
  SOTTO_ASSERT(arrived_in == round, "a message says its round");
  sent = std::move(arrived);
  return std::uint64_t{bytes.size()};
}

template <class Heir, class Seat>
Result<RoundReport> RoundDriver<Heir, Seat>::run(std::uint32_t rounds) {
  RoundReport report;
  for (std::uint32_t n = 0; n < rounds; ++n) {
    SOTTO_TRY_DONE(run_round(report));
    SOTTO_TRY_DONE(heir().end_round());
  }
  take_counts(report);
  return report;
}

template <class Heir, class Seat>
Status RoundDriver<Heir, Seat>::run_round(RoundReport& report) {
  // 1. Distribution: those of the cohort who answer receive the shared model.
  const Users cohort = heir().cohort();
  ++report.rounds;
  if (cohort.empty()) return ++state_.round, Done{};
  heir().distribute(cohort.size());

  // 2. Computation and 3. transmission: each device answers with its contribution.
  if (collector_ != nullptr) SOTTO_TRY_DONE(collector_->begin({state_.round, cohort, &heir().received()}));
  const std::size_t sums = collector_ != nullptr ? 1 : lanes_.size();
  for (std::size_t n = 0; n < sums; ++n) {
    lanes_[n].sum.reset();  // forgets what a round that failed left
    lanes_[n].sum.emplace(lanes_[n].open());
  }
  if (collector_ != nullptr) {
    SOTTO_TRY_DONE(collect(cohort));
  } else {
    const bool short_way = path_ == Path::fast;
    SOTTO_TRY_DONE(share_out(cohort, sums, [&](Users users, Lane& lane) {
      return short_way ? heir().play(users, lane) : send(users, lane);
    }));
  }

  // 4. Aggregation: one sum, released once to the server.
  Sum& total = *lanes_[0].sum;
  for (std::size_t n = 1; n < sums; ++n) total.merge(std::move(*lanes_[n].sum));
  Traffic traffic;
  if constexpr (std::same_as<Sum, Aggregator>)
    if (collector_ != nullptr) {
      SOTTO_TRY(traffic, collector_->finish(total));
    }
  if (collector_ == nullptr && path_ == Path::fast) traffic.up = lanes_[0].bytes_of(total);
  SOTTO_TRY_DONE(heir().release(std::move(total)));
  ++state_.round;
  report.exchanges += cohort.size();
  report.bytes_down += cohort.size() * heir().bytes_down() + traffic.down;
  report.bytes_up += traffic.up;
  return Done{};
}

template <class Heir, class Seat>
template <class Each>
Status RoundDriver<Heir, Seat>::share_out(Users users, std::size_t lanes, const Each& each) {
  const auto work = [&](std::size_t n) { lanes_[n].status = each(part_of(users, n, lanes), lanes_[n]); };
  if (lanes == 1) {
    work(0);
  } else {
    executor_.run(lanes, work);
  }
  for (std::size_t n = 0; n < lanes; ++n) SOTTO_TRY_DONE(lanes_[n].status);
  return Done{};
}

template <class Heir, class Seat>
Status RoundDriver<Heir, Seat>::hear(Users users, Lane& lane) {
  if (users.empty()) return Done{};  // fewer devices than lanes
  SOTTO_TRY_DONE(heir().answer(users, lane));
  for (std::size_t n = 0; n < users.size() && path_ == Path::wire; ++n) {
    SOTTO_TRY(const std::uint64_t bytes, over_the_wire<typename Seat::Message>(state_.round, lane.sent(n)));
    if (collector_ == nullptr) lane.counts.bytes_up += bytes;  // else it counts
  }
  return Done{};
}

template <class Heir, class Seat>
Status RoundDriver<Heir, Seat>::send(Users users, Lane& lane) {
  while (!users.empty()) {
    const Users now = users.first(std::min(heir().at_once(), users.size()));
    SOTTO_TRY_DONE(hear(now, lane));
    for (std::size_t n = 0; n < now.size(); ++n) SOTTO_TRY_DONE(lane.sum->accept(lane.sent(n)));
    users = users.subspan(now.size());
  }
  return Done{};
}

template <class Heir, class Seat>
Status RoundDriver<Heir, Seat>::collect(Users cohort) {
  // Each lane hears as many devices as answer at once, where that many fill a lane.
  const std::size_t lanes = heir().at_once() < devices_a_lane_ ? 1 : lanes_.size();
  while (!cohort.empty()) {
    const Users now = cohort.first(std::min(lanes * heir().at_once(), cohort.size()));
    SOTTO_TRY_DONE(share_out(now, lanes, [&](Users users, Lane& lane) { return hear(users, lane); }));
    if constexpr (std::same_as<Sum, Aggregator>)
      for (std::size_t lane = 0, n = 0; lane < lanes; ++lane)
        for (std::size_t k = 0; k < part_of(now, lane, lanes).size(); ++k, ++n)
          SOTTO_TRY_DONE(collector_->accept(now[n], lanes_[lane].sent(k)));
    cohort = cohort.subspan(now.size());
  }
  return Done{};
}

}  // namespace sotto::sim
