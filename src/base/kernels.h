// The few inner loops that take the time, compiled for several instruction sets and chosen at run
// time for the CPU (Highway). Rows are padded and aligned as in RowMatrix.
//
// Law: every target gives the same bits. Integers are rounded to nearest, ties to even. The pairwise steps of
// training are in pair_kernels.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/layers.h"

namespace sotto::base::kernels {

// sum += values; true where a value of the sum then lies at 2^30 or beyond.
bool add_row(std::int32_t* sum, const std::int32_t* values, std::size_t stride);
// row += step · sum, the sum rounded to float first
void apply_row(float* row, const std::int32_t* sum, float step, std::size_t stride);
void apply_row(float* row, const std::int64_t* sum, float step, std::size_t stride);

// `count` Philox blocks at once, as philox() in rng.h; word w of block n lands in words[w · count + n].
// count is a multiple of 16.
struct PhiloxRun {
  const std::uint32_t* counters[3];  // words 0 to 2 of each block's counter
  std::uint32_t purpose;             // word 3
  std::uint32_t key[2];
};
void philox_blocks(const PhiloxRun& run, std::size_t count, std::uint32_t* words);

// For tests: the targets this machine can run, and a switch to one of them (0: the best again).
[[nodiscard]] std::vector<std::int64_t> runnable_targets();
void use_target(std::int64_t target);
[[nodiscard]] const char* target_name();

}  // namespace sotto::base::kernels
