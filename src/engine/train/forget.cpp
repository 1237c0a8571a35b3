#include "engine/train/forget.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "base/hash.h"
#include "data/forget_user.h"
#include "engine/plan/model_entry.h"
#include "engine/protect/training_consent.h"
#include "engine/train/pair_model.h"
#include "fed/criteria/novelty.h"
#include "fed/criteria/size.h"
#include "sim/history_federation.h"

namespace sotto::engine {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

ForgetCost cost_of(std::string hash, double seconds, const RoundReport& all, const RoundReport& before = {}) {
  return {std::move(hash), seconds, all.rounds - before.rounds, all.bytes_up - before.bytes_up,
          all.bytes_down - before.bytes_down};
}

// The request with everybody's terms, but this person takes no part.
Result<TrainRequest> without_answers(const TrainRequest& request, const Split& split, UserIndex user) {
  SOTTO_TRY(TrainRequest silent, with_people(request, split));
  ConsentPolicy& consent = silent.plan.consent;
  const ConsentBook usual(
      {{.pi = consent.pi, .mask = consent.mask, .contexts = {.whole = consent.pi >= 1.0}}},
      std::vector<std::uint16_t>(split.users.size(), 0));
  consent.people = std::make_shared<ConsentBook>((consent.people ? *consent.people : usual).without(user));
  silent.consent.records = false;
  return silent;
}

// A person can be taken back only from the sum of all who answered.
Status check_subtraction(const TrainRequest& request) {
  if (request.robust.asked())
    return fail(
        Code::usage,
        "a robust rule made the sum (--groups, --across, --min-contributors), and nobody's part can be "
        "taken back from its result: train again without the person's data");
  if (request.pairs.items)
    return fail(Code::usage,
                "a sum with the person in it chose the items whose pairs were summed (--pair-items), and "
                "without them it may choose others: train again without the person's data");
  if (request.sum.kind != SumKind::plain && request.sum.silent > 0.0)
    return fail(Code::usage,
                "devices dropped out of the secure sum (--secure-dropout), and nobody knows whether the "
                "person is in it: train again without the person's data");
  return Done{};
}

// A replay needs the plan as it was made: for everybody who was there.
Status check_replay(const Split& split) {
  if (!has_forgotten(split)) return Done{};
  return fail(Code::usage,
              "a person was forgotten in this run before, and the rounds cannot be planned again as they "
              "were: train again without the data of everyone who is to be forgotten");
}

// The first round in which the person was asked.
Result<std::optional<std::uint32_t>> first_round_of(const TrainRequest& request, const Split& split,
                                                    UserIndex user) {
  SOTTO_TRY(const Population population, request.model->population(request, split));
  const Schedule& schedule = population.schedule;
  CohortSelector selector(population.users, schedule.cohort, request.plan.seed);
  for (std::uint32_t round = 0; round < schedule.rounds; ++round)
    if (std::ranges::binary_search(selector.select(round), user)) return std::optional(round);
  return std::optional<std::uint32_t>();
}

// Whether somebody's weight follows from histories of people who were not asked yet: from how popular items
// are, or from the longest history.
bool weighs_by_all_histories(const CriteriaRequest& asked) {
  const auto order = parse_order(asked.order);
  if (!asked.asked() || !order.ok()) return false;
  return std::ranges::any_of(*order, [&](Criterion criterion) {
    return criterion == &novelty_criterion || (criterion == &size_criterion && !asked.size_bound);
  });
}

class Forgetting {
 public:
  Forgetting(const ForgetRequest& request, const Split& split, Executor& executor)
      : asked_(request), split_(split), executor_(executor) {}

