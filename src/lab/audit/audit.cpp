#include "lab/audit/audit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "engine/files/files.h"
#include "engine/models/kgflex.h"
#include "engine/train/factor_training.h"
#include "fed/dp_sum.h"
#include "fed/secure/recorder.h"
#include "lab/audit/criteria_part.h"
#include "privacy/dp/gaussian.h"
#include "sim/federation.h"
#include "sim/history_federation.h"

namespace sotto::lab {

namespace {

// The looks that show how a leak grows: close together first.
bool look_after(std::uint64_t round, std::uint64_t rounds) {
  constexpr std::uint64_t early[] = {1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200};
  return round < rounds && std::find(std::begin(early), std::end(early), round) != std::end(early);
}

// In a secure sum devices add shares of the noise that nobody sees apart: as noise on the sum. Otherwise each
// message has the whole of it.
DpSumPlan noise_plan(const AuditRequest& request, std::uint64_t seed) {
  DpSumPlan plan = dp_sum_plan({.clip = request.noise.clip,
                                .noise = request.noise.multiplier,
                                .unit = double{request.train.plan.fixed.scale()}});
  plan.place = request.view.view == View::secure ? DpPlace::central : DpPlace::local;
  plan.release = "audit";
  plan.seed = seed;
  return plan;
}

RecorderOptions recorder_options(const AuditRequest& request, std::uint64_t seed) {
  return {.view = request.view.view,
          .group = request.view.group,
          .least = request.view.least,
          .silent = request.silent,
          .keep_groups = request.keep_groups,
          .random_messages = request.random_messages,
          .seed = seed};
}

// Everything that stands between the devices and the sum, and what is written down there.
class Listening {
 public:
  Listening(const AuditRequest& request, SumShape shape, std::uint64_t seed, Recorder::Keep keep)
      : plain_(shape),
        on_sums_(noise(request, true, shape, seed, plain_)),
        recorder_(on_sums_ ? static_cast<Collector&>(*on_sums_) : plain_, shape,
                  recorder_options(request, seed), std::move(keep)),
        on_messages_(noise(request, false, shape, seed, recorder_)) {}

  [[nodiscard]] Collector& first() {
    return on_messages_ ? static_cast<Collector&>(*on_messages_) : recorder_;
  }

 private:
  static std::unique_ptr<DpSum> noise(const AuditRequest& request, bool on_sums, SumShape shape,
                                      std::uint64_t seed, Collector& next) {
    if (request.noise.multiplier <= 0.0 || (request.view.view == View::secure) != on_sums) return nullptr;
    const auto free_of_charge = [](std::uint32_t) { return Status(Done{}); };
    return std::make_unique<DpSum>(shape, noise_plan(request, seed), free_of_charge, next);
  }

