#include "server/stop_rule.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "fed/models/live_evaluation.h"

namespace sotto::server {

namespace {

// The mean of the metric in an evaluation's text, where its name may have the cutoff behind it; none: nobody
// who judged had what it is about. More is better: errors are turned.
std::optional<double> value_of(const EvaluationRecord& evaluation, const std::string& metric) {
  const auto figures = nlohmann::json::parse(evaluation.figures, nullptr, false);
  if (!figures.is_object() || !figures.contains("metrics")) return std::nullopt;
  for (const auto& [name, value] : figures["metrics"].items())
    if (name.substr(0, name.find('@')) == metric && value.is_number())
      return is_error(metric) ? -value.get<double>() : value.get<double>();
  return std::nullopt;
}

}  // namespace

bool is_error(const std::string& metric) {
  return std::ranges::any_of(error_names, [&](const char* name) { return metric == name; });
}

Result<StopRule> parse_stop_rule(const std::string& text) {
  const Error wrong =
      fail(Code::usage,
           fmt::format("stop_when = \"{}\": write it as \"nDCG not above 0.001 for 5\", with P, R, HR, nDCG, "
                       "MRR or (of a classifier) Accuracy, or as \"RMSE not below 0.001 for 5\", with "
                       "MAE or RMSE; a gain of at least 0 "
                       "and a number of judged versions from 1",
                       text));
  StopRule rule;
  std::string word_not, word_above, word_for, more;
  std::istringstream in(text);
  std::int64_t versions = 0;
  if (!(in >> rule.metric >> word_not >> word_above >> rule.gain >> word_for >> versions) || in >> more)
    return wrong;
  const bool known = is_error(rule.metric) || rule.metric == accuracy_name ||
                     std::ranges::any_of(figure_names, [&](const char* name) { return rule.metric == name; });
  if (!known || word_not != "not" || word_above != (is_error(rule.metric) ? "below" : "above") ||
      word_for != "for" || !(rule.gain >= 0.0) || !std::isfinite(rule.gain) || versions < 1 ||
      versions > 1'000'000)
    return wrong;
  rule.versions = static_cast<std::uint32_t>(versions);
  return rule;
}

std::string why_stop(const StopRule& rule, std::span<const EvaluationRecord> newest_first) {
  struct Judged {
    double value;
    std::uint32_t version;
  };
  std::vector<Judged> judged;
  for (const EvaluationRecord& one : newest_first)
    if (const auto value = value_of(one, rule.metric)) judged.push_back({*value, one.version});
  if (judged.size() <= rule.versions) return "";
  const auto first_before = judged.begin() + rule.versions;
  const Judged best = *std::ranges::max_element(first_before, judged.end(), {}, &Judged::value);
  if (std::ranges::max_element(judged.begin(), first_before, {}, &Judged::value)->value >
      best.value + rule.gain)
    return "";
  return fmt::format(
      "{} of the last {} judged versions is not {} {:.4f}, that of version {}, by more than {:g}",
      rule.metric, rule.versions, is_error(rule.metric) ? "below" : "above", std::abs(best.value),
      best.version, rule.gain);
}

}  // namespace sotto::server
