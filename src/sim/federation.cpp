#include "sim/federation.h"

#include <fmt/core.h>

#include <array>
#include <optional>

#include "base/row_clash.h"
#include "fed/messages.h"

namespace sotto::sim {

namespace {

constexpr double loss_scale = 1 << 20;
// Below this many visits a second thread costs more than it brings.
constexpr std::size_t least_visits_a_shard = 64;

}  // namespace

void RoundReport::add(const RoundReport& other) {
  rounds += other.rounds;
  exchanges += other.exchanges;
  triples += other.triples;
  loss_units += other.loss_units;
  bytes_up += other.bytes_up;
  bytes_down += other.bytes_down;
  held_rows += other.held_rows;
}

double RoundReport::mean_loss() const {
  return triples == 0 ? 0.0 : static_cast<double>(loss_units) / loss_scale / static_cast<double>(triples);
}

// What one thread needs to play devices, kept over rounds.
template <class Model>
struct Federation<Model>::Shard {
  Shard(const Model& model, std::uint32_t triples)
      : space(model.shared_rows(), model.shared_width()),
        work(model.shared_width()),
        visits_ahead(std::max<std::size_t>(128 / triples, kernels::most_steps)),
        pairs(visits_ahead * triples),
        answers(visits_ahead * triples),
        scratch(kernels::most_steps, model.private_width()) {}

