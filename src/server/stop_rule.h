// StopRule: when a task has learned enough, by its evaluations: "nDCG not above 0.001 for 5", or of errors
// "RMSE not below 0.001 for 5".
//
// Laws: it holds when none of the newest so many judged versions is better, by more than the gain, than the
// best judged before them; with fewer judged versions it never holds. Versions
// that lack the metric, as those whose judges had held out no rating lack errors, are not judged by it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "server/store.h"

namespace sotto::server {

struct StopRule {
  std::string metric;  // one of figure_names or error_names, or accuracy_name
  double gain = 0.0;
  std::uint32_t versions = 0;
};
[[nodiscard]] Result<StopRule> parse_stop_rule(const std::string& text);
// Whether the metric is of predicted ratings.
[[nodiscard]] bool is_error(const std::string& metric);

// Why the task stops, for the operator; empty: it goes on. `newest_first` are all of its evaluations.
[[nodiscard]] std::string why_stop(const StopRule& rule, std::span<const EvaluationRecord> newest_first);

}  // namespace sotto::server
