#include "lab/poison/poison_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/rng.h"
#include "engine/protect/protection.h"
#include "engine/protect/training_consent.h"
#include "fed/wire/published_model.h"
#include "metrics/evaluate.h"
#include "metrics/exposure.h"
#include "model/mf_recommender.h"
#include "sim/federation.h"

namespace sotto::lab {

namespace {

// One training of the study.
struct Arm {
  const PoisonOptions* attack = nullptr;  // none: all devices are honest
  bool defended = false;
};

class Study {
 public:
  Study(const PoisonRequest& request, const Split& split, Executor& executor, const PoisonHooks& hooks)
      : request_(request), split_(split), executor_(executor), hooks_(hooks) {}

  [[nodiscard]] Result<PoisonOutcome> run();

 private:
  [[nodiscard]] Status prepare();
  [[nodiscard]] Status draw_targets();
  [[nodiscard]] Status run_attack(PoisonAttack attack, PoisonOutcome& outcome);
  // Trains one arm and judges it, for each of `targets`.
  [[nodiscard]] Result<std::vector<PoisonFigures>> measure(const Arm& arm,
                                                           std::span<const ItemIndex> targets);
  [[nodiscard]] Result<FederationState> train(const Arm& arm);
  [[nodiscard]] PoisonOptions options_for(PoisonAttack attack, ItemIndex target) const;
  void say(const std::string& run) const {
    if (hooks_.on_run) hooks_.on_run(run);
  }

