#include "sim/history_federation.h"

#include "fed/history_sink.h"
#include "sim/round_steps.h"

namespace sotto::sim {

namespace {

// Below this many devices a second lane costs more than it brings.
constexpr std::size_t least_devices_a_lane = 8;

}  // namespace

template <class Model>
HistoryFederation<Model>::HistoryFederation(const Model& model, const Plan& plan, const Schedule& schedule,
                                            const Histories& histories, Executor& executor, Path path)
    : Driver(executor, path),
      model_(model),
      plan_(plan),
      schedule_(schedule),
      histories_(histories),
      shareable_(shareable(plan.consent, histories)),
      users_(users_with_history(histories)),
      selector_(users_, schedule.cohort, plan.seed),
      downlink_(plan) {
  static_assert(HistoryModel<Model, HistorySink> && HistoryModel<Model, ContributionPipeline>);
  this->open_lanes(schedule.cohort, least_devices_a_lane, model_);  // devices look at the model
  state_.shared = model_.start_shared();
  state_.memory = model_.start_memory();
  RowMatrix& devices = state_.devices.on_device();
  devices = RowMatrix(histories.users(), model_.private_width());
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    model_.start_private(UserIndex{user}, devices.row(user));
}

template <class Model>
auto HistoryFederation<Model>::cohort() -> Users {
  const Users selected = selector_.select(state_.round);
  return plan_.consent.people == nullptr ? selected : answering(selected, shareable_, answering_);
}

template <class Model>
void HistoryFederation<Model>::distribute(std::size_t /*devices*/) {
  if (!settled_) downlink_.prepare(state_.shared, executor_);
  if (path_ == Path::wire) downlink_.encode(state_.round, state_.shared);
}

template <class Model>
auto HistoryFederation<Model>::visit_of(UserIndex user, const Histories& histories, const Received& received)
    -> OneVisit {
  return {&received, histories.of(user), state_.devices.on_device().row(user.value), user, state_.round};
}

template <class Model>
Error HistoryFederation<Model>::diverged() const {
  return SolvesPrivateRows<Model> ? no_solution(Model::title, state_.round) : scores_diverged(state_.round);
}

template <class Model>
Status HistoryFederation<Model>::solve(const OneVisit& visit, bool counts, Lane& lane) {
  if constexpr (SolvesPrivateRows<Model>) {
    const AlsSolver::Outcome outcome = lane.device.solve(visit);
    if (!outcome.solved) return diverged();
    lane.counts.loss_units += counts ? loss_units_of(outcome.loss) : 0;
    lane.counts.triples += counts ? visit.history.size() : 0;
  }
  return Done{};
}

template <class Model>
template <class Sink>
Status HistoryFederation<Model>::visit(const OneVisit& visit, bool solved, Sink& sink, Lane& lane) {
  if (!solved) SOTTO_TRY_DONE(solve(visit, schedule_.rounds_per_epoch > 1, lane));
  const AnswerReport report = lane.device.contribute(visit, sink);
  if (!report.finite) return diverged();
  lane.counts.loss_units += report.loss_units;
  lane.counts.triples += report.steps;
  lane.counts.held_rows += report.held_rows;
  return Done{};
}

template <class Model>
Status HistoryFederation<Model>::play(Users users, Lane& lane) {
  const Received& rows = downlink_.received(state_.shared);
  for (const UserIndex user : users) {
    HistorySink sink(*lane.sum, plan_.fixed, {plan_.consent, plan_.seed, state_.round, user});
    SOTTO_TRY_DONE(visit(visit_of(user, shareable_, rows), settled_, sink, lane));
  }
  return Done{};
}

template <class Model>
Status HistoryFederation<Model>::answer(Users users, Lane& lane) {
  const UserIndex user = users.front();
  lane.contribution.clear();
  ContributionPipeline pipeline({plan_.consent, plan_.seed, state_.round, user}, plan_.fixed,
                                lane.contribution);
  if (path_ == Path::wire) {
    SOTTO_TRY(const Received arrived, downlink_.decoded());
    SOTTO_TRY_DONE(visit(visit_of(user, shareable_, arrived), false, pipeline, lane));
  } else {
    const Received& rows = downlink_.received(state_.shared);
    SOTTO_TRY_DONE(visit(visit_of(user, shareable_, rows), settled_, pipeline, lane));
  }
  lane.contribution.make_canonical();
  return Done{};
}

template <class Model>
Status HistoryFederation<Model>::release(Aggregator&& total) {
  settled_ = false;
  if (take_sum(model_, state_.round, plan_.fixed, std::move(total), state_.shared, state_.memory))
    return Done{};
  return diverged();
}

template <class Model>
Status HistoryFederation<Model>::end_round() {
  if (!SolvesPrivateRows<Model> || state_.round % schedule_.rounds_per_epoch != 0) return Done{};
  downlink_.prepare(state_.shared, executor_);
  const bool counts = schedule_.rounds_per_epoch == 1;
  // With smaller cohorts the next round's devices solve, and count, again; with terms of their own people
  // solve for others without what they keep to themselves.
  settled_ = counts && plan_.consent.people == nullptr;
  const Received& rows = downlink_.received(state_.shared);
  return this->share_out(users_, lanes_.size(), [&](Users users, Lane& lane) -> Status {
    for (const UserIndex user : users) SOTTO_TRY_DONE(solve(visit_of(user, histories_, rows), counts, lane));
    return Done{};
  });
}

std::vector<UserIndex> users_with_history(const Histories& histories) {
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    if (!histories.of(UserIndex{user}).empty()) users.push_back(UserIndex{user});
  return users;
}

template class RoundDriver<HistoryFederation<FedAls>, HistorySeat<FedAls>>;
template class RoundDriver<HistoryFederation<Fcf>, HistorySeat<Fcf>>;
template class RoundDriver<HistoryFederation<Kgflex>, HistorySeat<Kgflex>>;
template class RoundDriver<HistoryFederation<Fedcars>, HistorySeat<Fedcars>>;
template class HistoryFederation<FedAls>;
template class HistoryFederation<Fcf>;
template class HistoryFederation<Kgflex>;
template class HistoryFederation<Fedcars>;

}  // namespace sotto::sim
