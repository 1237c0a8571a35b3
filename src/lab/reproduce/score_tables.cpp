// Tables 4.2 and 4.3 and those of the papers: one table per dataset, models below each other.
#include <fmt/core.h>

#include "lab/reproduce/printed_table.h"
#include "lab/reproduce/table_parts.h"

namespace sotto::lab {

namespace {

// In the table's first metric.
void note_best(PaperTable& table) {
  const std::string& metric = table.metrics.front();
  std::optional<Rival> ours, central, federated;
  for (const PaperRow& row : table.rows) {
    const PaperCell& cell = row.cells.front();
    const bool in_federation = is_federated_label(row.label);
    if (in_federation) look_at(ours, metric, row.label, cell.ours);
    if (cell.verdict != Verdict::other)
      look_at(in_federation ? federated : central, metric, row.label, cell.printed);
  }
  if (!ours || !central || !federated) return;
  table.notes.push_back(
      fmt::format("Best federated model of ours: {} {:.5f}, {:.2f} of the best central print ({} {:.5f}) and "
                  "{:.2f} of the best federated print ({} {:.5f}).",
                  ours->label, ours->value, ours->value / central->value, central->label, central->value,
                  ours->value / federated->value, federated->label, federated->value));
}

Result<PaperTable> score_table(const TargetData& at, const PaperData& data) {
  PaperTable table{data.shown, "model", at.target.metrics, {}, {}};
  std::vector<std::string> models = at.target.models;
  if (data.there) models.insert(models.end(), at.target.extras.begin(), at.target.extras.end());
  const PrintedTable& print = printed("pairwise/scores.tsv");
  for (const std::string& model : models) {
    SOTTO_TRY(PaperRow row,
              measured_row(at, data, model, model, at.target.metrics, [&](std::string_view metric) {
                return print.value({data.name, model}, metric);
              }));
    row.extra = contains(at.target.extras, model);
    for (PaperCell& cell : row.cells)
      if (cell.ours && print.value({data.name, model}, "other users")) cell.verdict = Verdict::other;
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Status add_score_tables(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    SOTTO_TRY(PaperTable table, score_table(at, data));
    if (data.there && !data.proxy) note_untuned(at, table);
    if (data.there) note_failures(at, data, table);
    if (data.there) note_given_plans(at, data, table);
    if (table.metrics.front() == "P@10" && data.there && !data.proxy) note_best(table);
    out.tables.push_back(std::move(table));
  }
  return Done{};
}

}  // namespace sotto::lab
