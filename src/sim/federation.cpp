#include "sim/federation.h"

#include <optional>

#include "sim/round_steps.h"

namespace sotto::sim {

namespace {

// Below this many visits a second lane costs more than it brings.
constexpr std::size_t least_visits_a_lane = 64;

}  // namespace

FplFederation::FplFederation(const Fpl& model, const Plan& plan, const Schedule& schedule,
                             const Histories& histories, Executor& executor, Path path,
                             Storage* private_memory)
    : RoundDriver(executor, path),
      model_(model),
      plan_(plan),
      schedule_(schedule),
      shareable_(shareable(plan.consent, histories)),
      consumed_(histories, model.shared_rows()),
      sampler_(shareable_, consumed_, model.shared_rows(), plan.seed),
      selector_(eligible_users(histories, model.shared_rows()), schedule.cohort, plan.seed),
      broadcast_(plan.down) {
  open_lanes(schedule.cohort, least_visits_a_lane, model.shared_rows(), model.shared_width(),
             model.private_width(), schedule.triples);
  state_.shared = model_.start_shared();
  broadcast_.restart(state_.shared);
  RowMatrix& devices = state_.devices.on_device();
  devices = private_memory != nullptr ? RowMatrix(histories.users(), model_.private_width(), *private_memory)
                                      : RowMatrix(histories.users(), model_.private_width());
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    model_.start_private(UserIndex{user}, devices.row(user));
}

void FplFederation::restored() {
  broadcast_.restart(state_.shared);
  for (Lane& lane : lanes_) lane.ahead.clear(), lane.next = 0;
}

void FplFederation::count_updates(std::vector<std::uint64_t> so_far) {
  SOTTO_ASSERT(so_far.empty() || so_far.size() == model_.shared_rows(), "one count a shared row");
  for (Lane& lane : lanes_) lane.updates.assign(model_.shared_rows(), 0);
  if (!so_far.empty()) lanes_.front().updates = std::move(so_far);
}

std::vector<std::uint64_t> FplFederation::item_updates() const {
  std::vector<std::uint64_t> sum = lanes_.front().updates;
  for (std::size_t n = 1; n < lanes_.size(); ++n)
    for (std::size_t row = 0; row < sum.size(); ++row) sum[row] += lanes_[n].updates[row];
  return sum;
}

void FplFederation::pass(std::size_t visits, Lane& lane) const {
  const std::size_t first = lane.next * schedule_.triples, end = first + visits * schedule_.triples;
  lane.next += visits;
  lane.counts.triples += end - first;
  if (lane.updates.empty()) [[likely]]
    return;
  for (std::size_t n = first; n < end; ++n) {
    ++lane.updates[lane.pairs[n].negative.value];
    if (lane.answers.allows(n)) ++lane.updates[lane.pairs[n].positive.value];
  }
}

void FplFederation::look_ahead(Users users, Lane& lane) {
  const auto visits = static_cast<std::uint32_t>(lane.visits_ahead);
  lane.ahead.clear();
  lane.next = 0;
  if (knows_what_comes()) {
    lane.users.resize(visits);
    selector_.select_ahead(state_.round, lane.users);
    for (std::uint32_t n = 0; n < visits; ++n) lane.ahead.push_back({state_.round + n, lane.users[n]});
  } else {
    for (const UserIndex user : users.first(std::min<std::size_t>(users.size(), visits)))
      lane.ahead.push_back({state_.round, user});
  }
  // Cohorts go through the private rows in order, as the CPU foresees; a round of one user does not.
  const RowMatrix& devices = state_.devices.on_device();
  if (schedule_.cohort == 1)
    for (const VisitPlace& place : lane.ahead)
      for (std::size_t k = 0; k < devices.stride(); k += row_lanes)
        __builtin_prefetch(devices.row(place.user.value) + k, 1);
  const std::size_t count = lane.ahead.size() * schedule_.triples;
  const std::span pairs = std::span(lane.pairs).first(count);
  sampler_.draw(lane.ahead, pairs);
  allow_positives(plan_.consent, plan_.seed, lane.ahead, pairs, lane.answers);
  // Long visits keep the shared rows in a near cache by themselves.
  if (schedule_.triples < 8 && schedule_.cohort == 1)
    for (const Pair& pair : pairs) model_.prefetch(received(), pair);
}

Status FplFederation::note(const VisitReport& report, Lane& lane) {
  lane.counts.loss_units += report.loss_units;
  if (report.finite) [[likely]]
    return Done{};
  return scores_diverged(state_.round);
}

auto FplFederation::cohort() -> Users {
  if (!knows_what_comes()) {
    const Users selected = selector_.select(state_.round);
    return plan_.consent.people == nullptr ? selected : answering(selected, shareable_, answering_);
  }
  Lane& lane = lanes_.front();
  if (lane.next == lane.ahead.size()) look_ahead({}, lane);
  return {&lane.ahead[lane.next].user, 1};
}

void FplFederation::distribute(std::size_t /*devices*/) {
  if (path_ == Path::wire) broadcast_.encode(state_.round, state_.shared);
}

std::span<Visit> FplFederation::next_visits(std::size_t count, Lane& lane) {
  const std::span<Visit> visits = std::span(lane.visits).first(count);
  for (std::size_t n = 0; n < count; ++n) {
    const VisitPlace& place = lane.ahead[lane.next + n];
    visits[n] = {.shared = &received(),
                 .own = state_.devices.on_device().row(place.user.value),
                 .scratch = lane.scratch.row(n),
                 .pairs = {lane.pairs.data() + (lane.next + n) * schedule_.triples, schedule_.triples},
                 .user = place.user,
                 .round = place.round};
  }
  pass(count, lane);
  return visits;
}

VisitReport FplFederation::visit(std::size_t count, Lane& lane) {
  const std::span<const Visit> visits = next_visits(count, lane);
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t first = static_cast<std::size_t>(visits[n].pairs.data() - lane.pairs.data());
    lane.sinks[n] =
        SumSink(*lane.sum, plan_.fixed, visits[n].pairs, visits[n].pairs.size(), lane.answers, first);
  }
  return model_.fit(visits, std::span(lane.sinks).first(count));
}

