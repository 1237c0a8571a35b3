#include "metrics/statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/assert.h"
#include "metrics/distributions.h"

namespace sotto::metrics {

namespace {

constexpr double no_difference = 1e-12;    // of the largest value
constexpr std::uint64_t exact_pairs = 50;  // from so many on the normal curve is good enough

// The ranks of the differences that are not 0, by size; ties share their mean rank.
struct SignedRanks {
  std::uint64_t used = 0;
  double positive = 0.0;  // sum of the ranks of differences above 0
  double negative = 0.0;
  double tie_cubes = 0.0;  // Σ (t³ − t) over groups of t tied differences
};

SignedRanks signed_ranks(std::vector<double> difference) {
  std::erase(difference, 0.0);
  std::sort(difference.begin(), difference.end(),
            [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  SignedRanks ranks;
  ranks.used = difference.size();
  for (std::size_t begin = 0; begin < difference.size();) {
    std::size_t end = begin + 1;
    while (end < difference.size() && std::fabs(difference[end]) == std::fabs(difference[begin])) ++end;
    const auto tied = static_cast<double>(end - begin);
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);
    for (; begin < end; ++begin) (difference[begin] > 0.0 ? ranks.positive : ranks.negative) += rank;
    ranks.tie_cubes += tied * tied * tied - tied;
  }
  return ranks;
}

// Sizes that differ by no more than rounding become the same, so that they tie.
void merge_near(std::vector<double>& difference, double grain) {
  std::vector<double*> by_size;
  for (double& value : difference) by_size.push_back(&value);
  std::sort(by_size.begin(), by_size.end(),
            [](const double* a, const double* b) { return std::fabs(*a) < std::fabs(*b); });
  double last = 0.0;
  for (double* value : by_size) {
    if (std::fabs(*value) - last <= grain) {
      *value = last == 0.0 ? 0.0 : std::copysign(last, *value);
    } else {
      last = std::fabs(*value);
    }
  }
}

// The chance of a sum of ranks of at most `sum`, each of the ranks 1…n being in it or not by a fair coin.
double chance_of_sum_up_to(std::uint64_t sum, std::uint64_t n) {
  const std::uint64_t most = n * (n + 1) / 2;
  std::vector<double> ways(most + 1, 0.0);  // at most 2^49: exact
  ways[0] = 1.0;
  for (std::uint64_t rank = 1; rank <= n; ++rank)
    for (std::uint64_t total = most; total >= rank; --total) ways[total] += ways[total - rank];
  const double up_to =
      std::accumulate(ways.begin(), ways.begin() + static_cast<std::ptrdiff_t>(sum) + 1, 0.0);
  return std::ldexp(up_to, -static_cast<int>(n));
}

}  // namespace

Spread spread_of(std::span<const double> values) {
  Spread spread;
  spread.count = values.size();
  if (values.empty()) return spread;
  spread.mean = values[0];
  // Values that are all the same have no spread, whatever the rounding of their sum says.
  if (std::all_of(values.begin(), values.end(), [&](double value) { return value == values[0]; }))
    return spread;
  const auto n = static_cast<double>(values.size());
  spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.sd = std::sqrt(squares / (n - 1.0));
  return spread;
}

Interval mean_interval(std::span<const double> values, double confidence) {
  const Spread spread = spread_of(values);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (spread.count < 2) return {-infinity, infinity};
  const auto n = static_cast<double>(spread.count);
  const double half = student_critical(1.0 - confidence, n - 1.0) * spread.sd / std::sqrt(n);
  return {spread.mean - half, spread.mean + half};
}

std::vector<double> differences(std::span<const double> a, std::span<const double> b) {
  SOTTO_ASSERT(a.size() == b.size(), "paired values come in pairs");
  double largest = 0.0;
  for (const auto& values : {a, b})
    for (const double value : values) largest = std::max(largest, std::fabs(value));
  std::vector<double> result(a.size());
  for (std::size_t n = 0; n < a.size(); ++n) {
    result[n] = a[n] - b[n];
    if (std::fabs(result[n]) <= no_difference * largest) result[n] = 0.0;
  }
  merge_near(result, no_difference * largest);
  return result;
}

Result<PairedTest> parse_paired_test(const std::string& text) {
  if (text == "t") return PairedTest::t;
  if (text == "wilcoxon") return PairedTest::wilcoxon;
  return fail(Code::usage, fmt::format("unknown test '{}': choose t or wilcoxon", text));
}

const char* to_string(PairedTest test) { return test == PairedTest::t ? "t" : "wilcoxon"; }

TestOutcome paired_t_test(std::span<const double> a, std::span<const double> b) {
  const Spread spread = spread_of(differences(a, b));
  TestOutcome outcome;
  outcome.used = spread.count;
  if (spread.count < 2 || spread.mean == 0.0) return outcome;
  const auto n = static_cast<double>(spread.count);
  outcome.statistic = spread.mean / (spread.sd / std::sqrt(n));  // ±∞ where all differences are the same
  outcome.p = student_two_sided(outcome.statistic, n - 1.0);
  return outcome;
}

TestOutcome wilcoxon_test(std::span<const double> a, std::span<const double> b) {
  const SignedRanks ranks = signed_ranks(differences(a, b));
  TestOutcome outcome;
  outcome.statistic = ranks.positive;
  outcome.used = ranks.used;
  if (ranks.used == 0) return outcome;
  const auto n = static_cast<double>(ranks.used);
  outcome.exact = ranks.used < exact_pairs && ranks.used == a.size() && ranks.tie_cubes == 0.0;
  if (outcome.exact) {
    const auto smaller = static_cast<std::uint64_t>(std::min(ranks.positive, ranks.negative));
    outcome.p = std::min(1.0, 2.0 * chance_of_sum_up_to(smaller, ranks.used));
    return outcome;
  }
  const double away = std::fabs(ranks.positive - n * (n + 1.0) / 4.0);
  const double variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ranks.tie_cubes / 48.0;
  const double z = std::max(0.0, away - 0.5) / std::sqrt(variance);
  outcome.p = std::min(1.0, 2.0 * normal_cdf(-z));
  return outcome;
}

TestOutcome paired_test(PairedTest test, std::span<const double> a, std::span<const double> b) {
  return test == PairedTest::t ? paired_t_test(a, b) : wilcoxon_test(a, b);
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0.0;
  for (std::size_t n = 0; n < order.size(); ++n) {
    largest = std::max(largest, static_cast<double>(order.size() - n) * p_values[order[n]]);
    adjusted[order[n]] = std::min(1.0, largest);
  }
  return adjusted;
}

EffectSize effect_size(std::span<const double> a, std::span<const double> b) {
  std::vector<double> difference = differences(a, b);
  const Spread spread = spread_of(difference);
  const SignedRanks ranks = signed_ranks(std::move(difference));
  EffectSize effect;
  if (spread.mean != 0.0) effect.cohen_dz = spread.mean / spread.sd;
  if (ranks.used > 0)
    effect.rank_biserial = (ranks.positive - ranks.negative) / (ranks.positive + ranks.negative);
  return effect;
}

}  // namespace sotto::metrics
