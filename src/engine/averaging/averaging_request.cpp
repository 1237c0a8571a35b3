#include "engine/averaging/averaging_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "engine/plan/request.h"
#include "fed/criteria/example_facts.h"
#include "fed/criteria/size.h"

namespace sotto::engine {

Result<AccuracyGoal> parse_goal(const std::string& text) {
  const auto wrong = [&] {
    return fail(Code::usage, fmt::format("'{}' is not a goal: write 50%@95% for half of the devices at 95% "
                                         "accuracy, whole percents from 1 to 100",
                                         text));
  };
  AccuracyGoal goal;
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return wrong();
  const auto percent = [](std::string part) -> std::uint32_t {
    if (part.ends_with('%')) part.pop_back();
    const bool digits = !part.empty() && part.size() <= 3 &&
                        std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    return digits ? static_cast<std::uint32_t>(std::stoul(part)) : 0;
  };
  goal.devices = percent(text.substr(0, at));
  goal.accuracy = percent(text.substr(at + 1));
  const auto possible = [](std::uint32_t value) { return value >= 1 && value <= 100; };
  if (!possible(goal.devices) || !possible(goal.accuracy)) return wrong();
  return goal;
}

std::string to_string(const AccuracyGoal& goal) {
  return fmt::format("{}%@{}%", goal.devices, goal.accuracy);
}

namespace {

// Values have 24 bits: up to here an example more or less is seen.
constexpr std::uint32_t most_size_bound = 1'000'000;

Status check_size_bound(const TrainRequest& request, const AveragingRequest& asked) {
  if (!request.criteria.size_bound) return Done{};
  if (std::ranges::find(asked.criteria.order, &size_criterion) == asked.criteria.order.end())
    return fail(Code::usage, "--size-bound is for the criterion size: name it in --criteria");
  if (asked.size_bound == 0 || asked.size_bound > most_size_bound)
    return fail(Code::usage,
                fmt::format("--size-bound is a number of examples from 1 to {}", most_size_bound));
  return Done{};
}

// The orders of 4 criteria are 24, and each is tried where a round made the model worse.
constexpr std::size_t most_chosen_criteria = 4;

// What says nothing beside the rest, and is not as it is anyway.
Status check_idle(const TrainRequest& request, const AveragingRequest& asked) {
  const ClassifierOptions usual;
  const bool dense = asked.classifier.kind == ClassifierKind::dense;
  for (const auto& [said, flag] : {std::pair(asked.classifier.filter != usual.filter, "--filter"),
                                   std::pair(asked.classifier.channels != usual.channels, "--channels")})
    if (dense && said)
      return fail(
          Code::usage,
          fmt::format("{} is for the network cnn: choose --network cnn, or leave the option out", flag));
  for (const auto& [said, flag] : {std::pair(asked.criteria.score.kind != ScoreKind::prioritized, "--score"),
                                   std::pair(!request.criteria.weights.empty(), "--score-weights")})
    if (!asked.criteria.asked() && said)
      return fail(
          Code::usage,
          fmt::format("{} is for criteria: name them with --criteria, or leave the option out", flag));
  return Done{};
}

Status check_choice(const AveragingRequest& request, double validation_share) {
  const std::size_t criteria = request.criteria.order.size();
  if (criteria < 2)
    return fail(
        Code::usage,
        "--choose-order chooses among orders of criteria: name two or more, such as --criteria 'DS>LD>MW'");
  if (criteria > most_chosen_criteria) {
    std::uint64_t orders = 1;
    for (std::size_t n = 2; n <= criteria; ++n) orders *= n;
    return fail(Code::usage, fmt::format("--choose-order tries every order of the criteria, and {} of them "
                                         "have {}: name at most {}",
                                         criteria, orders, most_chosen_criteria));
  }
  if (request.criteria.score.kind != ScoreKind::prioritized)
    return fail(
        Code::usage,
        fmt::format(
            "--choose-order is for the prioritized score: with {} the order of criteria is no priority",
            to_string(request.criteria.score.kind)));
  if (!(validation_share > 0.0))
    return fail(Code::usage,
                "--choose-order judges orders by validation examples: keep some with --validation 0.1");
  return Done{};
}

}  // namespace

Result<AveragingRequest> averaging_of(const TrainRequest& request) {
  AveragingRequest asked{request.model.own<AveragingOptions>(), {}, {}, 0, request.sum};
  asked.plan = {.seed = request.plan.seed,
                .cohort = asked.cohort,
                .local = asked.local,
                .server = {.step = request.server.step.value_or(ServerStep::sgd),
                           .rate = request.server.rate.value_or(1.0f),
                           .beta1 = request.server.beta1,
                           .beta2 = request.server.beta2}};
  if (!request.criteria.order.empty()) {
    SOTTO_TRY(asked.criteria.order, parse_order(request.criteria.order, example_criteria()));
  }
  if (!request.criteria.score.empty()) {
    SOTTO_TRY(asked.criteria.score.kind, parse_score_kind(request.criteria.score));
  }
  asked.criteria.score.weights = request.criteria.weights;
  asked.size_bound = request.criteria.size_bound.value_or(0);
  return asked;
}

Status check_averaging(const TrainRequest& request) {
  SOTTO_TRY(const AveragingRequest asked, averaging_of(request));
  if (asked.rounds == 0 || asked.rounds > 1000000)
    return fail(Code::usage, "--rounds must be from 1 to 1,000,000");
  if (asked.evaluate_every == 0) return fail(Code::usage, "--evaluate-every must be at least 1");
  if (request.data.examples.deal == DealKind::people && asked.classifier.kind == ClassifierKind::cnn)
    return fail(
        Code::usage,
        "--deal people deals attributes of people, and a cnn learns from pictures: choose --network dense");
  SOTTO_TRY_DONE(check_sizes(asked.classifier));
  SOTTO_TRY_DONE(check(asked.plan));
  SOTTO_TRY_DONE(check(asked.criteria));
  SOTTO_TRY_DONE(check_measurable(asked.criteria.order));
  SOTTO_TRY_DONE(check_size_bound(request, asked));
  SOTTO_TRY_DONE(check_idle(request, asked));
  return asked.choose_order ? check_choice(asked, request.data.split.validation_share) : Done{};
}

Status check_cohort(const AveragingRequest& request, std::size_t devices) {
  const double cohort = std::round(request.plan.cohort * static_cast<double>(devices));
  if (request.criteria.asked() && cohort < 2.0)
    return fail(Code::usage,
                fmt::format("criteria compare the devices of a cohort, and a share of {} of {} devices is "
                            "a cohort of one: raise --cohort or --devices",
                            request.plan.cohort, devices));
  const bool asks_recency = std::ranges::any_of(request.criteria.order, [](Criterion criterion) {
    return std::string_view(criterion->name) == "recency";
  });
  if (asks_recency && cohort >= static_cast<double>(devices))
    return fail(Code::usage,
                "recency (RC) compares how long devices were away, and here every device is in each round: "
                "make cohorts smaller (--cohort 0.1), or leave the criterion out");
  return Done{};
}

}  // namespace sotto::engine
