// The kernels of training on rows that stay in the nearest cache, on each instruction set this machine runs.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/kernels.h"
#include "base/pair_kernels.h"
#include "base/rng.h"
#include "base/row_matrix.h"

namespace sotto::bench {
namespace {

struct Rows {
  RowMatrix rows;
  AlignedBuffer<std::int32_t> sums;
  std::vector<kernels::PairStep> pair_steps;
  std::vector<kernels::RowStep> row_steps;
  kernels::PairRates rates;

  explicit Rows(std::size_t factors)
      : rows(3 * kernels::most_steps, factors + 1), sums(2 * kernels::most_steps * rows.stride()) {
    std::fill_n(sums.data(), sums.size(), 0);
    Stream draws(1, Purpose::init_shared);
    for (std::size_t r = 0; r < rows.rows(); ++r)
      for (float& value : rows.values(r)) value = 0.1f * static_cast<float>(draws.normal());
    for (std::size_t n = 0; n < kernels::most_steps; ++n) {
      float* own = rows.row(3 * n);
      own[factors] = 1.0f;
      std::int32_t* sum = sums.data() + 2 * n * rows.stride();
      pair_steps.push_back({rows.row(3 * n + 1), rows.row(3 * n + 2), own, own, sum, sum + rows.stride()});
      row_steps.push_back({own, rows.row(3 * n + 1), rows.row(3 * n + 2), true});
    }
    rates = {.fixed_scale = 1048576.0f,
             .learning_rate = 1e-6f,
             .user_reg = 0.0025f,
             .positive_reg = 0.0025f,
             .negative_reg = 0.00025f,
             .stride = rows.stride(),
             .bias = factors};
  }
};

// A run of 32 steps at a time; the rate is small, so that rows stay where they are.
template <class Steps>
void add(const std::string& name, std::size_t factors, std::int64_t target, Steps steps) {
  benchmark::RegisterBenchmark(name.c_str(), [factors, target, steps](benchmark::State& state) {
    kernels::use_target(target);
    Rows rows(factors);
    for (auto _ : state) {
      benchmark::DoNotOptimize(steps(rows));
      std::fill_n(rows.sums.data(), rows.sums.size(), 0);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kernels::most_steps));
    kernels::use_target(0);
  });
}

void add_all() {
  for (const std::int64_t target : kernels::runnable_targets()) {
    kernels::use_target(target);
    for (const std::size_t factors : {20u, 50u}) {
      const std::string end = "/F" + std::to_string(factors) + "/" + kernels::target_name();
      add("pair_steps" + end, factors, target,
          [](Rows& r) { return kernels::pair_steps(r.pair_steps, r.rates); });
      add("round_steps" + end, factors, target,
          [](Rows& r) { return kernels::round_steps(r.row_steps, r.rates); });
      add("central_steps" + end, factors, target,
          [](Rows& r) { return kernels::central_steps(r.row_steps, r.rates); });
    }
  }
  kernels::use_target(0);
}

}  // namespace
}  // namespace sotto::bench

int main(int count, char** words) {
  benchmark::Initialize(&count, words);
  sotto::bench::add_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
