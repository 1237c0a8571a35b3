// The papers' findings, tested: paired t-tests over users, corrected together by Holm's method, at 5%.
#include <fmt/core.h>

#include <algorithm>

#include "lab/reproduce/paper_data.h"
#include "lab/reproduce/printed_values.h"
#include "lab/reproduce/reproduction.h"

namespace sotto {

namespace {

constexpr double level = 0.05;
constexpr double hardly = 0.05;  // of the cost
constexpr const char* judged_by = "P@10";

// first − second, over the same users.
struct Pair {
  std::string dataset;
  const MeasuredPoint* first;
  const MeasuredPoint* second;
  double first_mean = 0.0;
  double second_mean = 0.0;
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
    pairs_.push_back({dataset, first, second, spread_of(a).mean, spread_of(b).mean, paired_t_test(a, b).p});
    return Done{};
  }
  // With corrected p-values.
  [[nodiscard]] std::vector<Pair> corrected() const {
    std::vector<double> raw;
    for (const Pair& pair : pairs_) raw.push_back(pair.p);
    const std::vector<double> adjusted = holm(raw);
    std::vector<Pair> pairs = pairs_;
    for (std::size_t n = 0; n < pairs.size(); ++n) pairs[n].p = adjusted[n];
    return pairs;
  }

 private:
  const Measurements& measured_;
  std::vector<Pair> pairs_;
};

std::string name_of(const MeasuredPoint& point) {
  return point.pi ? fmt::format("{} at π {:.1f}", point.model, *point.pi) : point.model;
}

std::string line_of(const Pair& pair) {
  const double change = pair.second_mean > 0.0 ? 100.0 * (pair.first_mean / pair.second_mean - 1.0) : 0.0;
  const std::string p = pair.p < 0.001 ? "p < .001" : fmt::format("p = {:.3f}", pair.p);
  return fmt::format("{}: {} {:.5f}, {} {:.5f} ({:+.1f}%, {}, {})", pair.dataset, name_of(*pair.first),
                     pair.first_mean, name_of(*pair.second), pair.second_mean, change, p,
                     pair.significant() ? "significant" : "not significant");
}

// Of some points the one with the highest mean; none without points.
Result<const MeasuredPoint*> best_of(const Measurements& measured,
                                     const std::vector<const MeasuredPoint*>& points) {
  const MeasuredPoint* best = nullptr;
  double highest = -1.0;
  for (const MeasuredPoint* point : points) {
    SOTTO_TRY(const std::vector<double> users, measured.per_user(*point, judged_by));
    const double mean = spread_of(users).mean;
    if (users.empty() || mean <= highest) continue;
    best = point;
    highest = mean;
  }
  return best;
}

// "The best π is rarely 1": the best π below 1 against 1, for each configuration.
Result<Finding> best_pi(const TargetData& at) {
  Finding finding{"The best π is rarely 1.", Standpoint::untested, {}};
  Pairs pairs(at.measured);
  for (const PaperData& data : at.data)
    for (const std::string_view model : fpl_models) {
      std::vector<const MeasuredPoint*> lower;
      const MeasuredPoint* whole = nullptr;
      for (const MeasuredPoint* point : at.measured.points(data.name, model))
        (*point->pi < 1.0 ? lower.emplace_back(point) : whole = point);
      SOTTO_TRY(const MeasuredPoint* best, best_of(at.measured, lower));
      SOTTO_TRY_DONE(pairs.add(data.shown, best, whole));
    }
  std::size_t lower = 0, significant = 0, against = 0;
  for (const Pair& pair : pairs.corrected()) {
    lower += pair.gains() ? 1 : 0;
    significant += pair.gains() && pair.significant() ? 1 : 0;
    against += !pair.gains() && pair.significant() ? 1 : 0;
    finding.evidence.push_back(line_of(pair));
  }
  const std::size_t all = finding.evidence.size();
  if (all == 0) return finding;
  finding.evidence.insert(
      finding.evidence.begin(),
      fmt::format("the best π lies below 1 in {} of {} configurations, significantly in {}; π = 1 is "
                  "significantly better in {}",
                  lower, all, significant, against));
  const bool mostly = 3 * lower >= 2 * all;
  finding.standpoint = mostly && significant > against ? Standpoint::holds
                       : 2 * lower < all               ? Standpoint::fails
                                                       : Standpoint::mixed;
  return finding;
}

// "Parallelism does not change accuracy".
Result<Finding> parallelism(const TargetData& at) {
  Finding finding{
      "Parallelism does not change accuracy (sFPL and pFPL, sFPL+ and pFPL+).", Standpoint::untested, {}};
  Pairs pairs(at.measured);
  const Measurements& measured = at.measured;
  for (const PaperData& data : at.data) {
    SOTTO_TRY_DONE(
        pairs.add(data.shown, measured.chosen(data.name, "pFPL"), measured.chosen(data.name, "sFPL")));
    SOTTO_TRY_DONE(
        pairs.add(data.shown, measured.chosen(data.name, "pFPL+"), measured.chosen(data.name, "sFPL+")));
  }
  std::size_t significant = 0;
  for (const Pair& pair : pairs.corrected()) {
    significant += pair.significant() ? 1 : 0;
    finding.evidence.push_back(line_of(pair));
  }
  if (finding.evidence.empty()) return finding;
  finding.standpoint = significant == 0                        ? Standpoint::holds
                       : significant < finding.evidence.size() ? Standpoint::mixed
                                                               : Standpoint::fails;
  return finding;
}

// "More local computation helps on the sparse set". Other sets are told, and do not count.
Result<Finding> local_computation(const TargetData& at) {
  Finding finding{"More local computation helps on the sparse set (sFPL+ and sFPL on Amazon DM).",
                  Standpoint::untested,
                  {}};
  Pairs pairs(at.measured);
  for (const PaperData& data : at.data)
    SOTTO_TRY_DONE(
        pairs.add(data.shown, at.measured.chosen(data.name, "sFPL+"), at.measured.chosen(data.name, "sFPL")));
  for (const Pair& pair : pairs.corrected()) {
    finding.evidence.push_back(line_of(pair));
    if (pair.dataset != amazon_dm) continue;
    finding.standpoint = !pair.significant() ? Standpoint::mixed
                         : pair.gains()      ? Standpoint::holds
                                             : Standpoint::fails;
  }
  return finding;
}

// "π hardly moves the communication cost": the papers' count of vectors, for the same epochs.
Result<Finding> cost_over_pi(const TargetData& at) {
  Finding finding{"π hardly moves the communication cost.", Standpoint::untested, {}};
  double most = 0.0;
  for (const PaperData& data : at.data)
    for (const std::string_view model : fpl_models) {
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
  if (!finding.evidence.empty()) finding.standpoint = most <= hardly ? Standpoint::holds : Standpoint::fails;
  return finding;
}

}  // namespace

const char* to_string(Standpoint standpoint) {
  switch (standpoint) {
    case Standpoint::holds:
      return "holds";
    case Standpoint::mixed:
      return "mixed";
    case Standpoint::fails:
      return "does not hold";
    case Standpoint::untested:
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

}  // namespace sotto