  const PoisonRequest& request_;
  const Split& split_;
  Executor& executor_;
  const PoisonHooks& hooks_;
  Schedule schedule_;
  std::size_t eligible_ = 0;
  std::vector<UserIndex> malicious_;
  std::vector<UserIndex> honest_;
  std::vector<std::uint32_t> popularity_;
  std::vector<ItemIndex> targets_;
  std::size_t candidates_ = 0;
  TrainRequest defended_;  // the request with the defence
  TrainRequest open_;      // and without one
};

Status Study::draw_targets() {
  popularity_ = split_.train.popularity(split_.catalogue);
  std::vector<ItemIndex> cold;
  for (std::uint32_t item = 0; item < split_.catalogue; ++item)
    if (popularity_[item] >= request_.least && popularity_[item] <= request_.cold)
      cold.push_back(ItemIndex{item});
  candidates_ = cold.size();
  if (cold.size() < request_.targets)
    return fail(Code::usage,
                fmt::format("{} items have {} to {} training interactions, too few for {} targets: raise "
                            "--cold or lower --targets",
                            cold.size(), request_.least, request_.cold, request_.targets));
  Stream draws(request_.train.plan.seed, Purpose::draw_targets);
  for (std::uint32_t n = 0; n < request_.targets; ++n) {
    const std::size_t other = n + draws.below(static_cast<std::uint32_t>(cold.size()) - n);
    std::swap(cold[n], cold[other]);
    targets_.push_back(cold[n]);
  }
  return Done{};
}

Status Study::prepare() {
  const std::vector<UserIndex> users = eligible_users(split_.train, split_.catalogue);
  eligible_ = users.size();
  SOTTO_TRY(schedule_, schedule_for(request_.train.plan, users.size(), split_.train.interactions()));
  malicious_ = draw_malicious(users, request_.malicious, request_.train.plan.seed);
  std::set_difference(users.begin(), users.end(), malicious_.begin(), malicious_.end(),
                      std::back_inserter(honest_));
  if (malicious_.empty() || honest_.empty())
    return fail(Code::usage,
                fmt::format("--malicious {} of {} users leaves {}: choose another share", request_.malicious,
                            users.size(), malicious_.empty() ? "no attacker" : "nobody to judge"));
  SOTTO_TRY_DONE(draw_targets());
  SOTTO_TRY(defended_, with_people(request_.train, split_));
  open_ = defended_;
  open_.robust = {};
  if (!defended_.robust.asked())
    defended_.robust = standard_defence(schedule_, split_.catalogue, malicious_.size());
  return Done{};
}

PoisonOptions Study::options_for(PoisonAttack attack, ItemIndex target) const {
  PoisonOptions options;
  options.attack = attack;
  options.target = target;
  options.malicious = malicious_;
  options.strength = request_.strength;
  options.learning_rate = request_.train.plan.fpl.learning_rate;
  options.fixed = request_.train.plan.fixed;
  options.seed = request_.train.plan.seed;
  return options;
}

Result<FederationState> Study::train(const Arm& arm) {
  const Plan& plan = defended_.plan;
  const Fpl model(plan.fpl, split_.catalogue, plan.seed);
  const SumShape shape{model.shared_rows(), model.shared_width()};
  SOTTO_TRY(const Protection protection, protect(arm.defended ? defended_ : open_, shape, executor_));
  PlainCollector plain(shape);
  Collector* first = protection.first();
  std::optional<Poisoner> poisoner;
  if (arm.attack != nullptr) {
    poisoner.emplace(first != nullptr ? *first : plain, *arm.attack);
    first = &*poisoner;
  }
  FplFederation federation(model, plan, schedule_, split_.train, executor_);
  if (first != nullptr) federation.collect_with(*first);
  constexpr std::uint64_t rounds_at_once = 10;
  for (std::uint64_t done = 0; done < schedule_.rounds; done += rounds_at_once) {
    if (hooks_.stop != nullptr && hooks_.stop->load()) return fail(Code::cancelled, "stopped");
    const auto now = static_cast<std::uint32_t>(std::min(rounds_at_once, schedule_.rounds - done));
    SOTTO_TRY([[maybe_unused]] const RoundReport report, federation.run(now));
  }
  return std::move(federation).take();
}

Result<std::vector<PoisonFigures>> Study::measure(const Arm& arm, std::span<const ItemIndex> targets) {
  SOTTO_TRY(const FederationState state, train(arm));
  const RowMatrix held = as_published(state.shared, wire_precision(request_.train.plan.down));
  const MfRecommender model(&state.devices.on_device(), &held, {});
  const std::uint32_t cutoff = request_.train.cutoffs.front();
  EvaluateOptions options;
  options.cutoffs = {cutoff};
  options.users = honest_;
  options.keep_lists = true;
  SOTTO_TRY(const Evaluation evaluation, evaluate(model, split_, options, executor_));
  const auto figure = [&](const char* name) {
    return evaluation.find(fmt::format("{}@{}", name, cutoff)).value_or(0.0);
  };
  std::vector<PoisonFigures> figures;
  for (const ItemIndex target : targets)
    figures.push_back({exposure_of(target, evaluation.lists, split_.train, cutoff).rate(), figure("HR"),
                       figure("P"), figure("nDCG")});
  return figures;
}

PoisonFigures mean_of(std::span<const PoisonFigures> figures) {
  PoisonFigures mean;
  for (const PoisonFigures& one : figures) mean.add(one, 1.0 / static_cast<double>(figures.size()));
  return mean;
}

Status Study::run_attack(PoisonAttack attack, PoisonOutcome& outcome) {
  AttackOutcome& made = outcome.attacks.emplace_back();
  made.attack = attack;
  const double weight = 1.0 / static_cast<double>(targets_.size());
  for (const ItemIndex& target : targets_) {
    const std::string place =
        fmt::format("{}, target {} of {}", to_string(attack), made.targets.size() + 1, targets_.size());
    const PoisonOptions options = options_for(attack, target);
    say(place + ", undefended");
    SOTTO_TRY(const auto attacked, measure({&options, false}, {&target, 1}));
    say(place + ", defended");
    SOTTO_TRY(const auto defended, measure({&options, true}, {&target, 1}));
    made.targets.push_back({target, popularity_[target.value], attacked.front(), defended.front()});
    made.attacked.add(attacked.front(), weight);
    made.defended.add(defended.front(), weight);
  }
  return Done{};
}

Result<PoisonOutcome> Study::run() {
  const auto start = std::chrono::steady_clock::now();
  SOTTO_TRY_DONE(prepare());
  PoisonOutcome outcome;
  outcome.cutoff = request_.train.cutoffs.front();
  outcome.users = eligible_;
  outcome.malicious = malicious_.size();
  outcome.candidates = candidates_;
  outcome.defence = defended_.robust;
  say("clean");
  SOTTO_TRY(const auto clean, measure({}, targets_));
  outcome.clean = mean_of(clean);
  say("clean, defended");
  SOTTO_TRY(const auto defended, measure({nullptr, true}, targets_));
  outcome.clean_defended = mean_of(defended);
  for (const PoisonAttack attack : request_.attacks) SOTTO_TRY_DONE(run_attack(attack, outcome));
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace

Status check(const PoisonRequest& request) {
  if (request.train.model->sends != Sends::item_steps)
    return fail(Code::usage, fmt::format("the attacks are made for fpl, not for {}: leave --model out",
                                         request.train.model->name));
  if (request.train.dp.asked())
    return fail(Code::usage,
                "a defence by robust sums has no planned noise: leave --dp, or the plan's [dp], out");
  if (request.train.criteria.asked())
    return fail(
        Code::usage,
        "the attackers do not lie about criteria here, so that a plan with them would look safer than "
        "it is: leave the plan's [criteria] out");
  if (!(request.malicious > 0.0 && request.malicious < 1.0))
    return fail(Code::usage,
                fmt::format("--malicious is {}, but it must be a share between 0 and 1", request.malicious));
  if (request.targets == 0 || request.targets > 1000)
    return fail(Code::usage, fmt::format("--targets is {}, but it must be from 1 to 1000", request.targets));
  if (!(request.strength > 0.0 && request.strength <= 1000.0))
    return fail(Code::usage,
                fmt::format("--strength is {}, but it must be above 0, at most 1000", request.strength));
  if (request.attacks.empty()) return fail(Code::usage, "no attack given: try --attack all");
  return Done{};
}

void PoisonFigures::add(const PoisonFigures& other, double weight) {
  exposure += weight * other.exposure;
  hit_rate += weight * other.hit_rate;
  precision += weight * other.precision;
  ndcg += weight * other.ndcg;
}

RobustOptions standard_defence(const Schedule& schedule, std::size_t catalogue, std::size_t malicious) {
  const double missed = std::pow(1.0 - 1.0 / static_cast<double>(catalogue), schedule.triples);
  const std::size_t liars = std::min<std::size_t>(malicious, schedule.cohort);
  const double honest = static_cast<double>(schedule.cohort - liars);
  RobustOptions defence;
  defence.row_clip = 1.0;
  defence.min_contributors = least_contributors(static_cast<std::uint32_t>(liars), honest * (1.0 - missed));
  return defence;
}

Result<PoisonOutcome> run_poison_study(const PoisonRequest& request, const Split& split, Executor& executor,
                                       const PoisonHooks& hooks) {
  SOTTO_TRY_DONE(check(request));
  return Study(request, split, executor, hooks).run();
}

}  // namespace sotto::lab
