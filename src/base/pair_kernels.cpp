#include "base/pair_kernels.h"

#include <atomic>
#include <cmath>
#include <type_traits>

#include "base/assert.h"
#include "base/fixed_point.h"
#include "base/math.h"

static_assert(sotto::base::kernels::most_steps % 16 == 0, "errors are computed sixteen at a time");

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/pair_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::base::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "base/vector_math.inc"

using Floats = hn::CappedTag<float, 16>;
using Ints = hn::Rebind<std::int32_t, Floats>;
using Row = hn::Vec<Floats>;

constexpr std::size_t row_lanes = 16;
constexpr std::size_t lanes_a_vector = hn::MaxLanes(Floats());
constexpr std::size_t vectors_a_line = row_lanes / lanes_a_vector;
static_assert(crowded_from + most_steps * std::int64_t{step_limit} <= std::int64_t{1} << 31,
              "a sum that is not crowded has room for a call's updates");

// The sum of own·(positive − negative) in 16 running lanes, its vectors folded in halves.
template <class Stride>
HWY_INLINE Row difference_lanes(const float* own, const float* positive, const float* negative,
                                Stride stride) {
  const Floats d;
  const auto apart = [&](std::size_t at) {
    return hn::Sub(hn::Load(d, positive + at), hn::Load(d, negative + at));
  };
  Row sums[vectors_a_line];
  for (std::size_t v = 0; v < vectors_a_line; ++v)
    sums[v] = hn::Mul(hn::Load(d, own + v * lanes_a_vector), apart(v * lanes_a_vector));
  for (std::size_t k = row_lanes; k < stride; k += row_lanes)
    for (std::size_t v = 0; v < vectors_a_line; ++v) {
      const std::size_t at = k + v * lanes_a_vector;
      sums[v] = fused(d, hn::Load(d, own + at), apart(at), sums[v]);
    }
  for (std::size_t half = vectors_a_line / 2; half > 0; half /= 2)
    for (std::size_t v = 0; v < half; ++v) sums[v] = hn::Add(sums[v], sums[v + half]);
  return sums[0];
}

#if HWY_TARGET == HWY_SCALAR
// The differences of up to 16 steps.
class Differences {
 public:
  template <class Step, class Stride>
  HWY_INLINE Differences(std::span<const Step> steps, Stride stride) {
    for (std::size_t n = 0; n < steps.size(); ++n)
      values_[n] = difference_lanes(steps[n].own, steps[n].positive, steps[n].negative, stride);
  }
  HWY_INLINE Row at(std::size_t n) const { return values_[n]; }

 private:
  Row values_[row_lanes] = {};
};
#else
using Few = hn::FixedTag<float, 4>;

template <class D>
HWY_INLINE hn::Vec<Few> halve_to_four(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) > 4) {
    const hn::Half<D> half;
    return halve_to_four(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    return v;
  }
}

// The differences of up to 16 steps, folded four at a time.
class Differences {
 public:
  template <class Step, class Stride>
  HWY_INLINE Differences(std::span<const Step> steps, Stride stride) {
    const Few d;
    const auto four = [&](std::size_t n) {
      // Steps that are not there repeat the last one; nobody reads theirs.
      const Step& step = steps[n < steps.size() ? n : steps.size() - 1];
      return halve_to_four(Floats(), difference_lanes(step.own, step.positive, step.negative, stride));
    };
    for (std::size_t n = 0; n < row_lanes / 4; ++n) fours_[n] = hn::Zero(d);
    for (std::size_t n = 0; n < steps.size(); n += 4) {
      const auto a = four(n);
      const auto b = four(n + 1);
      const auto c = four(n + 2);
      const auto e = four(n + 3);
      const auto ab = hn::Add(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
      const auto ce = hn::Add(hn::ConcatLowerLower(d, e, c), hn::ConcatUpperUpper(d, e, c));
      fours_[n / 4] = hn::Add(hn::ConcatEven(d, ce, ab), hn::ConcatOdd(d, ce, ab));
    }
  }
  // A vector of them from the n-th on. Joined in registers: narrow stores stall a wide load.
  HWY_INLINE Row at(std::size_t n) const { return join(Floats(), fours_ + n / 4); }

 private:
  template <class D>
  static HWY_INLINE hn::Vec<D> join(D d, const hn::Vec<Few>* fours) {
    if constexpr (hn::MaxLanes(d) > 4) {
      const hn::Half<D> half;
      return hn::Combine(d, join(half, fours + hn::MaxLanes(half) / 4), join(half, fours));
    } else {
      return fours[0];
    }
  }
  hn::Vec<Few> fours_[row_lanes / 4];
};
#endif

// The errors d = σ(−x̂) of some steps side by side; false where a difference left ±1e30.
template <class Step, class Stride>
HWY_INLINE bool errors_of(std::span<const Step> steps, Stride stride, float (&errors)[most_steps]) {
  const Floats d;
  bool finite = true;
  for (std::size_t first = 0; first < steps.size(); first += row_lanes) {
    const std::size_t left = steps.size() - first;
    const Differences differences(steps.subspan(first, left < row_lanes ? left : row_lanes), stride);
    for (std::size_t n = 0; n < row_lanes; n += lanes_a_vector) {
      const Row x = differences.at(n);
      hn::Store(error_of(d, x), d, errors + first + n);
      finite &= hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, 1e30f)));
    }
  }
  return finite;
}

