// Table 4.1 (what the datasets are) and table 4.4 (what communication costs).
#include <fmt/core.h>

#include <cmath>

#include "engine/plan/prepare.h"
#include "lab/reproduce/printed_table.h"
#include "lab/reproduce/table_parts.h"

namespace sotto::lab {

namespace {

using Counts = std::array<double, 3>;  // users, items, records

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

PaperCell fact_cell(std::optional<double> printed, std::optional<double> ours, bool proxy) {
  PaperCell cell{printed, ours, std::nullopt, Verdict::absent};
  if (ours) cell.verdict = proxy ? Verdict::other : judge(printed, *ours, Yardstick::same);
  return cell;
}

// The values of π that table 4.4 has, as it writes them.
std::vector<std::string> printed_pis(const Target& target) {
  std::vector<std::string> pis;
  for (const PrintedTable::Row& row : printed("pairwise/costs.tsv").rows())
    if (row.keys[0] == target.models.front()) pis.push_back(row.keys[1]);
  return pis;
}

// The printed counts of table 4.4's data in the papers' formula: what it must say, whatever the data.
PaperTable formula_table(const Target& target) {
  PaperTable table{
      "TCC by formula from Brazil's printed counts, in 10^12 item vectors", "π", target.models, {}, {}};
  const auto count = [&](const char* of) {
    return printed("pairwise/datasets.tsv").value({target.datasets.front()}, of).value();
  };
  const double users = count("users"), items = count("items"), records = count("records");
  for (const std::string& pi : printed_pis(target)) {
    PaperRow row{pi, "", {}, false};
    for (const std::string& model : target.models) {
      // The mean history as it is: rounded to whole triples, the last printed digits would differ.
      const double triples = model.ends_with('+') ? records / users : 1.0;
      const double epochs = printed("pairwise/costs.tsv").value({model, pi}, "epochs").value();
      // One exchange per record, whatever the configuration: cohort · rounds = records.
      const double vectors =
          records * (items + triples * (1.0 + std::strtod(pi.c_str(), nullptr))) * epochs / 1e12;
      row.cells.push_back(
          fact_cell(printed("pairwise/costs.tsv").value({model, pi}, "vectors"), vectors, false));
    }
    table.rows.push_back(std::move(row));
  }
  table.notes.emplace_back(
      "rounds · cohort = records (\"exchanges\"), epochs 45, 50, 45 and 35: only so do the printed costs "
      "divide into whole epochs.");
  return table;
}

Result<PaperTable> cost_table(const TargetData& at, const PaperData& data, const std::string& model) {
  PaperTable table{fmt::format("{} on {}", model, data.shown), "π", {"TCC (10^12)", "P@10"}, {}, {}};
  const bool same_data = data.name == at.target.datasets.front() && !data.proxy;
  for (const std::string& pi : printed_pis(at.target))
    for (const MeasuredPoint* point : at.measured.points(data.name, model)) {
      if (fmt::format("{:.1f}", *point->pi) != pi) continue;
      PaperRow row{pi, "", {}, false};
      for (const std::string metric : {"TCC", "P@10"}) {
        const bool cost = metric == "TCC";
        SOTTO_TRY(PaperCell cell, point_cell(at, *point, metric));
        cell.printed = printed("pairwise/costs.tsv").value({model, pi}, cost ? "vectors" : metric);
        cell.verdict = Verdict::absent;
        if (cell.ours) {
          if (cost) cell.ours = *cell.ours / 1e12;
          cell.verdict = same_data
                             ? judge(cell.printed, *cell.ours, cost ? Yardstick::same : Yardstick::at_least)
                             : Verdict::other;
        }
        row.cells.push_back(std::move(cell));
      }
      table.rows.push_back(std::move(row));
    }
  return table;
}

}  // namespace

Status add_dataset_table(const std::vector<PaperData>& data, Reproduction& out) {
  const PrintedTable& print = printed("pairwise/datasets.tsv");
  const std::vector<std::string> metrics{"users", "items", "records"};
  PaperTable table{"Datasets", "dataset", metrics, {}, {}};
  for (const PaperData& one : data) {
    const bool part = print.value({one.name}, "training part").has_value();
    std::optional<Counts> ours;
    if (one.there) {
      SOTTO_TRY(ours, count(one, part));
    }
    PaperRow row{one.shown, part ? "training part" : "whole", {}, false};
    for (std::size_t n = 0; n < metrics.size(); ++n)
      row.cells.push_back(fact_cell(print.value({one.name}, metrics[n]),
                                    ours ? std::optional((*ours)[n]) : std::nullopt, one.proxy));
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back(
      "The papers count the training part of the Foursquare sets and the whole of the others.");
  out.tables.push_back(std::move(table));
  return Done{};
}

Status add_cost_tables(const TargetData& at, Reproduction& out) {
  out.tables.push_back(formula_table(at.target));
  for (const PaperData& data : at.data) {
    if (!data.there) continue;
    for (const std::string& model : at.target.models) {
      SOTTO_TRY(PaperTable table, cost_table(at, data, model));
      if (!table.rows.empty()) out.tables.push_back(std::move(table));
    }
    if (const std::string& wanted = at.target.datasets.front(); data.name != wanted)
      out.notes.push_back(
          fmt::format("{0} is absent: precision and cost are measured on {1}; the printed values "
                      "beside them are {0}'s.",
                      wanted, data.shown));
  }
  return Done{};
}

}  // namespace sotto::lab
