#include "metrics/metric_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace sotto::metrics {

namespace {

constexpr std::array<MetricFacts, 24> table{{
    {.base = "P", .about = "precision: share of the list that is right", .is_usual = true},
    {.base = "R", .about = "recall: share of the right items that are in the list", .is_usual = true},
    {.base = "F1", .about = "harmonic mean of precision and recall, user by user"},
    {.base = "F1means",
     .about = "harmonic mean of the mean precision and the mean recall",
     .came_later = true},
    {.base = "HR", .about = "share of the users with a right item in the list"},
    {.base = "nDCG", .about = "gain discounted by rank, over the ideal", .is_usual = true},
    {.base = "nDCGhits", .about = "nDCG against the list's own hits, moved to the front", .came_later = true},
    {.base = "MRR", .about = "one over the rank of the first right item"},
    {.base = "MAP", .about = "mean of the precisions at the right items"},
    {.base = "IC",
     .about = "item coverage: items that are in at least one list",
     .is_count = true,
     .is_usual = true},
    {.base = "Coverage", .about = "item coverage as a share of the catalogue", .came_later = true},
    {.base = "Gini", .about = "1 − Gini index over all items: higher is more even", .is_usual = true},
    {.base = "GiniRec", .about = "the same over the items that are recommended at all"},
    {.base = "SE", .about = "Shannon entropy of the recommendations: higher is more even"},
    {.base = "ARP", .about = "mean popularity of what is recommended", .less_is_better = true},
    {.base = "APLT", .about = "share of long-tail items in a list"},
    {.base = "ACLT", .about = "number of long-tail items in a list"},
    {.base = "PopREO",
     .about = "how unequal popular and other items' chances are to be found",
     .less_is_better = true},
    {.base = "PopRSP",
     .about = "how unequal popular and other items' chances are to be shown",
     .less_is_better = true},
    {.base = "AUC",
     .about = "chance that an item of the user's stands above another",
     .has_cutoff = false,
     .needs = MetricNeeds::ranking},
    {.base = "MAE",
     .about = "mean error of predicted ratings",
     .has_cutoff = false,
     .needs = MetricNeeds::ratings,
     .less_is_better = true,
     .is_usual = true},
    {.base = "RMSE",
     .about = "root of the mean squared error of predicted ratings",
     .has_cutoff = false,
     .needs = MetricNeeds::ratings,
     .less_is_better = true,
     .is_usual = true},
    {.base = "RatedShare",
     .about = "share of the records whose user or item has ratings to learn from",
     .has_cutoff = false,
     .needs = MetricNeeds::ratings},
    {.base = "Accuracy",
     .about = "share of all devices' examples that a classifier gets right",
     .has_cutoff = false,
     .needs = MetricNeeds::labels,
     .is_usual = true},
}};

std::string full_name(const MetricFacts& facts, std::uint32_t cutoff) {
  return facts.has_cutoff ? fmt::format("{}@{}", facts.base, cutoff) : std::string(facts.base);
}

Error unknown(std::string_view text) {
  std::string known;
  for (const MetricFacts& facts : table)
    known += fmt::format("{}{}, ", facts.base, facts.has_cutoff ? "@K" : "");
  return fail(Code::usage,
              fmt::format("there is no metric '{}': choose from {}with a list length for K", text, known));
}

}  // namespace

std::span<const MetricFacts> all_metrics() { return table; }

const MetricFacts* facts_of(std::string_view metric) {
  const auto found = std::ranges::find(table, metric.substr(0, metric.find('@')), &MetricFacts::base);
  return found == table.end() ? nullptr : &*found;
}

std::vector<std::string> metric_names(std::span<const std::uint32_t> cutoffs) {
  std::vector<std::string> names;
  const auto add = [&](bool later) {
    for (const std::uint32_t cutoff : cutoffs)
      for (const MetricFacts& facts : table)
        if (facts.has_cutoff && facts.came_later == later) names.push_back(full_name(facts, cutoff));
  };
  const auto add_single = [&](MetricNeeds needs) {
    for (const MetricFacts& facts : table)
      if (!facts.has_cutoff && facts.needs == needs) names.emplace_back(facts.base);
  };
  add(false);
  add_single(MetricNeeds::ranking);
  add(true);
  add_single(MetricNeeds::ratings);
  return names;
}

std::vector<std::string> usual_metrics(std::uint32_t cutoff, MetricNeeds needs) {
  std::vector<std::string> names;
  for (const MetricFacts& facts : table)
    if (facts.is_usual && facts.needs == needs) names.push_back(full_name(facts, cutoff));
  return names;
}

Result<MetricName> parse_metric_name(std::string_view text) {
  const std::size_t at = text.find('@');
  const MetricFacts* facts = facts_of(text);
  if (facts == nullptr || facts->has_cutoff != (at != std::string_view::npos)) return unknown(text);
  MetricName name{std::string(facts->base), std::nullopt};
  if (!facts->has_cutoff) return name;
  const std::string_view digits = text.substr(at + 1);
  std::uint32_t cutoff = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), cutoff);
  const bool plain = problem == std::errc{} && end == digits.data() + digits.size() && digits.front() != '0';
  if (!plain) return unknown(text);
  name.cutoff = cutoff;
  return name;
}

bool less_is_better(const MetricName& name) {
  const MetricFacts* facts = facts_of(name.base);
  return facts != nullptr && facts->less_is_better;
}

bool is_over_records(const MetricName& name) {
  const MetricFacts* facts = facts_of(name.base);
  return facts != nullptr && (facts->needs == MetricNeeds::ratings || facts->needs == MetricNeeds::labels);
}

bool is_better(std::string_view metric, double value, double other) {
  if (std::isnan(value) || std::isnan(other)) return !std::isnan(value) && std::isnan(other);
  const MetricFacts* facts = facts_of(metric);
  return facts != nullptr && facts->less_is_better ? value < other : value > other;
}

std::string metric_text(std::string_view metric, double value, int decimals) {
  if (std::isnan(value)) return "n/a";
  const MetricFacts* facts = facts_of(metric);
  return fmt::format("{:.{}f}", value, facts != nullptr && facts->is_count ? 0 : decimals);
}

}  // namespace sotto::metrics
