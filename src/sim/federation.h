// Federation: a whole federation in one process, driving the same objects as a deployment does.
//
// Laws: the same plan, data and seed give the same shared model and the same private rows for any
// number of threads; the wire path, which encodes and decodes every message, gives them too.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/executor.h"
#include "base/private.h"
#include "base/result.h"
#include "base/row_hash.h"
#include "data/histories.h"
#include "data/membership.h"
#include "fed/aggregator.h"
#include "fed/collector.h"
#include "fed/contribute.h"
#include "fed/plan.h"
#include "fed/selection.h"
#include "fed/sum_sink.h"
#include "sim/broadcast.h"

namespace sotto::sim {

enum class Path : std::uint8_t {
  fast,  // contributions go to the sum without becoming bytes
  wire,  // every message is encoded and decoded with the real codec
};

// What some rounds did, summed.
struct RoundReport {
  std::uint64_t rounds = 0;
  std::uint64_t exchanges = 0;  // visits: a model down, a contribution up
  std::uint64_t triples = 0;
  std::int64_t loss_units = 0;  // Σ −ln σ(x̂) in units of 2^-20, so that order does not matter
  std::uint64_t bytes_up = 0;
  std::uint64_t bytes_down = 0;
  std::uint64_t held_rows = 0;  // with a number beyond the range of one update; not those before a resume

  void add(const RoundReport& other);
  [[nodiscard]] double mean_loss() const;
};

// Where a federation stands: all that a checkpoint must hold.
struct FederationState {
  std::uint32_t round = 0;
  RowMatrix shared;
  Private<RowMatrix> devices;  // one private row a user
};

template <class Model>
class Federation {
 public:
  // `histories` outlive the federation. Users without training items, or with all of them, take no part.
  // Private rows lie in `private_memory`, or on the heap.
  Federation(const Model& model, const Plan& plan, const Schedule& schedule, const Histories& histories,
             Executor& executor, Path path = Path::fast, Storage* private_memory = nullptr);
  ~Federation();

  // Runs so many rounds. After a failure the state is spent: go back to a checkpoint.
  [[nodiscard]] Result<RoundReport> run(std::uint32_t rounds);

  [[nodiscard]] const FederationState& state() const { return state_; }
  void restore(FederationState state);
  // From now on every contribution goes through the collector, which outlives the federation; devices are
  // played one after the other then. Its shape is that of the shared model.
  void collect_with(Collector& collector) { collector_ = &collector; }
  // From now on counts how often each shared row is updated: once a pair for its negative item, and for its
  // positive one if it may leave. Goes on from `so_far`; an empty one is zero. Unasked, nothing is counted.
  void count_updates(std::vector<std::uint64_t> so_far);
  // The counts, one a shared row; empty unless asked for. The same for any number of threads and every path.
  [[nodiscard]] std::vector<std::uint64_t> item_updates() const;
  // The state for good; the federation is used up.
  [[nodiscard]] FederationState take() && { return std::move(state_); }

 private:
  struct Shard;

  [[nodiscard]] Status run_round(RoundReport& report);
  // The users of the round at hand.
  [[nodiscard]] std::span<const UserIndex> this_cohort();
  // The devices of one shard, one group after the other.
  [[nodiscard]] Status play(std::span<const UserIndex> users, Shard& shard);
  // Some devices side by side: computation and transmission into the shard's sum.
  [[nodiscard]] Status visit(std::size_t count, Shard& shard);
  [[nodiscard]] VisitReport visit_once(std::size_t count, Shard& shard);  // visits with one pair
  [[nodiscard]] VisitReport visit_directly(std::span<const Visit> visits, Shard& shard);
  [[nodiscard]] Result<VisitReport> visit_by_wire(Visit visit, Shard& shard);
  [[nodiscard]] Status visit_collected(std::span<const Visit> visits, Shard& shard);
  // What a device sent arrives at the collector, or at the shard's sum.
  [[nodiscard]] Status deliver(UserIndex user, Contribution& contribution, Shard& shard);
  // The shared model as devices work with it.
  [[nodiscard]] const RowMatrix& sent() const { return broadcast_.sent(state_.shared); }
  // Rounds of one user and one triple each: a sum of one update is that update. Rounds that follow each other
  // and share no row are computed side by side; the result is that of one after the other.
  [[nodiscard]] bool plays_solo() const;
  [[nodiscard]] Status run_solo(std::uint32_t rounds, RoundReport& report);
  [[nodiscard]] std::size_t gather_solo(std::size_t most, Shard& shard);
  [[nodiscard]] Status note(const VisitReport& report, Shard& shard);
  // Counts what the next visits of the shard update.
  void tally(std::size_t visits, Shard& shard) const;
  // A round of one user knows the rounds to come, unless some of them do not answer.
  [[nodiscard]] bool knows_what_comes() const {
    return schedule_.cohort == 1 && plan_.consent.people == nullptr;
  }
  // Draws the pairs of the visits to come, and what consent says to them: of `users` in this round, or of the
  // rounds to come where a round has one user. Asks early for the memory they will touch.
  void look_ahead(std::span<const UserIndex> users, Shard& shard);

  Model model_;
  Plan plan_;
  Schedule schedule_;
  Histories shareable_;  // what may be trained on; without terms of single people, all there is
  Membership consumed_;
  PairSampler sampler_;
  CohortSelector selector_;
  Executor& executor_;
  Path path_;
  Collector* collector_ = nullptr;
  FederationState state_;
  std::vector<Shard> shards_;
  std::vector<UserIndex> answering_;  // where some do not: the users of the round at hand
  Broadcast broadcast_;
};

// Users that can take part: at least one training item, at least one item that is not.
[[nodiscard]] std::vector<UserIndex> eligible_users(const Histories& histories, std::size_t catalogue);

extern template class Federation<Fpl>;

}  // namespace sotto::sim
