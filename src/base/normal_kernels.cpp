#include "base/normal_kernels.h"

#include <algorithm>
#include <cmath>

#include "base/aligned_buffer.h"
#include "base/fixed_point.h"
#include "base/math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/normal_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::base::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "base/vector_math.inc"

using Floats = hn::CappedTag<float, 16>;
using Ints = hn::Rebind<std::int32_t, Floats>;
using Lanes = hn::Vec<Floats>;

constexpr std::size_t lanes = hn::MaxLanes(Floats());
constexpr std::size_t line_floats = 16;
// A tile in registers: 8 rows × 2 vectors of 32 registers, 4 × 2 of 16.
constexpr std::size_t tile_rows = lanes == 16 ? 8 : 4;
constexpr std::size_t panel = 8;  // rows of a Cholesky step

// sums −= or += the products of columns i0 … and j0 … of `count` rows, in `Rows` × `Vectors` registers.
template <std::size_t Rows, std::size_t Vectors, bool Minus, class RowAt>
HWY_INLINE void product_tile(const RowAt& row_at, std::size_t count, std::size_t i0, std::size_t j0,
                             float* sums, std::size_t stride) {
  const Floats d;
  Lanes total[Rows][Vectors];
  for (std::size_t r = 0; r < Rows; ++r)
    for (std::size_t v = 0; v < Vectors; ++v)
      total[r][v] = hn::Load(d, sums + (i0 + r) * stride + j0 + v * lanes);
  for (std::size_t n = 0; n < count; ++n) {
    const float* row = row_at(n);
    Lanes right[Vectors];
    for (std::size_t v = 0; v < Vectors; ++v) right[v] = hn::Load(d, row + j0 + v * lanes);
    for (std::size_t r = 0; r < Rows; ++r) {
      const Lanes left = hn::Set(d, Minus ? -row[i0 + r] : row[i0 + r]);
      for (std::size_t v = 0; v < Vectors; ++v) total[r][v] = fused(d, left, right[v], total[r][v]);
    }
  }
  for (std::size_t r = 0; r < Rows; ++r)
    for (std::size_t v = 0; v < Vectors; ++v)
      hn::Store(total[r][v], d, sums + (i0 + r) * stride + j0 + v * lanes);
}

// `Rows` rows of sums from the diagonal on.
template <std::size_t Rows, bool Minus, class RowAt>
HWY_INLINE void product_rows(const RowAt& row_at, std::size_t count, std::size_t i0, float* sums,
                             std::size_t stride) {
  std::size_t j0 = i0 / lanes * lanes;
  for (; j0 + 2 * lanes <= stride; j0 += 2 * lanes)
    product_tile<Rows, 2, Minus>(row_at, count, i0, j0, sums, stride);
  if (j0 < stride) product_tile<Rows, 1, Minus>(row_at, count, i0, j0, sums, stride);
}

void add_products_any(std::span<const float* const> rows, std::size_t factors, std::size_t stride,
                      float* sums) {
  // So many rows stay in the nearest cache while every tile goes over them.
  const std::size_t block = std::max<std::size_t>(std::size_t{8192} / stride, 16);
  for (std::size_t first = 0; first < rows.size(); first += block) {
    const float* const* some = rows.data() + first;
    const std::size_t count = std::min(block, rows.size() - first);
    const auto row_at = [some](std::size_t n) { return some[n]; };
    std::size_t i0 = 0;
    for (; i0 + tile_rows <= factors; i0 += tile_rows)
      product_rows<tile_rows, false>(row_at, count, i0, sums, stride);
    for (; i0 < factors; i0 += 4) product_rows<4, false>(row_at, count, i0, sums, stride);
  }
}

