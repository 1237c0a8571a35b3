#include "fed/criteria/score.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/assert.h"

namespace sotto::fed {

namespace {

double prioritized(std::span<const double> values) {
  double sum = 0.0, product = 1.0;
  for (const double value : values) sum += product *= value;
  return sum;
}

// Σ w_k x_k, all weights alike where none are given.
double weighted(std::span<const double> weights, std::span<const double> values) {
  if (weights.empty())
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  return std::inner_product(values.begin(), values.end(), weights.begin(), 0.0);
}

double choquet(std::span<const double> capacity, std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t n) { return values[n]; });
  double sum = 0.0, before = 0.0;
  std::size_t reach = capacity.size() - 1;  // the criteria that reach the value at hand, as bits
  for (const std::size_t n : order) {
    sum += (values[n] - before) * capacity[reach];
    before = values[n];
    reach &= ~(std::size_t{1} << n);
  }
  return sum;
}

Status check_capacity(std::span<const double> capacity, std::size_t criteria) {
  if (criteria > 10)
    return fail(Code::usage, "a Choquet integral takes at most 10 criteria: each set of them has a number");
  if (capacity.size() != std::size_t{1} << criteria)
    return fail(
        Code::usage,
        fmt::format("a Choquet integral over {} criteria needs {} numbers, one a set of criteria, and "
                    "has {}: none first, criterion i being bit i, as 0,0.5,0.3,1 of two criteria for none, "
                    "the first, the second and both",
                    criteria, std::size_t{1} << criteria, capacity.size()));
  if (capacity.front() != 0.0)
    return fail(Code::usage, "the capacity of the empty set, the first number, must be 0");
  if (capacity.back() == 0.0)
    return fail(Code::usage, "the capacity of all criteria, the last number, is 0: nobody would count");
  for (std::size_t set = 1; set < capacity.size(); ++set)
    for (std::size_t n = 0; n < criteria; ++n)
      if ((set >> n & 1) != 0 && capacity[set & ~(std::size_t{1} << n)] > capacity[set])
        return fail(Code::usage,
                    fmt::format("the capacity must not fall where a criterion is added: number {} is larger "
                                "than number {}",
                                (set & ~(std::size_t{1} << n)) + 1, set + 1));
  return Done{};
}

}  // namespace

Result<ScoreKind> parse_score_kind(const std::string& text) {
  for (const ScoreKind kind : {ScoreKind::prioritized, ScoreKind::mean, ScoreKind::owa, ScoreKind::choquet})
    if (text == to_string(kind)) return kind;
  return fail(Code::usage,
              fmt::format("'{}' is no score function: take prioritized, mean, owa or choquet", text));
}

const char* to_string(ScoreKind kind) {
  switch (kind) {
    case ScoreKind::prioritized:
      return "prioritized";
    case ScoreKind::mean:
      return "mean";
    case ScoreKind::owa:
      return "owa";
    case ScoreKind::choquet:
      return "choquet";
  }
  SOTTO_ASSERT(false, "all kinds have names");
  return "";
}

Status check(const ScoreOptions& options, std::size_t criteria) {
  for (const double weight : options.weights)
    if (!(weight >= 0.0 && weight <= 1e6))
      return fail(Code::usage, "the weights of a score must be numbers from 0 to a million");
  if (options.kind == ScoreKind::choquet) return check_capacity(options.weights, criteria);
  if (options.weights.empty()) return Done{};
  if (options.kind == ScoreKind::prioritized)
    return fail(Code::usage, "the prioritized score has no weights: its order says what comes first");
  if (options.weights.size() != criteria)
    return fail(Code::usage, fmt::format("{} weights for {} criteria: give one for each",
                                         options.weights.size(), criteria));
  if (std::ranges::all_of(options.weights, [](double weight) { return weight == 0.0; }))
    return fail(Code::usage, "all weights of the score are 0: nobody would count");
  return Done{};
}

double score(const ScoreOptions& options, std::span<const double> values) {
  switch (options.kind) {
    case ScoreKind::prioritized:
      return prioritized(values);
    case ScoreKind::mean:
      return weighted(options.weights, values);
    case ScoreKind::owa: {
      std::vector<double> sorted(values.begin(), values.end());
      std::ranges::sort(sorted, std::greater{});
      return weighted(options.weights, sorted);
    }
    case ScoreKind::choquet:
      return choquet(options.weights, values);
  }
  return 0.0;
}

}  // namespace sotto::fed
