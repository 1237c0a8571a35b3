#include "bench/roofline.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/roofline.cpp"
#include <hwy/foreach_target.h>  // compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `rounds` steps of twelve chains that do not wait for each other; returns their lanes, summed.
float multiply_add_any(std::uint64_t rounds, float factor, std::uint64_t& flops) {
  const hn::ScalableTag<float> d;
  const auto a = hn::Set(d, factor);
  auto c0 = hn::Set(d, 0.0f), c1 = hn::Set(d, 1.0f), c2 = hn::Set(d, 2.0f), c3 = hn::Set(d, 3.0f);
  auto c4 = hn::Set(d, 4.0f), c5 = hn::Set(d, 5.0f), c6 = hn::Set(d, 6.0f), c7 = hn::Set(d, 7.0f);
  auto c8 = hn::Set(d, 8.0f), c9 = hn::Set(d, 9.0f), c10 = hn::Set(d, 10.0f), c11 = hn::Set(d, 11.0f);
  for (std::uint64_t n = 0; n < rounds; ++n) {
    c0 = hn::MulAdd(c0, a, a), c1 = hn::MulAdd(c1, a, a), c2 = hn::MulAdd(c2, a, a);
    c3 = hn::MulAdd(c3, a, a), c4 = hn::MulAdd(c4, a, a), c5 = hn::MulAdd(c5, a, a);
    c6 = hn::MulAdd(c6, a, a), c7 = hn::MulAdd(c7, a, a), c8 = hn::MulAdd(c8, a, a);
    c9 = hn::MulAdd(c9, a, a), c10 = hn::MulAdd(c10, a, a), c11 = hn::MulAdd(c11, a, a);
  }
  const auto low = hn::Add(hn::Add(hn::Add(c0, c1), hn::Add(c2, c3)), hn::Add(c4, c5));
  const auto high = hn::Add(hn::Add(hn::Add(c6, c7), hn::Add(c8, c9)), hn::Add(c10, c11));
  flops = rounds * 12 * 2 * hn::Lanes(d);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high)));
}

float read_any(const float* values, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t n = hn::Lanes(d);
  auto a = hn::Zero(d), b = hn::Zero(d), c = hn::Zero(d), e = hn::Zero(d);
  for (std::size_t k = 0; k + 4 * n <= count; k += 4 * n) {
    a = hn::Add(a, hn::LoadU(d, values + k));
    b = hn::Add(b, hn::LoadU(d, values + k + n));
    c = hn::Add(c, hn::LoadU(d, values + k + 2 * n));
    e = hn::Add(e, hn::LoadU(d, values + k + 3 * n));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

}  // namespace sotto::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::bench {

namespace {

HWY_EXPORT(multiply_add_any);
HWY_EXPORT(read_any);

volatile float kept;  // so that nothing measured is left out

template <class Work>
double best_seconds(int repeats, const Work& work) {
  double best = 1e30;
  for (int n = 0; n < repeats; ++n) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

double peak_gflops() {
  std::uint64_t flops = 0;
  const double seconds =
      best_seconds(9, [&] { kept = HWY_DYNAMIC_DISPATCH(multiply_add_any)(2'000'000, 0.5f, flops); });
  return static_cast<double>(flops) / seconds / 1e9;
}

double read_gbytes() {
  const std::vector<float> values(std::size_t{64} << 20, 1.0f);  // far more than any cache
  const double seconds =
      best_seconds(5, [&] { kept = HWY_DYNAMIC_DISPATCH(read_any)(values.data(), values.size()); });
  return static_cast<double>(values.size() * sizeof(float)) / seconds / 1e9;
}

}  // namespace sotto::bench
#endif
