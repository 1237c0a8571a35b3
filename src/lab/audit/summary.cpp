#include "lab/audit/summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "base/version.h"
#include "lab/audit/criteria_part.h"

namespace sotto::lab {

namespace {

Estimate estimate(const std::vector<double>& values, Executor& executor) {
  Estimate made;
  for (const double value : values) made.mean += value / static_cast<double>(values.size());
  made.range = bootstrap_mean(values, {}, executor);
  double squares = 0.0;
  for (const double value : values) squares += (value - made.mean) * (value - made.mean);
  const auto count = static_cast<double>(values.size());
  if (values.size() > 1) made.error = std::sqrt(squares / (count - 1.0) / count);
  return made;
}

// One figure of one attacker over all judged people of all seeds, less `base` where there is one.
std::vector<double> values_of(const std::vector<LeakFigures>& figures, const std::vector<LeakFigures>* base,
                              double LeakFigures::*member) {
  std::vector<double> values;
  for (std::size_t n = 0; n < figures.size(); ++n)
    values.push_back(figures[n].*member - (base != nullptr ? (*base)[n].*member : 0.0));
  return values;
}

LeakEstimates estimates(const std::vector<LeakFigures>& figures, const std::vector<LeakFigures>* base,
                        Executor& executor) {
  return {estimate(values_of(figures, base, &LeakFigures::auc), executor),
          estimate(values_of(figures, base, &LeakFigures::f1), executor),
          estimate(values_of(figures, base, &LeakFigures::tpr), executor),
          estimate(values_of(figures, base, &LeakFigures::named), executor)};
}

struct Pooled {
  std::vector<LeakFigures> alone, informed;
  std::uint32_t with_evidence = 0;
};

// About items or about features.
using Asked = std::vector<Findings> AuditRun::*;

Pooled pooled(const std::vector<AuditRun>& seeds, Asked asked, std::size_t attacker) {
  Pooled all;
  for (const AuditRun& run : seeds) {
    const Findings& found = (run.*asked)[attacker];
    all.alone.insert(all.alone.end(), found.alone.begin(), found.alone.end());
    all.informed.insert(all.informed.end(), found.informed.begin(), found.informed.end());
    all.with_evidence += found.uses_evidence ? 1 : 0;
  }
  return all;
}

std::vector<AttackerSummary> attackers_in(const std::vector<AuditRun>& seeds, Asked asked,
                                          Executor& executor) {
  std::vector<AttackerSummary> made;
  const std::vector<Findings>& first = seeds.front().*asked;
  for (std::size_t n = 0; n < first.size(); ++n) {
    const Pooled prior = pooled(seeds, asked, 0), all = pooled(seeds, asked, n);
    made.push_back({first[n].attacker, all.with_evidence, estimates(all.alone, nullptr, executor),
                    estimates(all.informed, nullptr, executor),
                    estimates(all.informed, &prior.informed, executor)});
  }
  return made;
}

bool gains_nothing(const std::vector<AttackerSummary>& attackers) {
  return std::all_of(attackers.begin(), attackers.end(), [](const AttackerSummary& one) {
    const LeakEstimates& more = one.advantage;
    return more.auc.range.low <= 0.0 && more.f1.range.low <= 0.0 && more.tpr.range.low <= 0.0 &&
           more.named.range.low <= 0.0;
  });
}

// Looks of the first seed: one is enough to see how a leak grows.
std::vector<LookSummary> looks_of(const AuditRun& run, Executor& executor) {
  std::vector<LookSummary> looks;
  const auto add = [&](std::uint64_t round, const std::vector<Findings>& findings) {
    LookSummary& look = looks.emplace_back();
    look.round = round;
    for (const Findings& found : findings)
      look.f1.emplace_back(found.attacker,
                           estimate(values_of(found.informed, nullptr, &LeakFigures::f1), executor));
  };
  if (run.looks.empty()) return looks;
  for (const AuditLook& look : run.looks) add(look.round, look.findings);
  add(run.rounds, run.findings);
  return looks;
}

nlohmann::json json_of(const Estimate& estimate) {
  return {{"mean", estimate.mean}, {"low", estimate.range.low}, {"high", estimate.range.high}};
}

nlohmann::json json_of(const LeakEstimates& estimates) {
  return {{"auc", json_of(estimates.auc)},
          {"f1", json_of(estimates.f1)},
          {"tpr_at_1_percent", json_of(estimates.tpr)},
          {"named", json_of(estimates.named)}};
}

nlohmann::json json_of(const std::vector<AttackerSummary>& attackers) {
  nlohmann::json json = nlohmann::json::array();
  for (const AttackerSummary& one : attackers)
    json.push_back({{"code", code_of(one.attacker)},
                    {"name", name_of(one.attacker)},
                    {"seeds_with_evidence", one.seeds_with_evidence},
                    {"alone", json_of(one.alone)},
                    {"informed", json_of(one.informed)},
                    {"advantage", json_of(one.advantage)}});
  return json;
}

nlohmann::json json_of(const AuditSummary& summary) {
  nlohmann::json json{{"rounds", summary.rounds},
                      {"known", summary.known},
                      {"judged", summary.judged},
                      {"sent_share", json_of(summary.sent)},
                      {"no_leak_shown", summary.shows_no_leak()}};
  if (!summary.model_hash.empty()) json["model_hash"] = summary.model_hash;
  json["attackers"] = json_of(summary.attackers);
  if (!summary.features.empty()) json["features"] = json_of(summary.features);
  if (summary.looks.empty()) return json;
  json["looks"] = nlohmann::json::array();
  for (const LookSummary& look : summary.looks) {
    nlohmann::json f1 = nlohmann::json::object();
    for (const auto& [attacker, value] : look.f1) f1[code_of(attacker)] = json_of(value);
    json["looks"].push_back({{"round", look.round}, {"f1", f1}});
  }
  return json;
}

nlohmann::json json_of(const std::vector<AuditPoint>& points, const char* x) {
  nlohmann::json json = nlohmann::json::array();
  for (const AuditPoint& point : points) {
    nlohmann::json one = json_of(point.summary);
    one[x] = std::isfinite(point.x) ? nlohmann::json(point.x) : nlohmann::json();
    one["series"] = point.series;
    json.push_back(std::move(one));
  }
  return json;
}

nlohmann::json plan_json(const AuditRequest& request) {
  const Plan& plan = request.train.plan;
  nlohmann::json json{{"model", request.train.model->name},
                      {"factors", plan.fpl.factors},
                      {"epochs", plan.epochs},
                      {"pi", plan.consent.pi},
                      {"mask", to_string(plan.consent.mask)},
                      {"cohort", plan.cohort},
                      {"learning_rate", plan.fpl.learning_rate},
                      {"fixed_bits", plan.fixed.bits},
                      {"seed", plan.seed},
                      {"seeds", request.seeds},
                      {"noise", request.noise.multiplier},
                      {"clip", request.noise.clip},
                      {"delta", request.noise.delta},
                      {"local", request.local},
                      {"keep_groups", request.keep_groups},
                      {"secure_dropout", request.silent}};
  if (request.train.model->sends == Sends::item_steps) json["variant"] = variant_of(plan);
  return json;
}

}  // namespace

const AttackerSummary* AuditSummary::of(Attacker attacker) const {
  for (const AttackerSummary& one : attackers)
    if (one.attacker == attacker) return &one;
  return nullptr;
}

const AttackerSummary* AuditSummary::strongest() const {
  const AttackerSummary* best = nullptr;
  for (const AttackerSummary& one : attackers)
    if (one.attacker != Attacker::popularity &&
        (best == nullptr || one.advantage.f1.mean > best->advantage.f1.mean))
      best = &one;
  return best;
}

AuditSummary::LargestGain AuditSummary::largest_gain() const {
  LargestGain largest;
  double most = 0.0;  // in standard errors
  std::size_t tried = 0;
  for (const std::vector<AttackerSummary>* group : {&attackers, &features})
    for (const AttackerSummary& one : *group) {
      if (one.attacker == Attacker::popularity) continue;
      const std::pair<const char*, const Estimate*> figures[] = {{"AUC", &one.advantage.auc},
                                                                 {"F1", &one.advantage.f1},
                                                                 {"TPR", &one.advantage.tpr},
                                                                 {"named", &one.advantage.named}};
      for (const auto& [name, gain] : figures) {
        ++tried;
        if (gain->error <= 0.0 || gain->mean / gain->error <= most) continue;
        most = gain->mean / gain->error;
        largest.what = fmt::format("{} in {}", code_of(one.attacker), name);
        largest.gain = *gain;
      }
    }
  // The upper tail of the normal curve, once a figure.
  largest.chance = std::min(1.0, static_cast<double>(tried) * 0.5 * std::erfc(most / std::numbers::sqrt2));
  return largest;
}

bool AuditSummary::shows_no_leak() const { return gains_nothing(attackers) && gains_nothing(features); }

AuditSummary summarise(const std::vector<AuditRun>& seeds, Executor& executor) {
  SOTTO_ASSERT(!seeds.empty(), "an audit has at least one seed");
  AuditSummary summary;
  summary.rounds = seeds.front().rounds;
  summary.known = seeds.front().known;
  summary.criteria = seeds.front().criteria;
  summary.model_hash = seeds.front().model_hash;
  summary.attackers = attackers_in(seeds, &AuditRun::findings, executor);
  summary.features = attackers_in(seeds, &AuditRun::features, executor);
  for (const AuditRun& run : seeds) summary.judged += run.findings.front().informed.size();
  std::vector<double> sent;
  for (const AuditRun& run : seeds) sent.insert(sent.end(), run.sent_shares.begin(), run.sent_shares.end());
  summary.sent = estimate(sent, executor);
  summary.looks = looks_of(seeds.front(), executor);
  return summary;
}

nlohmann::json to_json(const AuditReport& report) {
  nlohmann::json json{{"sotto", version},
                      {"data", report.data},
                      {"view", to_string(report.request.view)},
                      {"plan", plan_json(report.request)},
                      {"audit", json_of(report.main)}};
  if (report.main.criteria)
    json["criteria"] = leak_json(*report.main.criteria, report.request.train.criteria.order);
  if (!report.transcript.empty()) json["transcript"] = report.transcript;
  if (report.epsilon) json["epsilon"] = *report.epsilon;
  json["controls"] = nlohmann::json::array();
  for (const AuditControl& control : report.controls)
    json["controls"].push_back({{"name", control.name},
                                {"expected", control.expected},
                                {"measured", control.measured},
                                {"held", control.held}});
  if (!report.over_pi.empty()) json["over_pi"] = json_of(report.over_pi, "pi");
  if (!report.over_epsilon.empty()) json["over_epsilon"] = json_of(report.over_epsilon, "epsilon");
  if (!report.over_group.empty()) json["over_group"] = json_of(report.over_group, "group");
  if (!report.over_silent.empty()) json["over_silent"] = json_of(report.over_silent, "silent");
  if (report.canaries)
    json["canaries"] = {{"epsilon_at_least", report.canaries->bound.epsilon},
                        {"epsilon_promised", report.canaries->promised},
                        {"delta", report.canaries->played.noise.delta},
                        {"played", describe(report.canaries->played)},
                        {"trials", report.canaries->bound.trials},
                        {"hits", report.canaries->bound.hits},
                        {"false_alarms", report.canaries->bound.false_alarms},
                        {"held", report.canaries->held()}};
  return json;
}

}  // namespace sotto::lab
