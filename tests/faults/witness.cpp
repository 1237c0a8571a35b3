#include "tests/faults/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/row_hash.h"
#include "fed/models/pair_task.h"
#include "fed/models/task_models.h"
#include "fed/wire/packed_contribution.h"
#include "model/central/ease.h"
#include "model/central/pair_knn.h"
#include "model/central/rp3beta.h"
#include "model/fcf.h"
#include "model/fed_als.h"
#include "model/fedcars/fedcars.h"
#include "model/fpl.h"
#include "model/kgflex/kgflex.h"
#include "server/budget_text.h"
#include "server/master_blob.h"
#include "server/testing/store_snapshot.h"

namespace sotto::tests {

namespace {

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

bool is_same(const VersionRecord& one, const VersionRecord& other) {
  return one.number == other.number && one.round == other.round && one.contributions == other.contributions &&
         one.model_hash == other.model_hash && one.master == other.master && one.time_ms == other.time_ms &&
         one.again == other.again;
}

// Rows of before stay, and what is new is as it starts. What is carried along is several blocks of rows; rows
// of near items have two lists, their numbers and their weights.
bool keeps_rows(const RowMatrix& before, const RowMatrix& after, const RowMatrix& start, std::size_t blocks,
                std::size_t lists) {
  if (before.rows() == 0) return after.rows() == 0;
  RowMatrix expected = start;
  for (std::size_t row = 0; row < before.rows(); ++row) {
    const std::size_t height = before.rows() / blocks, length = before.width() / lists;
    const auto to = expected.values(row / height * (after.rows() / blocks) + row % height);
    for (std::size_t list = 0; list < lists; ++list)
      std::ranges::copy(before.values(row).subspan(list * length, length),
                        to.subspan(list * (after.width() / lists)).begin());
  }
  return hash_rows(expected) == hash_rows(after);
}

}  // namespace

Witness::Witness(TaskConfig config, const TaskConfig& grown)
    : config_(std::move(config)),
      task_(read_task(config_.spec).value()),
      grown_(read_task(grown.spec).value()),
      start_(task_.model->server(task_)->start()),
      grown_start_(grown_.model->server(grown_)->start()) {}

void Witness::see(Method method, const std::string& request, const std::optional<std::string>& reply) {
  v1::SignedRequest asked;
  std::optional<v1::Reply> answer;
  if (reply) answer.emplace();
  if (answer && !answer->ParseFromString(*reply)) return complain("a reply does not decode");
  if (method == Method::check_in && answer && asked.ParseFromString(request))
    see_check_in(asked.device(), *answer);
  v1::StepRequest step;
  if (method == Method::step && asked.ParseFromString(request) && step.ParseFromString(asked.body()))
    see_step(asked.device(), step, answer);
}

std::optional<std::uint32_t> Witness::round_of(const std::string& device,
                                               const v1::StepRequest& request) const {
  const auto place = places_.find(request.token());
  if (place == places_.end() || place->second.device != device) return std::nullopt;
  if (request.phase() != v1::PHASE_CONTRIBUTION || request.poll()) return std::nullopt;
  return place->second.round;
}

void Witness::see_leaving(Method method, const std::string& request) {
  v1::SignedRequest asked;
  v1::StepRequest step;
  if (method != Method::step || !asked.ParseFromString(request) || !step.ParseFromString(asked.body()))
    return;
  const auto round = round_of(asked.device(), step);
  if (!round) return;
  const auto [sent, is_first] = sent_.try_emplace({asked.device(), *round, step.part()}, step.data());
  if (!is_first && sent->second != step.data())
    complain(fmt::format("a device answered round {} twice", *round));
}

void Witness::see_check_in(const std::string& device, const v1::Reply& reply) {
  v1::CheckInReply told;
  if (reply.refusal() != v1::REFUSAL_NONE) return;
  if (!told.ParseFromString(reply.body())) return complain("a check-in's reply does not decode");
  if (!told.has_assignment()) return;
  const std::uint32_t round = told.assignment().round();
  if (taken_[round].contains(device) || counted_[round].contains(device))
    complain(fmt::format("a device that gave to round {} is asked for it again", round));
  for (const auto& [token, place] : places_)
    if (place.device == device && place.round == round && token != told.assignment().token())
      complain(fmt::format("a device has two places in round {}", round));
  places_[told.assignment().token()] = {device, round};
}

void Witness::see_step(const std::string& device, const v1::StepRequest& request,
                       const std::optional<v1::Reply>& reply) {
  const auto round = round_of(device, request);
  if (!round) return;
  const bool is_last = request.part() + 1 == task_.parts();
  if (!reply && is_last) unsure_[*round][device] = request.data();
  v1::StepReply told;
  if (!reply || reply->refusal() != v1::REFUSAL_NONE || !told.ParseFromString(reply->body())) return;
  if (told.progress() == v1::StepReply::TAKEN) taken_[*round][device] = request.data();
  const bool counts = told.progress() == v1::StepReply::WAIT || told.progress() == v1::StepReply::ANSWER;
  if (!is_last && counts) counted_[*round].try_emplace(device, request.data());
}

void Witness::inspect(Store& store) {
  const auto tasks = store.tasks();
  if (!tasks.ok() || tasks->size() != 1) return complain("the task is not in the store");
  const TaskRecord& record = tasks->front();
  if (record.next_round < next_round_)
    complain(fmt::format("the next round fell from {} to {}", next_round_, record.next_round));
  next_round_ = record.next_round;
  inspect_rounds(store);
  inspect_versions(store, record.spec);
  inspect_budget(record);
}

void Witness::inspect_rounds(Store& store) {
  const auto rounds = store.rounds(task_.name, all);
  if (!rounds.ok()) return complain(rounds.error().message);
  if (rounds->size() != next_round_)
    complain(fmt::format("{} rounds are there and {} were given", rounds->size(), next_round_));
  for (const RoundRecord& round : *rounds) {
    if (round.state == RoundState::open) complain("a round of an earlier life is still open");
    const auto [before, is_new] = closed_.try_emplace(round.round, snapshot(round));
    if (before->second != snapshot(round))
      complain(fmt::format("round {} changed after it was closed", round.round));
  }
}

std::optional<ServerState> Witness::state_of(Store& store, const VersionRecord& version) {
  const auto blob = store.blob(version.master);
  if (!blob.ok()) return complain("a released version cannot be read: " + blob.error().message), std::nullopt;
  const bool is_grown = version.again || (grew_ && version.number >= *grew_);
  const auto state = read_master(*blob, is_grown ? grown_start_ : start_);
  if (state.ok() && hash_rows(state->shared) == version.model_hash) return *state;
  return complain(fmt::format("version {} is not the model it says", version.number)), std::nullopt;
}

void Witness::judge_growth(const VersionRecord& version, const ServerState& before,
                           const ServerState& after) {
  if (grew_) complain("the catalogue grew twice");
  if (version.again != version.number - 1 || version.round != versions_.back().round || version.trial)
    complain("the version of a catalogue that grew is another than the one before");
  const std::size_t blocks = before.memory.rows() / before.shared.rows();
  const std::size_t lists = task_.model == &feditemknn_task || task_.model == &fedrp3beta_task ? 2 : 1;
  if (!keeps_rows(before.shared, after.shared, grown_start_.shared, 1, lists) ||
      !keeps_rows(before.memory, after.memory, grown_start_.memory, blocks, 1))
    complain("a model lost rows when its catalogue grew");
  grew_ = version.number;
  task_ = grown_;
}

void Witness::inspect_versions(Store& store, const std::string& spec) {
  auto versions = store.versions(task_.name, all);
  if (!versions.ok()) return complain(versions.error().message);
  std::reverse(versions->begin(), versions->end());
  v1::TaskSpec stored;
  const bool is_spec = stored.ParseFromString(spec);
  const bool grew = std::ranges::any_of(*versions, [](const auto& one) { return one.again.has_value(); });
  if (versions_.empty() && !grew && stored.items() == grown_.items && !grew_) {
    grew_ = 0;  // before the task began
    task_ = grown_;
  }
  if (versions->size() < versions_.size()) return complain("a released version vanished");
  for (std::size_t number = 0; number < versions->size(); ++number) {
    const VersionRecord& version = (*versions)[number];
    const auto state = state_of(store, version);
    if (!state) return;
    if (number < versions_.size()) {
      if (!is_same(version, versions_[number])) complain(fmt::format("version {} changed", number));
      continue;
    }
    if (version.again)
      judge_growth(version, newest_, *state);
    else if (number > 0)
      judge_sum(version, newest_);
    versions_.push_back(version);
    newest_ = *state;
  }
  if (!is_spec || stored.items() != task_.items) complain("the task has other items than its newest version");
}

std::uint32_t Witness::committed() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      versions_, [](const VersionRecord& one) { return one.number > 0 && !one.again; }));
}