// The small square on the diagonal: its own Cholesky. steps[s][r] is −U[s][r], scales[s] = 1 / U[s][s].
HWY_INLINE bool factor_corner(const float* corner, std::size_t size, std::size_t stride,
                              float (&steps)[panel][panel], float (&scales)[panel]) {
  float work[panel][panel];
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = r; c < size; ++c) work[r][c] = corner[r * stride + c];
  for (std::size_t s = 0; s < size; ++s) {
    if (!(work[s][s] > 0.0f)) return false;
    scales[s] = 1.0f / std::sqrt(work[s][s]);
    for (std::size_t c = s; c < size; ++c) work[s][c] *= scales[s];
    for (std::size_t r = s + 1; r < size; ++r) {
      steps[s][r] = -work[s][r];
      for (std::size_t c = r; c < size; ++c) work[r][c] = std::fma(steps[s][r], work[s][c], work[r][c]);
    }
  }
  return true;
}

// Rows i0 … i0 + size − 1 of U, from what the rows above have left of them.
template <std::size_t Size>
HWY_INLINE bool factor_panel(float* matrix, std::size_t i0, std::size_t stride, float* inverse) {
  const Floats d;
  float steps[panel][panel];
  float scales[panel];
  float* rows = matrix + i0 * stride;
  if (!factor_corner(rows + i0, Size, stride, steps, scales)) return false;
  std::copy_n(scales, Size, inverse + i0);
  for (std::size_t j = i0 / lanes * lanes; j < stride; j += lanes) {
    Lanes values[Size];
    for (std::size_t r = 0; r < Size; ++r) values[r] = hn::Load(d, rows + r * stride + j);
    for (std::size_t s = 0; s < Size; ++s) {
      values[s] = hn::Mul(values[s], hn::Set(d, scales[s]));
      for (std::size_t r = s + 1; r < Size; ++r)
        values[r] = fused(d, hn::Set(d, steps[s][r]), values[s], values[r]);
    }
    for (std::size_t r = 0; r < Size; ++r) hn::Store(values[r], d, rows + r * stride + j);
  }
  return true;
}

template <std::size_t Size>
HWY_INLINE bool panel_step(float* matrix, std::size_t i0, std::size_t stride, float* inverse) {
  const auto row_at = [=](std::size_t n) { return matrix + n * stride; };
  constexpr std::size_t rows = Size < 4 ? Size : tile_rows < Size ? tile_rows : Size;
  for (std::size_t r = 0; r < Size; r += rows) product_rows<rows, true>(row_at, i0, i0 + r, matrix, stride);
  return factor_panel<Size>(matrix, i0, stride, inverse);
}

HWY_INLINE bool last_panel(float* matrix, std::size_t i0, std::size_t size, std::size_t stride,
                           float* inverse) {
  for (std::size_t n = 0; n < size; ++n)
    if (!panel_step<1>(matrix, i0 + n, stride, inverse)) return false;
  return true;
}

// U with UᵀU the matrix, in its place, and in column F the solution of Uᵀy = t.
bool factor(float* matrix, std::size_t factors, std::size_t stride, float* inverse) {
  std::size_t i0 = 0;
  for (; i0 + panel <= factors; i0 += panel)
    if (!panel_step<panel>(matrix, i0, stride, inverse)) return false;
  for (; i0 + 4 <= factors; i0 += 4)
    if (!panel_step<4>(matrix, i0, stride, inverse)) return false;
  return last_panel(matrix, i0, factors - i0, stride, inverse);
}

// gram + weight · S + reg · I, and (1 + weight) · t in column F.
HWY_INLINE void set_up(const WeightedSystem& system) {
  const Floats d;
  const Lanes weight = hn::Set(d, system.weight);
  for (std::size_t i = 0; i < system.factors; ++i) {
    float* row = system.sums + i * system.stride;
    const float* gram = system.gram + i * system.stride;
    const float t = row[system.factors];
    for (std::size_t j = i / lanes * lanes; j < system.stride; j += lanes)
      hn::Store(fused(d, weight, hn::Load(d, row + j), hn::Load(d, gram + j)), d, row + j);
    row[i] += system.reg;
    row[system.factors] = (1.0f + system.weight) * t;
    std::fill(row + system.factors + 1, row + system.stride, 0.0f);
  }
}

// A sum of 16 lanes, folded in halves.
HWY_INLINE float folded(float* values) {
  for (std::size_t half = line_floats / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) values[l] += values[l + half];
  return values[0];
}

