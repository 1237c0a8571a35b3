// Table 1 of the Fed-CARS paper, under the paper's protocol and under a clean one, and what it claims.
#include <fmt/core.h>

#include <algorithm>

#include "lab/reproduce/printed_table.h"
#include "lab/reproduce/table_parts.h"
#include "metrics/metric_name.h"

namespace sotto::lab {

namespace {

bool is_drawn(const PaperData& data) { return data.name != data.print; }

// A row of the table: whose ratings and whose lists it shows; empty: nobody's.
struct CarsRow {
  const std::string& label;
  const std::string& rates;
  const std::string& ranks;
  bool printed;
  bool ahead;  // in MAE: the paper claims nothing of it there

  [[nodiscard]] const std::string& shown(std::string_view metric) const {
    return metric == "MAE" || metric == "RMSE" ? rates : ranks;
  }
};

std::vector<CarsRow> cars_rows() {
  std::vector<CarsRow> rows;
  for (const PrintedTable::Row& row : printed("cars/rows.tsv").rows())
    rows.push_back(
        {row.keys[0], row.keys[1], row.keys[2], row.values[0].has_value(), row.values[1].has_value()});
  return rows;
}

std::optional<double> print_of(const PaperData& data, std::string_view row, std::string_view metric) {
  return printed("cars/scores.tsv").value({data.print, row}, metric);
}

Result<PaperRow> cars_row(const TargetData& at, const PaperData& data, const CarsRow& row) {
  PaperRow out{row.label, seeds_text(at, data, row.rates.empty() ? row.ranks : row.rates), {}, !row.printed};
  for (const std::string& metric : at.target.metrics) {
    PaperCell& cell = out.cells.emplace_back();
    if (const std::string& model = row.shown(metric); !model.empty()) {
      SOTTO_TRY(cell, measured_cell(at, data, model, metric, print_of(data, row.label, metric)));
    }
  }
  return out;
}

void note_table(const TargetData& at, const PaperData& data, PaperTable& table) {
  table.notes.emplace_back(
      is_drawn(data)
          ? "One reading of the paper's protocol, which tells little: of the newest fifth of each person's "
            "ratings 20 at most, drawn at random, are judged; all others are trained on, also newer ones."
          : "The clean protocol: all of the newest fifth of each person's ratings; nothing newer is trained "
            "on.");
  for (const CarsRow& row : cars_rows())
    for (const std::string& model : {row.rates, row.ranks}) {
      const std::string reason = at.measured.failure(data.name, model);
      if (!reason.empty()) table.notes.push_back(fmt::format("{} failed: {}", model, reason));
      if (row.rates == row.ranks) break;
    }
}

// What the paper printed for its model is reached.
void add_print_finding(const TargetData& at, Reproduction& out) {
  const std::string& own = at.target.paper->own;
  Finding finding{"Fed-CARS' errors are at or below print.", ClaimOutcome::untested, {}};
  ClaimVotes votes;
  for (const PaperData& data : at.data)
    for (const char* metric : {"MAE", "RMSE"}) {
      const auto ours = mean_of(at, data, own, metric), print = print_of(data, own, metric);
      if (!ours || !print) continue;
      votes.cast(judge(print, *ours, Yardstick::at_most) == Verdict::reached);
      finding.evidence.push_back(
          fmt::format("{}: {} {:.4f}, print {:.4f}", data.shown, metric, *ours, *print));
    }
  add_finding(std::move(finding), votes, out);
}

// Against the best of the paper's own rows, but for what a metric leaves out.
void add_rival_finding(const TargetData& at, std::string claim, std::vector<std::string_view> metrics,
                       Reproduction& out) {
  const std::string& own = at.target.paper->own;
  Finding finding{std::move(claim), ClaimOutcome::untested, {}};
  ClaimVotes votes;
  for (const PaperData& data : at.data)
    for (const std::string_view metric : metrics) {
      const auto ours = mean_of(at, data, own, metric);
      std::optional<Rival> best;
      for (const CarsRow& row : cars_rows())
        if (row.printed && row.label != own && (metric != "MAE" || !row.ahead))
          look_at(best, metric, row.label, mean_of(at, data, row.shown(metric), metric));
      if (!ours || !best) continue;
      votes.cast(!is_better(metric, best->value, *ours));
      finding.evidence.push_back(fmt::format("{}: {} {:.4f}, the best other {:.4f} ({})", data.shown, metric,
                                             *ours, best->value, best->label));
    }
  add_finding(std::move(finding), votes, out);
}

// Nobody printed them: the best that a central model does.
void add_distance_finding(const TargetData& at, Reproduction& out) {
  Finding finding{"Under the clean protocol Fed-CARS is at most 1% behind the best central model of ratings.",
                  ClaimOutcome::untested,
                  {}};
  ClaimVotes votes;
  const std::string& own = at.target.paper->own;
  for (const PaperData& data : at.data) {
    if (is_drawn(data)) continue;
    for (const char* metric : {"MAE", "RMSE"}) {
      std::optional<Rival> best;
      for (const CarsRow& row : cars_rows())
        if (row.label != own) look_at(best, metric, row.label, mean_of(at, data, row.rates, metric));
      const auto ours = mean_of(at, data, own, metric);
      if (!ours || !best) continue;
      const double behind = *ours / best->value - 1.0;
      votes.cast(behind <= 0.01);
      finding.evidence.push_back(fmt::format("{}: {} {:.4f}, {} {:.4f}: {:+.1f}%", data.shown, metric, *ours,
                                             best->label, best->value, 100.0 * behind));
    }
  }
  if (!finding.evidence.empty())
    finding.evidence.push_back(fmt::format(
        "Why: central models keep a vector of each person, or see all people's ratings at once, where a "
        "device takes a few steps from the common row over its own; but they see neither contexts nor how "
        "old a rating is ({} tells what those bring).",
        std::ranges::find(targets(), TargetKind::cars_contexts, &Target::kind)->name));
  add_finding(std::move(finding), votes, out);
}

}  // namespace

Status add_cars_table(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    PaperTable table{data.shown, "model", at.target.metrics, {}, {}};
    for (const CarsRow& row : cars_rows()) {
      SOTTO_TRY(PaperRow measured, cars_row(at, data, row));
      table.rows.push_back(std::move(measured));
    }
    mark_best(table);
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

}  // namespace sotto::lab
