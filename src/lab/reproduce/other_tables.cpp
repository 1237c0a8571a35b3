// Table 4.1 (what the datasets are) and table 4.4 (what communication costs).
#include <fmt/core.h>

#include <cmath>

#include "engine/plan/prepare.h"
#include "lab/reproduce/paper_data.h"
#include "lab/reproduce/printed_values.h"
#include "lab/reproduce/reproduction.h"

namespace sotto {

namespace {

struct Counts {
  double users = 0.0;
  double items = 0.0;
  double records = 0.0;
};

Result<Counts> count(const PaperData& data, bool training_part) {
  if (!training_part) {
    SOTTO_TRY(const LoadedData loaded, load_data(data.data));
    return Counts{static_cast<double>(loaded.dataset.users.size()),
                  static_cast<double>(loaded.dataset.items.size()),
                  static_cast<double>(loaded.dataset.interactions.size())};
  }
  SOTTO_TRY(const Prepared prepared, prepare(data.data));
  return Counts{static_cast<double>(prepared.split.users.size()),
                static_cast<double>(prepared.split.catalogue),
                static_cast<double>(prepared.split.train.interactions())};
}

PaperCell fact_cell(double printed, std::optional<double> ours, bool proxy) {
  PaperCell cell{printed, ours, std::nullopt, Verdict::absent};
  if (ours) cell.verdict = proxy ? Verdict::other : judge(printed, *ours, Yardstick::same);
  return cell;
}

// Brazil's printed counts in the papers' formula: what table 4.4 must say, whatever the data.
double vectors_by_formula(std::string_view model, double pi) {
  const PrintedDataset& data = printed_datasets().front();
  // The mean history as it is: rounded to whole triples, the last printed digits would differ.
  const double triples = model.ends_with('+') ? data.records / data.users : 1.0;
  // One exchange a record, whatever the configuration: cohort · rounds = records.
  return data.records * (data.items + triples * (1.0 + pi)) * printed_epochs(model) / 1e12;
}

PaperTable formula_table() {
  PaperTable table{"TCC by formula from Brazil's printed counts, in 10^12 item vectors", "π", {}, {}, {}};
  for (const std::string_view model : fpl_models) table.metrics.emplace_back(model);
  for (const PrintedCost& first : printed_costs()) {
    if (first.model != fpl_models.front()) continue;
    PaperRow row{fmt::format("{:.1f}", first.pi), "", {}, false};
    for (const PrintedCost& cost : printed_costs())
      if (cost.pi == first.pi)
        row.cells.push_back(fact_cell(cost.vectors, vectors_by_formula(cost.model, cost.pi), false));
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back(
      "rounds · cohort = records (\"exchanges\"), epochs 45, 50, 45 and 35: only so do the printed costs "
      "divide "
      "into whole epochs.");
  return table;
}

Result<PaperTable> cost_table(const TargetData& at, const PaperData& data, std::string_view model) {
  PaperTable table{fmt::format("{} on {}", model, data.shown), "π", {"TCC (10^12)", "P@10"}, {}, {}};
  for (const PrintedCost& printed : printed_costs()) {
    if (printed.model != model) continue;
    PaperRow row{fmt::format("{:.1f}", printed.pi), "", {}, false};
    const MeasuredPoint* found = nullptr;
    for (const MeasuredPoint* point : at.measured.points(data.name, model))
      if (std::abs(*point->pi - printed.pi) < 1e-6) found = point;
    const bool same_data = data.name == brazil && !data.proxy;
    for (const char* metric : {"TCC", "P@10"}) {
      const bool cost = metric == std::string_view("TCC");
      PaperCell cell{cost ? printed.vectors : printed.precision, std::nullopt, std::nullopt, Verdict::absent};
      if (found != nullptr) {
        SOTTO_TRY(const std::optional<MeasuredValue> value, at.measured.value(*found, metric));
        if (value) {
          cell.ours = cost ? value->mean / 1e12 : value->mean;
          cell.interval = value->interval;
          cell.verdict = same_data
                             ? judge(cell.printed, *cell.ours, cost ? Yardstick::same : Yardstick::at_least)
                             : Verdict::other;
        }
      }
      row.cells.push_back(std::move(cell));
    }
    if (found != nullptr) table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Status add_dataset_table(const std::vector<PaperData>& data, Reproduction& out) {
  PaperTable table{"Datasets", "dataset", {"users", "items", "records"}, {}, {}};
  for (const PaperData& one : data) {
    for (const PrintedDataset& printed : printed_datasets()) {
      if (printed.dataset != one.name) continue;
      std::optional<Counts> ours;
      if (one.there) {
        SOTTO_TRY(ours, count(one, printed.training_part));
      }
      PaperRow row{one.shown, printed.training_part ? "training part" : "whole", {}, false};
      row.cells = {fact_cell(printed.users, ours ? std::optional(ours->users) : std::nullopt, one.proxy),
                   fact_cell(printed.items, ours ? std::optional(ours->items) : std::nullopt, one.proxy),
                   fact_cell(printed.records, ours ? std::optional(ours->records) : std::nullopt, one.proxy)};
      table.rows.push_back(std::move(row));
    }
  }
  table.notes.push_back(
      "The papers count the training part of the Foursquare sets and the whole of the others.");
  out.tables.push_back(std::move(table));
  return Done{};
}

Status add_cost_tables(const TargetData& at, Reproduction& out) {
  out.tables.push_back(formula_table());
  for (const PaperData& data : at.data) {
    if (!data.there) continue;
    for (const std::string_view model : fpl_models) {
      SOTTO_TRY(PaperTable table, cost_table(at, data, model));
      if (!table.rows.empty()) out.tables.push_back(std::move(table));
    }
    if (data.name != brazil)
      out.notes.push_back(
          fmt::format("Brazil is absent: precision and cost are measured on {}; the printed values "
                      "beside them are Brazil's.",
                      data.shown));
  }
  return Done{};
}

}  // namespace sotto
