// The papers' findings, tested: paired t-tests over users, corrected together by Holm's method, at 5%.
//
// Laws: every comparison that was looked at is in the family that is corrected, so that picking the best of
// several costs what it should; a pair counts for a finding only if it differs in nothing else.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "lab/reproduce/reproduction.h"

namespace sotto::lab {

namespace {

constexpr double level = 0.05;
constexpr double hardly = 0.05;  // of the cost
constexpr const char* judged_by = "P@10";

// first − second, over the same users.
struct ModelPair {
  std::string dataset;
  const MeasuredPoint* first;
  const MeasuredPoint* second;
  double first_mean = 0.0;
  double second_mean = 0.0;
  Interval difference = {};  // 95%, not corrected
  double p = 1.0;

  [[nodiscard]] bool significant() const { return p < level; }
  [[nodiscard]] bool gains() const { return first_mean > second_mean; }
};

class Pairs {
 public:
  explicit Pairs(const Measurements& measured) : measured_(measured) {}

  [[nodiscard]] Status add(const std::string& dataset, const MeasuredPoint* first,
                           const MeasuredPoint* second) {
    if (first == nullptr || second == nullptr || first == second) return Done{};
    SOTTO_TRY(const std::vector<double> a, measured_.per_user(*first, judged_by));
    SOTTO_TRY(const std::vector<double> b, measured_.per_user(*second, judged_by));
    if (a.empty() || a.size() != b.size()) return Done{};
    pairs_.push_back({dataset, first, second, spread_of(a).mean, spread_of(b).mean,
                      mean_interval(differences(a, b)), paired_t_test(a, b).p});
    return Done{};
  }
  // With corrected p-values.
  [[nodiscard]] std::vector<ModelPair> corrected() const {
    std::vector<double> raw;
    for (const ModelPair& pair : pairs_) raw.push_back(pair.p);
    const std::vector<double> adjusted = holm(raw);
    std::vector<ModelPair> pairs = pairs_;
    for (std::size_t n = 0; n < pairs.size(); ++n) pairs[n].p = adjusted[n];
    return pairs;
  }

