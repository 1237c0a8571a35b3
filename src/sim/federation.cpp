#include "sim/federation.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <optional>

#include "base/hash.h"
#include "fed/messages.h"

namespace sotto {

namespace {

constexpr double loss_scale = 1 << 20;
// Below this many visits a second thread costs more than it brings.
constexpr std::size_t least_visits_a_shard = 64;

}  // namespace

std::int64_t loss_units(double loss) { return std::llround(loss * loss_scale); }

void RoundReport::add(const RoundReport& other) {
  rounds += other.rounds;
  exchanges += other.exchanges;
  triples += other.triples;
  loss_units += other.loss_units;
  bytes_up += other.bytes_up;
  bytes_down += other.bytes_down;
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
        visits_ahead(std::max<std::size_t>(16 / triples, side_by_side(triples))),
        pairs(visits_ahead * triples),
        scratch(kernels::most_steps, model.private_width()) {}

  // Long visits fill the second cache with their contributions: fewer of them at a time.
  static std::size_t side_by_side(std::uint32_t triples) { return triples <= 16 ? kernels::most_steps : 4; }

  SumSpace space;
  std::optional<Aggregator> sum;  // of the round in progress
  DeviceWork work;
  std::size_t visits_ahead;
  std::vector<UserIndex> users;
  std::vector<VisitPlace> ahead;  // visits to come, from `next` on, with `pairs`
  std::size_t next = 0;
  std::vector<Pair> pairs;
  std::array<Visit, kernels::most_steps> visits;
  RowMatrix scratch;
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
      histories_(histories),
      consumed_(histories, model.shared_rows()),
      sampler_(histories, consumed_, model.shared_rows(), plan.seed),
      selector_(eligible_users(histories, model.shared_rows()), schedule.cohort, plan.seed),
      executor_(executor),
      path_(path) {
  state_.shared = model_.start_shared();
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
  // The rows stay where they lie, be it in a file.
  state_.devices.on_device().take_values(state.devices.on_device());
  for (Shard& shard : shards_) shard.ahead.clear(), shard.next = 0;
}

template <class Model>
void Federation<Model>::look_ahead(std::span<const UserIndex> users, Shard& shard) {
  const auto visits = static_cast<std::uint32_t>(shard.visits_ahead);
  shard.ahead.clear();
  shard.next = 0;
  if (schedule_.cohort == 1) {
    shard.users.resize(visits);
    selector_.select_ahead(state_.round, shard.users);
    for (std::uint32_t n = 0; n < visits; ++n) shard.ahead.push_back({state_.round + n, shard.users[n]});
  } else {
    for (const UserIndex user : users.first(std::min<std::size_t>(users.size(), visits)))
      shard.ahead.push_back({state_.round, user});
  }
  const RowMatrix& devices = state_.devices.on_device();
  for (const VisitPlace& place : shard.ahead)
    for (std::size_t k = 0; k < devices.stride(); k += row_lanes)
      __builtin_prefetch(devices.row(place.user.value) + k, 1);
  const std::span pairs(shard.pairs.data(), shard.ahead.size() * schedule_.triples);
  sampler_.draw(shard.ahead, pairs);
  for (const Pair& pair : pairs) model_.prefetch(state_.shared, pair);
}

template <class Model>
void Federation<Model>::compute(std::span<const VisitPlace> places, const RowMatrix& shared, Shard& shard) {
  const std::span<Visit> visits = std::span(shard.visits).first(places.size());
  const Pair* pairs = shard.pairs.data() + shard.next * schedule_.triples;
  for (std::size_t n = 0; n < places.size(); ++n)
    visits[n] = {.shared = &shared,
                 .own = state_.devices.on_device().row(places[n].user.value),
                 .scratch = shard.scratch.row(n),
                 .pairs = {pairs + n * schedule_.triples, schedule_.triples},
                 .user = places[n].user,
                 .round = places[n].round};
  shard.work.contribute(model_, plan_, visits);
}

template <class Model>
Status Federation<Model>::transmit(std::size_t visit, Shard& shard) {
  Contribution& contribution = shard.work.contribution(visit);
  if (path_ == Path::fast) return shard.sum->accept(contribution);
  contribution.make_canonical();
  const Bytes sent = encode(ContributionMessage{.round = state_.round, .contribution = contribution});
  shard.bytes_up += sent.size();
  SOTTO_TRY(const ContributionMessage arrived, decode<ContributionMessage>(sent));
  if (arrived.round != state_.round)
    return fail(Code::bad_input, fmt::format("contribution refused: it is of round {}, open is round {}",
                                             arrived.round, state_.round));
  return shard.sum->accept(arrived.contribution);
}

template <class Model>
Status Federation<Model>::visit(std::span<const VisitPlace> places, Shard& shard) {
  if (path_ == Path::fast) {
    compute(places, state_.shared, shard);
  } else {
    SOTTO_TRY(const ModelMessage received, decode<ModelMessage>(broadcast_));
    compute(places, received.shared, shard);
  }
  for (std::size_t n = 0; n < places.size(); ++n) {
    SOTTO_TRY_DONE(transmit(n, shard));
    if (!shard.work.report(n).finite) [[unlikely]]
      return fail(Code::diverged,
                  fmt::format("training diverged in round {}: scores left the finite numbers; lower the "
                              "learning rate, or raise the regularisation",
                              state_.round));
    shard.loss_units += loss_units(shard.work.report(n).loss);
  }
  return Done{};
}

template <class Model>
std::span<const UserIndex> Federation<Model>::this_cohort() {
  if (schedule_.cohort != 1) return selector_.select(state_.round);
  Shard& shard = shards_.front();
  if (shard.next == shard.ahead.size()) look_ahead({}, shard);
  return {&shard.ahead[shard.next].user, 1};
}

template <class Model>
Status Federation<Model>::play(std::span<const UserIndex> users, Shard& shard) {
  // Over the wire each device decodes a model of its own.
  const std::size_t most = path_ == Path::fast ? Shard::side_by_side(schedule_.triples) : 1;
  for (std::size_t done = 0; done < users.size();) {
    if (shard.next == shard.ahead.size()) look_ahead(users.subspan(done), shard);
    const std::size_t now = std::min({most, shard.ahead.size() - shard.next, users.size() - done});
    SOTTO_TRY_DONE(visit(std::span(shard.ahead).subspan(shard.next, now), shard));
    shard.next += now;
    done += now;
  }
  return Done{};
}

template <class Model>
Status Federation<Model>::run_round(RoundReport& report) {
  // 1. Distribution: the cohort receives the shared model.
  const std::span<const UserIndex> cohort = this_cohort();
  if (path_ == Path::wire) broadcast_ = encode(ModelMessage{.round = state_.round, .shared = state_.shared});

  // 2. Computation and 3. transmission: each device answers with its contribution.
  for (Shard& shard : shards_) shard.sum.emplace(shard.space);
  const auto play_shard = [&](std::size_t n) {
    const std::size_t begin = cohort.size() * n / shards_.size();
    const std::size_t end = cohort.size() * (n + 1) / shards_.size();
    shards_[n].status = play(cohort.subspan(begin, end - begin), shards_[n]);
  };
  if (shards_.size() == 1) {
    play_shard(0);
  } else {
    executor_.run(shards_.size(), play_shard);
  }
  for (const Shard& shard : shards_) SOTTO_TRY_DONE(shard.status);

  // 4. Aggregation: one sum, released once into the shared model.
  Aggregator& total = *shards_[0].sum;
  for (std::size_t n = 1; n < shards_.size(); ++n) total.merge(std::move(*shards_[n].sum));
  const std::uint64_t distinct_rows = total.distinct_rows();
  const double unit = plan_.fixed.unit();
  std::move(total).release(
      [&](std::uint32_t row, const std::int64_t* sum) { model_.apply(sum, unit, state_.shared.row(row)); });
  ++state_.round;

  report.rounds += 1;
  report.exchanges += cohort.size();
  report.triples += std::uint64_t{schedule_.triples} * cohort.size();
  report.bytes_down += cohort.size() * encoded_model_bytes(model_.shared_rows(), model_.shared_width());
  if (path_ == Path::fast)
    report.bytes_up += encoded_contribution_bytes(cohort.size(), distinct_rows, model_.shared_width());
  return Done{};
}

template <class Model>
Result<RoundReport> Federation<Model>::run(std::uint32_t rounds) {
  RoundReport report;
  for (std::uint32_t n = 0; n < rounds; ++n) SOTTO_TRY_DONE(run_round(report));
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

std::string hash_rows(const RowMatrix& rows) {
  Hasher hasher;
  hasher.u64(rows.rows()).u64(rows.width());
  for (std::size_t row = 0; row < rows.rows(); ++row) hasher.array(rows.values(row));
  return std::move(hasher).hex();
}

template class Federation<Fpl>;

}  // namespace sotto
