// The metrics that evaluate() gives: one table of what each is, which everything else asks, and their names
// as people type them: "nDCG@10", "AUC".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto::metrics {

struct MetricName {
  std::string base;                     // "nDCG"
  std::optional<std::uint32_t> cutoff;  // none for AUC, MAE, RMSE, RatedShare and Accuracy
};

enum class MetricNeeds : std::uint8_t {
  lists,
  ranking,  // the model's whole one, which lists from elsewhere do not have
  ratings,  // a model that predicts ratings, and data that has them
  labels,   // a classifier of labelled examples
};

struct MetricFacts {
  std::string_view base;
  std::string_view about;
  bool has_cutoff = true;
  MetricNeeds needs = MetricNeeds::lists;
  bool less_is_better = false;  // of errors, and of how much lists lean towards what is popular
  bool is_count = false;        // shown without decimals
  bool is_usual = false;        // shown where nobody chose
  bool came_later = false;      // stands behind AUC in files, whose order stays
};

// All of them, in the order that people look for them.
[[nodiscard]] std::span<const MetricFacts> all_metrics();
// Of "nDCG" or "nDCG@10"; nothing where there is no such metric.
[[nodiscard]] const MetricFacts* facts_of(std::string_view metric);

// The names of all metrics for these cut-offs, in the order of evaluate().
[[nodiscard]] std::vector<std::string> metric_names(std::span<const std::uint32_t> cutoffs);
// "P@10", …: those to show where nobody chose.
[[nodiscard]] std::vector<std::string> usual_metrics(std::uint32_t cutoff, MetricNeeds needs);

// Refuses what evaluate() does not know, with a sentence that lists what it does.
[[nodiscard]] Result<MetricName> parse_metric_name(std::string_view text);

[[nodiscard]] bool less_is_better(const MetricName& name);
// Whether its value is taken over all records together and not as the mean of the users' own values.
[[nodiscard]] bool is_over_records(const MetricName& name);

// Whether `value` of this metric ("ARP@10") beats `other`. Any number beats what is none; equals do not.
[[nodiscard]] bool is_better(std::string_view metric, double value, double other);

// As people read it: so many decimals, none of a count; "n/a" for what is no number.
[[nodiscard]] std::string metric_text(std::string_view metric, double value, int decimals = 4);

}  // namespace sotto::metrics