  PlainCollector plain_;
  std::unique_ptr<DpSum> on_sums_;
  Recorder recorder_;
  std::unique_ptr<DpSum> on_messages_;
};

TranscriptHead head_of(const AuditRequest& request, const Split& split, std::size_t cohort) {
  const Plan& plan = request.train.plan;
  TranscriptHead head;
  head.users = static_cast<std::uint32_t>(split.train.users());
  head.catalogue = static_cast<std::uint32_t>(split.catalogue);
  head.width = plan.fpl.factors + 1;
  head.learning_rate = plan.fpl.learning_rate;
  head.user_reg = plan.fpl.user_reg;
  head.positive_reg = plan.fpl.positive_reg;
  head.negative_reg = plan.fpl.negative_reg;
  head.fixed_bits = plan.fixed.bits;
  head.view = request.view.view;
  const std::size_t group = request.view.group == 0 ? cohort : request.view.group;
  head.group = request.view.view == View::secure ? static_cast<std::uint32_t>(group) : 1;
  if (request.noise.multiplier > 0.0)
    head.noise_sd = static_cast<float>(request.noise.multiplier * request.noise.clip);
  head.split = split.hash;
  head.model = seen_model(request);
  if (head.model == SeenModel::kgflex) {
    head.items = head.catalogue;
    head.catalogue = static_cast<std::uint32_t>(split.features->features());
    head.features = split.features->hash();
  }
  return head;
}

// What people care about by their whole history, kept back or not, with features in place of items: the
// truth that is asked for.
std::unique_ptr<Histories> profiles_of(const TrainRequest& train, const Split& split, Executor& executor) {
  const FeatureProfiles profiles(split.train, split.catalogue, *split.features, profile_options(train), {},
                                 executor);
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> features;
  for (std::uint32_t user = 0; user < profiles.users(); ++user) {
    for (const FeatureIndex feature : profiles.of({user}).features) features.push_back({feature.value});
    offsets.push_back(features.size());
  }
  return std::make_unique<Histories>(std::move(offsets), std::move(features));
}

// The investigations of one transcript.
struct Trail {
  std::unique_ptr<Histories> profiles;  // KGFlex
  Investigation items;
  std::optional<Investigation> features;
  std::vector<AuditLook> looks;
  std::vector<ToldRound> told;  // by criteria
};

Result<Trail> open_trail(const TranscriptHead& head, const AuditRequest& request, const Split& split,
                         std::uint64_t seed, Executor& executor) {
  InvestigationOptions options = request.attack;
  options.seed = seed;
  SOTTO_TRY(Investigation items, Investigation::open(head, split.train, options, split.features.get()));
  Trail trail{nullptr, std::move(items), std::nullopt, {}, {}};
  if (head.model != SeenModel::kgflex) return trail;
  TrainRequest train = request.train;
  train.plan.seed = seed;
  trail.profiles = profiles_of(train, split, executor);
  options.question = Question::features;
  SOTTO_TRY(trail.features, Investigation::open(head, *trail.profiles, options, split.features.get()));
  return trail;
}

AuditRun run_of(Trail&& trail, Executor& executor) {
  AuditRun run;
  run.rounds = trail.items.rounds();
  run.known = trail.items.known();
  run.findings = trail.items.findings(executor);
  if (trail.features) run.features = trail.features->findings(executor);
  run.sent_shares = trail.features ? trail.features->sent_shares() : trail.items.sent_shares();
  run.looks = std::move(trail.looks);
  return run;
}

Status stopped(const AuditHooks& hooks) {
  if (hooks.stop != nullptr && hooks.stop->load()) return fail(Code::cancelled, "the audit was stopped");
  return Done{};
}

Status step(SeenRound& round, std::uint64_t rounds, const AuditRequest& request, Executor& executor,
            Trail& trail) {
  trail.items.observe(round, executor);
  // Shuffled messages have their names by now.
  if (trail.features) trail.features->observe(round, executor);
  const std::uint64_t done = trail.items.rounds();
  if (request.looks && look_after(done, rounds))
    trail.looks.push_back({done, trail.items.findings(executor)});
  return Done{};
}

// A protection of the plan that the audit would leave out must not seem audited.
Status check_protection(const TrainRequest& train) {
  const char* part = nullptr;
  if (train.dp.asked()) part = "[dp]; --view secure+dp with --noise is noise in a sum";
  if (train.sum.kind != SumKind::plain) part = "[sum]; --view secure is a secure sum";
  if (train.robust.asked()) part = "[robust]; sotto poison judges robust sums";
  if (part == nullptr) return Done{};
  return fail(
      Code::usage,
      fmt::format("the audit's own --view and --noise say what the server sees: leave out the plan's {}",
                  part));
}

// Everybody's messages go to the attackers alone: no ledger is written.
Result<std::unique_ptr<FactorTraining>> start(const AuditRequest& request, const Split& split,
                                              std::uint64_t seed, Executor& executor) {
  TrainRequest train = request.train;
  train.plan.seed = seed;
  train.consent.records = false;
  return start_factor_training(train, split, executor);
}

// Trains; every round goes to the attackers, and its bytes to `sink` if there is one.
Result<std::string> train_and_listen(const AuditRequest& request, const Split& split, std::uint64_t seed,
                                     FactorTraining& training, Executor& executor, const AuditHooks& hooks,
                                     Trail& trail, const ByteSink* sink) {
  const std::uint64_t rounds = training.schedule().rounds;
  if (request.noise.multiplier > 0.0) SOTTO_TRY_DONE(check(noise_plan(request, seed)));
  Listening listening(request, {training.items().rows(), training.items().width()}, seed,
                      [&](SeenRound& round) -> Status {
                        if (sink != nullptr) SOTTO_TRY_DONE((*sink)(encode_round(round)));
                        return step(round, rounds, request, executor, trail);
                      });
  Collector* first = &listening.first();
  std::unique_ptr<Weighing> weighing;
  if (request.train.criteria.asked()) {
    TrainRequest train = request.train;
    train.plan.seed = seed;
    SOTTO_TRY(weighing, listening_weighing(train, split, trail.told, *first));
    first = weighing.get();
  }
  training.collect_with(*first);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SOTTO_TRY_DONE(stopped(hooks));
    SOTTO_TRY(const RoundReport report, training.advance(1));
    static_cast<void>(report);
    if (hooks.on_round) hooks.on_round(round + 1, rounds);
  }
  return hash_rows(training.items());
}

// An attacker that cannot read the model's messages must not seem to have found nothing in them.
Status check_attackers(const AuditRequest& request) {
  const auto readers = attackers_of(seen_model(request));
  for (const Attacker attacker : request.attack.attackers)
    if (std::find(readers.begin(), readers.end(), attacker) == readers.end())
      return fail(Code::usage,
                  fmt::format("{} does not read the messages of {}: choose from {} to {}", code_of(attacker),
                              request.train.model->name, code_of(readers[1]), code_of(readers.back())));
  return Done{};
}

// Of the sums of a round of so many devices.
std::size_t smallest_sum(const AuditRequest& request, std::size_t cohort) {
  return request.view.group == 0 ? cohort : cohort / std::max<std::size_t>(cohort / request.view.group, 1);
}

// What sums of the rounds cannot be is told before the first, for this seed and those that follow it.
Status check_sums(const AuditRequest& request, const Schedule& schedule, std::uint64_t seed) {
  const std::size_t cohort = schedule.cohort;
  if (const std::uint32_t needed = std::max(request.view.group, request.view.least); needed > cohort)
    return fail(Code::usage,
                fmt::format("the view {} sums over at least {} devices, and a round has {}: choose "
                            "secure, or a number up to that",
                            to_string(request.view), needed, cohort));
  if (!(request.silent > 0.0)) return Done{};
  if (silent_devices(request, cohort) == 0)
    return fail(Code::usage,
                fmt::format("--secure-dropout {} of a sum of {} devices is less than one device, so that "
                            "nobody would fall silent: say at least 1/{}, or sum over more",
                            request.silent, smallest_sum(request, cohort), smallest_sum(request, cohort)));
  // With terms of their own not everybody answers: then a round knows its size when it begins.
  if (request.train.consent.any()) return Done{};
  for (std::uint64_t n = 0; n < request.seeds; ++n)
    for (std::uint64_t round = 0; round < schedule.rounds; ++round) {
      const auto dealt =
          deal_sums(recorder_options(request, seed + n), static_cast<std::uint32_t>(round), cohort);
      if (!dealt.ok())
        return fail(Code::usage, fmt::format("under seed {} {}", seed + n, dealt.error().message));
    }
  return Done{};
}

}  // namespace

