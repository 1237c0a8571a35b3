// The study of criteria for recommenders as tables: accuracy, the tail, and how fast it came.
#include "lab/reproduce/criteria_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "lab/reproduce/cars_analysis.h"
#include "lab/reproduce/criteria_plans.h"
#include "metrics/bootstrap.h"

namespace sotto {

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

// Epochs until close to its own best, and to that of the run without criteria with the same seed.
Status add_epochs(const TargetData& at, const MeasuredPoint& point, const MeasuredPoint& plain,
                  PaperRow& row) {
  std::vector<double> own, of_plain;
  for (std::size_t n = 0; n < point.cells.size() && n < plain.cells.size(); ++n) {
    SOTTO_TRY(const CellDetail here, at.measured.detail(point.cells[n]));
    SOTTO_TRY(const CellDetail there, at.measured.detail(plain.cells[n]));
    if (const auto epoch = first_epoch_reaching(here.curve, near_best * best_of(here.curve)))
      own.push_back(*epoch);
    if (const auto epoch = first_epoch_reaching(here.curve, near_best * best_of(there.curve)))
      of_plain.push_back(*epoch);
  }
  row.cells.push_back(over_seeds(own));
  // Where a seed never gets there a mean of the others would flatter.
  row.cells.push_back(of_plain.size() == own.size() ? over_seeds(of_plain) : PaperCell{});
  return Done{};
}

Result<PaperRow> criteria_row(const TargetData& at, const PaperData& data, std::string_view model,
                              const CriteriaVariant& variant, const MeasuredPoint* plain) {
  const std::string label = criteria_label(model, variant);
  PaperRow row{std::string(variant.label), seeds_text(at, data, label), {}, true};
  const MeasuredPoint* point = at.measured.chosen(data.name, label);
  if (point == nullptr || plain == nullptr)
    return fail(Code::bad_input,
                fmt::format("{} on {} failed: {}", label, data.shown, at.measured.failure(data.name, label)));
  for (const std::string_view metric : at.target.metrics) {
    SOTTO_TRY(PaperCell cell, measured_cell(at, data, label, metric, std::nullopt));
    row.cells.push_back(std::move(cell));
    if (row.cells.size() != gap_column) continue;
    SOTTO_TRY(PaperCell paired, paired_gap(at, *point, *plain));
    row.cells.push_back(std::move(paired));
  }
  SOTTO_TRY_DONE(add_epochs(at, *point, *plain, row));
  return row;
}

Result<PaperTable> criteria_table(const TargetData& at, const PaperData& data, std::string_view model) {
  PaperTable table{
      fmt::format("{}: {}", data.shown, model),
      "criteria",
      {"nDCG@10", "more than none", "ACLT@10", "PopREO@10", "Gini@10", "epochs", "epochs to none's"},
      {},
      {}};
  const auto variants = criteria_variants(data.name, model, at.effort);
  const MeasuredPoint* plain = at.measured.chosen(data.name, criteria_label(model, variants.front()));
  for (const CriteriaVariant& variant : variants) {
    SOTTO_TRY(PaperRow row, criteria_row(at, data, model, variant, plain));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_speed_finding(const std::vector<PaperTable>& tables, Reproduction& out) {
  Finding finding{"Some criterion comes within 1% of the best without criteria in fewer epochs.", {}, {}};
  ClaimVotes votes;
  for (const PaperTable& table : tables) {
    const auto plain = table.rows.front().cells[plain_epochs_column].ours;
    if (!plain) continue;
    const PaperRow* best = nullptr;
    for (const PaperRow& row : table.rows)
      if (const auto& epochs = row.cells[plain_epochs_column].ours;
          epochs && (best == nullptr || *epochs < *best->cells[plain_epochs_column].ours))
        best = &row;
    votes.cast(*best->cells[plain_epochs_column].ours < *plain);
    finding.evidence.push_back(fmt::format("{}: {:.1f} epochs without, {:.1f} with {}", table.title, *plain,
                                           *best->cells[plain_epochs_column].ours, best->label));
  }
  add_finding(std::move(finding), votes, out);
}

void add_tail_finding(const std::vector<PaperTable>& tables, Reproduction& out) {
  Finding finding{
      "Some criterion puts more of the tail into lists without a loss of nDCG@10 that can be shown.", {}, {}};
  ClaimVotes votes;
  for (const PaperTable& table : tables) {
    const PaperRow& plain = table.rows.front();
    const PaperRow* best = nullptr;
    for (const PaperRow& row : table.rows) {
      const auto& range = row.cells[gap_column].interval;
      const bool loses = range && range->high < 0.0;
      if (&row == &plain || loses || !row.cells[tail_column].ours) continue;
      if (best == nullptr || *row.cells[tail_column].ours > *best->cells[tail_column].ours) best = &row;
    }
    if (!plain.cells[tail_column].ours) continue;
    if (best == nullptr) {
      votes.cast(false);
      finding.evidence.push_back(fmt::format("{}: every criterion loses nDCG@10", table.title));
      continue;
    }
    votes.cast(*best->cells[tail_column].ours > *plain.cells[tail_column].ours);
    finding.evidence.push_back(fmt::format("{}: ACLT@10 {:.3f} without, {:.3f} with {}", table.title,
                                           *plain.cells[tail_column].ours, *best->cells[tail_column].ours,
                                           best->label));
  }
  add_finding(std::move(finding), votes, out);
}

}  // namespace

std::optional<std::uint32_t> first_epoch_reaching(const std::vector<CurvePoint>& curve, double value) {
  for (const CurvePoint& point : curve)
    if (point.validation && *point.validation >= value) return point.epoch;
  return std::nullopt;
}

Status add_criteria_tables(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    if (!data.there) continue;
    for (const std::string_view model : criteria_models(data.name)) {
      SOTTO_TRY(PaperTable table, criteria_table(at, data, model));
      out.tables.push_back(std::move(table));
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
  add_speed_finding(out.tables, out);
  add_tail_finding(out.tables, out);
  return Done{};
}

}  // namespace sotto