VisitReport FplFederation::visit_once(std::size_t count, Lane& lane) {
  const std::span pairs = std::span<const Pair>(lane.pairs).subspan(lane.next, count);
  for (std::size_t n = 0; n < count; ++n)
    lane.solo[n] = {.own = state_.devices.on_device().row(lane.ahead[lane.next + n].user.value),
                    .pair = pairs[n]};
  SumSink sink(*lane.sum, plan_.fixed, pairs, 1, lane.answers, lane.next);
  pass(count, lane);
  return model_.fit_once(std::span<const SoloVisit>(lane.solo).first(count), received(), sink);
}

Status FplFederation::play(Users users, Lane& lane) {
  for (std::size_t done = 0; done < users.size();) {
    if (lane.next == lane.ahead.size()) look_ahead(users.subspan(done), lane);
    const std::size_t now =
        std::min({kernels::most_steps, lane.ahead.size() - lane.next, users.size() - done});
    SOTTO_TRY_DONE(note(schedule_.triples == 1 ? visit_once(now, lane) : visit(now, lane), lane));
    done += now;
  }
  return Done{};
}

Status FplFederation::answer(Users users, Lane& lane) {
  if (lane.next == lane.ahead.size()) look_ahead(users, lane);
  const std::span<Visit> visits = next_visits(users.size(), lane);
  std::optional<RowMatrix> arrived;
  if (path_ == Path::wire) {
    SOTTO_TRY(arrived, broadcast_.received());
    visits[0].shared = &*arrived;
  }
  SOTTO_TRY_DONE(note(lane.work.contribute(model_, plan_, visits), lane));
  for (std::size_t n = 0; n < visits.size(); ++n) lane.sent(n).make_canonical();
  return Done{};
}

Status FplFederation::release(Aggregator&& total) {
  std::move(total).release([&](std::uint32_t row, const auto* sum) {
    model_.apply(sum, plan_.fixed, state_.shared.row(row));
    broadcast_.refresh(row, state_.shared);
  });
  return Done{};
}

bool FplFederation::plays_solo() const {
  return path_ == Path::fast && collector_ == nullptr && knows_what_comes() && schedule_.triples == 1 &&
         plan_.down == ModelPrecision::f32;
}

std::size_t FplFederation::gather_solo(std::size_t most, Lane& lane) {
  std::size_t count = 0;
  for (lane.clash.start(); count < most; ++count) {
    const std::size_t at = lane.next + count;
    const UserIndex user = lane.ahead[at].user;
    const Pair& pair = lane.pairs[at];
    if (!lane.clash.add(user.value, pair.positive.value, pair.negative.value)) break;
    lane.solo[count] = {state_.devices.on_device().row(user.value), pair, lane.answers.allows(at)};
  }
  return count;
}

Result<RoundReport> FplFederation::run_solo(std::uint32_t rounds) {
  Lane& lane = lanes_.front();
  std::uint64_t rows_sent = 0;
  for (std::uint32_t done = 0; done < rounds;) {
    if (lane.next == lane.ahead.size()) look_ahead({}, lane);
    const std::size_t left = std::min<std::size_t>(rounds - done, lane.ahead.size() - lane.next);
    const std::size_t now = gather_solo(std::min(left, kernels::most_steps), lane);
    const auto visits = std::span<const SoloVisit>(lane.solo).first(now);
    SOTTO_TRY_DONE(note(model_.play_solo(visits, plan_.fixed, state_.shared), lane));
    for (const SoloVisit& visit : visits) rows_sent += visit.send_positive ? 2 : 1;
    pass(now, lane);
    done += static_cast<std::uint32_t>(now);
    state_.round += static_cast<std::uint32_t>(now);
  }
  RoundReport report{.rounds = rounds, .exchanges = rounds};
  report.bytes_down = rounds * bytes_down();
  report.bytes_up = encoded_contribution_bytes(rounds, rows_sent, model_.shared_width());
  take_counts(report);
  return report;
}

Result<RoundReport> FplFederation::run(std::uint32_t rounds) {
  return plays_solo() ? run_solo(rounds) : RoundDriver::run(rounds);
}

std::vector<UserIndex> eligible_users(const Histories& histories, std::size_t catalogue) {
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < histories.users(); ++user) {
    const std::size_t items = histories.of(UserIndex{user}).size();
    if (items > 0 && items < catalogue) users.push_back(UserIndex{user});
  }
  return users;
}

template class RoundDriver<FplFederation, VisitSeat>;

}  // namespace sotto::sim
