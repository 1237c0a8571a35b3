#include "metrics/metric_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace sotto {

namespace {

constexpr std::array<std::string_view, 16> at_a_cutoff{"P",    "R",    "F1",     "HR",      "nDCG", "MRR",
                                                       "MAP",  "IC",   "Gini",   "GiniRec", "SE",   "ARP",
                                                       "APLT", "ACLT", "PopREO", "PopRSP"};
constexpr std::string_view whole_ranking = "AUC";

// How much lists lean towards what is popular.
bool is_leaning(std::string_view base) { return base == "ARP" || base == "PopREO" || base == "PopRSP"; }

Error unknown(std::string_view text) {
  std::string known;
  for (const std::string_view name : at_a_cutoff) known += fmt::format("{}@K, ", name);
  return fail(Code::usage, fmt::format("there is no metric '{}': choose from {}{}, with a list length for K",
                                       text, known, whole_ranking));
}

}  // namespace

Result<MetricName> parse_metric_name(std::string_view text) {
  if (text == whole_ranking) return MetricName{std::string(text), std::nullopt};
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

bool less_is_better(const MetricName& name) { return is_leaning(name.base); }

bool is_better(std::string_view metric, double value, double other) {
  if (std::isnan(value) || std::isnan(other)) return !std::isnan(value) && std::isnan(other);
  return is_leaning(metric.substr(0, metric.find('@'))) ? value < other : value > other;
}

}  // namespace sotto
