#include "fed/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sotto::fed {

Result<RoundsPerEpoch> parse_rounds_per_epoch(const std::string& text) {
  if (text == "steps") return RoundsPerEpoch::steps;
  if (text == "exchanges") return RoundsPerEpoch::exchanges;
  return fail(Code::usage, fmt::format("unknown rounds per epoch '{}': choose steps or exchanges", text));
}

const char* to_string(RoundsPerEpoch rule) { return rule == RoundsPerEpoch::steps ? "steps" : "exchanges"; }

Result<ModelPrecision> parse_model_precision(const std::string& text) {
  for (const ModelPrecision one : {ModelPrecision::f32, ModelPrecision::f16, ModelPrecision::i8})
    if (text == to_string(one)) return one;
  return fail(Code::usage, fmt::format("unknown precision '{}': choose f32, f16 or i8", text));
}

const char* to_string(ModelPrecision precision) {
  return precision == ModelPrecision::f32 ? "f32" : precision == ModelPrecision::f16 ? "f16" : "i8";
}

Status check(const Plan& plan) {
  SOTTO_TRY_DONE(check(plan.fpl));
  SOTTO_TRY_DONE(check(plan.consent));
  if (!(plan.cohort >= 0.0 && plan.cohort <= 1.0))
    return fail(Code::usage,
                fmt::format("the cohort is {}, but it is a share of the users: give a number from 0 "
                            "(one user a round) to 1 (everybody)",
                            plan.cohort));
  if (plan.epochs == 0) return fail(Code::usage, "epochs is 0: give at least 1");
  if (plan.triples && (*plan.triples == 0 || *plan.triples > 1'000'000))
    return fail(Code::usage,
                fmt::format("triples is {}, but a visit draws from 1 to 1000000", *plan.triples));
  if (plan.fixed.bits < least_update_bits || plan.fixed.bits > most_update_bits)
    return fail(Code::usage,
                fmt::format("fixed-bits is {}, but sums carry from {} to {} bits after the point",
                            plan.fixed.bits, least_update_bits, most_update_bits));
  return Done{};
}

Status set_variant(Plan& plan, const std::string& name) {
  if (name != "sfpl" && name != "sfpl+" && name != "pfpl" && name != "pfpl+")
    return fail(Code::usage, fmt::format("unknown variant '{}': choose sfpl, sfpl+, pfpl or pfpl+", name));
  plan.cohort = name[0] == 's' ? 0.0 : 1.0;
  plan.triples = name.back() == '+' ? std::optional<std::uint32_t>() : 1;
  return Done{};
}

Status set_triples(Plan& plan, const std::string& text) {
  plan.triples.reset();
  if (text == "mean") return Done{};
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return fail(Code::usage,
                fmt::format("triples is '{}', but it is a number from 1 to 1000000, or mean", text));
  plan.triples = number;
  return Done{};
}

std::string variant_of(const Plan& plan) {
  if (plan.triples.value_or(1) > 1 || (plan.cohort != 0.0 && plan.cohort != 1.0)) return "custom";
  return fmt::format("{}fpl{}", plan.cohort == 0.0 ? 's' : 'p', plan.triples ? "" : "+");
}

namespace {

std::uint32_t cohort_of(const Plan& plan, std::size_t users) {
  const auto share = static_cast<std::uint32_t>(std::llround(plan.cohort * static_cast<double>(users)));
  return std::max<std::uint32_t>(share, 1);
}

Result<Schedule> with_rounds(Schedule schedule, const Plan& plan) {
  schedule.rounds = std::uint64_t{schedule.rounds_per_epoch} * plan.epochs;
  if (schedule.rounds > 0xFFFFFFFFull)
    return fail(Code::usage,
                fmt::format("the plan has {} rounds, more than 4294967295: lower the epochs or enlarge the "
                            "cohort",
                            schedule.rounds));
  return schedule;
}

}  // namespace

Result<Schedule> history_schedule_for(const Plan& plan, std::size_t users) {
  SOTTO_TRY_DONE(check(plan));
  if (users == 0)
    return fail(Code::bad_input,
                "no user has a training item: nothing to train on; loosen the filters or change the split");
  Schedule schedule;
  schedule.cohort = cohort_of(plan, users);
  schedule.rounds_per_epoch = static_cast<std::uint32_t>(std::max<std::size_t>(users / schedule.cohort, 1));
  return with_rounds(schedule, plan);
}

Result<Schedule> schedule_for(const Plan& plan, std::size_t eligible_users, std::size_t interactions) {
  SOTTO_TRY_DONE(check(plan));
  if (eligible_users == 0)
    return fail(Code::bad_input,
                "no user has both a training item and an item left to compare it with: nothing to "
                "train on; loosen the filters or change the split");
  Schedule schedule;
  schedule.cohort = cohort_of(plan, eligible_users);
  const auto mean = static_cast<std::uint32_t>(interactions / eligible_users);
  schedule.triples = plan.triples.value_or(std::max<std::uint32_t>(mean, 1));
  const std::uint64_t per_round = plan.rounds_per_epoch == RoundsPerEpoch::steps
                                      ? std::uint64_t{schedule.cohort} * schedule.triples
                                      : schedule.cohort;
  schedule.rounds_per_epoch =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(interactions / per_round, 1));
  return with_rounds(schedule, plan);
}

}  // namespace sotto::fed
