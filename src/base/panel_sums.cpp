#include "base/panel_sums.h"

#include "base/score_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/panel_sums.cpp"
#include <hwy/foreach_target.h>  // compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Four vectors at a time: enough additions under way that none waits for the last.
void sum_rows_any(const float* panel, const std::uint32_t* rows, std::size_t count, float* sums) {
  const hn::CappedTag<float, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t n = 0; n < panel_items; n += 4 * lanes) {
    auto a = hn::Zero(d), b = a, c = a, e = a;
    for (std::size_t k = 0; k < count; ++k) {
      const float* from = panel + std::size_t{rows[k]} * panel_items + n;
      a = hn::Add(a, hn::Load(d, from));
      b = hn::Add(b, hn::Load(d, from + lanes));
      c = hn::Add(c, hn::Load(d, from + 2 * lanes));
      e = hn::Add(e, hn::Load(d, from + 3 * lanes));
    }
    hn::Store(a, d, sums + n);
    hn::Store(b, d, sums + n + lanes);
    hn::Store(c, d, sums + n + 2 * lanes);
    hn::Store(e, d, sums + n + 3 * lanes);
  }
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::kernels {

HWY_EXPORT(sum_rows_any);

void sum_rows(const float* panel, std::span<const std::uint32_t> rows, float* sums) {
  HWY_DYNAMIC_DISPATCH(sum_rows_any)(panel, rows.data(), rows.size(), sums);
}

}  // namespace sotto::kernels
#endif
