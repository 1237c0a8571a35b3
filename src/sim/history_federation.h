// HistoryFederation: devices that answer with statistics of their history (model/history_model.h), as players
// of sim/round_driver.h.
//
// Where private rows are solved, not state, a device solves its own before it answers, and after an epoch
// everybody's is solved once more for the new shared rows, as a device does before it recommends.
// Laws: those of the driver.
#pragma once

#include <cstdint>
#include <vector>

#include "data/histories.h"
#include "fed/plan.h"
#include "fed/selection.h"
#include "model/fcf.h"
#include "model/fed_als.h"
#include "model/fedcars/fedcars.h"
#include "model/kgflex/kgflex.h"
#include "sim/downlink.h"
#include "sim/round_driver.h"

namespace sotto::sim {

// What a lane needs to play devices.
template <class Model>
struct HistorySeat : RowSums {
  explicit HistorySeat(const Model& model)
      : RowSums(model.sum_rows(), model.sum_width()), device(model), contribution(model.sum_width()) {}
  [[nodiscard]] Contribution& sent(std::size_t /*n*/) { return contribution; }

  typename Model::Device device;
  Contribution contribution;  // wire path, or on its way to a collector
};

template <class Model>
class HistoryFederation : public RoundDriver<HistoryFederation<Model>, HistorySeat<Model>> {
  using Driver = RoundDriver<HistoryFederation, HistorySeat<Model>>;
  using typename Driver::Lane, typename Driver::Users;

 public:
  // `histories` outlive the federation. Users without training items take no part.
  HistoryFederation(const Model& model, const Plan& plan, const Schedule& schedule,
                    const Histories& histories, Executor& executor, Path path = Path::fast);

 private:
  friend Driver;
  using Driver::executor_, Driver::lanes_, Driver::path_, Driver::state_;
  using Received = typename Model::Received;
  using OneVisit = DeviceVisit<Received>;

  [[nodiscard]] Users cohort();
  void distribute(std::size_t devices);
  [[nodiscard]] std::uint64_t bytes_down() const { return downlink_.bytes(state_.shared); }
  [[nodiscard]] Status play(Users users, Lane& lane);
  [[nodiscard]] Status answer(Users users, Lane& lane);
  [[nodiscard]] Status release(Aggregator&& total);
  [[nodiscard]] Status end_round();
  void restored() { settled_ = false; }

  [[nodiscard]] OneVisit visit_of(UserIndex user, const Histories& histories, const Received& received);
  // The user's answer into the sink; first solves the row, if it is not solved.
  template <class Sink>
  [[nodiscard]] Status visit(const OneVisit& visit, bool solved, Sink& sink, Lane& lane);
  // Solves the user's row, where rows are solved; counts its loss if asked to.
  [[nodiscard]] Status solve(const OneVisit& visit, bool counts, Lane& lane);
  [[nodiscard]] Error diverged() const;

  Model model_;
  Plan plan_;
  Schedule schedule_;
  const Histories& histories_;
  Histories shareable_;  // what may be trained on for others
  std::vector<UserIndex> users_;
  CohortSelector selector_;
  Downlink<Received> downlink_;
  bool settled_ = false;  // every private row is solved for what devices receive, the shared rows of now
  std::vector<UserIndex> answering_;  // where some do not: the users of the round at hand
};

// Users with at least one training item.
[[nodiscard]] std::vector<UserIndex> users_with_history(const Histories& histories);

extern template class HistoryFederation<FedAls>;
extern template class HistoryFederation<Fcf>;
extern template class HistoryFederation<Kgflex>;
extern template class HistoryFederation<Fedcars>;

}  // namespace sotto::sim