// Σ −ln(1 − d) in units of 2^-20. Nobody waits for it: it comes last.
HWY_INLINE std::int64_t losses_of(const float (&errors)[most_steps], std::size_t count) {
  const Floats d;
  const Ints di;
  alignas(64) std::int32_t losses[most_steps];
  for (std::size_t n = 0; n < count; n += lanes_a_vector) {
    const Row right = hn::Max(hn::Sub(hn::Set(d, 1.0f), hn::Load(d, errors + n)), hn::Set(d, 1e-30f));
    const Row loss = hn::Mul(logarithm(d, right), hn::Set(d, -1048576.0f));
    hn::Store(hn::NearestInt(loss), di, losses + n);
  }
  std::int64_t sum = 0;
  for (std::size_t n = 0; n < count; ++n) sum += losses[n];
  return sum;
}

// `c` in every column but the bias', where it is `b`.
HWY_INLINE Row but_bias(float c, float b, std::size_t k, float bias) {
  const Floats d;
  const auto is_bias = hn::Eq(hn::Iota(d, static_cast<float>(k)), hn::Set(d, bias));
  return hn::IfThenElse(is_bias, hn::Set(d, b), hn::Set(d, c));
}

// A row of such coefficients; where the stride is a constant, made once a call.
template <class Stride>
class Coefficients {
 public:
  HWY_INLINE Coefficients(float c, float b, float bias) {
    for (std::size_t k = 0; k < Stride::value; k += lanes_a_vector)
      rows_[k / lanes_a_vector] = but_bias(c, b, k, bias);
  }
  HWY_INLINE Row at(std::size_t k) const { return rows_[k / lanes_a_vector]; }

 private:
  Row rows_[Stride::value / lanes_a_vector];
};
template <>
class Coefficients<std::size_t> {
 public:
  HWY_INLINE Coefficients(float c, float b, float bias) : c_(c), b_(b), bias_(bias) {}
  HWY_INLINE Row at(std::size_t k) const { return but_bias(c_, b_, k, bias_); }

 private:
  float c_;
  float b_;
  float bias_;
};

// round(a·p + c·q), held within ±step_limit.
HWY_INLINE hn::Vec<Ints> update_of(Row a, Row p, Row c, Row q) {
  const Floats d;
  const auto limit = static_cast<float>(step_limit);
  const Row value = fused(d, a, p, hn::Mul(c, q));
  const Row held = hn::Max(hn::Min(value, hn::Set(d, limit)), hn::Set(d, -limit));
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return hn::Vec<Ints>{_mm512_cvtps_epi32(held.raw)};  // without NearestInt's repair of overflows
#else
  return hn::NearestInt(held);
#endif
}

// The fixed-point update a·p + decay·q is added to `sum`; returns all magnitudes of the sum, or-ed.
template <class Stride>
HWY_INLINE hn::Vec<Ints> add_update(std::int32_t* sum, float a, const float* p,
                                    const Coefficients<Stride>& decay, const float* q, Stride stride) {
  const Floats d;
  const Ints di;
  auto seen = hn::Zero(di);
  for (std::size_t k = 0; k < stride; k += lanes_a_vector) {
    const auto update = update_of(hn::Set(d, a), hn::Load(d, p + k), decay.at(k), hn::Load(d, q + k));
    const auto total = hn::Add(hn::LoadU(di, sum + k), update);
    hn::StoreU(total, di, sum + k);
    seen = hn::Or(seen, hn::Abs(total));
  }
  return seen;
}

