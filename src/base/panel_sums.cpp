#include "base/panel_sums.h"

#include "base/assert.h"
#include "base/score_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/panel_sums.cpp"
#include <hwy/foreach_target.h>  // compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::base::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Four vectors at a time: enough additions under way that none waits for the last.
template <bool weighted>
void sum_rows_by(const float* panel, const std::uint32_t* rows, const float* weights, std::size_t count,
                 float* sums) {
  const hn::CappedTag<float, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t n = 0; n < panel_items; n += 4 * lanes) {
    auto a = hn::Zero(d), b = a, c = a, e = a;
    for (std::size_t k = 0; k < count; ++k) {
      const float* from = panel + std::size_t{rows[k]} * panel_items + n;
      const auto term = [&](const float* at) {
        if constexpr (weighted) return hn::Mul(hn::Set(d, weights[k]), hn::Load(d, at));
        return hn::Load(d, at);
      };
      a = hn::Add(a, term(from));
      b = hn::Add(b, term(from + lanes));
      c = hn::Add(c, term(from + 2 * lanes));
      e = hn::Add(e, term(from + 3 * lanes));
    }
    hn::Store(a, d, sums + n);
    hn::Store(b, d, sums + n + lanes);
    hn::Store(c, d, sums + n + 2 * lanes);
    hn::Store(e, d, sums + n + 3 * lanes);
  }
}

void sum_rows_any(const float* panel, const std::uint32_t* rows, const float* weights, std::size_t count,
                  float* sums) {
  if (weights == nullptr) return sum_rows_by<false>(panel, rows, weights, count, sums);
  sum_rows_by<true>(panel, rows, weights, count, sums);
}

}  // namespace sotto::base::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::base::kernels {

HWY_EXPORT(sum_rows_any);

void sum_rows(const float* panel, std::span<const std::uint32_t> rows, float* sums) {
  HWY_DYNAMIC_DISPATCH(sum_rows_any)(panel, rows.data(), nullptr, rows.size(), sums);
}

void sum_rows(const float* panel, std::span<const std::uint32_t> rows, std::span<const float> weights,
              float* sums) {
  SOTTO_ASSERT(weights.size() == rows.size(), "each row has its weight");
  HWY_DYNAMIC_DISPATCH(sum_rows_any)(panel, rows.data(), weights.data(), rows.size(), sums);
}

}  // namespace sotto::base::kernels
#endif