void Witness::judge_sum(const VersionRecord& version, const ServerState& before) {
  if (version.contributions < config_.rules.quorum) complain("a version of fewer than the quorum");
  if (!closed_[version.round].starts_with(fmt::format("round {} {} state 1 ", task_.name, version.round)))
    complain(fmt::format("version {} is of a round that was not committed", version.number));
  for (const VersionRecord& other : versions_)
    if (other.number > 0 && !other.again && other.round == version.round)
      complain(fmt::format("round {} made two versions", version.round));
  if (task_.secure) return;  // what was given is hidden from this side too
  // At the request that a server died of it may have taken the contribution or not.
  Given with_last = taken_[version.round];
  with_last.insert(unsure_[version.round].begin(), unsure_[version.round].end());
  for (const Given& given : {taken_[version.round], with_last}) {
    if (given.size() != version.contributions) continue;
    if (config_.dp || sum_of(before, given, version.round) == version.master) return;
  }
  complain(fmt::format("version {}, of {} contributions, is not the sum of the {} taken in round {}",
                       version.number, version.contributions, taken_[version.round].size(), version.round));
}

// What a model of pairs is made into, from the histories themselves.
RowMatrix Witness::made_of(const Histories& people, const KeptItems* kept) const {
  SerialExecutor here;
  const Audiences audiences(people, task_.items);
  RowMatrix rows(task_.shape().rows, task_.shape().width);
  if (task_.model == &fedease_task && kept != nullptr) {
    const auto ease =
        Ease::solve(HistoryPairs(people, audiences, PersonWeight()), Histories({0}, {}), {}, here).value();
    std::vector<float> weights(task_.items);
    for (std::size_t n = 0; n < rows.rows(); ++n) {
      if (!ease->similar(ItemIndex{kept->items()[n]}, weights).ok()) return {};
      rows.row(n)[0] = static_cast<float>(kept->items()[n]);
      for (std::size_t k = 0; k < rows.rows(); ++k) rows.row(n)[1 + k] = weights[kept->items()[k]];
    }
  } else if (task_.model == &fedease_task) {
    const auto ease = Ease::fit(people, task_.items, {}, here).value();
    for (std::uint32_t item = 0; item < task_.items; ++item)
      if (!ease->similar(ItemIndex{item}, rows.values(item)).ok()) return {};
  } else if (task_.model == &feditemknn_task) {
    put_weights(fit_pair_knn(HistoryPairs(people, audiences, PersonWeight()), {}, here).value(),
                WeightsBy::target, rows);
  } else {
    put_weights(fit_rp3beta(HistoryPairs(people, audiences, PersonWeight(0.5f)), {}, here).value(),
                WeightsBy::source, rows);
  }
  return rows;
}