template <class Stride>
HWY_INLINE PairTotals pair_steps_of(std::span<const PairStep> steps, const PairRates r, Stride stride) {
  const Floats d;
  const Ints di;
  const auto bias = static_cast<float>(r.bias);
  const Coefficients<Stride> user_decay(-r.learning_rate * r.user_reg, 0.0f, bias);
  const Coefficients<Stride> positive_decay(-r.positive_reg * r.fixed_scale, 0.0f, bias);
  const Coefficients<Stride> negative_decay(-r.negative_reg * r.fixed_scale, 0.0f, bias);
  alignas(64) float errors[most_steps];
  PairTotals totals;
  totals.finite = errors_of(steps, stride, errors);
  for (std::size_t n = 0; n < steps.size(); ++n) {
    const PairStep& s = steps[n];
    const float* own = s.own;
    const float* positive = s.positive;
    const float* negative = s.negative;
    float* moved = s.moved;
    const float pull = errors[n] * r.fixed_scale;
    auto seen = hn::Zero(di);
    if (s.sum_negative != nullptr)
      seen = add_update(s.sum_negative, -pull, own, negative_decay, negative, stride);
    if (s.sum_positive != nullptr)
      seen = hn::Or(seen, add_update(s.sum_positive, pull, own, positive_decay, positive, stride));
    const bool crowded = !hn::AllFalse(di, hn::Gt(seen, hn::Set(di, crowded_from - 1)));
    totals.crowded |= static_cast<std::uint32_t>(crowded) << n;
    for (std::size_t k = 0; k < stride; k += lanes_a_vector) {
      const Row apart = hn::Sub(hn::Load(d, positive + k), hn::Load(d, negative + k));
      const Row toward = but_bias(r.learning_rate * errors[n], 0.0f, k, bias);
      const Row kept = fused(d, user_decay.at(k), hn::Load(d, own + k), hn::Load(d, moved + k));
      hn::Store(fused(d, toward, apart, kept), d, moved + k);
    }
  }
  totals.loss_units = losses_of(errors, steps.size());
  return totals;
}

// How a row changes by itself: by α times its fixed-point update, as a round of one user changes it, …
template <class Stride>
class FixedChange {
 public:
  explicit FixedChange(const PairRates& r)
      : scale_(r.fixed_scale), step_(r.learning_rate * (1.0f / r.fixed_scale)) {}
  [[nodiscard]] HWY_INLINE float scale() const { return scale_; }
  [[nodiscard]] HWY_INLINE Coefficients<Stride> decay(float reg, float bias) const {
    return {-reg * scale_, 0.0f, bias};
  }
  HWY_INLINE Row changed(Row row, Row pull, Row p, Row decay) const {
    const Floats d;
    return hn::Add(row, hn::Mul(hn::ConvertTo(d, update_of(pull, p, decay, row)), hn::Set(d, step_)));
  }

 private:
  float scale_;
  float step_;
};
// … or by the plain number, as central training does: α·d·p + (1 − α·λ)·q.
template <class Stride>
class PlainChange {
 public:
  explicit PlainChange(const PairRates& r) : scale_(r.learning_rate) {}
  [[nodiscard]] HWY_INLINE float scale() const { return scale_; }
  [[nodiscard]] HWY_INLINE Coefficients<Stride> decay(float reg, float bias) const {
    return {1.0f - scale_ * reg, 1.0f, bias};
  }
  HWY_INLINE Row changed(Row row, Row pull, Row p, Row decay) const {
    return fused(Floats(), pull, p, hn::Mul(decay, row));
  }

 private:
  float scale_;
};

