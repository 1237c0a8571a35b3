// The names of the metrics that evaluate() gives, as people type them: "nDCG@10", "AUC".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sotto {

struct MetricName {
  std::string base;                     // "nDCG"
  std::optional<std::uint32_t> cutoff;  // none for AUC, MAE, RMSE and RatedShare
};

// Refuses what evaluate() does not know, with a sentence that lists what it does.
[[nodiscard]] Result<MetricName> parse_metric_name(std::string_view text);

// Whether less is better: of errors, and of how much lists lean towards what is popular.
[[nodiscard]] bool less_is_better(const MetricName& name);

// Whether its value is taken over all records together and not as the mean of the users' own values.
[[nodiscard]] bool is_over_records(const MetricName& name);

// Whether `value` of this metric ("ARP@10") beats `other`. Any number beats what is none; equals do not.
[[nodiscard]] bool is_better(std::string_view metric, double value, double other);

}  // namespace sotto
