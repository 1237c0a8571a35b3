#include "lab/audit/canaries.h"

#include <cmath>

#include "fed/dp_sum.h"

namespace sotto {

namespace {

// A small catalogue is enough: noise is independent in each number, and the projection looks at one
// direction.
constexpr SumShape shape{.rows = 4, .width = 4};

// What the canary sends: the same value everywhere, as long as the clip. (It passes the pipeline as any
// device's does.)
Contribution canary(const CanaryRequest& request, const FixedPoint& fixed) {
  Contribution contribution(shape.width);
  ConsentGate open({.pi = 1.0}, 0, 0, UserIndex{});
  ContributionPipeline pipeline(open, fixed, contribution);
  const double numbers = static_cast<double>(shape.rows * shape.width);
  const auto value =
      static_cast<std::int32_t>(request.noise.clip * double{fixed.scale()} / std::sqrt(numbers));
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    std::int32_t* values = pipeline.open(Evidence::positive, row);
    for (std::size_t k = 0; k < shape.width; ++k) values[k] = value;
  }
  return contribution;
}

// One run of all its rounds: Σ of the released numbers, which is the projection on the canary's direction.
Result<double> play(const CanaryRequest& request, bool with, std::uint32_t trial) {
  const FixedPoint fixed{request.fixed_bits};
  PlainCollector sum(shape);
  const double whole = std::floor(request.noise.clip * double{fixed.scale()});
  const double deviation = request.noise.multiplier * whole;
  const DpSumPlan plan{.place = DpPlace::distributed,
                       .clip = {.whole = whole},
                       .variance = static_cast<std::uint64_t>(std::ceil(deviation * deviation)),
                       .release = "canaries",
                       .seed = request.seed};
  DpSum noise(
      shape, plan, [](std::uint32_t) { return Status(Done{}); }, sum);
  std::vector<UserIndex> cohort;
  // Every trial has people of its own, so that no noise is drawn twice.
  for (std::uint32_t n = 0; n < request.devices; ++n)
    cohort.push_back({trial * 2 * request.devices + (with ? request.devices : 0) + n});
  SumSpace space(shape.rows, shape.width);
  double projection = 0.0;
  for (std::uint32_t round = 0; round < request.rounds; ++round) {
    SOTTO_TRY_DONE(noise.begin({.round = round, .cohort = cohort, .shared = nullptr}));
    for (std::size_t n = 0; n < cohort.size(); ++n) {
      Contribution sent = n == 0 && with ? canary(request, fixed) : Contribution(shape.width);
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

Result<CanaryOutcome> play_canaries(const CanaryRequest& request, double promised, Executor& executor) {
  if (request.trials < 100)
    return fail(Code::usage, "--canaries must be at least 100: fewer trials prove nothing");
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
  return CanaryOutcome{epsilon_lower_bound(with, without, request.noise.delta), promised,
                       request.noise.delta};
}

}  // namespace sotto
