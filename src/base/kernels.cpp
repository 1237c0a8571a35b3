#include "base/kernels.h"

#include "base/fixed_point.h"
#include "base/math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Ints = hn::Rebind<std::int32_t, Floats>;
using Row = hn::Vec<Floats>;

constexpr std::size_t row_lanes = 16;

// Folds a vector's lanes in halves: l += l + half, down to lane 0.
#if HWY_TARGET == HWY_SCALAR
template <class D, class V>
HWY_INLINE float fold_lanes(D /*d*/, V v) {
  return hn::GetLane(v);
}
#else
template <class D, class V>
HWY_INLINE float fold_lanes(D d, V v) {
  if constexpr (hn::MaxLanes(d) > 4) {
    const hn::Half<D> half;
    return fold_lanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    const auto pairs = hn::Add(v, hn::Shuffle1032(v));
    return hn::GetLane(hn::Add(pairs, hn::Shuffle2301(pairs)));
  }
}
#endif

// The sum over 16 running lanes, held in 16/N vectors: vectors are folded in halves first.
template <std::size_t Vectors>
HWY_INLINE float fold_row(const Row (&lanes)[Vectors]) {
  const Floats d;
  if constexpr (Vectors == 1) {
    return fold_lanes(d, lanes[0]);
  } else {
    Row halved[Vectors / 2];
    for (std::size_t v = 0; v < Vectors / 2; ++v) halved[v] = hn::Add(lanes[v], lanes[v + Vectors / 2]);
    return fold_row(halved);
  }
}

// own·(positive − negative), summed in the order of dot_rows.
HWY_INLINE float difference_of(const float* own, const float* positive, const float* negative,
                               std::size_t stride) {
  const Floats d;
  constexpr std::size_t n = hn::MaxLanes(d);
  const auto product = [&](std::size_t at) {
    return hn::Mul(hn::Load(d, own + at), hn::Sub(hn::Load(d, positive + at), hn::Load(d, negative + at)));
  };
  Row lanes[row_lanes / n];
  for (std::size_t v = 0; v < row_lanes / n; ++v) lanes[v] = product(v * n);
  for (std::size_t k = row_lanes; k < stride; k += row_lanes)
    for (std::size_t v = 0; v < row_lanes / n; ++v) lanes[v] = hn::Add(lanes[v], product(k + v * n));
  return fold_row(lanes);
}

// out = round(a·x + c·y); the bias column is a alone, since x is 1 there and it is not regularised.
template <class Stride>
HWY_INLINE void quantise_update(std::int32_t* out, float a, const float* x, float c, const float* y,
                                Stride stride, std::size_t bias) {
  const Floats d;
  const Ints di;
  const Row limit = hn::Set(d, static_cast<float>(fixed_limit));
  const Row low = hn::Set(d, -static_cast<float>(fixed_limit));
  const Row va = hn::Set(d, a);
  const Row vc = hn::Set(d, c);
  for (std::size_t k = 0; k < stride; k += hn::MaxLanes(d)) {
    const Row value = hn::Add(hn::Mul(va, hn::Load(d, x + k)), hn::Mul(vc, hn::Load(d, y + k)));
    hn::StoreU(hn::NearestInt(hn::Max(hn::Min(value, limit), low)), di, out + k);
  }
  out[bias] = quantise(a);
}

// sigmoid_f32 in every lane, the same operations in the same order.
template <class D, class V>
HWY_INLINE V sigmoid(D d, V x) {
  const hn::Rebind<std::int32_t, D> di;
  const auto f = [&](float value) { return hn::Set(d, value); };
  const V y = hn::Max(hn::Min(hn::Neg(x), f(87.0f)), f(-87.0f));
  const V n = hn::Sub(hn::Add(hn::Mul(y, f(1.44269504f)), f(12582912.0f)), f(12582912.0f));
  const V r = hn::Add(hn::Sub(y, hn::Mul(n, f(0.693359375f))), hn::Mul(n, f(2.12194440e-4f)));
  V p = f(1.9875691500e-4f);
  for (const float c :
       {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f})
    p = hn::Add(hn::Mul(p, r), f(c));
  p = hn::Add(hn::Add(hn::Mul(hn::Mul(p, r), r), r), f(1.0f));
  const auto exponent = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127)));
  return hn::Div(f(1.0f), hn::Add(f(1.0f), hn::Mul(p, hn::BitCast(d, exponent))));
}

template <class Stride>
HWY_INLINE void send_and_move(const PairStep& s, const PairRates& r, float error, Stride stride) {
  const Floats d;
  const float scale = r.fixed_scale;
  if (s.out_negative != nullptr)
    quantise_update(s.out_negative, -error * scale, s.own, -r.negative_reg * scale, s.negative, stride,
                    s.bias);
  if (s.out_positive != nullptr)
    quantise_update(s.out_positive, error * scale, s.own, -r.positive_reg * scale, s.positive, stride,
                    s.bias);
  const Row pull = hn::Set(d, r.learning_rate * error);
  const Row decay = hn::Set(d, r.learning_rate * r.user_reg);
  for (std::size_t k = 0; k < stride; k += hn::MaxLanes(d)) {
    const Row toward = hn::Mul(pull, hn::Sub(hn::Load(d, s.positive + k), hn::Load(d, s.negative + k)));
    const Row step = hn::Sub(toward, hn::Mul(decay, hn::Load(d, s.own + k)));
    hn::Store(hn::Add(hn::Load(d, s.moved + k), step), d, s.moved + k);
  }
  s.moved[s.bias] = 1.0f;
}