HWY_INLINE float dot_from(const float* a, const float* b, std::size_t from, std::size_t stride) {
  const Floats d;
  constexpr std::size_t vectors = line_floats / lanes;
  Lanes sums[vectors];
  for (std::size_t v = 0; v < vectors; ++v)
    sums[v] = hn::Mul(hn::Load(d, a + from + v * lanes), hn::Load(d, b + from + v * lanes));
  for (std::size_t k = from + line_floats; k < stride; k += line_floats)
    for (std::size_t v = 0; v < vectors; ++v)
      sums[v] = fused(d, hn::Load(d, a + k + v * lanes), hn::Load(d, b + k + v * lanes), sums[v]);
  HWY_ALIGN float values[line_floats];
  for (std::size_t v = 0; v < vectors; ++v) hn::Store(sums[v], d, values + v * lanes);
  return folded(values);
}

double solve_weighted_any(const WeightedSystem& system, float* inverse, float* x, float* out) {
  set_up(system);
  if (!factor(system.sums, system.factors, system.stride, inverse)) return -1.0;
  // Backwards, x being zero where it is not known yet.
  double squares = 0.0;
  std::fill_n(x, system.stride, 0.0f);
  for (std::size_t i = system.factors; i-- > 0;) {
    float* row = system.sums + i * system.stride;
    const auto y = row[system.factors];
    squares += static_cast<double>(y) * static_cast<double>(y);
    const std::size_t from = i / line_floats * line_floats;
    std::fill(row + from, row + i, 0.0f);  // what is undefined may be infinite
    x[i] = (y - dot_from(row, x, from, system.stride)) * inverse[i];
  }
  std::copy_n(x, system.factors, out);
  return squares;
}

void dot_many_any(const float* own, const float* rows, std::size_t count, std::size_t stride, float* out) {
  for (std::size_t n = 0; n < count; ++n) out[n] = dot_from(own, rows + n * stride, 0, stride);
}

bool add_multiple_any(std::int32_t* sum, const float* row, float factor, std::size_t stride) {
  const Floats d;
  const Ints di;
  const Lanes limit = hn::Set(d, static_cast<float>(step_limit));
  auto seen = hn::Zero(di);
  for (std::size_t k = 0; k < stride; k += lanes) {
    const Lanes value = hn::Mul(hn::Load(d, row + k), hn::Set(d, factor));
    const Lanes held = hn::Max(hn::Min(value, limit), hn::Neg(limit));
    const auto total = hn::Add(hn::Load(di, sum + k), hn::NearestInt(held));
    hn::Store(total, di, sum + k);
    seen = hn::Or(seen, hn::Abs(total));
  }
  return !hn::AllFalse(di, hn::Gt(seen, hn::Set(di, crowded_from - 1)));
}

}  // namespace sotto::base::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::base::kernels {

HWY_EXPORT(add_products_any);
HWY_EXPORT(solve_weighted_any);
HWY_EXPORT(dot_many_any);
HWY_EXPORT(add_multiple_any);

void add_products(std::span<const float* const> rows, std::size_t factors, std::size_t stride, float* sums) {
  HWY_DYNAMIC_DISPATCH(add_products_any)(rows, factors, stride, sums);
}

double solve_weighted(const WeightedSystem& system, float* out) {
  AlignedBuffer<float> scratch(2 * system.stride);
  return HWY_DYNAMIC_DISPATCH(solve_weighted_any)(system, scratch.data(), scratch.data() + system.stride,
                                                  out);
}

void dot_many(const float* own, const float* rows, std::size_t count, std::size_t stride, float* out) {
  HWY_DYNAMIC_DISPATCH(dot_many_any)(own, rows, count, stride, out);
}

bool add_multiple(std::int32_t* sum, const float* row, float factor, std::size_t stride) {
  return HWY_DYNAMIC_DISPATCH(add_multiple_any)(sum, row, factor, stride);
}

}  // namespace sotto::base::kernels
#endif