Status check(const AuditRequest& request) {
  if (request.train.model->sends != Sends::item_steps && request.train.model->sends != Sends::shared_steps)
    return fail(Code::usage,
                "the audit attacks the messages of fpl and of kgflex: leave --model out, or say one of them");
  SOTTO_TRY_DONE(check_attackers(request));
  SOTTO_TRY_DONE(check_protection(request.train));
  if (request.view.noisy && !(request.noise.multiplier > 0.0))
    return fail(Code::usage,
                "a view with +dp needs its noise: add --noise, a multiple of the clip such as 1");
  if (!request.view.noisy && !request.local && request.noise.multiplier > 0.0)
    return fail(Code::usage,
                "--noise belongs to a view with noise: choose secure+dp, or add --noisy-messages");
  if (request.local && request.view.view == View::secure)
    return fail(Code::usage,
                "--noisy-messages adds noise to single messages: choose the view plain or shuffled");
  if (!(request.noise.multiplier >= 0.0 && request.noise.multiplier < 1e4) ||
      !(request.noise.clip > 0.0 && request.noise.clip < 1e4))
    return fail(Code::usage, "--noise and --clip must be numbers above 0 and below 10000");
  if (!(request.silent >= 0.0 && request.silent < 1.0))
    return fail(Code::usage, "--secure-dropout must be at least 0 and below 1");
  if (request.silent > 0.0 && request.view.view != View::secure)
    return fail(Code::usage, "--secure-dropout is of secure sums: choose the view secure or groups:N");
  if (!(request.noise.delta > 0.0 && request.noise.delta < 1.0))
    return fail(Code::usage, "--delta must lie between 0 and 1");
  if (request.seeds == 0 || request.seeds > 100) return fail(Code::usage, "--seeds must be from 1 to 100");
  return Done{};
}

bool everybody_in_every_round(const AuditRequest& request) {
  return request.train.plan.cohort >= 1.0 && !request.train.consent.any() && request.silent == 0.0;
}

