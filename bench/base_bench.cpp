// The numbers that training is made of, each beside what it is measured against (the C library, the plain
// loop). Repetitions are interleaved, so that both sides of a comparison see the same machine.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/codec.h"
#include "base/fixed_point.h"
#include "base/math.h"
#include "base/rng.h"
#include "base/row_matrix.h"

namespace sotto::bench {
namespace {

std::vector<float> normals(std::size_t size) {
  Stream stream(1, Purpose::init_shared);
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(stream.normal());
  return values;
}

template <class F>
void over_normals(benchmark::State& state, F f) {
  const auto values = normals(4096);
  for (auto _ : state) {
    float sum = 0.0f;
    for (const float value : values) sum += static_cast<float>(f(value));
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * 4096);
}

void exp_ours(benchmark::State& state) { over_normals(state, exp_f32); }
void exp_library(benchmark::State& state) {
  over_normals(state, [](float x) { return std::exp(x); });
}
void quantise_ours(benchmark::State& state) {
  over_normals(state, [](float x) { return quantise(x * 0x1.0p20f); });
}

void below_stream(benchmark::State& state) {
  Stream stream(1, Purpose::draw_triples);
  for (auto _ : state) benchmark::DoNotOptimize(stream.below(3706));
}
void below_mersenne(benchmark::State& state) {
  std::mt19937 generator(1);
  std::uniform_int_distribution<std::uint32_t> below(0, 3705);
  for (auto _ : state) benchmark::DoNotOptimize(below(generator));
}

void dot_padded(benchmark::State& state) {
  const auto width = static_cast<std::size_t>(state.range(0));
  RowMatrix rows(2, width);
  for (auto _ : state) benchmark::DoNotOptimize(dot_rows(rows.row(0), rows.row(1), rows.stride()));
}
void dot_loop(benchmark::State& state) {
  const auto width = static_cast<std::size_t>(state.range(0));
  const auto values = normals(2 * width);
  for (auto _ : state) {
    float sum = 0.0f;
    for (std::size_t k = 0; k < width; ++k) sum += values[k] * values[width + k];
    benchmark::DoNotOptimize(sum);
  }
}

void codec_array(benchmark::State& state) {
  const auto values = normals(4096);
  for (auto _ : state) {
    Writer out;
    out.array(std::span<const float>(values));
    Reader in(out.view());
    benchmark::DoNotOptimize(in.array<float>().data());
  }
  state.SetBytesProcessed(state.iterations() * 4096 * static_cast<std::int64_t>(sizeof(float)));
}

BENCHMARK(exp_ours);
BENCHMARK(exp_library);
BENCHMARK(quantise_ours);
BENCHMARK(below_stream);
BENCHMARK(below_mersenne);
BENCHMARK(dot_padded)->Arg(20)->Arg(100);
BENCHMARK(dot_loop)->Arg(20)->Arg(100);
BENCHMARK(codec_array);

}  // namespace
}  // namespace sotto::bench

int main(int count, char** arguments) {
  std::string defaults[] = {"--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=5",
                            "--benchmark_report_aggregates_only=true", "--benchmark_min_time=0.1"};
  std::vector<char*> all{arguments[0]};
  for (std::string& one : defaults) all.push_back(one.data());
  all.insert(all.end(), arguments + 1, arguments + count);  // the caller's come last and win
  int total = static_cast<int>(all.size());
  benchmark::Initialize(&total, all.data());
  if (benchmark::ReportUnrecognizedArguments(total, all.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
