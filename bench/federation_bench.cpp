// Training speed of the four FPL configurations, through the real round logic, one thread's processor time,
// beside the obvious loop (plain_fpl.h), interleaved in one run.
#include "bench/measure.h"
#include "bench/plain_fpl.h"
#include "bench/roofline.h"
#include "sim/federation.h"

namespace sotto::bench {
namespace {

constexpr int repeats = 9;

void measure(const Split& split, const char* variant, std::uint32_t factors) {
  Plan plan;
  static_cast<void>(set_variant(plan, variant).ok());
  plan.fpl.factors = factors;
  plan.fpl.learning_rate = 0.001f;  // speed does not depend on it, and nothing diverges
  const Schedule schedule = schedule_for(plan, split.users.size(), split.train.interactions()).value();
  SerialExecutor serial;
  FplFederation federation(Fpl(plan.fpl, split.catalogue, plan.seed), plan, schedule, split.train, serial);
  PlainFpl plain(split.train, split.catalogue, plan, schedule);
  const std::uint64_t a_round = std::uint64_t{schedule.cohort} * schedule.triples;
  const auto rounds = static_cast<std::uint32_t>(std::max<std::uint64_t>(1'500'000 / a_round, 1));
  const auto plain_rounds = std::max<std::uint32_t>(rounds / 8, 1);
  bench::Figures ours, theirs, peak;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    peak.add(bench::peak_gflops());
    const double fast = bench::seconds_of([&] { static_cast<void>(federation.run(rounds).value()); });
    const double slow = bench::seconds_of([&] {
      for (std::uint32_t n = 0; n < plain_rounds; ++n) plain.run_round();
    });
    ours.add(static_cast<double>(rounds * a_round) / fast / 1e6);
    theirs.add(static_cast<double>(plain_rounds * a_round) / slow / 1e6);
  }
  fmt::print(
      "{:<6} F={:<3} {:>6.2f} million triples/s (most {:>5.2f})   plain loop {:>5.2f}   ratio {:>5.1f}   "
      "peak "
      "{:.0f} GFLOP/s\n",
      variant, factors, ours.median(), ours.most(), theirs.median(), ours.median() / theirs.median(),
      peak.median());
}

}  // namespace
}  // namespace sotto::bench

int main() {
  const sotto::bench::Split split = sotto::bench::movielens();
  fmt::print("one thread, medians of {}, interleaved\n", sotto::bench::repeats);
  for (const std::uint32_t factors : {20u, 50u})
    for (const char* variant : {"sfpl", "sfpl+", "pfpl", "pfpl+"})
      sotto::bench::measure(split, variant, factors);
  return 0;
}