ServerState Witness::moved_by(Sums sums, const ServerState& before) const {
  ServerState after = before;
  const std::uint32_t releases = committed();
  const auto take_all = [&](auto server) {
    for (const auto& [row, sum] : sums) server.take(row, sum.data());
    static_cast<void>(server.solved());
  };
  if (task_.model == &fedals_task) {
    take_all(FedAls::Server({options_of<AlsOptions>(task_), task_.items}, 0, task_.plan.fixed, after.shared,
                            after.memory));
  } else if (task_.model == &fcf_task) {
    FcfOptions options;  // as the world sets them
    options.als.factors = world_factors;
    options.als.reg_power = 0.0f;
    take_all(
        Fcf::Server({options, task_.items, 1.0}, releases, task_.plan.fixed, after.shared, after.memory));
  } else if (task_.model->trains_network) {
    ServerStepOptions server{.step = ServerStep::sgd, .rate = classifier_rates.mean};
    if (task_.model != &fedavg_task)
      server = {.step = ServerStep::adam,
                .rate = (task_.model == &fedmultvae_task ? multvae_rates : neumf_rates).adam};
    RoundSteps steps(server, releases, after.shared, after.memory);
    const auto count = static_cast<double>(sums.rbegin()->second[0]);  // in the update's units
    sums.erase(std::prev(sums.end()));
    for (const auto& [row, sum] : sums) {
      std::vector<float> slope;
      for (const std::int64_t moved : sum)
        slope.push_back(static_cast<float>(static_cast<double>(-moved) / count));
      steps.move(row, slope.data(), slope.size());
    }
  } else if (task_.model == &kgflex_task) {
    const KgflexOptions options{.factors = world_factors};  // as the world sets them
    take_all(Kgflex::Server({options, task_.shape().rows}, releases, task_.plan.fixed, after.shared,
                            after.memory));
  } else if (task_.model == &fedcars_task) {
    FedcarsOptions options;  // as the world sets them
    options.factors = world_factors;
    options.hidden = world_hidden;
    const Fedcars model(options, fedcars_layout(task_.items, world_values, options));
    take_all(Fedcars::Server(model, releases, task_.plan.fixed, after.shared, after.memory));
  } else {
    const Fpl model(options_of<FplOptions>(task_), task_.items, task_.plan.seed);
    for (const auto& [row, sum] : sums) model.apply(sum.data(), task_.plan.fixed, after.shared.row(row));
  }
  return after;
}

