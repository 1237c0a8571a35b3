#include "lab/averaging/averaging_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "engine/protect/protection.h"
#include "fed/criteria/example_facts.h"

namespace sotto {

Result<DealKind> parse_deal_kind(const std::string& text) {
  for (const DealKind kind : {DealKind::iid, DealKind::shards, DealKind::people})
    if (text == to_string(kind)) return kind;
  return fail(Code::usage, fmt::format("examples are not dealt by '{}': choose iid, shards or people", text));
}

const char* to_string(DealKind kind) {
  switch (kind) {
    case DealKind::iid:
      return "iid";
    case DealKind::shards:
      return "shards";
    case DealKind::people:
      return "people";
  }
  SOTTO_ASSERT(false, "every way of dealing has a name");
  return "";
}

Result<AccuracyGoal> parse_goal(const std::string& text) {
  const auto wrong = [&] {
    return fail(Code::usage,
                fmt::format("'{}' is no goal: write 50%@95% for half of the devices at 95% accuracy, whole "
                            "percents from 1 to 100",
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

// The orders of 4 criteria are 24, and each is tried where a round made the model worse.
constexpr std::size_t most_chosen_criteria = 4;

Status check_idle(const AveragingRequest& request, std::span<const std::string> given) {
  const AveragingRequest defaults;
  for (const AveragingField& field : averaging_fields()) {
    if (!field.idle) continue;
    const bool said = field.show(request) != field.show(defaults) ||
                      std::find(given.begin(), given.end(), field.name) != given.end();
    if (const char* why = field.idle(request); said && why != nullptr)
      return fail(Code::usage, fmt::format("--{} {}", field.name, why));
  }
  return Done{};
}

Status check_choice(const AveragingRequest& request) {
  const std::size_t criteria = request.criteria.order.size();
  if (criteria < 2)
    return fail(Code::usage,
                "--choose-order chooses among orders of criteria: name two or more, as --criteria "
                "'DS>LD>MW'");
  if (criteria > most_chosen_criteria) {
    std::uint64_t orders = 1;
    for (std::size_t n = 2; n <= criteria; ++n) orders *= n;
    return fail(Code::usage, fmt::format("--choose-order tries every order of the criteria, and {} of them "
                                         "have {}: name at most {}",
                                         criteria, orders, most_chosen_criteria));
  }
  if (request.criteria.score.kind != ScoreKind::prioritized)
    return fail(Code::usage,
                fmt::format("--choose-order is for the prioritized score: by {} the order of criteria does "
                            "not matter as a priority",
                            to_string(request.criteria.score.kind)));
  if (!(request.validation > 0.0))
    return fail(Code::usage,
                "--choose-order judges orders by validation examples: keep some with --validation 0.1");
  return Done{};
}

}  // namespace

Status check(const AveragingRequest& request, std::span<const std::string> given) {
  if (request.data.empty() && !request.generate)
    return fail(Code::usage,
                "there is nothing to learn from: name a folder with --data, or make examples up with "
                "--generate");
  if (!request.data.empty() && request.generate)
    return fail(Code::usage, "examples come from --data or are made up by --generate: choose one");
  if (request.rounds == 0 || request.rounds > 1000000)
    return fail(Code::usage, "--rounds must be from 1 to 1,000,000");
  if (request.evaluate_every == 0) return fail(Code::usage, "--evaluate-every must be at least 1");
  if (!(request.validation >= 0.0 && request.validation < 1.0))
    return fail(Code::usage, "--validation is a share of a device's examples, from 0 to below 1");
  if (request.deal == DealKind::people && request.classifier.kind == ClassifierKind::cnn)
    return fail(
        Code::usage,
        "--deal people deals attributes of people, and a cnn learns from pictures: add --model dense");
  if (!request.criteria.asked() && std::find(given.begin(), given.end(), "criteria") != given.end())
    return fail(Code::usage, "--criteria names no criterion: leave it out for none");
  SOTTO_TRY_DONE(check_sizes(request.classifier));
  SOTTO_TRY_DONE(check(request.plan));
  SOTTO_TRY_DONE(check(request.sum));
  SOTTO_TRY_DONE(check_is_read(request.sum, false));
  SOTTO_TRY_DONE(check(request.criteria));
  SOTTO_TRY_DONE(check_measurable(request.criteria.order));
  SOTTO_TRY_DONE(check_idle(request, given));
  return request.choose_order ? check_choice(request) : Done{};
}

std::uint32_t dealt_devices(const AveragingRequest& request) {
  return request.devices == 0 ? 100 : request.devices;
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
                "recency (RC) tells who was away apart, and here every device is in each round: take smaller "
                "cohorts (--cohort 0.1), or leave it out");
  return Done{};
}

}  // namespace sotto
