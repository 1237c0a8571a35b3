#include "server/stop_rule.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fed/models/live_evaluation.h"

namespace sotto::server {

namespace {

bool is_error(const std::string& metric) {
  return std::ranges::any_of(error_names, [&](const char* name) { return metric == name; });
}

// The mean of the metric in an evaluation's text, where its name may have the cutoff behind it. More is
// better: errors are turned.
double value_of(const EvaluationRecord& evaluation, const std::string& metric) {
  const double worst = is_error(metric) ? -HUGE_VAL : 0.0;
  const auto figures = nlohmann::json::parse(evaluation.figures, nullptr, false);
  if (!figures.is_object() || !figures.contains("metrics")) return worst;
  for (const auto& [name, value] : figures["metrics"].items())
    if (name.substr(0, name.find('@')) == metric && value.is_number())
      return is_error(metric) ? -value.get<double>() : value.get<double>();
  return worst;
}

}  // namespace

Result<StopRule> parse_stop_rule(const std::string& text) {
  const Error wrong =
      fail(Code::usage,
           fmt::format("stop_when = \"{}\": write it as \"nDCG not above 0.001 for 5\", with P, R, HR, nDCG "
                       "or MRR, or as \"RMSE not below 0.001 for 5\", with MAE or RMSE; a gain of at least 0 "
                       "and a number of judged versions from 1",
                       text));
  StopRule rule;
  std::string word_not, word_above, word_for, more;
  std::istringstream in(text);
  std::int64_t versions = 0;
  if (!(in >> rule.metric >> word_not >> word_above >> rule.gain >> word_for >> versions) || in >> more)
    return wrong;
  const bool known = is_error(rule.metric) ||
                     std::ranges::any_of(figure_names, [&](const char* name) { return rule.metric == name; });
  if (!known || word_not != "not" || word_above != (is_error(rule.metric) ? "below" : "above") ||
      word_for != "for" || !(rule.gain >= 0.0) || !std::isfinite(rule.gain) || versions < 1 ||
      versions > 1'000'000)
    return wrong;
  rule.versions = static_cast<std::uint32_t>(versions);
  return rule;
}

std::string why_stop(const StopRule& rule, std::span<const EvaluationRecord> newest_first) {
  if (newest_first.size() <= rule.versions) return "";
  const auto better = [&](const EvaluationRecord& a, const EvaluationRecord& b) {
    return value_of(a, rule.metric) < value_of(b, rule.metric);
  };
  const auto newest = newest_first.first(rule.versions), before = newest_first.subspan(rule.versions);
  const EvaluationRecord& best = *std::max_element(before.begin(), before.end(), better);
  const double most = value_of(best, rule.metric);
  if (value_of(*std::max_element(newest.begin(), newest.end(), better), rule.metric) > most + rule.gain)
    return "";
  return fmt::format(
      "{} of the last {} judged versions is not {} {:.4f}, that of version {}, by more than {:g}",
      rule.metric, rule.versions, is_error(rule.metric) ? "below" : "above", std::abs(most), best.version,
      rule.gain);
}

}  // namespace sotto::server
