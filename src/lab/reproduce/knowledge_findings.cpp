// What chapter 6 claims, and what the tables here say to it: means over seeds, compared.
#include <fmt/core.h>

#include <algorithm>

#include "lab/reproduce/knowledge_plans.h"
#include "lab/reproduce/knowledge_print.h"
#include "lab/reproduce/reproduction.h"
#include "metrics/metric_name.h"

namespace sotto {

namespace {

std::optional<double> measured_mean(const TargetData& at, const PaperData& data, std::string_view model,
                                    std::string_view metric) {
  const MeasuredPoint* point = at.measured.chosen(data.name, model);
  if (point == nullptr) return std::nullopt;
  const auto value = at.measured.value(*point, metric);
  return value.ok() && *value ? std::optional((*value)->mean) : std::nullopt;
}

// Counts what speaks for a claim and what against it.
struct Votes {
  std::size_t yes = 0, no = 0;
  void cast(bool holds) { ++(holds ? yes : no); }
  [[nodiscard]] ClaimOutcome outcome() const {
    if (yes + no == 0) return ClaimOutcome::untested;
    return no == 0 ? ClaimOutcome::holds : yes == 0 ? ClaimOutcome::fails : ClaimOutcome::mixed;
  }
};

// KGFlex is ahead of all other competing models in these metrics.
Finding ahead_in(const TargetData& at, std::string claim, std::span<const std::string_view> metrics) {
  Finding finding{std::move(claim), ClaimOutcome::untested, {}};
  Votes votes;
  for (const PaperData& data : at.data)
    for (const std::string_view metric : metrics) {
      const std::optional<double> own = measured_mean(at, data, "KGFlex", metric);
      std::optional<double> best;
      std::string_view rival;
      for (const std::string_view model : competing_models) {
        const std::optional<double> value =
            model == "KGFlex" ? std::nullopt : measured_mean(at, data, model, metric);
        if (!value || (best && !is_better(metric, *value, *best))) continue;
        best = value;
        rival = model;
      }
      if (!own || !best) continue;
      votes.cast(is_better(metric, *own, *best));
      finding.evidence.push_back(fmt::format("{}: {} of KGFlex {:.4f}, the best other {:.4f} ({})",
                                             data.shown, metric, *own, *best, rival));
    }
  finding.outcome = votes.outcome();
  return finding;
}

// Figure 6.3: one choice of hops against another, for each length.
Finding hops_compared(const TargetData& at, std::string claim, std::string_view more, std::string_view less,
                      std::string_view metric) {
  Finding finding{std::move(claim), ClaimOutcome::untested, {}};
  Votes votes;
  for (const PaperData& data : at.data)
    for (const std::string_view model : ablation_models) {
      if (ablation_variant(model) != more) continue;
      const std::string other = std::string(less) + std::string(model.substr(more.size()));
      const auto left = measured_mean(at, data, model, metric),
                 right = measured_mean(at, data, other, metric);
      if (!left || !right) continue;
      votes.cast(is_better(metric, *left, *right));
      finding.evidence.push_back(fmt::format("{}: {} {:.4f} with {}, {:.4f} with {}", data.shown, metric,
                                             *left, model, *right, other));
    }
  finding.outcome = votes.outcome();
  return finding;
}

// Table 6.2: the medians rise as k falls. The tables are k by quartile, from all features to few.
Finding preserved_rises(const Reproduction& out) {
  Finding finding{
      "The more a feature matters to a person, the likelier the list keeps it (medians, k falling).",
      ClaimOutcome::untested,
      {}};
  Votes votes;
  for (const PaperTable& table : out.tables) {
    const PaperRow* median = nullptr;
    for (const PaperRow& row : table.rows)
      if (row.label == "Q2") median = &row;
    if (median == nullptr || !median->cells.front().ours) continue;
    std::string line = table.title + ":";
    bool rises = true;
    for (std::size_t n = 0; n < median->cells.size(); ++n) {
      line += fmt::format(" {:.1f}%", 100.0 * *median->cells[n].ours);
      rises = rises && (n == 0 || *median->cells[n].ours >= *median->cells[n - 1].ours);
    }
    votes.cast(rises);
    finding.evidence.push_back(std::move(line));
  }
  finding.outcome = votes.outcome();
  return finding;
}

}  // namespace

void add_knowledge_findings(const TargetData& at, Reproduction& out) {
  static constexpr std::array<std::string_view, 2> diverse{"Gini@10", "IC@10"};
  static constexpr std::array<std::string_view, 3> unbiased{"ACLT@10", "PopREO@10", "PopRSP@10"};
  std::vector<Finding> found;
  if (at.target.kind == TargetKind::knowledge) {
    found.push_back(ahead_in(at, "KGFlex is the most diverse of the models that factorise.", diverse));
    found.push_back(
        ahead_in(at, "KGFlex leans least towards what is popular, of the models that factorise.", unbiased));
  } else if (at.target.kind == TargetKind::ablation) {
    found.push_back(
        hops_compared(at, "Without features KGFlex cannot recommend.", "1 hop", "none", "nDCG@10"));
    found.push_back(hops_compared(at, "Features of the second hop make lists more diverse.", "2 hops",
                                  "1 hop", "Gini@10"));
    found.push_back(
        hops_compared(at, "Both hops are more accurate than the second alone.", "both", "2 hops", "nDCG@10"));
  } else if (at.target.kind == TargetKind::preserved) {
    found.push_back(preserved_rises(out));
  }
  for (Finding& finding : found)
    if (!finding.evidence.empty()) out.findings.push_back(std::move(finding));
}

}  // namespace sotto
