// Sums of rows of a matrix that lies in panels 64 columns wide, for several instruction sets chosen at run
// time as in base/kernels.h. Law: each column is one chain of additions from 0 in the order of `rows`, of
// products that were rounded where there are weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/layers.h"

namespace sotto::base::kernels {

// sums[n] = Σ over rows of panel[row · 64 + n], for 64 columns; both are aligned to 64 bytes.
void sum_rows(const float* panel, std::span<const std::uint32_t> rows, float* sums);
// The same with each row times its weight.
void sum_rows(const float* panel, std::span<const std::uint32_t> rows, std::span<const float> weights,
              float* sums);

}  // namespace sotto::base::kernels