std::size_t silent_devices(const AuditRequest& request, std::size_t cohort) {
  return static_cast<std::size_t>(request.silent * static_cast<double>(smallest_sum(request, cohort)));
}

SeenModel seen_model(const AuditRequest& request) {
  return request.train.model->sends == Sends::shared_steps ? SeenModel::kgflex : SeenModel::fpl;
}

Result<Schedule> audit_schedule(const AuditRequest& request, const Split& split) {
  const Plan& plan = request.train.plan;
  if (seen_model(request) == SeenModel::kgflex)
    return history_schedule_for(plan, users_with_history(split.train).size());
  return schedule_for(plan, eligible_users(split.train, split.catalogue).size(), split.train.interactions());
}

Result<AuditRun> audit_plan(const AuditRequest& request, const Split& split, std::uint64_t seed,
                            Executor& executor, const AuditHooks& hooks) {
  SOTTO_TRY(const std::unique_ptr<FactorTraining> training, start(request, split, seed, executor));
  const std::size_t cohort = training->schedule().cohort;
  SOTTO_TRY_DONE(check_sums(request, training->schedule(), seed));
  const TranscriptHead head = head_of(request, split, cohort);
  SOTTO_TRY_DONE(check(head));
  SOTTO_TRY(Trail trail, open_trail(head, request, split, seed, executor));
  std::string hash;
  const auto listen = [&](const ByteSink* sink) -> Status {
    SOTTO_TRY(hash, train_and_listen(request, split, seed, *training, executor, hooks, trail, sink));
    return Done{};
  };
  const auto record = [&](const ByteSink& sink) -> Status {
    SOTTO_TRY_DONE(sink(encode_head(head)));
    SOTTO_TRY_DONE(listen(&sink));
    return sink(encode_end());
  };
  // It tells as much about people as the server would know: for its owner's eyes.
  SOTTO_TRY_DONE(request.record.empty() ? listen(nullptr)
                                        : write_file(request.record, record, Privacy::owner_only));
  std::optional<CriteriaLeak> leak;
  if (request.train.criteria.asked()) {
    SOTTO_TRY(leak, leak_of(request.train, trail.told));
  }
  AuditRun run = run_of(std::move(trail), executor);
  run.criteria = std::move(leak);
  run.model_hash = hash;
  return run;
}

Result<AuditRun> audit_transcript(std::span<const std::byte> bytes, const std::string& name,
                                  const AuditRequest& request, const Split& split, Executor& executor,
                                  const AuditHooks& hooks) {
  auto opened = TranscriptReader::open(bytes);
  if (!opened.ok()) return chained(opened.error(), name);
  TranscriptReader& reader = *opened;
  const TranscriptHead& head = reader.head();
  if (head.split != split.hash ||
      (head.model == SeenModel::fpl ? head.catalogue : head.items) != split.catalogue)
    return fail(
        Code::incompatible,
        fmt::format("{}: it was recorded on other data; give the --data and --split of the recording", name));
  if (head.model != seen_model(request))
    return fail(Code::usage, fmt::format("{}: it was recorded of {}: say --model {}", name,
                                         head.model == SeenModel::fpl ? "fpl" : "kgflex",
                                         head.model == SeenModel::fpl ? "fpl" : "kgflex"));
  SOTTO_TRY(Trail trail, open_trail(head, request, split, request.train.plan.seed, executor));
  for (;;) {
    SOTTO_TRY_DONE(stopped(hooks));
    auto next = reader.next();
    if (!next.ok()) return chained(next.error(), name);
    if (!next->has_value()) break;
    SOTTO_TRY_DONE(step(**next, std::numeric_limits<std::uint64_t>::max(), request, executor, trail));
  }
  if (trail.items.rounds() == 0)
    return fail(Code::bad_input, fmt::format("{}: it holds no round; record it anew", name));
  return run_of(std::move(trail), executor);
}

double epsilon_of(const AuditRequest& request, std::uint64_t rounds) {
  if (request.noise.multiplier <= 0.0) return std::numeric_limits<double>::infinity();
  // Noise on a single message hides which of two messages it was: the clip counts twice
  // (engine/protect/dp.cpp too).
  const double charged = request.local ? request.noise.multiplier / 2.0 : request.noise.multiplier;
  // So many releases are one with less noise; everybody is taken to be in every round.
  return gaussian_epsilon(charged / std::sqrt(static_cast<double>(rounds)), request.noise.delta);
}

}  // namespace sotto::lab
