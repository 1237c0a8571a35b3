#include "server/task_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fed/dp_sum.h"
#include "fed/models/live_evaluation.h"
#include "fed/models/weighed_task.h"
#include "fed/wire/round_secure.h"
#include "privacy/dp/calibrate.h"
#include "server/stop_rule.h"
#include "server/trial.h"

namespace sotto::server {

namespace {

using Mode = RoundRules::Mode;
using Selection = RoundRules::Selection;

constexpr std::uint32_t most_staleness = 64;
// The keys of a cohort travel in one message.
constexpr std::uint32_t most_secure_cohort = 30'000;
constexpr std::uint64_t most_releases = 10'000'000;

Status check_numbers(const RoundRules& rules) {
  if (rules.goal == 0) return fail(Code::usage, "goal is the contributions of a round, at least 1");
  if (rules.quorum == 0)
    return fail(Code::usage, "quorum is the fewest contributions of a release, at least 1");
  if (rules.quorum > rules.goal)
    return fail(Code::usage,
                fmt::format("a quorum of {} is never met by rounds of {}: lower quorum or raise goal",
                            rules.quorum, rules.goal));
  if (!(rules.over_selection >= 1.0 && rules.over_selection <= 100.0))
    return fail(Code::usage, "over_selection is a multiple of the goal from 1 to 100");
  if (rules.gather_ms < 0 || rules.round_ms <= 0 || rules.phase_ms <= 0)
    return fail(Code::usage, "gather, round and phase times are above 0");
  if (rules.gather_ms > rules.round_ms)
    return fail(Code::usage, "a round that gathers longer than it lasts never starts: lower gather time");
  if (rules.canary_share != 0.0)
    if (const Status share = check_share(rules.canary_share); !share.ok())
      return chained(share.error(), "canary_share");
  if (rules.max_staleness > most_staleness)
    return fail(Code::usage, fmt::format("max_staleness is at most {}", most_staleness));
  return Done{};
}

Status check_selection(const TaskConfig& config) {
  const RoundRules& rules = config.rules;
  if (rules.selection == Selection::drawn) {
    if (rules.mode == Mode::buffered)
      return fail(Code::usage, "a buffer takes whoever comes: leave selection = drawn out");
    if (rules.population < rules.goal)
      return fail(Code::usage, fmt::format("cohorts of {} cannot be drawn from {} devices: raise population",
                                           rules.goal, rules.population));
    if (!rules.criterion.empty())
      return fail(Code::usage, "a drawn cohort has no other criterion: leave one of both out");
  } else if (rules.mode == Mode::cohorts && rules.max_staleness != 0) {
    return fail(Code::usage, "max_staleness is of buffered rounds: leave it out, or set mode = buffered");
  }
  return Done{};
}

Status check_secure(const TaskConfig& config, const Task& task) {
  const RoundRules& rules = config.rules;
  if (!task.secure) return Done{};
  if (rules.mode == Mode::buffered)
    return fail(Code::usage, "a secure sum needs a cohort: set mode = cohorts, or sum = plain");
  if (most_assigned(rules) > most_secure_cohort)
    return fail(Code::usage, fmt::format("a secure sum has at most {} devices", most_secure_cohort));
  for (const std::uint32_t devices : {rules.goal, most_assigned(rules)})
    if (const auto terms = sum_terms(devices, task.assumed); !terms.ok())
      return chained(terms.error(), fmt::format("a secure sum of {} devices cannot be as safe as assumed; "
                                                "raise goal, or assume less",
                                                devices));
  return Done{};
}

// Where a model is solved from one sum of statistics over everybody, what would make it another sum is
// refused.
Status check_statistics(const TaskConfig& config, const Task& task) {
  const TaskShape shape = task.shape();
  const RoundRules& rules = config.rules;
  if (shape.one_version && rules.max_staleness != 0)
    return fail(Code::usage, fmt::format("{} sums what devices say of one version: leave max_staleness out",
                                         task.model->name));
  if (!shape.solved) return Done{};
  if (!config.dp && (config.spec.clip() > 0.0 || config.spec.row_clip() > 0.0))
    return fail(
        Code::usage,
        "a clip shortens a statistic with what it counts, and the model would be none of least squares: "
        "leave clip and row_clip out, or add noise (epsilon)");
  if (rules.max_staleness != 0)
    return fail(Code::usage,
                fmt::format("{} sums statistics of one version: leave max_staleness out", task.model->name));
  if (rules.selection == Selection::drawn && rules.goal != rules.population)
    return fail(
        Code::usage,
        fmt::format("{} solves its rows from one sum over everybody: set goal to the {} of population, or "
                    "leave selection = drawn out",
                    task.model->name, rules.population));
  return Done{};
}

Status check_dp(const TaskConfig& config) {
  if (!config.dp) return Done{};
  const TaskDp& dp = *config.dp;
  if (!(config.spec.clip() > 0.0))
    return fail(Code::usage, "noise hides a person only where contributions have a longest length: set clip");
  SOTTO_TRY_DONE(check(PrivacyGoal{dp.epsilon, dp.delta}));
  if (!(dp.noise_multiplier >= 0.0 && std::isfinite(dp.noise_multiplier)))
    return fail(Code::usage, "noise is a multiple of the clip, or 0");
  if (dp.noise_multiplier == 0.0 && config.rules.rounds == 0)
    return fail(Code::usage, "what noise ε needs depends on the rounds: set rounds, or noise");
  if (config.rules.rounds > most_releases)
    return fail(Code::usage, fmt::format("no budget bears more than {} noisy rounds", most_releases));
  if (dp.population != 0 && dp.population < config.rules.goal)
    return fail(Code::usage, "people is at least the goal of a round");
  return Done{};
}

Status check_weighing(const TaskConfig& config, const Task& task) {
  const RoundRules& rules = config.rules;
  if (config.dp)
    return fail(
        Code::usage,
        "the sums of criteria carry no noise, and one person moves everybody's weight, so that no clip "
        "bounds what a person changes: leave criteria or epsilon out");
  if (rules.quorum < 2)
    return fail(Code::usage, "criteria compare the devices of a round: set goal and quorum to 2 or more");
  // Members are told sums of values, each over those who gave to its part.
  if (const std::uint32_t least = task.criteria->options.least_tellers; !task.secure && rules.quorum < least)
    return fail(
        Code::usage,
        fmt::format("members hear the sums of a round by criteria, and a quorum of {} makes sums over "
                    "fewer than the crowd of {}: set goal and quorum to {} or more",
                    rules.quorum, least, least));
  const bool everybody = rules.selection == Selection::drawn && rules.goal == rules.population;
  if (everybody && has_criterion(task, "recency"))
    return fail(Code::usage,
                "recency compares how long devices were away, and here everybody is in each round: draw "
                "fewer (goal below population), or leave the criterion out");
  return Done{};
}

Status check_parts(const TaskConfig& config, const Task& task) {
  if (task.secure && task.model->check_cost != nullptr)
    SOTTO_TRY_DONE(task.model->check_cost(task, most_assigned(config.rules)));
  if (task.criteria) SOTTO_TRY_DONE(check_weighing(config, task));
  if (task.parts() == 1) return Done{};
  if (config.rules.mode == Mode::buffered)
    return fail(Code::usage, "a round of several parts needs a cohort: set mode = cohorts");
  if (config.dp)
    return fail(Code::usage,
                "noise on every released sum needs a round of one: leave epsilon out, or what makes several "
                "parts of a round");
  return Done{};
}

Status check_evaluation(const TaskConfig& config, const Task& task) {
  const TaskEvaluation& noise = config.evaluation;
  if (!task.evaluation) {
    if (noise == TaskEvaluation{.delta = noise.delta} && config.rules.evaluate_goal == 0 &&
        config.rules.stop_when.empty())
      return Done{};
    return fail(Code::usage,
                "nothing is evaluated: set evaluate_holdout or evaluate_share, or leave stop_when and "
                "evaluate_… out");
  }
  if (!config.rules.stop_when.empty()) {
    SOTTO_TRY(const StopRule rule, parse_stop_rule(config.rules.stop_when));
    if ((rule.metric == accuracy_name) != task.evaluation->classifies)
      return fail(
          Code::usage,
          fmt::format("stop_when = \"{}\": {}", config.rules.stop_when,
                      task.evaluation->classifies
                          ? "a classifier makes no lists: write it of its accuracy, as \"Accuracy not "
                            "above 0.001 for 5\""
                          : "Accuracy is of classifiers, and this task's model makes lists: take P, "
                            "R, HR, nDCG or MRR"));
    if (is_error(rule.metric) && task.evaluation->rating_range == 0.0f)
      return fail(
          Code::usage,
          fmt::format("stop_when = \"{}\": {} predicts no ratings, so that no version ever has an {}: "
                      "take P, R, HR, nDCG or MRR, such as \"nDCG not above 0.001 for 5\"",
                      config.rules.stop_when, task.model->name, rule.metric));
  }
  RoundRules rules = config.rules;
  if (rules.evaluate_goal != 0) rules.goal = rules.evaluate_goal;
  rules.selection = Selection::arrival;
  if (rules.goal < rules.quorum)
    return fail(Code::usage, fmt::format("evaluate_goal is at least the quorum, {}", rules.quorum));
  if (task.secure)
    for (const std::uint32_t devices : {rules.goal, most_assigned(rules)})
      if (const auto terms = sum_terms(devices, task.assumed); !terms.ok() || devices > most_secure_cohort)
        return fail(Code::usage,
                    fmt::format("a secure sum of {} devices that judge a version cannot be as safe "
                                "as assumed; set another evaluate_goal",
                                devices));
  if (!(noise.noise_multiplier >= 0.0 && std::isfinite(noise.noise_multiplier)))
    return fail(Code::usage, "evaluate_noise is a multiple of the longest figures, or 0");
  if ((noise.noise_multiplier > 0.0) != (noise.epsilon > 0.0))
    return fail(Code::usage, "evaluate_noise and evaluate_epsilon go together: set both, or none");
  if (config.dp && noise.noise_multiplier == 0.0)
    return fail(Code::usage,
                "epsilon bounds what this task shows of a person, and figures without noise show more: set "
                "evaluate_noise and evaluate_epsilon, or leave evaluate_holdout and evaluate_share out");
  if (noise.noise_multiplier == 0.0) return Done{};
  if (task.evaluation->coverage)
    return fail(Code::usage, "noise would drown the counts of single items: leave evaluate_coverage out");
  SOTTO_TRY_DONE(check(PrivacyGoal{noise.epsilon, noise.delta}));
  return check(dp_sum_plan({longest_figures(*task.evaluation), noise.noise_multiplier,
                            double{evaluation_task(task).plan.fixed.scale()}}));
}

}  // namespace

std::uint32_t most_assigned(const RoundRules& rules) {
  if (rules.selection == Selection::drawn) return rules.goal;
  return static_cast<std::uint32_t>(std::min(std::ceil(rules.goal * rules.over_selection), 4e9));
}

double share_of(const RoundRules& rules) {
  if (rules.selection != RoundRules::Selection::drawn) return 1.0;
  return static_cast<double>(rules.goal) / static_cast<double>(rules.population);
}

Result<double> noise_of(const TaskConfig& config) {
  const TaskDp& dp = *config.dp;
  if (dp.noise_multiplier > 0.0) return dp.noise_multiplier;
  return noise_for({dp.epsilon, dp.delta}, 1.0, static_cast<std::uint32_t>(config.rules.rounds),
                   Accountant::rdp);
}

Status check(const TaskConfig& config) {
  const auto checked = [&]() -> Status {
    SOTTO_TRY(const Task task, read_task(config.spec));
    SOTTO_TRY_DONE(check_numbers(config.rules));
    SOTTO_TRY_DONE(check_selection(config));
    SOTTO_TRY_DONE(check_secure(config, task));
    SOTTO_TRY_DONE(check_statistics(config, task));
    SOTTO_TRY_DONE(check_dp(config));
    SOTTO_TRY_DONE(check_parts(config, task));
    SOTTO_TRY_DONE(check_evaluation(config, task));
    if (!config.dp) return Done{};
    SOTTO_TRY(const double noise, noise_of(config));
    return check(dp_sum_plan({config.spec.clip(), noise, double{task.plan.fixed.scale()}}));
  }();
  if (!checked.ok()) return chained(checked.error(), fmt::format("task '{}'", config.spec.name()));
  return Done{};
}

}  // namespace sotto::server