  SumSpace space;
  std::optional<Aggregator> sum;  // of the round in progress
  DeviceWork work;                // wire path
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
  std::int64_t loss_units = 0;
  std::uint64_t bytes_up = 0;
  Status status = Done{};
};

template <class Model>
Federation<Model>::Federation(const Model& model, const Plan& plan, const Schedule& schedule,
                              const Histories& histories, Executor& executor, Path path,
                              Storage* private_memory)
    : model_(model),
      plan_(plan),
      schedule_(schedule),
      shareable_(shareable(plan.consent, histories)),
      consumed_(histories, model.shared_rows()),
      sampler_(shareable_, consumed_, model.shared_rows(), plan.seed),
      selector_(eligible_users(histories, model.shared_rows()), schedule.cohort, plan.seed),
      executor_(executor),
      path_(path),
      broadcast_(plan.down) {
  state_.shared = model_.start_shared();
  broadcast_.restart(state_.shared);
  RowMatrix& devices = state_.devices.on_device();
  devices = private_memory != nullptr ? RowMatrix(histories.users(), model_.private_width(), *private_memory)
                                      : RowMatrix(histories.users(), model_.private_width());
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    model_.start_private(UserIndex{user}, devices.row(user));
  const std::size_t shards =
      std::max<std::size_t>(std::min(executor.threads(), schedule.cohort / least_visits_a_shard), 1);
  shards_.reserve(shards);
  for (std::size_t n = 0; n < shards; ++n) shards_.emplace_back(model_, schedule.triples);
}

template <class Model>
Federation<Model>::~Federation() = default;

template <class Model>
void Federation<Model>::restore(FederationState state) {
  state_.round = state.round;
  state_.shared = std::move(state.shared);
  broadcast_.restart(state_.shared);
  // The rows stay where they lie, be it in a file.
  state_.devices.on_device().take_values(state.devices.on_device());
  for (Shard& shard : shards_) shard.ahead.clear(), shard.next = 0;
}

template <class Model>
void Federation<Model>::count_updates(std::vector<std::uint64_t> so_far) {
  SOTTO_ASSERT(so_far.empty() || so_far.size() == model_.shared_rows(), "one count a shared row");
  for (Shard& shard : shards_) shard.updates.assign(model_.shared_rows(), 0);
  if (!so_far.empty()) shards_.front().updates = std::move(so_far);
}

template <class Model>
std::vector<std::uint64_t> Federation<Model>::item_updates() const {
  std::vector<std::uint64_t> sum = shards_.front().updates;
  for (std::size_t n = 1; n < shards_.size(); ++n)
    for (std::size_t row = 0; row < sum.size(); ++row) sum[row] += shards_[n].updates[row];
  return sum;
}

template <class Model>
void Federation<Model>::tally(std::size_t visits, Shard& shard) const {
  if (shard.updates.empty()) [[likely]]
    return;
  const std::size_t end = (shard.next + visits) * schedule_.triples;
  for (std::size_t n = shard.next * schedule_.triples; n < end; ++n) {
    ++shard.updates[shard.pairs[n].negative.value];
    if (shard.answers.allows(n)) ++shard.updates[shard.pairs[n].positive.value];
  }
}

template <class Model>
void Federation<Model>::look_ahead(std::span<const UserIndex> users, Shard& shard) {
  const auto visits = static_cast<std::uint32_t>(shard.visits_ahead);
  shard.ahead.clear();
  shard.next = 0;
  if (knows_what_comes()) {
    shard.users.resize(visits);
    selector_.select_ahead(state_.round, shard.users);
    for (std::uint32_t n = 0; n < visits; ++n) shard.ahead.push_back({state_.round + n, shard.users[n]});
  } else {
    for (const UserIndex user : users.first(std::min<std::size_t>(users.size(), visits)))
      shard.ahead.push_back({state_.round, user});
  }
  // Cohorts go through the private rows in order, as the CPU foresees; a round of one user does not.
  const RowMatrix& devices = state_.devices.on_device();
  if (schedule_.cohort == 1)
    for (const VisitPlace& place : shard.ahead)
      for (std::size_t k = 0; k < devices.stride(); k += row_lanes)
        __builtin_prefetch(devices.row(place.user.value) + k, 1);
  const std::size_t count = shard.ahead.size() * schedule_.triples;
  const std::span pairs = std::span(shard.pairs).first(count);
  sampler_.draw(shard.ahead, pairs);
  allow_positives(plan_.consent, plan_.seed, shard.ahead, pairs, shard.answers);
  // Long visits keep the shared rows in a near cache by themselves.
  if (schedule_.triples < 8 && schedule_.cohort == 1)
    for (const Pair& pair : pairs) model_.prefetch(sent(), pair);
}

template <class Model>
Status Federation<Model>::note(const VisitReport& report, Shard& shard) {
  shard.loss_units += report.loss_units;
  if (report.finite) [[likely]]
    return Done{};
  return fail(Code::diverged,
              fmt::format("training diverged in round {}: scores left the finite numbers; lower the "
                          "learning rate, or raise the regularisation",
                          state_.round + 1));
}

template <class Model>
VisitReport Federation<Model>::visit_directly(std::span<const Visit> visits, Shard& shard) {
  for (std::size_t n = 0; n < visits.size(); ++n) {
    const std::size_t first = static_cast<std::size_t>(visits[n].pairs.data() - shard.pairs.data());
    shard.sinks[n] =
        SumSink(*shard.sum, plan_.fixed, visits[n].pairs, visits[n].pairs.size(), shard.answers, first);
  }
  return model_.fit(visits, std::span(shard.sinks).first(visits.size()));
}

template <class Model>
Result<VisitReport> Federation<Model>::visit_by_wire(Visit visit, Shard& shard) {
  SOTTO_TRY(const RowMatrix received, broadcast_.received());
  visit.shared = &received;
  const VisitReport report = shard.work.contribute(model_, plan_, std::span(&visit, 1));
  Contribution& contribution = shard.work.contribution(0);
  contribution.make_canonical();
  const Bytes bytes = encode(ContributionMessage{.round = state_.round, .contribution = contribution});
  if (collector_ == nullptr) shard.bytes_up += bytes.size();  // else it counts
  SOTTO_TRY(ContributionMessage arrived, decode<ContributionMessage>(bytes));
  if (arrived.round != state_.round)
    return fail(Code::bad_input, fmt::format("contribution refused: it is of round {}, open is round {}",
                                             arrived.round, state_.round));
  SOTTO_TRY_DONE(deliver(visit.user, arrived.contribution, shard));
  return report;
}

template <class Model>
Status Federation<Model>::deliver(UserIndex user, Contribution& contribution, Shard& shard) {
  return collector_ != nullptr ? collector_->accept(user, contribution) : shard.sum->accept(contribution);
}

template <class Model>
Status Federation<Model>::visit_collected(std::span<const Visit> visits, Shard& shard) {
  SOTTO_TRY_DONE(note(shard.work.contribute(model_, plan_, visits), shard));
  for (std::size_t n = 0; n < visits.size(); ++n) {
    shard.work.contribution(n).make_canonical();
    SOTTO_TRY_DONE(deliver(visits[n].user, shard.work.contribution(n), shard));
  }
  return Done{};
}

template <class Model>
VisitReport Federation<Model>::visit_once(std::size_t count, Shard& shard) {
  const std::span pairs = std::span<const Pair>(shard.pairs).subspan(shard.next, count);
  for (std::size_t n = 0; n < count; ++n)
    shard.solo[n] = {.own = state_.devices.on_device().row(shard.ahead[shard.next + n].user.value),
                     .pair = pairs[n]};
  SumSink sink(*shard.sum, plan_.fixed, pairs, 1, shard.answers, shard.next);
  shard.next += count;
  return model_.fit_once(std::span<const SoloVisit>(shard.solo).first(count), sent(), sink);
}

template <class Model>
Status Federation<Model>::visit(std::size_t count, Shard& shard) {
  tally(count, shard);
  const bool direct = path_ == Path::fast && collector_ == nullptr;
  if (direct && schedule_.triples == 1) return note(visit_once(count, shard), shard);
  const std::span<Visit> visits = std::span(shard.visits).first(count);
  for (std::size_t n = 0; n < count; ++n) {
    const VisitPlace& place = shard.ahead[shard.next + n];
    visits[n] = {.shared = &sent(),
                 .own = state_.devices.on_device().row(place.user.value),
                 .scratch = shard.scratch.row(n),
                 .pairs = {shard.pairs.data() + (shard.next + n) * schedule_.triples, schedule_.triples},
                 .user = place.user,
                 .round = place.round};
  }
  shard.next += count;
  if (direct) return note(visit_directly(visits, shard), shard);
  if (path_ == Path::fast) return visit_collected(visits, shard);
  // Over the wire each device decodes a model of its own.
  for (const Visit& one : visits) {
    SOTTO_TRY(const VisitReport report, visit_by_wire(one, shard));
    SOTTO_TRY_DONE(note(report, shard));
  }
  return Done{};
}

template <class Model>
bool Federation<Model>::plays_solo() const {
  return path_ == Path::fast && collector_ == nullptr && knows_what_comes() && schedule_.triples == 1 &&
         plan_.down == ModelPrecision::f32;
}

template <class Model>
std::size_t Federation<Model>::gather_solo(std::size_t most, Shard& shard) {
  std::size_t count = 0;
  for (shard.clash.start(); count < most; ++count) {
    const std::size_t at = shard.next + count;
    const UserIndex user = shard.ahead[at].user;
    const Pair& pair = shard.pairs[at];
    if (!shard.clash.add(user.value, pair.positive.value, pair.negative.value)) break;
    shard.solo[count] = {state_.devices.on_device().row(user.value), pair, shard.answers.allows(at)};
  }
  return count;
}

template <class Model>
Status Federation<Model>::run_solo(std::uint32_t rounds, RoundReport& report) {
  Shard& shard = shards_.front();
  std::uint64_t rows_sent = 0;
  for (std::uint32_t done = 0; done < rounds;) {
    if (shard.next == shard.ahead.size()) look_ahead({}, shard);
    const std::size_t left = std::min<std::size_t>(rounds - done, shard.ahead.size() - shard.next);
    const std::size_t now = gather_solo(std::min(left, kernels::most_steps), shard);
    const auto visits = std::span<const SoloVisit>(shard.solo).first(now);
    SOTTO_TRY_DONE(note(model_.play_solo(visits, plan_.fixed, state_.shared), shard));
    for (const SoloVisit& visit : visits) rows_sent += visit.send_positive ? 2 : 1;
    tally(now, shard);
    shard.next += now;
    done += static_cast<std::uint32_t>(now);
    state_.round += static_cast<std::uint32_t>(now);
  }
  report.rounds += rounds;
  report.exchanges += rounds;
  report.triples += rounds;
  report.bytes_down += rounds * broadcast_.bytes_of(state_.shared);
  report.bytes_up += encoded_contribution_bytes(rounds, rows_sent, model_.shared_width());
  return Done{};
}

template <class Model>
std::span<const UserIndex> Federation<Model>::this_cohort() {
  if (!knows_what_comes()) {
    const std::span<const UserIndex> selected = selector_.select(state_.round);
    return plan_.consent.people == nullptr ? selected : answering(selected, shareable_, answering_);
  }
  Shard& shard = shards_.front();
  if (shard.next == shard.ahead.size()) look_ahead({}, shard);
  return {&shard.ahead[shard.next].user, 1};
}

template <class Model>
Status Federation<Model>::play(std::span<const UserIndex> users, Shard& shard) {
  for (std::size_t done = 0; done < users.size();) {
    if (shard.next == shard.ahead.size()) look_ahead(users.subspan(done), shard);
    const std::size_t now =
        std::min({kernels::most_steps, shard.ahead.size() - shard.next, users.size() - done});
    SOTTO_TRY_DONE(visit(now, shard));
    done += now;
  }
  return Done{};
}

template <class Model>
Status Federation<Model>::run_round(RoundReport& report) {
  // 1. Distribution: the cohort receives the shared model.
  const std::span<const UserIndex> cohort = this_cohort();
  if (cohort.empty()) return ++report.rounds, ++state_.round, Done{};
  if (path_ == Path::wire) broadcast_.encode(state_.round, state_.shared);

  // 2. Computation and 3. transmission: each device answers with its contribution.
  if (collector_ != nullptr) SOTTO_TRY_DONE(collector_->begin({state_.round, cohort, &sent()}));
  for (Shard& shard : shards_) shard.sum.emplace(shard.space);
  const auto play_shard = [&](std::size_t n) {
    const std::size_t begin = cohort.size() * n / shards_.size();
    const std::size_t end = cohort.size() * (n + 1) / shards_.size();
    shards_[n].status = play(cohort.subspan(begin, end - begin), shards_[n]);
  };
  if (collector_ != nullptr) {  // it takes the cohort in its order
    shards_[0].status = play(cohort, shards_[0]);
  } else if (shards_.size() == 1) {
    play_shard(0);
  } else {
    executor_.run(shards_.size(), play_shard);
  }
  for (const Shard& shard : shards_) SOTTO_TRY_DONE(shard.status);

  // 4. Aggregation: one sum, released once into the shared model.
  Aggregator& total = *shards_[0].sum;
  for (std::size_t n = 1; n < shards_.size(); ++n) total.merge(std::move(*shards_[n].sum));
  Traffic traffic;
  if (collector_ != nullptr) {
    SOTTO_TRY(traffic, collector_->finish(total));
  } else if (path_ == Path::fast) {
    traffic.up = encoded_contribution_bytes(cohort.size(), total.distinct_rows(), model_.shared_width());
  }
  std::move(total).release([&](std::uint32_t row, const auto* sum) {
    model_.apply(sum, plan_.fixed, state_.shared.row(row));
    broadcast_.refresh(row, state_.shared);
  });
  ++state_.round;

  report.rounds += 1;
  report.exchanges += cohort.size();
  report.triples += std::uint64_t{schedule_.triples} * cohort.size();
  report.bytes_down += cohort.size() * broadcast_.bytes_of(state_.shared) + traffic.down;
  report.bytes_up += traffic.up;
  return Done{};
}

template <class Model>
Result<RoundReport> Federation<Model>::run(std::uint32_t rounds) {
  RoundReport report;
  if (plays_solo()) {
    SOTTO_TRY_DONE(run_solo(rounds, report));
  } else {
    for (std::uint32_t n = 0; n < rounds; ++n) SOTTO_TRY_DONE(run_round(report));
  }
  for (Shard& shard : shards_) {
    report.loss_units += std::exchange(shard.loss_units, 0);
    report.bytes_up += std::exchange(shard.bytes_up, 0);
  }
  return report;
}

std::vector<UserIndex> eligible_users(const Histories& histories, std::size_t catalogue) {
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < histories.users(); ++user) {
    const std::size_t items = histories.of(UserIndex{user}).size();
    if (items > 0 && items < catalogue) users.push_back(UserIndex{user});
  }
  return users;
}

template class Federation<Fpl>;

}  // namespace sotto::sim
