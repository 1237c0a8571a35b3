// The few inner loops that take the time, compiled for several instruction sets and chosen at run
// time for the CPU (Highway). Rows are padded and aligned as in RowMatrix.
//
// Law: every target gives the same bits. Sums over a row follow the order of dot_rows(); a product
// and a sum are two roundings; integers are rounded to nearest, ties to even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::kernels {

// One pairwise step of a user row p against a positive row i and a negative row j.
struct PairStep {
  const float* positive;       // [q_i, b_i]
  const float* negative;       // [q_j, b_j]
  const float* own;            // [p, 1]
  float* moved;                // receives the step of p; may be `own`
  std::int32_t* out_positive;  // fixed-point update of row i, or null: consent keeps it in
  std::int32_t* out_negative;  // fixed-point update of row j, or null
  std::size_t stride;          // a multiple of 16
  std::size_t bias;            // column of the bias: not regularised, constant 1 in p
};
struct PairRates {
  float fixed_scale;
  float learning_rate;
  float user_reg;
  float positive_reg;
  float negative_reg;
};
struct PairResult {
  float difference;  // x̂_uij = p·(row i − row j)
  float error;       // d = σ(−x̂_uij)
};
// For each step d, then out_negative = −d·p − λ⁻q_j, out_positive = d·p − λ⁺q_i,
// moved += α(d(q_i − q_j) − λ_u p). Steps of different users, at most most_steps of one stride: alone each
// would wait for its own chain (dot product, sigmoid, new p); together they hide it.
inline constexpr std::size_t most_steps = 8;
void pair_steps(std::span<const PairStep> steps, const PairRates& rates, PairResult* results);

// sum += values, or sum = values where nothing was there
void add_row(std::int64_t* sum, const std::int32_t* values, std::size_t stride, bool is_new);
// row += step · sum; the product is rounded to double, then to float, then added
void apply_row(float* row, const std::int64_t* sum, double step, std::size_t stride);

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

}  // namespace sotto::kernels