// `Stride` is a constant for the usual widths, so that the loops unroll.
template <class Stride>
HWY_INLINE void pair_steps_of(std::span<const PairStep> steps, const PairRates& rates, PairResult* results,
                              Stride stride) {
  const hn::CappedTag<float, most_steps> d;
  float differences[most_steps] = {};
  float errors[most_steps];
  for (std::size_t n = 0; n < steps.size(); ++n)
    differences[n] = difference_of(steps[n].own, steps[n].positive, steps[n].negative, stride);
  for (std::size_t n = 0; n < steps.size(); n += hn::MaxLanes(d))
    hn::StoreU(sigmoid(d, hn::Neg(hn::LoadU(d, differences + n))), d, errors + n);
  for (std::size_t n = 0; n < steps.size(); ++n) {
    send_and_move(steps[n], rates, errors[n], stride);
    results[n] = {differences[n], errors[n]};
  }
}

template <std::size_t N>
using Constant = std::integral_constant<std::size_t, N>;

void pair_steps_any(std::span<const PairStep> steps, const PairRates& rates, PairResult* results) {
  switch (steps[0].stride) {
    case 16:
      return pair_steps_of(steps, rates, results, Constant<16>{});
    case 32:
      return pair_steps_of(steps, rates, results, Constant<32>{});
    case 64:
      return pair_steps_of(steps, rates, results, Constant<64>{});
    default:
      return pair_steps_of(steps, rates, results, steps[0].stride);
  }
}

void add_row_any(std::int64_t* sum, const std::int32_t* values, std::size_t stride, bool is_new) {
  const hn::CappedTag<std::int64_t, 8> wide;
  const hn::Rebind<std::int32_t, decltype(wide)> narrow;
  for (std::size_t k = 0; k < stride; k += hn::MaxLanes(wide)) {
    const auto more = hn::PromoteTo(wide, hn::LoadU(narrow, values + k));
    hn::StoreU(is_new ? more : hn::Add(hn::LoadU(wide, sum + k), more), wide, sum + k);
  }
}

void apply_row_any(float* row, const std::int64_t* sum, double step, std::size_t stride) {
  const hn::CappedTag<double, 8> wide;
  const hn::Rebind<std::int64_t, decltype(wide)> integers;
  const hn::Rebind<float, decltype(wide)> narrow;
  const auto factor = hn::Set(wide, step);
  for (std::size_t k = 0; k < stride; k += hn::MaxLanes(wide)) {
    const auto change = hn::Mul(hn::ConvertTo(wide, hn::LoadU(integers, sum + k)), factor);
    hn::StoreU(hn::Add(hn::LoadU(narrow, row + k), hn::DemoteTo(narrow, change)), narrow, row + k);
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

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::kernels {

namespace {

HWY_EXPORT(pair_steps_any);
HWY_EXPORT(add_row_any);
HWY_EXPORT(apply_row_any);
HWY_EXPORT(philox_blocks_any);

// The chosen target's functions, looked up once: a look-up a call would cost as much as a short row.
struct Table {
  void (*pair_steps)(std::span<const PairStep>, const PairRates&, PairResult*);
  void (*add_row)(std::int64_t*, const std::int32_t*, std::size_t, bool);
  void (*apply_row)(float*, const std::int64_t*, double, std::size_t);
  void (*philox_blocks)(const PhiloxRun&, std::size_t, std::uint32_t*);
};
Table look_up() {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return {&HWY_DYNAMIC_DISPATCH(pair_steps_any), &HWY_DYNAMIC_DISPATCH(add_row_any),
          &HWY_DYNAMIC_DISPATCH(apply_row_any), &HWY_DYNAMIC_DISPATCH(philox_blocks_any)};
}
Table table = look_up();

}  // namespace

void pair_steps(std::span<const PairStep> steps, const PairRates& rates, PairResult* results) {
  table.pair_steps(steps, rates, results);
}
void add_row(std::int64_t* sum, const std::int32_t* values, std::size_t stride, bool is_new) {
  table.add_row(sum, values, stride, is_new);
}
void apply_row(float* row, const std::int64_t* sum, double step, std::size_t stride) {
  table.apply_row(row, sum, step, stride);
}
void philox_blocks(const PhiloxRun& run, std::size_t count, std::uint32_t* words) {
  table.philox_blocks(run, count, words);
}

std::vector<std::int64_t> runnable_targets() { return hwy::SupportedAndGeneratedTargets(); }

void use_target(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  table = look_up();
}

const char* target_name() {
  const auto targets = hwy::SupportedTargets();
  return hwy::TargetName(targets & -targets);
}

}  // namespace sotto::kernels
#endif
