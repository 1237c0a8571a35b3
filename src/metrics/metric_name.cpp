#include "metrics/metric_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace sotto {

namespace {

constexpr std::array<std::string_view, 18> at_a_cutoff{
    "P",       "R",  "F1",  "HR",   "nDCG", "MRR",    "MAP",    "IC",       "Gini",
    "GiniRec", "SE", "ARP", "APLT", "ACLT", "PopREO", "PopRSP", "nDCGhits", "Coverage"};
constexpr std::array<std::string_view, 4> without_cutoff{"AUC", "MAE", "RMSE", "RatedShare"};

bool is_error(std::string_view base) { return base == "MAE" || base == "RMSE"; }

// How much lists lean towards what is popular.
bool is_leaning(std::string_view base) { return base == "ARP" || base == "PopREO" || base == "PopRSP"; }

bool wants_less(std::string_view base) { return is_leaning(base) || is_error(base); }

Error unknown(std::string_view text) {
  std::string known;
  for (const std::string_view name : at_a_cutoff) known += fmt::format("{}@K, ", name);
  for (const std::string_view name : without_cutoff) known += fmt::format("{}, ", name);
  return fail(Code::usage,
              fmt::format("there is no metric '{}': choose from {}with a list length for K", text, known));
}

}  // namespace

Result<MetricName> parse_metric_name(std::string_view text) {
  if (std::find(without_cutoff.begin(), without_cutoff.end(), text) != without_cutoff.end())
    return MetricName{std::string(text), std::nullopt};
  const std::size_t at = text.find('@');
  const std::string_view base = text.substr(0, at);
  if (at == std::string_view::npos ||
      std::find(at_a_cutoff.begin(), at_a_cutoff.end(), base) == at_a_cutoff.end())
    return unknown(text);
  const std::string_view digits = text.substr(at + 1);
  std::uint32_t cutoff = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), cutoff);
  const bool plain = problem == std::errc{} && end == digits.data() + digits.size() && digits.front() != '0';
  if (!plain) return unknown(text);
  return MetricName{std::string(base), cutoff};
}

bool less_is_better(const MetricName& name) { return wants_less(name.base); }

bool is_over_records(const MetricName& name) { return is_error(name.base) || name.base == "RatedShare"; }

bool is_better(std::string_view metric, double value, double other) {
  if (std::isnan(value) || std::isnan(other)) return !std::isnan(value) && std::isnan(other);
  return wants_less(metric.substr(0, metric.find('@'))) ? value < other : value > other;
}

}  // namespace sotto
