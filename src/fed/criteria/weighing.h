// The arithmetic by which a cohort's devices count more or less, in the integers that they add up: once for
// the simulator (weighing_collector.h) and for devices on a network (fed/models/weighed_task.h).
//
//   1. who tells what:  1 or 0 a criterion; of one that too few tell nothing more is said
//   2. values:          a criterion in units of `value_unit`, and 1 where it is told; their sums come back
//   3. scores:          of the values over their sums, as a share of the largest score there is, in units of
//                       fixed_limit; the sum comes back
//   4. weight:          score over the mean score; it multiplies the device's own contribution
// Law: weights are ≥ 0, and their mean over those who gave a score is 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/fixed_point.h"
#include "fed/criteria/criterion.h"
#include "fed/criteria/score.h"
#include "privacy/contribution.h"

namespace sotto::fed {

struct CriteriaOptions {
  CriteriaOrder order = {};  // empty: all devices count as they do without criteria
  ScoreOptions score = {};
  std::uint32_t least_tellers = 3;  // of a criterion that counts, where some may keep back

  [[nodiscard]] bool asked() const { return !order.empty(); }
};
[[nodiscard]] Status check(const CriteriaOptions& options);
// Whether one of them is measured on what a device is about to send.
[[nodiscard]] bool looks_at_updates(const CriteriaOrder& order);

inline constexpr std::int32_t value_unit = 1 << 24;  // of a criterion of 1
inline constexpr std::int32_t kept_back = -1;        // the value of one that is not told

// Where in a contribution the update lies that distances are measured on.
struct UpdateExtent {
  FixedPoint fixed;
  std::size_t rows = SIZE_MAX;               // the first so many rows are of the model
  std::vector<std::size_t> layer_ends = {};  // in numbers (row · width + column); empty: one layer
};
// Lengths of the update, whole and by layer.
void measure_distances(const Contribution& contribution, const UpdateExtent& extent, DeviceFacts& facts);

// A device's value of a criterion. Fails where it is no number in [0, 1].
[[nodiscard]] Result<std::int32_t> value_of(Criterion criterion, const DeviceFacts& facts);

// What a device adds to the first two sums, by its values.
[[nodiscard]] std::vector<std::int32_t> told_numbers(std::span<const std::int32_t> values);
[[nodiscard]] std::vector<std::int32_t> value_numbers(std::span<const std::int32_t> values);

// Of each criterion what the cohort has of it, from the sums of the values of so many devices: were those who
// keep it back like those who tell; 0 where nobody tells. `round` is of the error's text, from 1.
[[nodiscard]] Result<std::vector<double>> criteria_totals(const CriteriaOrder& order,
                                                          std::span<const std::int64_t> sums,
                                                          std::size_t devices, std::uint64_t round);
[[nodiscard]] std::int32_t score_of(const ScoreOptions& options, std::span<const std::int32_t> values,
                                    std::span<const double> totals, std::size_t devices);
// From the sum of the scores of so many devices.
[[nodiscard]] Result<double> mean_score(std::int64_t sum, std::size_t devices, std::uint64_t round);
// Multiplies a canonical contribution, the first `model_rows` of whose rows are of the model.
[[nodiscard]] Status weigh(double weight, std::size_t model_rows, std::uint64_t round,
                           Contribution& contribution);

}  // namespace sotto::fed
