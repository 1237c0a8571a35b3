// HistoryFederation: a whole federation in one process for models that answer with statistics of their
// history (model/history_model.h); the second driver beside sim/federation.h, made of the same pieces.
//
// A round: the cohort receives the shared rows, each device answers, the server takes the released sum. Where
// private rows are solved, not state, a device solves its own before it answers, and after an epoch
// everybody's is solved once more for the new shared rows, as a device does before it recommends.
// Laws: the same plan, data and seed give the same bytes for any number of threads and on the wire; a
// restored federation goes on as if nothing had happened.
#pragma once

#include <cstdint>
#include <vector>

#include "fed/history_sink.h"
#include "model/fcf.h"
#include "model/fed_als.h"
#include "model/fedcars/fedcars.h"
#include "model/kgflex/kgflex.h"
#include "sim/downlink.h"
#include "sim/federation.h"

namespace sotto::sim {

struct HistoryState {
  std::uint32_t round = 0;
  RowMatrix shared;
  Private<RowMatrix> devices;  // one private row a user
  RowMatrix memory;            // what the server carries along
};

template <class Model>
class HistoryFederation {
 public:
  // `histories` outlive the federation. Users without training items take no part.
  HistoryFederation(const Model& model, const Plan& plan, const Schedule& schedule,
                    const Histories& histories, Executor& executor, Path path = Path::fast);
  ~HistoryFederation();

  // Runs so many rounds. After a failure the state is spent: go back to a checkpoint.
  [[nodiscard]] Result<RoundReport> run(std::uint32_t rounds);

  [[nodiscard]] const HistoryState& state() const { return state_; }
  void restore(HistoryState state);
  // From now on every contribution goes through the collector, which outlives the federation; devices
  // contribute one after the other then. Its shape is that of the model's sum.
  void collect_with(Collector& collector) { collector_ = &collector; }
  // The state for good; the federation is used up.
  [[nodiscard]] HistoryState take() && { return std::move(state_); }

 private:
  struct Shard;
  using Received = typename Model::Received;
  using OneVisit = DeviceVisit<Received>;

  [[nodiscard]] Status run_round(RoundReport& report);
  // Calls each(user, shard) for the users, in parallel, until one fails.
  template <class Each>
  [[nodiscard]] Status for_users(std::span<const UserIndex> users, const Each& each);
  [[nodiscard]] Status visit(UserIndex user, Shard& shard);
  [[nodiscard]] Status visit_by_wire(UserIndex user, Shard& shard);
  [[nodiscard]] Status visit_collected(UserIndex user, Shard& shard);
  // What the device sends, into the shard's `sent`, in canonical form.
  [[nodiscard]] Status contribute(const OneVisit& visit, Shard& shard);
  // Takes note of what an answer reports.
  [[nodiscard]] Status note(const AnswerReport& report, Shard& shard);
  [[nodiscard]] Status visit_cohort(std::span<const UserIndex> cohort);
  // Before a device answers: solves its row, where rows are solved.
  [[nodiscard]] Status make_ready(const OneVisit& visit, Shard& shard);
  // Solves the user's row; counts its loss if asked to.
  [[nodiscard]] Status solve(const OneVisit& visit, bool counts, Shard& shard);
  // Everybody's row for the shared rows of now.
  [[nodiscard]] Status settle_devices();
  [[nodiscard]] OneVisit visit_of(UserIndex user, const Histories& histories, const Received& received);
  [[nodiscard]] const Received& received() const { return downlink_.received(state_.shared); }

  Model model_;
  Plan plan_;
  Schedule schedule_;
  const Histories& histories_;
  Histories shareable_;  // what may be trained on for others
  std::vector<UserIndex> users_;
  CohortSelector selector_;
  Executor& executor_;
  Path path_;
  Collector* collector_ = nullptr;
  HistoryState state_;
  Downlink<Received> downlink_;
  bool settled_ = false;  // every private row is solved for received(), which are the shared rows of now
  std::vector<Shard> shards_;
  std::vector<UserIndex> answering_;  // where some do not: the users of the round at hand
};

// Users with at least one training item.
[[nodiscard]] std::vector<UserIndex> users_with_history(const Histories& histories);

extern template class HistoryFederation<FedAls>;
extern template class HistoryFederation<Fcf>;
extern template class HistoryFederation<Kgflex>;
extern template class HistoryFederation<Fedcars>;

}  // namespace sotto::sim
