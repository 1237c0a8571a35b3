// What chapter 6 claims, and what the tables here say to it: means over seeds, compared.
#include <fmt/core.h>

#include "lab/reproduce/table_parts.h"
#include "metrics/metric_name.h"

namespace sotto::lab {

namespace {

// The paper's model is ahead of all other competing models in these metrics.
void add_ahead(const TargetData& at, std::string claim, std::vector<std::string_view> metrics,
               Reproduction& out) {
  const Paper& paper = *at.target.paper;
  Finding finding{std::move(claim), ClaimOutcome::untested, {}};
  ClaimVotes votes;
  for (const PaperData& data : at.data)
    for (const std::string_view metric : metrics) {
      const std::optional<double> own = mean_of(at, data, paper.own, metric);
      std::optional<Rival> best;
      for (const std::string& model : paper.competing)
        if (model != paper.own) look_at(best, metric, model, mean_of(at, data, model, metric));
      if (!own || !best) continue;
      votes.cast(is_better(metric, *own, best->value));
      finding.evidence.push_back(fmt::format("{}: {} of {} {:.4f}, the best other {:.4f} ({})", data.shown,
                                             metric, paper.own, *own, best->value, best->label));
    }
  add_finding(std::move(finding), votes, out);
}

// Figure 6.3: one choice of hops against another, for each length.
void add_hops(const TargetData& at, std::string claim, std::string_view more, std::string_view less,
              std::string_view metric, Reproduction& out) {
  Finding finding{std::move(claim), ClaimOutcome::untested, {}};
  ClaimVotes votes;
  for (const PaperData& data : at.data)
    for (const std::string& model : at.target.models) {
      if (model.substr(0, model.find(',')) != more) continue;
      const std::string other = std::string(less) + model.substr(more.size());
      const auto left = mean_of(at, data, model, metric), right = mean_of(at, data, other, metric);
      if (!left || !right) continue;
      votes.cast(is_better(metric, *left, *right));
      finding.evidence.push_back(fmt::format("{}: {} {:.4f} with {}, {:.4f} with {}", data.shown, metric,
                                             *left, model, *right, other));
    }
  add_finding(std::move(finding), votes, out);
}

// Table 6.2: the medians rise as k falls. The tables are k by quartile, from all features to few.
void add_preserved_rises(Reproduction& out) {
  Finding finding{
      "The more a feature matters to a person, the likelier the list keeps it (medians, k falling).",
      ClaimOutcome::untested,
      {}};
  ClaimVotes votes;
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
  add_finding(std::move(finding), votes, out);
}

}  // namespace

void add_knowledge_findings(const TargetData& at, Reproduction& out) {
  if (at.target.kind == TargetKind::knowledge) {
    add_ahead(at, "KGFlex is the most diverse of the models that factorise.", {"Gini@10", "IC@10"}, out);
    add_ahead(at, "KGFlex leans least towards what is popular, of the models that factorise.",
              {"ACLT@10", "PopREO@10", "PopRSP@10"}, out);
  } else if (at.target.kind == TargetKind::ablation) {
    add_hops(at, "Without features KGFlex cannot recommend.", "1 hop", "none", "nDCG@10", out);
    add_hops(at, "Features of the second hop make lists more diverse.", "2 hops", "1 hop", "Gini@10", out);
    add_hops(at, "Both hops are more accurate than the second alone.", "both", "2 hops", "nDCG@10", out);
  } else if (at.target.kind == TargetKind::preserved) {
    add_preserved_rises(out);
  }
}

}  // namespace sotto::lab