  [[nodiscard]] Result<Forgotten> run() {
    out_.split = std::make_unique<Split>(without_user(split_, asked_.user));
    SOTTO_TRY(silent_, without_answers(asked_.request, split_, asked_.user));
    out_.request = asked_.request;
    SOTTO_TRY(const std::optional<WatchedDevice> device, watched_device(asked_.request.consent, split_));
    if (device && device->user == asked_.user)
      out_.request.consent.device = out_.request.consent.device_policy = "";
    if (!asked_.request.model->in_steps()) {
      SOTTO_TRY_DONE(subtract());
    } else {
      SOTTO_TRY_DONE(replay());
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] Status subtract() {
    out_.way = "subtract";
    SOTTO_TRY(TrainRequest whole, with_people(asked_.request, split_));
    whole.consent.records = false;
    SOTTO_TRY(PairRound round, gather_item_pairs(whole, split_, executor_));  // what the server kept
    out_.kept_bytes = triangle_size(split_.catalogue) * sizeof(std::uint64_t);
    auto start = Clock::now();
    const ConsentGate gate(whole.plan.consent, whole.plan.seed, 0, asked_.user);
    const Histories usable = shareable(whole.plan.consent, split_.train);
    const ItemSet set = ItemSet::consented(usable.of(asked_.user), gate);
    const auto items = set.items();
    if (!items.empty()) round.sum.subtract(items, whole.model->pairs->weight(whole).of(items.size()));
    // Nobody sends anything, but the new model goes to everybody else.
    round.report = {.exchanges =
                        round.report.exchanges - (takes_part(whole.plan.consent, asked_.user) ? 1u : 0u)};
    SOTTO_TRY(DirectModel made, silent_.model->pairs->solve(round, silent_, *out_.split, executor_));
    double seconds = seconds_since(start);
    out_.cost = cost_of(hash_answers(*made.model), seconds, made.totals);
    out_.trained.model_hash = direct_hash(out_.request, *out_.split, *made.model);
    out_.trained.model = std::move(made.model);
    out_.trained.seconds = out_.cost.seconds;
    if (!asked_.check) return Done{};
    start = Clock::now();
    SOTTO_TRY(const PairRound again, gather_item_pairs(silent_, *out_.split, executor_));
    SOTTO_TRY(DirectModel retrained, silent_.model->pairs->solve(again, silent_, *out_.split, executor_));
    seconds = seconds_since(start);
    out_.retrain = cost_of(hash_answers(*retrained.model), seconds, retrained.totals);
    out_.retrained.emplace().model = std::move(retrained.model);
    return Done{};
  }

  [[nodiscard]] Result<Trained> train_silent(std::optional<Checkpoint> from) {
    TrainHooks hooks;
    SOTTO_TRY(Trained trained, train(silent_, *out_.replayed_on, executor_, hooks, std::move(from)));
    // What the person's own device would have is theirs, and gone.
    RowMatrix& devices = trained.parameters->users.on_device();
    std::ranges::fill(std::span(devices.row(asked_.user.value), devices.stride()), 0.0f);
    return trained;
  }

  [[nodiscard]] Status replay() {
    out_.way = "replay";
    // The plan's shape follows from all histories; nothing is judged on the person's any more.
    out_.replayed_on = std::make_unique<Split>(split_);
    out_.replayed_on->validation = out_.split->validation;
    SOTTO_TRY(out_.first_round, first_round_of(asked_.request, split_, asked_.user));
    std::optional<Checkpoint> from;
    // With early stopping, what a checkpoint holds as best was judged with the person among the others; such
    // weights were with the person from the first round on.
    if (asked_.kept && out_.first_round && asked_.request.early.patience == 0 &&
        !weighs_by_all_histories(asked_.request.criteria)) {
      SOTTO_TRY(from, asked_.kept->before(*out_.first_round));
    }
    const RoundReport before = from ? from->totals : RoundReport{};
    const auto start = Clock::now();
    SOTTO_TRY(out_.trained, train_silent(std::move(from)));
    out_.cost = cost_of(out_.trained.model_hash, seconds_since(start), out_.trained.totals, before);
    if (!asked_.check) return Done{};
    const auto again = Clock::now();
    SOTTO_TRY(out_.retrained, train_silent(std::nullopt));
    out_.retrain = cost_of(out_.retrained->model_hash, seconds_since(again), out_.retrained->totals);
    return Done{};
  }

  const ForgetRequest& asked_;
  const Split& split_;
  Executor& executor_;
  TrainRequest silent_;
  Forgotten out_;
};

}  // namespace

Result<Forgotten> forget(const ForgetRequest& request, const Split& split, Executor& executor) {
  if (!request.request.model->federated())
    return fail(
        Code::usage,
        fmt::format("{} is a central model: it has no devices; train it again without the person's data",
                    request.request.model->name));
  if (request.request.model->needs_examples)
    return fail(Code::usage,
                fmt::format("{} learns from examples, whose rounds are not replayed: train it again without "
                            "the person's examples",
                            request.request.model->name));
  if (request.request.dp.asked())
    return fail(Code::usage,
                "what was released with noise cannot be taken back, and a second release without the person "
                "would show them: train again without their data, with a budget for it (--dp-budget); the "
                "run's epsilon bounds what the old model reveals about them");
  SOTTO_TRY_DONE(!request.request.model->in_steps() ? check_subtraction(request.request)
                                                    : check_replay(split));
  return Forgetting(request, split, executor).run();
}

std::string hash_answers(const Recommender& model) {
  Hasher hasher;
  std::vector<float> scores(model.catalogue());
  for (std::uint32_t item = 0; item < model.catalogue(); ++item) {
    const ItemIndex one{item};
    model.score_history(std::span(&one, 1), scores);
    hasher.array(std::span<const float>(scores));
  }
  return std::move(hasher).hex();
}

}  // namespace sotto::engine
