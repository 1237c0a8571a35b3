#include "fed/criteria/weighing.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "privacy/contribution_edit.h"

namespace sotto::fed {

namespace {

// Nearest integer, ties to even, of |value| < 2^51.
std::int64_t nearest(double value) {
  constexpr double shift = 6755399441055744.0;  // 1.5·2^52 leaves the integer in the low bits
  return std::bit_cast<std::int64_t>(value + shift) - std::bit_cast<std::int64_t>(shift);
}

}  // namespace

Status check(const CriteriaOptions& options) {
  if (!options.asked()) return Done{};
  return check(options.score, options.order.size());
}

bool looks_at_updates(const CriteriaOrder& order) {
  return std::ranges::any_of(order, [](Criterion criterion) { return criterion->of_update; });
}

void measure_distances(const Contribution& contribution, const UpdateExtent& extent, DeviceFacts& facts) {
  const std::size_t layers = std::max<std::size_t>(extent.layer_ends.size(), 1);
  std::vector<double> squares(layers, 0.0);
  std::size_t layer = 0;
  for (std::size_t n = 0; n < contribution.size() && contribution.row(n) < extent.rows; ++n) {
    const std::int32_t* values = contribution.values(n);
    for (std::size_t k = 0; k < contribution.width(); ++k) {
      const std::size_t place = std::size_t{contribution.row(n)} * contribution.width() + k;
      while (layer + 1 < layers && place >= extent.layer_ends[layer]) ++layer;
      squares[layer] += static_cast<double>(values[k]) * values[k];
    }
  }
  double whole = 0.0, lengths = 0.0;
  for (const double square : squares) whole += square, lengths += std::sqrt(square);
  facts.distance = std::sqrt(whole) / extent.fixed.scale();
  facts.layer_distance = lengths / static_cast<double>(layers) / extent.fixed.scale();
}

Result<std::int32_t> value_of(Criterion criterion, const DeviceFacts& facts) {
  SOTTO_TRY(const double value, measured(criterion, facts));
  return static_cast<std::int32_t>(nearest(value * value_unit));
}

std::vector<std::int32_t> told_numbers(std::span<const std::int32_t> values) {
  std::vector<std::int32_t> numbers;
  for (const std::int32_t value : values) numbers.push_back(value == kept_back ? 0 : 1);
  return numbers;
}

std::vector<std::int32_t> value_numbers(std::span<const std::int32_t> values) {
  std::vector<std::int32_t> numbers;
  for (const std::int32_t value : values) {
    numbers.push_back(value == kept_back ? 0 : value);
    numbers.push_back(value == kept_back ? 0 : 1);
  }
  return numbers;
}

Result<std::vector<double>> criteria_totals(const CriteriaOrder& order, std::span<const std::int64_t> sums,
                                            std::size_t devices, std::uint64_t round) {
  std::vector<double> totals(order.size(), 0.0);
  for (std::size_t n = 0; n < order.size(); ++n) {
    const auto told = static_cast<double>(sums[2 * n + 1]);
    if (told == 0.0) continue;
    const bool given = std::string_view(order[n]->name) == "trust";
    if (sums[2 * n] <= 0)
      return fail(Code::usage,
                  fmt::format("round {}: nobody in the cohort has anything of the criterion {} (less than 1 "
                              "in 33 million counts as nothing): {}, or leave it out",
                              round, order[n]->name,
                              given ? "give somebody more in the file of trust" : "take larger cohorts"));
    totals[n] = static_cast<double>(sums[2 * n]) * static_cast<double>(devices) / told;
  }
  return totals;
}

std::int32_t score_of(const ScoreOptions& options, std::span<const std::int32_t> values,
                      std::span<const double> totals, std::size_t devices) {
  std::vector<double> shares(values.size(), 1.0);
  const double most = score(options, shares);
  for (std::size_t n = 0; n < values.size(); ++n) {
    const bool told = values[n] != kept_back && totals[n] > 0.0;
    shares[n] = told ? values[n] / totals[n] : 1.0 / static_cast<double>(devices);
  }
  const double share = std::min(score(options, shares) / most, 1.0);
  return static_cast<std::int32_t>(nearest(share * fixed_limit));
}

Result<double> mean_score(std::int64_t sum, std::size_t devices, std::uint64_t round) {
  if (sum <= 0)
    return fail(Code::usage,
                fmt::format("round {}: by these criteria nobody in the cohort counts: take larger cohorts, "
                            "or another score",
                            round));
  return static_cast<double>(sum) / static_cast<double>(devices);
}

Status weigh(double weight, std::size_t model_rows, std::uint64_t round, Contribution& contribution) {
  const ContributionEdit edit(contribution);
  double update = 0.0, rest = 0.0;  // the largest number of either
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    double& largest = contribution.row(n) < model_rows ? update : rest;
    for (std::int32_t& value : edit.values(n)) {
      const double weighed = weight * value;
      largest = std::max(largest, std::abs(weighed));
      value = static_cast<std::int32_t>(nearest(weighed));
    }
  }
  if (update > fixed_limit)
    return fail(Code::diverged,
                fmt::format("round {}: a weighed update left the numbers that can be sent: lower the "
                            "learning rate, or take other criteria",
                            round));
  if (rest > fixed_limit)
    return fail(Code::usage,
                fmt::format("round {}: a device counts so much more than the others that its count cannot be "
                            "sent: take smaller cohorts, or criteria that tell devices less apart",
                            round));
  return Done{};
}

}  // namespace sotto::fed
