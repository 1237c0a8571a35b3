// FplFederation: devices that answer with steps for pairs of items (model/fpl.h), as players of
// sim/round_driver.h.
//
// Laws: those of the driver. Rounds of one user know the rounds to come, and are played side by side where
// they share no row: the result is that of one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/row_clash.h"
#include "data/histories.h"
#include "data/membership.h"
#include "fed/contribute.h"
#include "fed/plan.h"
#include "fed/selection.h"
#include "fed/sum_sink.h"
#include "sim/broadcast.h"
#include "sim/round_driver.h"

namespace sotto::sim {

// What a lane needs to play devices.
struct VisitSeat : RowSums {
  VisitSeat(std::size_t rows, std::size_t width, std::size_t private_width, std::uint32_t triples)
      : RowSums(rows, width),
        work(width),
        visits_ahead(std::max<std::size_t>(128 / triples, kernels::most_steps)),
        pairs(visits_ahead * triples),
        answers(visits_ahead * triples),
        scratch(kernels::most_steps, private_width) {}
  [[nodiscard]] Contribution& sent(std::size_t n) { return work.contribution(n); }

  DeviceWork work;  // wire path, or on its way to a collector
  std::size_t visits_ahead;
  std::vector<UserIndex> users;
  std::vector<VisitPlace> ahead;  // visits to come, from `next` on, with their `pairs`
  std::size_t next = 0;
  std::vector<Pair> pairs;
  ConsentAnswers answers;  // what consent says to each pair's positive item
  std::array<Visit, kernels::most_steps> visits;
  std::array<SumSink, kernels::most_steps> sinks;
  std::array<SoloVisit, kernels::most_steps> solo;
  RowClash clash;
  RowMatrix scratch;
  std::vector<std::uint64_t> updates;  // of each shared row; empty: not counted
};

class FplFederation : public RoundDriver<FplFederation, VisitSeat> {
 public:
  // `histories` outlive the federation. Users without training items, or with all of them, take no part.
  // Private rows lie in `private_memory`, or on the heap.
  FplFederation(const Fpl& model, const Plan& plan, const Schedule& schedule, const Histories& histories,
                Executor& executor, Path path = Path::fast, Storage* private_memory = nullptr);

  // As the driver does, with rounds of one triple side by side.
  [[nodiscard]] Result<RoundReport> run(std::uint32_t rounds);
  // From now on counts how often each shared row is updated: once a pair for its negative item, and for its
  // positive one if it may leave. Goes on from `so_far`; an empty one is zero. Unasked, nothing is counted.
  void count_updates(std::vector<std::uint64_t> so_far);
  // The counts, one a shared row; empty unless asked for. The same for any number of threads and every path.
  [[nodiscard]] std::vector<std::uint64_t> item_updates() const;

 private:
  friend RoundDriver;

  [[nodiscard]] Users cohort();
  void distribute(std::size_t devices);
  // The shared model as devices work with it.
  [[nodiscard]] const RowMatrix& received() const { return broadcast_.sent(state_.shared); }
  [[nodiscard]] std::uint64_t bytes_down() const { return broadcast_.bytes_of(state_.shared); }
  // Over the wire each device decodes a model of its own.
  [[nodiscard]] std::size_t at_once() const { return path_ == Path::fast ? kernels::most_steps : 1; }
  [[nodiscard]] Status play(Users users, Lane& lane);
  [[nodiscard]] Status answer(Users users, Lane& lane);
  [[nodiscard]] Status release(Aggregator&& total);
  void restored();

  // Some devices side by side.
  [[nodiscard]] VisitReport visit_once(std::size_t count, Lane& lane);  // visits with one pair
  [[nodiscard]] VisitReport visit(std::size_t count, Lane& lane);
  [[nodiscard]] std::span<Visit> next_visits(std::size_t count, Lane& lane);
  // Rounds of one user and one triple each: a sum of one update is that update.
  [[nodiscard]] bool plays_solo() const;
  [[nodiscard]] Result<RoundReport> run_solo(std::uint32_t rounds);
  [[nodiscard]] std::size_t gather_solo(std::size_t most, Lane& lane);
  [[nodiscard]] Status note(const VisitReport& report, Lane& lane);
  // Counts what the next visits of the lane update, and goes past them.
  void pass(std::size_t visits, Lane& lane) const;
  // A round of one user knows the rounds to come, unless some of them do not answer.
  [[nodiscard]] bool knows_what_comes() const {
    return schedule_.cohort == 1 && plan_.consent.people == nullptr;
  }
  // Draws the pairs of the visits to come, and what consent says to them: of `users` in this round, or of the
  // rounds to come where a round has one user. Asks early for the memory they will touch.
  void look_ahead(Users users, Lane& lane);

  Fpl model_;
  Plan plan_;
  Schedule schedule_;
  Histories shareable_;  // what may be trained on; without terms of single people, all there is
  Membership consumed_;
  PairSampler sampler_;
  CohortSelector selector_;
  std::vector<UserIndex> answering_;  // where some do not: the users of the round at hand
  Broadcast broadcast_;
};

// Users that can take part: at least one training item, at least one item that is not.
[[nodiscard]] std::vector<UserIndex> eligible_users(const Histories& histories, std::size_t catalogue);

}  // namespace sotto::sim
