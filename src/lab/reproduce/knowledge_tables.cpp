// Table 6.1 and the numbers and drawings of figures 6.2 and 6.3.
#include <fmt/format.h>

#include <algorithm>

#include "lab/report/markup.h"
#include "lab/reproduce/printed_table.h"
#include "lab/reproduce/table_parts.h"

namespace sotto::lab {

namespace {

Result<PaperTable> knowledge_table(const TargetData& at, const PaperData& data, std::string title,
                                   const std::vector<std::string>& metrics) {
  const Paper& paper = *at.target.paper;
  PaperTable table{std::move(title), "model", metrics, {}, {}};
  const std::vector<std::string> trained = trained_models(at.target, data);
  for (const std::string& model : at.target.models) {
    if (!contains(trained, model)) continue;
    SOTTO_TRY(PaperRow row, measured_row(at, data, model, model, metrics, [&](std::string_view metric) {
                return printed("knowledge/scores.tsv").value({data.name, model}, metric);
              }));
    row.extra = contains(paper.unprinted, model);
    // The print of the models that use features had those of depth 2.
    for (PaperCell& cell : row.cells)
      if (data.hops == 1 && contains(paper.with_features, model) && cell.ours && cell.printed)
        cell.verdict = Verdict::other;
    table.rows.push_back(std::move(row));
  }
  return table;
}

void note_knowledge(const TargetData& at, const PaperData& data, PaperTable& table) {
  if (!data.there) return;
  if (!data.caveat.empty()) table.notes.push_back(data.caveat);
  note_failures(at, data, table);
}

// What of a table is drawn: the values of two metrics in each row.
struct DrawnRow {
  std::string label;
  double x = 0.0, y = 0.0;
  std::optional<Interval> range;
};

std::vector<DrawnRow> drawn_rows(const PaperTable& table, std::size_t x, std::size_t y) {
  std::vector<DrawnRow> rows;
  for (const PaperRow& row : table.rows)
    if (row.cells[x].ours && row.cells[y].ours)
      rows.push_back({row.label, *row.cells[x].ours, *row.cells[y].ours, row.cells[y].interval});
  return rows;
}

// Figure 6.2: every model a point with its name beside it.
XyChart entropy_chart(const Paper& paper, const PaperData& data, const PaperTable& table) {
  XyChart chart =
      line_chart("hits-over-entropy-" + slug(data.shown), data.shown + ": hit ratio over Shannon entropy",
                 "Accuracy over how evenly items are recommended: the closer to the upper right the better.",
                 "SE@10", "HR@10");
  chart.y.from_zero = true;
  chart.series = {
      {paper.own, {}, false}, {"other factorisation models", {}, false}, {"reference models", {}, false}};
  for (const DrawnRow& row : drawn_rows(table, 1, 0)) {
    const std::size_t series = row.label.starts_with(paper.own)       ? 0
                               : contains(paper.competing, row.label) ? 1
                                                                      : 2;
    chart.series[series].points.push_back({row.x, row.y, row.range, row.label, row.label});
  }
  return chart;
}

// Figure 6.3: a series for each choice of hops, a point for each length.
XyChart ablation_chart(const PaperData& data, const PaperTable& table, std::size_t x) {
  const std::string metric = table.metrics[x];
  XyChart chart =
      line_chart(fmt::format("ablation-{}-{}", slug(data.shown), slug(metric)),
                 fmt::format("{}: KGFlex by hops, accuracy over {}", data.shown, metric),
                 "Features of no hop, of the first, of the second, of both; m is the length of the vectors.",
                 metric, "nDCG@10");
  chart.y.from_zero = true;
  for (const DrawnRow& row : drawn_rows(table, x, 0)) {
    const std::string variant = row.label.substr(0, row.label.find(','));  // "1 hop" of "1 hop, m 10"
    if (chart.series.empty() || chart.series.back().name != variant) chart.series.push_back({variant, {}});
    chart.series.back().points.push_back(
        {row.x, row.y, row.range, row.label.substr(variant.size() + 2), row.label});
  }
  return chart;
}

}  // namespace

Status add_knowledge_tables(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data)
    for (const std::string ending : {"@10", "@1"}) {
      std::vector<std::string> metrics = at.target.metrics;
      std::erase_if(metrics, [&](const std::string& metric) { return !metric.ends_with(ending); });
      SOTTO_TRY(
          PaperTable table,
          knowledge_table(at, data, fmt::format("{}, lists of {}", data.shown, ending.substr(1)), metrics));
      mark_best(table, at.target.paper->competing);
      if (ending == "@10") {
        note_knowledge(at, data, table);
        note_untuned(at, table);
        note_given_plans(at, data, table);
      }
      out.tables.push_back(std::move(table));
    }
  out.notes.push_back(
      fmt::format("Marked: * the best and ° the second of the models that factorise ({}), as in the thesis.",
                  fmt::join(at.target.paper->competing, ", ")));
  return Done{};
}

Status add_knowledge_figure(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    SOTTO_TRY(PaperTable table, knowledge_table(at, data, data.shown, at.target.metrics));
    note_knowledge(at, data, table);
    if (data.there && at.target.kind == TargetKind::entropy) {
      out.figures.emplace_back(Chart{entropy_chart(*at.target.paper, data, table)});
    } else if (data.there) {
      for (const std::size_t x : {2u, 1u}) out.figures.emplace_back(Chart{ablation_chart(data, table, x)});
    }
    out.tables.push_back(std::move(table));
  }
  return Done{};
}

}  // namespace sotto::lab
