#include "sim/history_federation.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "fed/messages.h"

namespace sotto::sim {

namespace {

// Below this many devices a second thread costs more than it brings.
constexpr std::size_t least_devices_a_shard = 8;

static_assert(HistoryModel<FedAls, HistorySink> && HistoryModel<FedAls, ContributionPipeline>);
static_assert(HistoryModel<Fcf, HistorySink> && HistoryModel<Fcf, ContributionPipeline>);
static_assert(HistoryModel<Kgflex, HistorySink> && HistoryModel<Kgflex, ContributionPipeline>);
static_assert(HistoryModel<Fedcars, HistorySink> && HistoryModel<Fedcars, ContributionPipeline>);

Error scores_diverged(std::uint32_t round) {
  return fail(Code::diverged,
              fmt::format("training diverged in round {}: scores left the finite numbers; lower the "
                          "learning rate, or raise the regularisation",
                          round + 1));
}

}  // namespace

// What one thread needs to play devices, kept over rounds.
template <class Model>
struct HistoryFederation<Model>::Shard {
  explicit Shard(const Model& model)
      : space(model.sum_rows(), model.sum_width()), device(model), sent(model.sum_width()) {}

  SumSpace space;
  std::optional<Aggregator> sum;  // of the round in progress
  typename Model::Device device;
  Contribution sent;  // wire path, or on its way to a collector
  std::int64_t loss_units = 0;
  std::uint64_t interactions = 0;
  std::uint64_t held_rows = 0;
  std::uint64_t bytes_up = 0;
  Status status = Done{};
};

template <class Model>
HistoryFederation<Model>::HistoryFederation(const Model& model, const Plan& plan, const Schedule& schedule,
                                            const Histories& histories, Executor& executor, Path path)
    : model_(model),
      plan_(plan),
      schedule_(schedule),
      histories_(histories),
      shareable_(shareable(plan.consent, histories)),
      users_(users_with_history(histories)),
      selector_(users_, schedule.cohort, plan.seed),
      executor_(executor),
      path_(path),
      downlink_(plan) {
  state_.shared = model_.start_shared();
  state_.memory = model_.start_memory();
  RowMatrix& devices = state_.devices.on_device();
  devices = RowMatrix(histories.users(), model_.private_width());
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    model_.start_private(UserIndex{user}, devices.row(user));
  const std::size_t shards =
      std::max<std::size_t>(std::min(executor.threads(), schedule.cohort / least_devices_a_shard), 1);
  shards_.reserve(shards);
  for (std::size_t n = 0; n < shards; ++n) shards_.emplace_back(model_);
}

template <class Model>
HistoryFederation<Model>::~HistoryFederation() = default;

template <class Model>
void HistoryFederation<Model>::restore(HistoryState state) {
  state_ = std::move(state);
  settled_ = false;
}

template <class Model>
auto HistoryFederation<Model>::visit_of(UserIndex user, const Histories& histories, const Received& received)
    -> OneVisit {
  return {&received, histories.of(user), state_.devices.on_device().row(user.value), user, state_.round};
}

template <class Model>
Status HistoryFederation<Model>::solve(const OneVisit& visit, bool counts, Shard& shard) {
  if constexpr (SolvesPrivateRows<Model>) {
    const AlsSolver::Outcome outcome = shard.device.solve(visit);
    if (!outcome.solved) return no_solution(Model::title, state_.round);
    shard.loss_units += counts ? loss_units_of(outcome.loss) : 0;
    shard.interactions += counts ? visit.history.size() : 0;
  }
  return Done{};
}

template <class Model>
Status HistoryFederation<Model>::make_ready(const OneVisit& visit, Shard& shard) {
  return solve(visit, schedule_.rounds_per_epoch > 1, shard);
}

template <class Model>
Status HistoryFederation<Model>::note(const AnswerReport& report, Shard& shard) {
  if (!report.finite && SolvesPrivateRows<Model>) return no_solution(Model::title, state_.round);
  if (!report.finite) return scores_diverged(state_.round);
  shard.loss_units += report.loss_units;
  shard.interactions += report.steps;
  shard.held_rows += report.held_rows;
  return Done{};
}

template <class Model>
Status HistoryFederation<Model>::visit(UserIndex user, Shard& shard) {
  const OneVisit visit = visit_of(user, shareable_, received());
  if (!settled_) SOTTO_TRY_DONE(make_ready(visit, shard));
  HistorySink sink(*shard.sum, plan_.fixed, {plan_.consent, plan_.seed, state_.round, user});
  return note(shard.device.contribute(visit, sink), shard);
}

template <class Model>
Status HistoryFederation<Model>::visit_by_wire(UserIndex user, Shard& shard) {
  SOTTO_TRY(const Received arrived_model, downlink_.decoded());
  const OneVisit visit = visit_of(user, shareable_, arrived_model);
  SOTTO_TRY_DONE(make_ready(visit, shard));
  SOTTO_TRY_DONE(contribute(visit, shard));
  const Bytes sent = encode(ContributionMessage{.round = state_.round, .contribution = shard.sent});
  SOTTO_TRY(ContributionMessage arrived, decode<ContributionMessage>(sent));
  if (collector_ != nullptr) return collector_->accept(user, arrived.contribution);
  shard.bytes_up += sent.size();
  return shard.sum->accept(arrived.contribution);
}

template <class Model>
Status HistoryFederation<Model>::visit_collected(UserIndex user, Shard& shard) {
  const OneVisit visit = visit_of(user, shareable_, received());
  if (!settled_) SOTTO_TRY_DONE(make_ready(visit, shard));
  SOTTO_TRY_DONE(contribute(visit, shard));
  return collector_->accept(user, shard.sent);
}

template <class Model>
Status HistoryFederation<Model>::contribute(const OneVisit& visit, Shard& shard) {
  shard.sent.clear();
  ContributionPipeline pipeline({plan_.consent, plan_.seed, state_.round, visit.user}, plan_.fixed,
                                shard.sent);
  SOTTO_TRY_DONE(note(shard.device.contribute(visit, pipeline), shard));
  shard.sent.make_canonical();
  return Done{};
}

template <class Model>
Status HistoryFederation<Model>::visit_cohort(std::span<const UserIndex> cohort) {
  const auto visit_one = [&](UserIndex user, Shard& shard) {
    if (path_ == Path::wire) return visit_by_wire(user, shard);
    return collector_ != nullptr ? visit_collected(user, shard) : visit(user, shard);
  };
  if (collector_ == nullptr) return for_users(cohort, visit_one);
  for (const UserIndex user : cohort) SOTTO_TRY_DONE(visit_one(user, shards_[0]));  // in its order
  return Done{};
}

template <class Model>
template <class Each>
Status HistoryFederation<Model>::for_users(std::span<const UserIndex> users, const Each& each) {
  executor_.run(shards_.size(), [&](std::size_t n) {
    Shard& shard = shards_[n];
    shard.status = Done{};
    const std::size_t end = users.size() * (n + 1) / shards_.size();
    for (std::size_t k = users.size() * n / shards_.size(); k < end && shard.status.ok(); ++k)
      shard.status = each(users[k], shard);
  });
  for (const Shard& shard : shards_) SOTTO_TRY_DONE(shard.status);
  return Done{};
}

template <class Model>
Status HistoryFederation<Model>::settle_devices() {
  if (!SolvesPrivateRows<Model>) return Done{};
  downlink_.prepare(state_.shared, executor_);
  const bool counts = schedule_.rounds_per_epoch == 1;
  // With smaller cohorts the next round's devices solve, and count, again; with terms of their own people
  // solve for others without what they keep to themselves.
  settled_ = counts && plan_.consent.people == nullptr;
  return for_users(users_, [&](UserIndex user, Shard& shard) {
    return solve(visit_of(user, histories_, received()), counts, shard);
  });
}

template <class Model>
Status HistoryFederation<Model>::run_round(RoundReport& report) {
  // 1. Distribution: the cohort receives the shared rows.
  std::span<const UserIndex> cohort = selector_.select(state_.round);
  if (plan_.consent.people != nullptr) cohort = answering(cohort, shareable_, answering_);
  if (cohort.empty()) return ++report.rounds, ++state_.round, Done{};
  if (!settled_) downlink_.prepare(state_.shared, executor_);
  if (path_ == Path::wire) downlink_.encode(state_.round, state_.shared);
  // 2. Computation and 3. transmission: each device answers with its contribution.
  if (collector_ != nullptr) SOTTO_TRY_DONE(collector_->begin({state_.round, cohort, &state_.shared}));
  for (Shard& shard : shards_) shard.sum.emplace(shard.space);
  SOTTO_TRY_DONE(visit_cohort(cohort));
  // 4. Aggregation: one sum, released once to the server.
  Aggregator& total = *shards_[0].sum;
  for (std::size_t n = 1; n < shards_.size(); ++n) total.merge(std::move(*shards_[n].sum));
  Traffic traffic;
  if (collector_ != nullptr) {
    SOTTO_TRY(traffic, collector_->finish(total));
  } else if (path_ == Path::fast) {
    traffic.up = encoded_contribution_bytes(cohort.size(), total.distinct_rows(), model_.sum_width());
  }
  typename Model::Server server(model_, state_.round, plan_.fixed, state_.shared, state_.memory);
  std::move(total).release([&](std::uint32_t row, const auto* sum) { server.take(row, sum); });
  if (!server.solved())
    return SolvesPrivateRows<Model> ? no_solution(Model::title, state_.round) : scores_diverged(state_.round);
  ++state_.round;
  settled_ = false;

  report.rounds += 1;
  report.exchanges += cohort.size();
  report.bytes_down += cohort.size() * downlink_.bytes(state_.shared) + traffic.down;
  report.bytes_up += traffic.up;
  return Done{};
}

template <class Model>
Result<RoundReport> HistoryFederation<Model>::run(std::uint32_t rounds) {
  RoundReport report;
  for (std::uint32_t n = 0; n < rounds; ++n) {
    SOTTO_TRY_DONE(run_round(report));
    if (state_.round % schedule_.rounds_per_epoch == 0) SOTTO_TRY_DONE(settle_devices());
  }
  for (Shard& shard : shards_) {
    report.loss_units += std::exchange(shard.loss_units, 0);
    report.triples += std::exchange(shard.interactions, 0);
    report.bytes_up += std::exchange(shard.bytes_up, 0);
    report.held_rows += std::exchange(shard.held_rows, 0);
  }
  return report;
}

std::vector<UserIndex> users_with_history(const Histories& histories) {
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    if (!histories.of(UserIndex{user}).empty()) users.push_back(UserIndex{user});
  return users;
}

template class HistoryFederation<FedAls>;
template class HistoryFederation<Fcf>;
template class HistoryFederation<Kgflex>;
template class HistoryFederation<Fedcars>;

}  // namespace sotto::sim
