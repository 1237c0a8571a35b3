// Table 1 of the Fed-CARS paper, under the paper's protocol and under a clean one, and what it claims.
#include <fmt/core.h>

#include <algorithm>

#include "lab/reproduce/cars_analysis.h"
#include "lab/reproduce/cars_data.h"
#include "lab/reproduce/cars_print.h"
#include "metrics/metric_name.h"

namespace sotto {

namespace {

bool is_error_metric(std::string_view metric) { return metric == "MAE" || metric == "RMSE"; }

bool is_drawn(const PaperData& data) { return data.name != printed_set(data.name); }

// Whose value stands in a column of the row; empty: nobody's.
std::string_view shown_model(const CarsRow& row, std::string_view metric) {
  return is_error_metric(metric) ? row.rates : row.ranks;
}

Result<PaperRow> cars_row(const TargetData& at, const PaperData& data, const CarsRow& row) {
  PaperRow out{std::string(row.label),
               seeds_text(at, data, row.rates.empty() ? row.ranks : row.rates),
               {},
               !row.printed};
  for (const std::string_view metric : cars_metrics) {
    const std::string_view model = shown_model(row, metric);
    if (model.empty()) {
      out.cells.emplace_back();
      continue;
    }
    SOTTO_TRY(PaperCell cell, measured_cell(at, data, model, metric,
                                            printed_cars(printed_set(data.name), row.label, metric)));
    out.cells.push_back(std::move(cell));
  }
  return out;
}

void mark_best_cars(PaperTable& table) {
  for (std::size_t column = 0; column < table.metrics.size(); ++column) {
    std::vector<PaperCell*> cells;
    for (PaperRow& row : table.rows)
      if (row.cells[column].ours) cells.push_back(&row.cells[column]);
    std::stable_sort(cells.begin(), cells.end(), [&](const PaperCell* a, const PaperCell* b) {
      return is_better(table.metrics[column], *a->ours, *b->ours);
    });
    if (!cells.empty()) cells[0]->standing = RankMark::best;
    if (cells.size() > 1) cells[1]->standing = RankMark::second;
  }
}

void note_table(const TargetData& at, const PaperData& data, PaperTable& table) {
  table.notes.emplace_back(
      is_drawn(data)
          ? "One reading of the paper's protocol, which tells little: of the newest fifth of each person's "
            "ratings 20 at most, drawn at random, are judged; all others are trained on, also newer ones."
          : "The clean protocol: all of the newest fifth of each person's ratings; nothing newer is trained "
            "on.");
  for (const CarsRow& row : cars_rows())
    for (const std::string_view model : {row.rates, row.ranks}) {
      const std::string reason = at.measured.failure(data.name, model);
      if (!reason.empty()) table.notes.push_back(fmt::format("{} failed: {}", model, reason));
      if (row.rates == row.ranks) break;
    }
}

// What the paper printed for Fed-CARS is reached.
void add_print_finding(const TargetData& at, Reproduction& out) {
  Finding finding{"Fed-CARS' errors are at or below print.", ClaimOutcome::untested, {}};
  ClaimVotes votes;
  for (const PaperData& data : at.data)
    for (const std::string_view metric : {std::string_view("MAE"), std::string_view("RMSE")}) {
      const auto ours = mean_of(at, data, fed_cars, metric);
      const auto printed = printed_cars(printed_set(data.name), fed_cars, metric);
      if (!ours || !printed) continue;
      votes.cast(judge(printed, *ours, Yardstick::at_most) == Verdict::reached);
      finding.evidence.push_back(
          fmt::format("{}: {} {:.4f}, print {:.4f}", data.shown, metric, *ours, *printed));
    }
  add_finding(std::move(finding), votes, out);
}

struct Rival {
  std::string_view label;
  double value = 0.0;
};

// The best of the paper's own rows but Fed-CARS; `but` is left out too.
std::optional<Rival> best_rival(const TargetData& at, const PaperData& data, std::string_view metric,
                                std::string_view but) {
  std::optional<Rival> best;
  for (const CarsRow& row : cars_rows()) {
    if (!row.printed || row.label == fed_cars || row.label == but) continue;
    const auto value = mean_of(at, data, shown_model(row, metric), metric);
    if (value && (!best || is_better(metric, *value, best->value))) best = Rival{row.label, *value};
  }
  return best;
}

void add_rival_finding(const TargetData& at, std::string claim, std::vector<std::string_view> metrics,
                       Reproduction& out) {
  Finding finding{std::move(claim), ClaimOutcome::untested, {}};
  ClaimVotes votes;
  for (const PaperData& data : at.data)
    for (const std::string_view metric : metrics) {
      const auto ours = mean_of(at, data, fed_cars, metric);
      const auto rival = best_rival(at, data, metric, metric == "MAE" ? "BPR/NMF" : "");
      if (!ours || !rival) continue;
      votes.cast(!is_better(metric, rival->value, *ours));
      finding.evidence.push_back(fmt::format("{}: {} {:.4f}, the best other {:.4f} ({})", data.shown, metric,
                                             *ours, rival->value, rival->label));
    }
  add_finding(std::move(finding), votes, out);
}

// Nobody printed them: the best that a central model does.
void add_distance_finding(const TargetData& at, Reproduction& out) {
  Finding finding{"Under the clean protocol Fed-CARS is at most 1% behind the best central model of ratings.",
                  ClaimOutcome::untested,
                  {}};
  ClaimVotes votes;
  for (const PaperData& data : at.data) {
    if (is_drawn(data)) continue;
    for (const std::string_view metric : {std::string_view("MAE"), std::string_view("RMSE")}) {
      std::optional<Rival> best;
      for (const CarsRow& row : cars_rows()) {
        const auto value = row.label == fed_cars ? std::nullopt : mean_of(at, data, row.rates, metric);
        if (value && (!best || *value < best->value)) best = Rival{row.label, *value};
      }
      const auto ours = mean_of(at, data, fed_cars, metric);
      if (!ours || !best) continue;
      const double behind = *ours / best->value - 1.0;
      votes.cast(behind <= 0.01);
      finding.evidence.push_back(fmt::format("{}: {} {:.4f}, {} {:.4f}: {:+.1f}%", data.shown, metric, *ours,
                                             best->label, best->value, 100.0 * behind));
    }
  }
  if (!finding.evidence.empty())
    finding.evidence.emplace_back(
        "Why: central models keep a vector of each person, or see all people's ratings at once, where a "
        "device takes a few steps from the common row over its own; but they see neither contexts nor how "
        "old a rating is (fedcars-fig-4 tells what those bring).");
  add_finding(std::move(finding), votes, out);
}

}  // namespace

Status add_cars_table(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    PaperTable table{data.shown, "model", {cars_metrics.begin(), cars_metrics.end()}, {}, {}};
    for (const CarsRow& row : cars_rows()) {
      SOTTO_TRY(PaperRow measured, cars_row(at, data, row));
      table.rows.push_back(std::move(measured));
    }
    mark_best_cars(table);
    if (data.there) note_table(at, data, table);
    out.tables.push_back(std::move(table));
  }
  out.notes.emplace_back(
      "nDCGhits is CaseRecommender's nDCG, which the paper prints: its ideal is made of the hits alone. "
      "Rows of two "
      "models: the errors are of NMF and of neighbours for ratings, the lists of BPR and of neighbours that "
      "rank. * the best, ° the second.");
  add_print_finding(at, out);
  add_rival_finding(at,
                    "Fed-CARS' errors are at or below those of every baseline of the paper's table, but for "
                    "NMF's MAE.",
                    {"MAE", "RMSE"}, out);
  add_rival_finding(at, "Fed-CARS' lists are the best by the paper's nDCG.", {"nDCGhits@10"}, out);
  add_distance_finding(at, out);
  return Done{};
}

}  // namespace sotto
