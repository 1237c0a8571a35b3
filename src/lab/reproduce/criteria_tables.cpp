// The study of criteria for recommenders as tables: accuracy, the tail, and how fast it came.
#include "lab/reproduce/criteria_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "lab/reproduce/table_parts.h"
#include "metrics/bootstrap.h"

namespace sotto::lab {

namespace {

constexpr double near_best = 0.99;

// Of a table's columns.
constexpr std::size_t gap_column = 1, tail_column = 2, plain_epochs_column = 6;

double best_of(const std::vector<CurvePoint>& curve) {
  double best = 0.0;
  for (const CurvePoint& point : curve) best = std::max(best, point.validation.value_or(0.0));
  return best;
}

// Each person's own difference from the run without criteria, mean over seeds.
Result<PaperCell> paired_gap(const TargetData& at, const MeasuredPoint& point, const MeasuredPoint& plain) {
  PaperCell cell;
  SOTTO_TRY(const std::vector<double> a, at.measured.per_user(point, "nDCG@10"));
  SOTTO_TRY(const std::vector<double> b, at.measured.per_user(plain, "nDCG@10"));
  if (a.empty() || a.size() != b.size()) return cell;
  const std::vector<double> gaps = differences(a, b);
  cell.ours = spread_of(gaps).mean;
  cell.interval = bootstrap_mean(gaps, {}, at.executor);
  return cell;
}

// A cell and the one without criteria with the same seed.
std::vector<std::pair<const StoredCell*, const StoredCell*>> paired_cells(const MeasuredPoint& point,
                                                                          const MeasuredPoint& plain) {
  std::vector<std::pair<const StoredCell*, const StoredCell*>> pairs;
  for (const StoredCell& here : point.cells)
    for (const StoredCell& there : plain.cells)
      if (here.place.seed == there.place.seed) pairs.emplace_back(&here, &there);
  return pairs;
}

// Epochs until close to its own best, and to that of the run without criteria with the same seed.
Status add_epochs(const TargetData& at, const MeasuredPoint& point, const MeasuredPoint& plain, PaperRow& row,
                  SeedGaps& gaps) {
  std::vector<double> own, of_plain;
  for (const auto& [cell, plain_cell] : paired_cells(point, plain)) {
    SOTTO_TRY(const CellDetail here, at.measured.detail(*cell));
    SOTTO_TRY(const CellDetail there, at.measured.detail(*plain_cell));
    if (const auto epoch = first_epoch_reaching(here.curve, near_best * best_of(here.curve)))
      own.push_back(*epoch);
    const double goal = near_best * best_of(there.curve);
    const auto epoch = first_epoch_reaching(here.curve, goal),
               without = first_epoch_reaching(there.curve, goal);
    if (!epoch || !without) continue;
    of_plain.push_back(*epoch);
    gaps.epochs.push_back(static_cast<double>(*without) - *epoch);
  }
  row.cells.push_back(over_seeds(own));
  // Where a seed never gets there a mean of the others would flatter.
  const bool all = of_plain.size() == own.size();
  row.cells.push_back(all ? over_seeds(of_plain) : PaperCell{});
  if (!all) gaps.epochs.clear();
  return Done{};
}

void add_tail(const MeasuredPoint& point, const MeasuredPoint& plain, SeedGaps& gaps) {
  for (const auto& [cell, plain_cell] : paired_cells(point, plain)) {
    const auto here = cell->result.metric("ACLT@10"), there = plain_cell->result.metric("ACLT@10");
    if (here && there) gaps.tail.push_back(*here - *there);
  }
}

Result<PaperRow> criteria_row(const TargetData& at, const PaperData& data, std::string_view model,
                              const Variant& variant, const MeasuredPoint* plain, SeedGaps& gaps) {
  const std::string label = criteria_label(model, variant);
  PaperRow row{variant.label, seeds_text(at, data, label), {}, true};
  const MeasuredPoint* point = at.measured.chosen(data.name, label);
  if (point == nullptr || plain == nullptr)
    return fail(Code::bad_input,
                fmt::format("{} on {} failed: {}", label, data.shown, at.measured.failure(data.name, label)));
  for (const std::string& metric : at.target.metrics) {
    SOTTO_TRY(PaperCell cell, measured_cell(at, data, label, metric, std::nullopt));
    row.cells.push_back(std::move(cell));
    if (row.cells.size() != gap_column) continue;
    SOTTO_TRY(PaperCell paired, paired_gap(at, *point, *plain));
    row.cells.push_back(std::move(paired));
  }
  SOTTO_TRY_DONE(add_epochs(at, *point, *plain, row, gaps));
  add_tail(*point, *plain, gaps);
  return row;
}

Result<CriteriaTable> criteria_table(const TargetData& at, const PaperData& data, std::string_view model) {
  CriteriaTable table;
  table.shown = {
      fmt::format("{}: {}", data.shown, model),
      "criteria",
      {"nDCG@10", "more than none", "ACLT@10", "PopREO@10", "Gini@10", "epochs", "epochs to none's"},
      {},
      {}};
  table.shown.ranged = gap_column;
  const auto variants = variants_of(at.target, data.name, model, at.effort);
  const MeasuredPoint* plain = at.measured.chosen(data.name, criteria_label(model, *variants.front()));
  for (const Variant* variant : variants) {
    SOTTO_TRY(PaperRow row, criteria_row(at, data, model, *variant, plain, table.gaps.emplace_back()));
    table.shown.rows.push_back(std::move(row));
  }
  return table;
}

// "the best of 9; better by +1.0 to +3.0", and whether that is above 0 for sure.
std::pair<std::string, bool> best_in_words(const CriteriaTable& table, const std::vector<double>& gaps) {
  const std::size_t tried = table.shown.rows.size() - 1;
  if (gaps.size() < 2) return {fmt::format("the best of {}, too few seeds for an interval", tried), false};
  const Interval range = mean_interval(gaps);
  return {fmt::format("the best of {}; better by {:+.3f} to {:+.3f}", tried, range.low, range.high),
          range.low > 0.0};
}

// A claim about the best row of a column. Where more is better, rows that lose nDCG@10 for sure are left out.
struct BestRow {
  std::string claim;
  std::size_t column = 0;
  bool less_is_better = false;
  std::vector<double> SeedGaps::*gaps = nullptr;
  std::string evidence;  // of the values without and with
};

void add_best_finding(const std::vector<CriteriaTable>& tables, const BestRow& asked, Reproduction& out) {
  Finding finding{asked.claim, {}, {}};
  ClaimVotes votes;
  for (const CriteriaTable& table : tables) {
    const auto value_of = [&](std::size_t row) { return table.shown.rows[row].cells[asked.column].ours; };
    std::optional<std::size_t> best;
    for (std::size_t row = 1; row < table.shown.rows.size(); ++row) {
      const auto& range = table.shown.rows[row].cells[gap_column].interval;
      if (!value_of(row) || (!asked.less_is_better && range && range->high < 0.0)) continue;
      if (!best ||
          (asked.less_is_better ? *value_of(row) < *value_of(*best) : *value_of(row) > *value_of(*best)))
        best = row;
    }
    if (!value_of(0) || (!best && asked.less_is_better)) continue;
    if (!best) {
      votes.cast(false);
      finding.evidence.push_back(fmt::format("{}: every criterion loses nDCG@10", table.shown.title));
      continue;
    }
    const auto [words, sure] = best_in_words(table, table.gaps[*best].*asked.gaps);
    votes.cast(sure);
    const std::string values = fmt::format(fmt::runtime(asked.evidence), *value_of(0), *value_of(*best));
    finding.evidence.push_back(
        fmt::format("{}: {} {} ({})", table.shown.title, values, table.shown.rows[*best].label, words));
  }
  add_finding(std::move(finding), votes, out);
}

}  // namespace

std::optional<std::uint32_t> first_epoch_reaching(const std::vector<CurvePoint>& curve, double value) {
  for (const CurvePoint& point : curve)
    if (point.validation && *point.validation >= value) return point.epoch;
  return std::nullopt;
}

void add_criteria_findings(const std::vector<CriteriaTable>& tables, Reproduction& out) {
  add_best_finding(tables,
                   {"Some criterion comes within 1% of the best without criteria in fewer epochs (by the 95% "
                    "interval over seeds of the best one).",
                    plain_epochs_column, true, &SeedGaps::epochs, "{:.1f} epochs without, {:.1f} with"},
                   out);
  add_best_finding(tables,
                   {"Some criterion puts more of the tail into lists (by the 95% interval over seeds of the "
                    "best one) without a loss of nDCG@10 that can be shown.",
                    tail_column, false, &SeedGaps::tail, "ACLT@10 {:.3f} without, {:.3f} with"},
                   out);
}

Status add_criteria_tables(const TargetData& at, Reproduction& out) {
  std::vector<CriteriaTable> tables;
  for (const PaperData& data : at.data) {
    if (!data.there) continue;
    for (const std::string& model : at.target.models) {
      if (find_plan(*at.target.paper, data.name, model) == nullptr) continue;
      SOTTO_TRY(CriteriaTable table, criteria_table(at, data, model));
      tables.push_back(std::move(table));
    }
  }
  out.notes.emplace_back(
      "Each training keeps the model of its best epoch on a validation part. More than none: each person's "
      "nDCG@10 less that without criteria, mean over seeds, with the 95% bootstrap interval over people; the "
      "other intervals are over seeds. Epochs: until within 1% of the best nDCG@10 on the validation part, "
      "its "
      "own and that of the run without criteria (empty: a seed never came there). ACLT and Gini: more is "
      "more "
      "of the tail; PopREO: less is fairer.");
  if (at.effort == Effort::quick)
    out.notes.emplace_back("Quick: the first 100,000 ratings of MovieLens 1M, few epochs, two seeds.");
  add_criteria_findings(tables, out);
  for (CriteriaTable& table : tables) out.tables.push_back(std::move(table.shown));
  return Done{};
}

}  // namespace sotto::lab
