// Training speed of the four FPL configurations, through the real round logic, beside the obvious loop
// (plain_fpl.h), interleaved in one run. On MovieLens 1M where ../shared/data is, else on a generated
// world of its shape.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/plain_fpl.h"
#include "data/generate.h"
#include "lab/prepare.h"
#include "sim/federation.h"

namespace sotto {
namespace {

Split load() {
  const char* chosen = std::getenv("SOTTO_DATA");
  const std::filesystem::path folder =
      chosen != nullptr ? chosen : std::string(SOTTO_SOURCE_DIR) + "/../shared/data";
  const auto file = folder / "movielens-1m" / "ratings_ranked.tsv.zst";
  if (!std::filesystem::exists(file)) {
    fmt::print("generated world of MovieLens 1M's shape\n");
    return generate_split({.users = 6040, .items = 3706, .mean_interactions = 165.0, .seed = 1}).value();
  }
  fmt::print("MovieLens 1M, temporal 80/20\n");
  DataRequest request;
  request.paths = {file.string()};
  request.filter.min_user = 20;
  return std::move(prepare(request).value().split);
}

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const Split& split, const char* variant, std::uint32_t factors) {
  Plan plan;
  static_cast<void>(set_variant(plan, variant).ok());
  plan.fpl.factors = factors;
  plan.fpl.learning_rate = 0.001f;  // speed does not depend on it, and nothing diverges
  const Schedule schedule = schedule_for(plan, split.users.size(), split.train.interactions()).value();
  SerialExecutor serial;
  Federation<Fpl> federation(Fpl(plan.fpl, split.catalogue, plan.seed), plan, schedule, split.train, serial);
  PlainFpl plain(split.train, split.catalogue, plan, schedule);
  const std::uint64_t a_round = std::uint64_t{schedule.cohort} * schedule.triples;
  const auto rounds = static_cast<std::uint32_t>(std::max<std::uint64_t>(1'500'000 / a_round, 1));
  const auto plain_rounds = std::max<std::uint32_t>(rounds / 8, 1);
  std::vector<double> ours;
  std::vector<double> theirs;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double fast = seconds_of([&] { static_cast<void>(federation.run(rounds).value()); });
    const double slow = seconds_of([&] {
      for (std::uint32_t n = 0; n < plain_rounds; ++n) plain.run_round();
    });
    ours.push_back(static_cast<double>(rounds * a_round) / fast / 1e6);
    theirs.push_back(static_cast<double>(plain_rounds * a_round) / slow / 1e6);
  }
  fmt::print("{:<6} F={:<3} {:>7.2f} million triples/s   plain loop {:>5.2f}   ratio {:>5.1f}\n", variant,
             factors, median(ours), median(theirs), median(ours) / median(theirs));
}

}  // namespace
}  // namespace sotto

int main() {
  const sotto::Split split = sotto::load();
  fmt::print("one thread, medians of 5, interleaved\n");
  for (const std::uint32_t factors : {20u, 50u})
    for (const char* variant : {"sfpl", "sfpl+", "pfpl", "pfpl+"}) sotto::measure(split, variant, factors);
  return 0;
}
