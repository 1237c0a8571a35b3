// An epoch of iALS beside the machine: its useful floating-point operations a second as a share of the
// measured peak of fused multiply-adds, one thread's processor time; and two threads by the clock.
// Interleaved in one run.
//
// Useful: Σ over interactions F(F + 3) for the upper triangle of an outer product and the vector beside it,
// on both sides, and F³/3 + 3F² a row for its Cholesky and the two substitutions.
#include "bench/measure.h"
#include "bench/roofline.h"
#include "model/central/ials.h"
#include "sim/federation.h"
#include "sim/thread_pool.h"

namespace sotto::bench {
namespace {

constexpr int repeats = 5;

double useful_gflops(const Split& split, double factors) {
  const auto interactions = static_cast<double>(split.train.interactions());
  const auto rows = static_cast<double>(split.train.users() + split.catalogue);
  const double products = (2.0 * interactions + rows) * factors * (factors + 3.0);
  return (products + rows * (factors * factors * factors / 3.0 + 3.0 * factors * factors)) / 1e9;
}

void measure(const Split& split, std::uint32_t factors, bench::Figures& peak) {
  const AlsOptions options{.factors = factors, .lambda = 1.0f};
  const auto one = Ials::start(split.train, split.catalogue, options).value();
  const auto two = Ials::start(split.train, split.catalogue, options).value();
  SerialExecutor serial;
  ThreadPool pool(2);
  static_cast<void>(one->run_epoch(0, serial).value());
  static_cast<void>(two->run_epoch(0, pool).value());
  bench::Figures alone, alone_wall, together;
  for (std::uint32_t epoch = 1; epoch <= repeats; ++epoch) {
    peak.add(bench::peak_gflops());
    alone_wall.add(bench::wall_seconds_of([&] {
      alone.add(bench::seconds_of([&] { static_cast<void>(one->run_epoch(epoch, serial).value()); }));
    }));
    together.add(bench::wall_seconds_of([&] { static_cast<void>(two->run_epoch(epoch, pool).value()); }));
  }
  const double work = useful_gflops(split, factors);
  const bool same = hash_rows(one->items()) == hash_rows(two->items());
  fmt::print(
      "ials   F={:<3} {:>7.3f} s an epoch (least {:>6.3f})   {:>5.1f} GFLOP/s, {:>2.0f}% of the peak {:.0f}",
      factors, alone.median(), alone.least(), work / alone.median(),
      100.0 * work / alone.median() / peak.most(), peak.most());
  fmt::print("   two threads {:.2f}× by the clock, {}\n", alone_wall.median() / together.median(),
             same ? "same bytes" : "OTHER BYTES");
}

}  // namespace
}  // namespace sotto::bench

int main() {
  const sotto::bench::Split split = sotto::bench::movielens();
  fmt::print("medians of {}, interleaved\n", sotto::bench::repeats);
  sotto::bench::Figures peak;  // the most that was seen: others on the machine only lower it
  for (const std::uint32_t factors : {20u, 64u, 200u}) sotto::bench::measure(split, factors, peak);
  return 0;
}