template <class Change, class Stride>
HWY_INLINE PairTotals row_steps_of(std::span<const RowStep> steps, const PairRates r, Stride stride) {
  const Floats d;
  const Change change(r);
  const auto bias = static_cast<float>(r.bias);
  const Coefficients<Stride> user_decay(-r.learning_rate * r.user_reg, 0.0f, bias);
  const Coefficients<Stride> positive_decay = change.decay(r.positive_reg, bias);
  const Coefficients<Stride> negative_decay = change.decay(r.negative_reg, bias);
  alignas(64) float errors[most_steps];
  PairTotals totals;
  totals.finite = errors_of(steps, stride, errors);
  for (std::size_t n = 0; n < steps.size(); ++n) {
    float* own = steps[n].own;
    float* positive = steps[n].positive;
    float* negative = steps[n].negative;
    const bool send_positive = steps[n].send_positive;
    const Row pull = hn::Set(d, errors[n] * change.scale());
    const Row push = hn::Neg(pull);
    for (std::size_t k = 0; k < stride; k += lanes_a_vector) {
      const Row p = hn::Load(d, own + k);
      const Row i = hn::Load(d, positive + k);
      const Row j = hn::Load(d, negative + k);
      const Row toward = but_bias(r.learning_rate * errors[n], 0.0f, k, bias);
      hn::Store(fused(d, toward, hn::Sub(i, j), fused(d, user_decay.at(k), p, p)), d, own + k);
      hn::Store(change.changed(j, push, p, negative_decay.at(k)), d, negative + k);
      if (send_positive) hn::Store(change.changed(i, pull, p, positive_decay.at(k)), d, positive + k);
    }
  }
  totals.loss_units = losses_of(errors, steps.size());
  return totals;
}

template <std::size_t N>
using Constant = std::integral_constant<std::size_t, N>;

// The usual widths as constants, so that the loops unroll.
template <class Work>
HWY_INLINE PairTotals by_stride(std::size_t stride, const Work& work) {
  switch (stride) {
    case 16:
      return work(Constant<16>{});
    case 32:
      return work(Constant<32>{});
    case 64:
      return work(Constant<64>{});
    default:
      return work(stride);
  }
}

PairTotals pair_steps_any(std::span<const PairStep> steps, const PairRates& rates) {
  return by_stride(rates.stride, [&](auto stride) { return pair_steps_of(steps, rates, stride); });
}
PairTotals round_steps_any(std::span<const RowStep> steps, const PairRates& rates) {
  return by_stride(rates.stride, [&](auto stride) {
    return row_steps_of<FixedChange<decltype(stride)>>(steps, rates, stride);
  });
}
PairTotals central_steps_any(std::span<const RowStep> steps, const PairRates& rates) {
  return by_stride(rates.stride, [&](auto stride) {
    return row_steps_of<PlainChange<decltype(stride)>>(steps, rates, stride);
  });
}

}  // namespace sotto::base::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::base::kernels {

namespace {

HWY_EXPORT(pair_steps_any);
HWY_EXPORT(round_steps_any);
HWY_EXPORT(central_steps_any);

// The chosen target's functions, each looked up when it is first called: a program that calls one alone does
// not link the others.
constinit std::atomic<decltype(&pair_steps)> chosen_pair_steps = nullptr;
constinit std::atomic<decltype(&round_steps)> chosen_round_steps = nullptr, chosen_central_steps = nullptr;

template <class Steps, class LookUp>
Steps chosen(std::atomic<Steps>& known, const LookUp& look_up) {
  Steps steps = known.load(std::memory_order_relaxed);
  if (steps == nullptr) [[unlikely]] {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    steps = look_up();
    known.store(steps, std::memory_order_relaxed);
  }
  return steps;
}

}  // namespace

PairTotals pair_steps(std::span<const PairStep> steps, const PairRates& rates) {
  SOTTO_ASSERT(steps.size() <= most_steps, "a call takes so many steps");
  return chosen(chosen_pair_steps, [] { return &HWY_DYNAMIC_DISPATCH(pair_steps_any); })(steps, rates);
}
PairTotals round_steps(std::span<const RowStep> steps, const PairRates& rates) {
  SOTTO_ASSERT(steps.size() <= most_steps, "a call takes so many steps");
  return chosen(chosen_round_steps, [] { return &HWY_DYNAMIC_DISPATCH(round_steps_any); })(steps, rates);
}
PairTotals central_steps(std::span<const RowStep> steps, const PairRates& rates) {
  SOTTO_ASSERT(steps.size() <= most_steps, "a call takes so many steps");
  return chosen(chosen_central_steps, [] { return &HWY_DYNAMIC_DISPATCH(central_steps_any); })(steps, rates);
}

void refresh_pair_kernels() {
  chosen_pair_steps = nullptr;
  chosen_round_steps = nullptr;
  chosen_central_steps = nullptr;
}

}  // namespace sotto::base::kernels
#endif
