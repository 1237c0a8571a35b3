// Figures 3 and 4 of the Fed-CARS paper: errors over the share of people who take part, and over the rounds
// with and without contexts.
#include <fmt/core.h>

#include "lab/report/markup.h"
#include "lab/reproduce/table_parts.h"
#include "metrics/bootstrap.h"

namespace sotto::lab {

namespace {

constexpr double close_enough = 1.02;  // of the MAE with everybody

constexpr const char *half_label = "50%", *whole_label = "100%";

std::vector<const Variant*> variants_at(const TargetData& at, const PaperData& data) {
  return variants_of(at.target, data.name, at.target.paper->own, at.effort);
}

Result<PaperTable> participation_table(const TargetData& at, const PaperData& data) {
  PaperTable table{data.shown, "take part", {"MAE", "RMSE", "of 100%'s MAE"}, {}, {}};
  const auto whole = mean_of(at, data, whole_label, "MAE");
  for (const Variant* share : variants_at(at, data)) {
    SOTTO_TRY(PaperRow row, measured_row(at, data, share->label, share->label, {"MAE", "RMSE"}));
    PaperCell& ratio = row.cells.emplace_back();
    if (row.cells.front().ours && whole) ratio.ours = *row.cells.front().ours / *whole;
    table.rows.push_back(std::move(row));
  }
  table.notes.emplace_back(
      "Everybody is judged: who does not take part receives the model and adapts it on the device.");
  return table;
}

// The paper: half of the people of 100K, 60% of latest-small.
void add_half_finding(const TargetData& at, Reproduction& out) {
  Finding finding{"Half of the people reach an MAE within 2% of everybody's.", ClaimOutcome::untested, {}};
  ClaimVotes votes;
  for (const PaperData& data : at.data) {
    const auto half = mean_of(at, data, half_label, "MAE"), whole = mean_of(at, data, whole_label, "MAE");
    if (!half || !whole) continue;
    votes.cast(*half <= close_enough * *whole);
    finding.evidence.push_back(fmt::format("{}: MAE {:.4f} with 50%, {:.4f} with 100%: {:+.2f}%", data.shown,
                                           *half, *whole, 100.0 * (*half / *whole - 1.0)));
  }
  add_finding(std::move(finding), votes, out);
}

// A column per choice of contexts, a row per epoch.
Result<PaperTable> context_table(const TargetData& at, const PaperData& data, std::string_view metric,
                                 const std::vector<std::uint32_t>& epochs) {
  PaperTable table{fmt::format("{}: {}", data.shown, metric), "epochs", {}, {}, {}};
  const std::vector<const Variant*> variants = variants_at(at, data);
  for (const Variant* variant : variants) table.metrics.push_back(variant->label);
  for (const std::uint32_t epoch : epochs) {
    PaperRow row{fmt::format("{}", epoch),
                 seeds_text(at, data, curve_label(variants.front()->label, epoch)),
                 {},
                 true};
    for (const Variant* variant : variants) {
      SOTTO_TRY(PaperCell cell,
                measured_cell(at, data, curve_label(variant->label, epoch), metric, std::nullopt));
      row.cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

XyChart context_chart(const PaperData& data, std::string_view metric, const PaperTable& table,
                      const std::vector<std::uint32_t>& epochs) {
  XyChart chart =
      line_chart(fmt::format("contexts-{}-{}", slug(data.shown), slug(metric)),
                 fmt::format("{}: {} over the epochs, by contexts", data.shown, metric),
                 "With the contexts of people, of items, of both, and without any; 95% intervals over seeds.",
                 "epochs", std::string(metric));
  chart.x.from_zero = true;
  const std::vector<double> x(epochs.begin(), epochs.end());
  for (std::size_t n = 0; n < table.metrics.size(); ++n)
    chart.series.push_back(series_of(table, table.metrics[n], n, x));
  return chart;
}

// Both against another choice at the last epoch: each person's own MAE, mean over seeds.
Status compare_contexts(const TargetData& at, const PaperData& data, std::string_view other,
                        std::uint32_t epoch, ClaimVotes& votes, Finding& finding) {
  const MeasuredPoint* both = at.measured.chosen(data.name, curve_label("both", epoch));
  const MeasuredPoint* less = at.measured.chosen(data.name, curve_label(other, epoch));
  if (both == nullptr || less == nullptr) return Done{};
  SOTTO_TRY(const std::vector<double> a, at.measured.per_user(*both, "MAE"));
  SOTTO_TRY(const std::vector<double> b, at.measured.per_user(*less, "MAE"));
  if (a.empty() || a.size() != b.size()) return Done{};
  const std::vector<double> gaps = differences(a, b);
  const double gap = spread_of(gaps).mean;
  const Interval range = bootstrap_mean(gaps, {}, at.executor);
  const double t = paired_t_test(a, b).p, ranks = wilcoxon_test(a, b).p;
  votes.cast(gap < 0.0 && t < 0.05);
  finding.evidence.push_back(fmt::format(
      "{}: both − {} {:+.4f} (95% {:+.4f} to {:+.4f}) of a person's MAE, {} people; paired t p = {:.2g}, "
      "Wilcoxon p = {:.2g}",
      data.shown, other, gap, range.low, range.high, a.size(), t, ranks));
  return Done{};
}

}  // namespace

Status add_participation(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    if (!data.there) continue;
    SOTTO_TRY(PaperTable table, participation_table(at, data));
    std::vector<double> percent;
    for (const Variant* share : variants_at(at, data)) percent.push_back(share->x);
    for (std::size_t column = 0; column < 2; ++column) {
      const std::string& metric = table.metrics[column];
      XyChart chart =
          line_chart(fmt::format("participation-{}-{}", slug(data.shown), slug(metric)),
                     fmt::format("{}: {} over who takes part", data.shown, metric),
                     "Everybody is judged; 95% intervals over seeds.", "people who take part, %", metric);
      chart.series.push_back(series_of(table, at.target.paper->own, column, percent));
      out.figures.emplace_back(Chart{std::move(chart)});
    }
    out.tables.push_back(std::move(table));
  }
  add_half_finding(at, out);
  return Done{};
}

Status add_context_curves(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    if (!data.there) continue;
    SOTTO_TRY(const std::vector<std::uint32_t> epochs, curve_epochs(*at.target.paper, data.name, at.effort));
    for (const std::string_view metric : at.target.metrics) {
      SOTTO_TRY(PaperTable table, context_table(at, data, metric, epochs));
      if (metric == at.target.metrics.front())
        table.notes.emplace_back(
            "user: interval since the last rating, age of ratings, and what is known of the person; item: "
            "part of the day and week, genres, years.");
      out.figures.emplace_back(Chart{context_chart(data, metric, table, epochs)});
      out.tables.push_back(std::move(table));
    }
  }
  Finding none{"Both kinds of context beat none (each person's MAE, paired test at 5%).", {}, {}};
  Finding alone{"Both kinds of context beat either alone (likewise).", {}, {}};
  ClaimVotes none_votes, alone_votes;
  for (const PaperData& data : at.data) {
    SOTTO_TRY(const std::vector<std::uint32_t> epochs, curve_epochs(*at.target.paper, data.name, at.effort));
    SOTTO_TRY_DONE(compare_contexts(at, data, "none", epochs.back(), none_votes, none));
    for (const char* one : {"user", "item"})
      SOTTO_TRY_DONE(compare_contexts(at, data, one, epochs.back(), alone_votes, alone));
  }
  add_finding(std::move(none), none_votes, out);
  add_finding(std::move(alone), alone_votes, out);
  return Done{};
}

}  // namespace sotto::lab