 private:
  const Measurements& measured_;
  std::vector<ModelPair> pairs_;
};

std::string name_of(const MeasuredPoint& point) {
  return point.pi ? fmt::format("{} at π {:.1f}", point.model, *point.pi) : point.model;
}

std::string line_of(const ModelPair& pair) {
  const double percent = pair.second_mean > 0.0 ? 100.0 / pair.second_mean : 0.0;
  const std::string p = pair.p < 0.001 ? "p < .001" : fmt::format("p = {:.3f}", pair.p);
  return fmt::format("{}: {} {:.5f}, {} {:.5f} ({:+.1f}%, interval {:+.1f}% to {:+.1f}%, {}, {})",
                     pair.dataset, name_of(*pair.first), pair.first_mean, name_of(*pair.second),
                     pair.second_mean, percent * (pair.first_mean - pair.second_mean),
                     percent * pair.difference.low, percent * pair.difference.high, p,
                     pair.significant() ? "significant" : "not significant");
}

// Whether two plans differ in the size of the cohort alone.
Result<bool> same_but_for_cohort(const MeasuredPoint& a, const MeasuredPoint& b) {
  SOTTO_TRY(TrainRequest first, from_toml(a.cells.front().result.request, "the plan of " + a.model));
  SOTTO_TRY(const TrainRequest second, from_toml(b.cells.front().result.request, "the plan of " + b.model));
  first.plan.cohort = second.plan.cohort;
  first.log_every = second.log_every;
  return to_toml(first) == to_toml(second);
}

// Of each configuration the values of π below 1, against 1.
struct PiTally {
  std::size_t all = 0, on_top = 0, better = 0, worse = 0;
  double by_chance = 0.0;  // configurations with a lower π on top, if π made no difference
};

PiTally tally(const std::vector<ModelPair>& pairs, std::vector<std::string>& evidence) {
  PiTally tally;
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    const ModelPair* best = &pairs[begin];
    bool better = false, all_worse = true;
    for (end = begin; end < pairs.size() && pairs[end].second == pairs[begin].second; ++end) {
      if (pairs[end].first_mean > best->first_mean) best = &pairs[end];
      better |= pairs[end].gains() && pairs[end].significant();
      all_worse &= !pairs[end].gains() && pairs[end].significant();
    }
    ++tally.all;
    tally.on_top += best->gains() ? 1 : 0;
    tally.better += better ? 1 : 0;
    tally.worse += all_worse ? 1 : 0;
    const auto lower = static_cast<double>(end - begin);
    tally.by_chance += lower / (lower + 1.0);
    evidence.push_back(line_of(*best));
  }
  return tally;
}

// "The best π is rarely 1". π = 0 sends nothing of what people like: left out, as in the papers' figure.
Result<Finding> best_pi(const TargetData& at) {
  Finding finding{"The best π is rarely 1.", ClaimOutcome::untested, {}};
  Pairs pairs(at.measured);
  for (const PaperData& data : at.data)
    for (const std::string& model : at.target.paper->over_pi) {
      const std::vector<const MeasuredPoint*> points = at.measured.points(data.name, model);
      if (points.empty() || *points.back()->pi < 1.0) continue;
      for (const MeasuredPoint* point : points)
        if (*point->pi > 0.0) SOTTO_TRY_DONE(pairs.add(data.shown, point, points.back()));
    }
  const PiTally found = tally(pairs.corrected(), finding.evidence);
  if (found.all == 0) return finding;
  finding.evidence.insert(
      finding.evidence.begin(),
      fmt::format("a π below 1 is on top in {} of {} configurations (by chance alone: {:.0f}), significantly "
                  "better than 1 in {}; π = 1 is significantly better than all others in {}",
                  found.on_top, found.all, found.by_chance, found.better, found.worse));
  finding.outcome = found.worse == 0 && 2 * found.better >= found.all ? ClaimOutcome::holds
                    : found.worse > found.better                      ? ClaimOutcome::fails
                                                                      : ClaimOutcome::mixed;
  return finding;
}

// "Parallelism does not change accuracy". Where plans differ in more than the cohort, it cannot be told.
Result<Finding> parallelism(const TargetData& at) {
  Finding finding{
      "Parallelism does not change accuracy (sFPL and pFPL, sFPL+ and pFPL+).", ClaimOutcome::untested, {}};
  Pairs pairs(at.measured);
  for (const PaperData& data : at.data)
    for (const std::vector<std::string>& pair : at.target.paper->in_parallel)
      SOTTO_TRY_DONE(pairs.add(data.shown, at.measured.chosen(data.name, pair.front()),
                               at.measured.chosen(data.name, pair.back())));
  std::size_t counted = 0, significant = 0;
  for (const ModelPair& pair : pairs.corrected()) {
    SOTTO_TRY(const bool comparable, same_but_for_cohort(*pair.first, *pair.second));
    counted += comparable ? 1 : 0;
    significant += comparable && pair.significant() ? 1 : 0;
    finding.evidence.push_back(line_of(pair) +
                               (comparable ? "" : "; not counted: the plans differ in more than the cohort"));
  }
  if (counted == 0) return finding;
  finding.outcome = significant == 0        ? ClaimOutcome::holds
                    : significant < counted ? ClaimOutcome::mixed
                                            : ClaimOutcome::fails;
  return finding;
}

// "More local computation helps on the sparse set". Other sets are told, and do not count.
Result<Finding> local_computation(const TargetData& at) {
  Finding finding{"More local computation helps on the sparse set (sFPL+ and sFPL on Amazon DM).",
                  ClaimOutcome::untested,
                  {}};
  Pairs pairs(at.measured);
  for (const PaperData& data : at.data)
    SOTTO_TRY_DONE(pairs.add(data.shown, at.measured.chosen(data.name, at.target.paper->more_local.front()),
                             at.measured.chosen(data.name, at.target.paper->more_local.back())));
  const std::vector<ModelPair> corrected = pairs.corrected();
  if (!corrected.empty())
    finding.evidence.push_back(
        "with rounds per epoch by exchanges sFPL+ also spends about T times the triples of sFPL");
  for (const ModelPair& pair : corrected) {
    finding.evidence.push_back(line_of(pair));
    if (pair.dataset != at.target.paper->sparse) continue;
    finding.outcome = !pair.significant() ? ClaimOutcome::mixed
                      : pair.gains()      ? ClaimOutcome::holds
                                          : ClaimOutcome::fails;
  }
  return finding;
}

// "π hardly moves the communication cost": the papers' count of vectors, for the same epochs.
Result<Finding> cost_over_pi(const TargetData& at) {
  Finding finding{"π hardly moves the communication cost.", ClaimOutcome::untested, {}};
  double most = 0.0;
  for (const PaperData& data : at.data)
    for (const std::string& model : at.target.paper->over_pi) {
      std::vector<double> costs;
      for (const MeasuredPoint* point : at.measured.points(data.name, model)) {
        SOTTO_TRY(const std::optional<MeasuredValue> cost, at.measured.value(*point, "TCC"));
        if (cost) costs.push_back(cost->mean);
      }
      if (costs.size() < 2) continue;
      const auto [low, high] = std::minmax_element(costs.begin(), costs.end());
      most = std::max(most, *high / *low - 1.0);
      finding.evidence.push_back(
          fmt::format("{}: {} from {:.4g} to {:.4g} vectors over {} values of π ({:.2f}%)", data.shown, model,
                      *low, *high, costs.size(), 100.0 * (*high / *low - 1.0)));
    }
  if (!finding.evidence.empty()) finding.outcome = most <= hardly ? ClaimOutcome::holds : ClaimOutcome::fails;
  return finding;
}

}  // namespace

const char* to_string(ClaimOutcome outcome) {
  switch (outcome) {
    case ClaimOutcome::holds:
      return "holds";
    case ClaimOutcome::mixed:
      return "mixed";
    case ClaimOutcome::fails:
      return "does not hold";
    case ClaimOutcome::untested:
      break;
  }
  return "not tested";
}

Status add_findings(const TargetData& at, Reproduction& out) {
  for (const auto test : {best_pi, parallelism, local_computation, cost_over_pi}) {
    SOTTO_TRY(Finding finding, test(at));
    if (!finding.evidence.empty()) out.findings.push_back(std::move(finding));
  }
  return Done{};
}

}  // namespace sotto::lab