KeptItems Witness::popular(std::uint32_t round) const {
  std::vector<std::int64_t> counts(task_.items, 0);
  const TaskShape::Sent sent = task_.shape().before[0].sent;
  for (const auto& [device, bytes] : counted_.at(round)) {
    const auto message = unpack_contribution(
        bytes, {.catalogue = sent.rows, .width = sent.width, .most_rows = sent.most_rows, .alike = false});
    if (!message.ok()) continue;  // what is made of it is another model
    const Contribution& given = message->contribution;
    for (std::size_t n = 0; n < given.size(); ++n)
      for (std::size_t k = 0; k < given.width(); ++k)
        if (given.values(n)[k] != 0) ++counts.at(given.row(n) * given.width() + k);
  }
  return KeptItems::most_popular(counts, world_popular);
}

// By hand, row by row: the name of the blob that should be in the store.
std::string Witness::sum_of(const ServerState& before, const Given& given, std::uint32_t round) const {
  std::optional<KeptItems> kept;
  if (task_.model->added != nullptr && task_.parts() > 1) kept = popular(round);
  Sums sums;
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (const auto& [device, bytes] : given) {
    const auto message = unpack_contribution(bytes, {.catalogue = task_.shape().sent.rows,
                                                     .width = task_.shape().sent.width,
                                                     .most_rows = 1u << 20,
                                                     .alike = task_.shape().sent.alike});
    if (!message.ok()) return "a contribution that was taken does not decode";
    const Contribution& contribution = message->contribution;
    for (std::size_t n = 0; n < contribution.size(); ++n) {
      auto& sum = sums[contribution.row(n)];
      sum.resize(contribution.stride());
      for (std::size_t at = 0; at < sum.size(); ++at) sum[at] += contribution.values(n)[at];
      items.push_back(ItemIndex{kept ? kept->items()[contribution.row(n)] : contribution.row(n)});
    }
    offsets.push_back(items.size());
  }
  if (task_.model->added != nullptr)
    return blob_hash(
        master_blob({made_of(Histories(std::move(offsets), std::move(items)), kept ? &*kept : nullptr), {}}));
  return blob_hash(master_blob(moved_by(std::move(sums), before)));
}

void Witness::inspect_budget(const TaskRecord& record) {
  if (!config_.dp) {
    if (!record.budget.empty()) complain("a task without noise has a budget");
    return;
  }
  const auto budget = read_budget(record.budget, "the budget");
  if (!budget.ok()) return complain(budget.error().message);
  std::uint64_t charged = 0;
  for (const BudgetCharge& charge : budget->charges()) charged += charge.releases.times;
  if (charged != committed())
    complain(fmt::format("{} releases are charged and {} were made", charged, committed()));
}

}  // namespace sotto::tests
