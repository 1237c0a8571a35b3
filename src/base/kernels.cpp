#include "base/kernels.h"

#include "base/fixed_point.h"
#include "base/pair_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::base::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

bool add_row_any(std::int32_t* sum, const std::int32_t* values, std::size_t stride) {
  const hn::CappedTag<std::int32_t, 16> d;
  auto seen = hn::Zero(d);
  for (std::size_t k = 0; k < stride; k += hn::MaxLanes(d)) {
    const auto total = hn::Add(hn::LoadU(d, sum + k), hn::LoadU(d, values + k));
    hn::StoreU(total, d, sum + k);
    seen = hn::Or(seen, hn::Abs(total));
  }
  return !hn::AllFalse(d, hn::Gt(seen, hn::Set(d, crowded_from - 1)));
}

void apply_narrow_any(float* row, const std::int32_t* sum, float step, std::size_t stride) {
  const hn::CappedTag<float, 16> d;
  const hn::Rebind<std::int32_t, decltype(d)> integers;
  const auto factor = hn::Set(d, step);
  for (std::size_t k = 0; k < stride; k += hn::MaxLanes(d)) {
    const auto change = hn::Mul(hn::ConvertTo(d, hn::LoadU(integers, sum + k)), factor);
    hn::StoreU(hn::Add(hn::LoadU(d, row + k), change), d, row + k);
  }
}

void apply_wide_any(float* row, const std::int64_t* sum, float step, std::size_t stride) {
  const hn::CappedTag<double, 8> wide;
  const hn::Rebind<std::int64_t, decltype(wide)> integers;
  const hn::Rebind<float, decltype(wide)> narrow;
  const auto factor = hn::Set(narrow, step);
  for (std::size_t k = 0; k < stride; k += hn::MaxLanes(wide)) {
    const auto total = hn::DemoteTo(narrow, hn::ConvertTo(wide, hn::LoadU(integers, sum + k)));
    hn::StoreU(hn::Add(hn::LoadU(narrow, row + k), hn::Mul(total, factor)), narrow, row + k);
  }
}

// The two halves of 64-bit products, lane by lane.
template <class V>
HWY_INLINE void multiply_wide(V a, V b, V& high, V& low) {
  const hn::CappedTag<std::uint32_t, 16> d;
#if HWY_TARGET == HWY_SCALAR
  const std::uint64_t product = std::uint64_t{hn::GetLane(a)} * hn::GetLane(b);
  high = hn::Set(d, static_cast<std::uint32_t>(product >> 32));
  low = hn::Set(d, static_cast<std::uint32_t>(product));
#else
  const auto even = hn::BitCast(d, hn::MulEven(a, b));
  const auto odd = hn::BitCast(d, hn::MulEven(hn::Shuffle2301(a), hn::Shuffle2301(b)));
  low = hn::OddEven(hn::Shuffle2301(odd), even);
  high = hn::OddEven(odd, hn::Shuffle2301(even));
#endif
}

void philox_blocks_any(const PhiloxRun& run, std::size_t count, std::uint32_t* words) {
  const hn::CappedTag<std::uint32_t, 16> d;
  using V = hn::Vec<decltype(d)>;
  const V multiplier_a = hn::Set(d, 0xD2511F53u);
  const V multiplier_b = hn::Set(d, 0xCD9E8D57u);
  for (std::size_t at = 0; at < count; at += hn::MaxLanes(d)) {
    V c0 = hn::LoadU(d, run.counters[0] + at);
    V c1 = hn::LoadU(d, run.counters[1] + at);
    V c2 = hn::LoadU(d, run.counters[2] + at);
    V c3 = hn::Set(d, run.purpose);
    std::uint32_t key0 = run.key[0];
    std::uint32_t key1 = run.key[1];
    for (int round = 0; round < 10; ++round) {
      V high_a;
      V low_a;
      V high_b;
      V low_b;
      multiply_wide(multiplier_a, c0, high_a, low_a);
      multiply_wide(multiplier_b, c2, high_b, low_b);
      c0 = hn::Xor(hn::Xor(high_b, c1), hn::Set(d, key0));
      c2 = hn::Xor(hn::Xor(high_a, c3), hn::Set(d, key1));
      c1 = low_b;
      c3 = low_a;
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    hn::StoreU(c0, d, words + at);
    hn::StoreU(c1, d, words + count + at);
    hn::StoreU(c2, d, words + 2 * count + at);
    hn::StoreU(c3, d, words + 3 * count + at);
  }
}

}  // namespace sotto::base::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::base::kernels {

namespace {

HWY_EXPORT(add_row_any);
HWY_EXPORT(apply_narrow_any);
HWY_EXPORT(apply_wide_any);
HWY_EXPORT(philox_blocks_any);

// The chosen target's functions, looked up once: a look-up a call would cost as much as a short row.
struct Table {
  bool (*add_row)(std::int32_t*, const std::int32_t*, std::size_t);
  void (*apply_narrow)(float*, const std::int32_t*, float, std::size_t);
  void (*apply_wide)(float*, const std::int64_t*, float, std::size_t);
  void (*philox_blocks)(const PhiloxRun&, std::size_t, std::uint32_t*);
};
Table look_up() {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return {&HWY_DYNAMIC_DISPATCH(add_row_any), &HWY_DYNAMIC_DISPATCH(apply_narrow_any),
          &HWY_DYNAMIC_DISPATCH(apply_wide_any), &HWY_DYNAMIC_DISPATCH(philox_blocks_any)};
}
Table table = look_up();

}  // namespace

bool add_row(std::int32_t* sum, const std::int32_t* values, std::size_t stride) {
  return table.add_row(sum, values, stride);
}
void apply_row(float* row, const std::int32_t* sum, float step, std::size_t stride) {
  table.apply_narrow(row, sum, step, stride);
}
void apply_row(float* row, const std::int64_t* sum, float step, std::size_t stride) {
  table.apply_wide(row, sum, step, stride);
}
void philox_blocks(const PhiloxRun& run, std::size_t count, std::uint32_t* words) {
  table.philox_blocks(run, count, words);
}

std::vector<std::int64_t> runnable_targets() { return hwy::SupportedAndGeneratedTargets(); }

void use_target(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  table = look_up();
  refresh_pair_kernels();
}

const char* target_name() {
  const auto targets = hwy::SupportedTargets();
  return hwy::TargetName(targets & -targets);
}

}  // namespace sotto::base::kernels
#endif
