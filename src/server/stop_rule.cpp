#include "server/stop_rule.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fed/models/live_evaluation.h"

namespace sotto::server {

namespace {

// The mean of the metric in an evaluation's text: its name there has the cutoff behind it.
double value_of(const EvaluationRecord& evaluation, const std::string& metric) {
  const auto figures = nlohmann::json::parse(evaluation.figures, nullptr, false);
  if (!figures.is_object() || !figures.contains("metrics")) return 0.0;
  for (const auto& [name, value] : figures["metrics"].items())
    if (name.substr(0, name.find('@')) == metric && value.is_number()) return value.get<double>();
  return 0.0;
}

}  // namespace

Result<StopRule> parse_stop_rule(const std::string& text) {
  const Error wrong =
      fail(Code::usage,
           fmt::format("stop_when = \"{}\": write it as \"nDCG not above 0.001 for 5\", with P, R, HR, nDCG "
                       "or MRR, a gain of at least 0 and a number of judged versions from 1",
                       text));
  StopRule rule;
  std::string word_not, word_above, word_for, more;
  std::istringstream in(text);
  std::int64_t versions = 0;
  if (!(in >> rule.metric >> word_not >> word_above >> rule.gain >> word_for >> versions) || in >> more)
    return wrong;
  const bool known = std::ranges::any_of(figure_names, [&](const char* name) { return rule.metric == name; });
  if (!known || word_not != "not" || word_above != "above" || word_for != "for" || !(rule.gain >= 0.0) ||
      !std::isfinite(rule.gain) || versions < 1 || versions > 1'000'000)
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
      "{} of the last {} judged versions is not above {:.4f}, that of version {}, by more than {:g}",
      rule.metric, rule.versions, most, best.version, rule.gain);
}

}  // namespace sotto::server
