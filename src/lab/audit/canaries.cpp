#include "lab/audit/canaries.h"

#include <fmt/core.h>

#include <cmath>

namespace sotto::lab {

namespace {

// A small catalogue is enough: noise is independent in each number, and the projection looks at one
// direction.
constexpr SumShape shape{.rows = 4, .width = 4};

DpSumPlan plan_of(const CanaryRequest& request) {
  DpSumPlan plan = dp_sum_plan({.clip = request.noise.clip,
                                .noise = request.noise.multiplier,
                                .unit = double{FixedPoint{request.fixed_bits}.scale()}});
  plan.place = request.place;
  plan.release = "canaries";
  plan.seed = request.seed;
  return plan;
}

// What each number of the canary's is: together as long as the clip.
double canary_value(const CanaryRequest& request) {
  return plan_of(request).clip.whole / std::sqrt(static_cast<double>(shape.rows * shape.width));
}

// What the canary sends: the same value everywhere; absent nothing, or under local noise the opposite. (It
// passes the pipeline as any device's does.)
Contribution canary(const CanaryRequest& request, bool present) {
  Contribution contribution(shape.width);
  if (!present && request.place != DpPlace::local) return contribution;
  ConsentGate open({.pi = 1.0}, 0, 0, UserIndex{});
  ContributionPipeline pipeline(open, FixedPoint{request.fixed_bits}, contribution);
  const auto size = static_cast<std::int32_t>(canary_value(request));
  const std::int32_t value = present ? size : -size;
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    std::int32_t* values = pipeline.open(Evidence::positive, row);
    for (std::size_t k = 0; k < shape.width; ++k) values[k] = value;
  }
  return contribution;
}

// One run of all its rounds: Σ of the released numbers, which is the projection on the canary's direction.
Result<double> play(const CanaryRequest& request, bool with, std::uint32_t trial) {
  PlainCollector sum(shape);
  DpSum noise(
      shape, plan_of(request), [](std::uint32_t) { return Status(Done{}); }, sum);
  std::vector<UserIndex> cohort;
  // Every trial has people of its own, so that no noise is drawn twice.
  for (std::uint32_t n = 0; n < request.devices; ++n)
    cohort.push_back({trial * 2 * request.devices + (with ? request.devices : 0) + n});
  SumSpace space(shape.rows, shape.width);
  double projection = 0.0;
  for (std::uint32_t round = 0; round < request.rounds; ++round) {
    SOTTO_TRY_DONE(noise.begin({.round = round, .cohort = cohort, .shared = nullptr}));
    for (std::size_t n = 0; n < cohort.size(); ++n) {
      Contribution sent = n == 0 ? canary(request, with) : Contribution(shape.width);
      SOTTO_TRY_DONE(noise.accept(cohort[n], sent));
    }
    Aggregator total(space);
    SOTTO_TRY(const Traffic traffic, noise.finish(total));
    static_cast<void>(traffic);
    std::move(total).release([&](std::uint32_t, const auto* values) {
      for (std::size_t k = 0; k < shape.width; ++k) projection += static_cast<double>(values[k]);
    });
  }
  return projection;
}

}  // namespace

Status check(const CanaryRequest& request) {
  if (request.trials < 100)
    return fail(Code::usage, "--canaries must be at least 100: fewer trials prove nothing");
  if (!(request.noise.multiplier > 0.0))
    return fail(Code::usage,
                "canaries test a promised ε, and without noise none is promised: add --view secure+dp "
                "--noise 1, or leave --canaries out");
  SOTTO_TRY_DONE(check(plan_of(request)));
  if (canary_value(request) > double{fixed_limit})
    return fail(Code::usage, "so long a canary does not fit the integers of the sum: lower --clip");
  SOTTO_ASSERT(request.place != DpPlace::central && request.devices > 0 && request.rounds > 0,
               "canaries are played by devices with noise of their own");
  SOTTO_ASSERT(request.place != DpPlace::local || request.devices == 1, "a message with its noise is alone");
  return Done{};
}

std::string describe(const CanaryRequest& request) {
  return fmt::format("{} round{} of {} device{}, {} noise", request.rounds, request.rounds == 1 ? "" : "s",
                     request.devices, request.devices == 1 ? "" : "s", to_string(request.place));
}

Result<CanaryOutcome> play_canaries(const CanaryRequest& request, double promised, Executor& executor) {
  SOTTO_TRY_DONE(check(request));
  const std::size_t trials = request.trials;
  std::vector<double> with(trials), without(trials);
  std::vector<Status> done(2 * trials, Done{});
  const std::size_t shards = std::min<std::size_t>(executor.threads() * 8, trials);
  executor.run(shards, [&](std::size_t shard) {
    for (std::size_t n = trials * shard / shards; n < trials * (shard + 1) / shards; ++n)
      for (const bool present : {false, true}) {
        const Result<double> seen = play(request, present, static_cast<std::uint32_t>(n));
        if (seen.ok())
          (present ? with : without)[n] = *seen;
        else
          done[2 * n + (present ? 1 : 0)] = seen.error();
      }
  });
  for (const Status& one : done) SOTTO_TRY_DONE(one);
  return CanaryOutcome{epsilon_lower_bound(with, without, request.noise.delta), promised, request};
}

}  // namespace sotto::lab
