// Speed of central BPR-MF, uniform triples with rejection and bias: one thread's processor time and two
// threads by the clock, beside the obvious loop (plain_bpr.h), interleaved in one run.
#include "bench/measure.h"
#include "bench/plain_bpr.h"
#include "bench/roofline.h"
#include "sim/federation.h"
#include "sim/thread_pool.h"

namespace sotto::bench {
namespace {

constexpr int repeats = 15;
constexpr std::uint32_t epochs_a_repeat = 4;

void measure(const Split& split, std::uint32_t factors) {
  BprMfOptions options;
  options.factors = factors;
  const auto one = BprMf::start(split.train, split.catalogue, options).value();
  const auto two = BprMf::start(split.train, split.catalogue, options).value();
  PlainBpr plain(split.train, split.catalogue, options);
  SerialExecutor serial;
  ThreadPool pool(2);
  const auto steps = static_cast<double>(split.train.interactions() * epochs_a_repeat);
  const double plain_steps = steps / 16;
  bench::Figures alone, alone_wall, together, obvious, peak;
  std::uint32_t epoch = 0;
  const auto run = [&](BprMf& model, Executor& executor) {
    for (std::uint32_t n = 0; n < epochs_a_repeat; ++n)
      static_cast<void>(model.run_epoch(epoch + n, executor).value());
  };
  for (int repeat = 0; repeat < repeats; ++repeat, epoch += epochs_a_repeat) {
    peak.add(bench::peak_gflops());
    alone_wall.add(bench::wall_seconds_of(
        [&] { alone.add(steps / 1e6 / bench::seconds_of([&] { run(*one, serial); })); }));
    together.add(steps / 1e6 / bench::wall_seconds_of([&] { run(*two, pool); }));
    obvious.add(plain_steps / 1e6 / bench::seconds_of([&] {
                  for (double n = 0; n < plain_steps; ++n) plain.step();
                }));
  }
  bench::Figures gain;
  for (int n = 0; n < repeats; ++n)
    gain.add(together.values[static_cast<std::size_t>(n)] * alone_wall.values[static_cast<std::size_t>(n)] /
             (steps / 1e6));
  const bool same = hash_rows(one->items()) == hash_rows(two->items());
  fmt::print(
      "bprmf  F={:<3} {:>6.2f} million triples/s (most {:>5.2f})   plain loop {:>5.2f}   ratio {:>4.1f}",
      factors, alone.median(), alone.most(), obvious.median(), alone.median() / obvious.median());
  fmt::print("   two threads {:>6.2f} ({:.2f}× by the clock, most {:.2f}, {})   peak {:.0f} GFLOP/s\n",
             together.median(), gain.median(), gain.most(), same ? "same bytes" : "OTHER BYTES",
             peak.median());
}

}  // namespace
}  // namespace sotto::bench

int main() {
  const sotto::bench::Split split = sotto::bench::movielens();
  fmt::print("medians of {}, interleaved\n", sotto::bench::repeats);
  for (const std::uint32_t factors : {20u, 50u}) sotto::bench::measure(split, factors);
  return 0;
}
