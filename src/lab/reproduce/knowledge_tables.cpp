// Table 6.1 and the numbers and drawings of figures 6.2 and 6.3.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "lab/report/markup.h"
#include "lab/reproduce/knowledge_plans.h"
#include "lab/reproduce/knowledge_print.h"
#include "lab/reproduce/reproduction.h"
#include "metrics/metric_name.h"

namespace sotto {

namespace {

using MetricNames = std::vector<std::string_view>;

bool is_competing(std::string_view model) {
  return std::find(competing_models.begin(), competing_models.end(), model) != competing_models.end();
}

// The models whose print rests on features.
bool uses_features(std::string_view model) { return model == "VSM" || model == "kaHFM" || model == "KGFlex"; }

Result<PaperRow> knowledge_row(const TargetData& at, const PaperData& data, std::string_view model,
                               const MetricNames& metrics) {
  const MeasuredPoint* point = at.measured.chosen(data.name, model);
  PaperRow row{std::string(model),
               point == nullptr ? "" : fmt::format("×{}", point->cells.size()),
               {},
               model == tuned_kgflex};
  for (const std::string_view metric : metrics) {
    SOTTO_TRY(PaperCell cell,
              measured_cell(at, data, model, metric, printed_knowledge(data.name, model, metric)));
    // The print had features of depth 2.
    if (data.hops == 1 && uses_features(model) && cell.ours && cell.printed) cell.verdict = Verdict::other;
    row.cells.push_back(std::move(cell));
  }
  return row;
}

// Among the models that factorise, as in the thesis.
void mark_best(PaperTable& table) {
  for (std::size_t metric = 0; metric < table.metrics.size(); ++metric) {
    std::vector<PaperCell*> cells;
    for (PaperRow& row : table.rows)
      if (is_competing(row.label) && row.cells[metric].ours) cells.push_back(&row.cells[metric]);
    std::stable_sort(cells.begin(), cells.end(), [&](const PaperCell* a, const PaperCell* b) {
      return is_better(table.metrics[metric], *a->ours, *b->ours);
    });
    for (PaperCell* cell : cells) {
      if (*cell->ours == *cells.front()->ours)
        cell->standing = RankMark::best;
      else if (*cell->ours == *cells[1]->ours && *cells[1]->ours != *cells.front()->ours)
        cell->standing = RankMark::second;
    }
  }
}

void note_knowledge(const TargetData& at, const PaperData& data, PaperTable& table) {
  if (!data.there) return;
  if (!data.caveat.empty()) table.notes.push_back(data.caveat);
  for (const PaperRow& row : table.rows) {
    const std::string reason = at.measured.failure(data.name, row.label);
    if (!reason.empty()) table.notes.push_back(fmt::format("{} failed: {}", row.label, reason));
  }
}

// Most Pop has nothing to choose: where it misses its print, data or split are others.
void note_most_pop(PaperTable& table) {
  for (const PaperRow& row : table.rows) {
    if (row.label != "Most Pop") continue;
    const std::optional<double> ratio = ratio_of(row.cells.front().printed, row.cells.front().ours);
    if (ratio && std::abs(*ratio - 1.0) > 0.05)
      table.notes.push_back(fmt::format(
          "Most Pop has nothing to tune and stands at {:.2f} of its print ({}): data or split are not quite "
          "the thesis', so compare the models with each other.",
          *ratio, table.metrics.front()));
  }
}

void note_plans(const TargetData& at, const PaperData& data, PaperTable& table) {
  if (at.effort == Effort::full) return;
  std::string names;
  for (const PaperRow& row : table.rows)
    if (quick_plan(data.name, row.label).origin == PlanOrigin::given)
      names += (names.empty() ? "" : ", ") + row.label;
  if (!names.empty())
    table.notes.push_back(
        fmt::format("Plans that were not chosen on this set's validation part: {}.", names));
}

Result<PaperTable> knowledge_table(const TargetData& at, const PaperData& data, std::string title,
                                   const MetricNames& metrics) {
  PaperTable table{std::move(title), "model", {metrics.begin(), metrics.end()}, {}, {}};
  const std::vector<std::string_view> trained = trained_models(at.target, data);
  for (const std::string_view model : at.target.models) {
    if (std::find(trained.begin(), trained.end(), model) == trained.end()) continue;
    SOTTO_TRY(PaperRow row, knowledge_row(at, data, model, metrics));
    table.rows.push_back(std::move(row));
  }
  return table;
}

MetricNames at_cutoff(const Target& target, std::string_view ending) {
  MetricNames metrics;
  for (const std::string_view metric : target.metrics)
    if (metric.substr(metric.find('@')) == ending) metrics.push_back(metric);
  return metrics;
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
XyChart entropy_chart(const PaperData& data, const PaperTable& table) {
  XyChart chart;
  chart.head = {"hits-over-entropy-" + slug(data.shown), data.shown + ": hit ratio over Shannon entropy",
                "Accuracy over how evenly items are recommended: the closer to the upper right the better."};
  chart.x = {.label = "SE@10"};
  chart.y = {.label = "HR@10", .from_zero = true};
  chart.series = {
      {"KGFlex", {}, false}, {"other factorisation models", {}, false}, {"reference models", {}, false}};
  for (const DrawnRow& row : drawn_rows(table, 1, 0)) {
    const std::size_t series = row.label.starts_with("KGFlex") ? 0 : is_competing(row.label) ? 1 : 2;
    chart.series[series].points.push_back({row.x, row.y, row.range, row.label, row.label});
  }
  return chart;
}

// Figure 6.3: a series for each choice of hops, a point for each length.
XyChart ablation_chart(const PaperData& data, const PaperTable& table, std::size_t x) {
  XyChart chart;
  const std::string metric = table.metrics[x];
  chart.head = {fmt::format("ablation-{}-{}", slug(data.shown), slug(metric)),
                fmt::format("{}: KGFlex by hops, accuracy over {}", data.shown, metric),
                "Features of no hop, of the first, of the second, of both; m is the length of the vectors."};
  chart.x = {.label = metric};
  chart.y = {.label = "nDCG@10", .from_zero = true};
  for (const DrawnRow& row : drawn_rows(table, x, 0)) {
    const std::string variant(ablation_variant(row.label));
    if (chart.series.empty() || chart.series.back().name != variant) chart.series.push_back({variant, {}});
    chart.series.back().points.push_back(
        {row.x, row.y, row.range, row.label.substr(variant.size() + 2), row.label});
  }
  return chart;
}

}  // namespace

Status add_knowledge_tables(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data)
    for (const char* ending : {"@10", "@1"}) {
      SOTTO_TRY(PaperTable table,
                knowledge_table(at, data, fmt::format("{}, lists of {}", data.shown, ending + 1),
                                at_cutoff(at.target, ending)));
      mark_best(table);
      if (std::string_view(ending) == "@10") {
        note_knowledge(at, data, table);
        note_most_pop(table);
        note_plans(at, data, table);
      }
      out.tables.push_back(std::move(table));
    }
  out.notes.emplace_back(
      "Marked: * the best and ° the second of the models that factorise (BPR-MF, MF, NeuMF, "
      "kaHFM, KGFlex), as in the thesis.");
  return Done{};
}

Status add_entropy_tables(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    SOTTO_TRY(PaperTable table, knowledge_table(at, data, data.shown, at.target.metrics));
    note_knowledge(at, data, table);
    if (data.there) out.figures.emplace_back(Chart{entropy_chart(data, table)});
    out.tables.push_back(std::move(table));
  }
  return Done{};
}

Status add_ablation_tables(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    SOTTO_TRY(PaperTable table, knowledge_table(at, data, data.shown, at.target.metrics));
    note_knowledge(at, data, table);
    if (data.there)
      for (const std::size_t x : {2u, 1u}) out.figures.emplace_back(Chart{ablation_chart(data, table, x)});
    out.tables.push_back(std::move(table));
  }
  return Done{};
}

}  // namespace sotto
