// What people's own protocols cost: the error of those who let everything in, of those who do not, and of
// all, over how many choose what. Groups are drawn anew with each seed.
#include <fmt/core.h>

#include <map>

#include "engine/plan/consent_request.h"
#include "engine/plan/prepare.h"
#include "lab/report/markup.h"
#include "lab/reproduce/table_parts.h"

namespace sotto::lab {

namespace {

enum Group : std::size_t { all_people, open_people, reserved_people, group_count };

using Lets = std::vector<bool>;  // of each user: whether all enters

Result<Lets> who_lets_all_in(const TrainRequest& request, const Split& split) {
  Lets lets(split.users.size(), true);
  SOTTO_TRY(const auto book, book_for(request.consent, request.plan.consent, split, request.plan.seed));
  for (std::uint32_t user = 0; book != nullptr && user < lets.size(); ++user) {
    const ConsentTerms& terms = book->of(UserIndex{user});
    lets[user] = terms.takes_part && terms.contexts.shares.empty() && terms.contexts.history >= 1.0f;
  }
  return lets;
}

// Means of the people's own MAE in each group, and of the same people where everybody lets all in.
struct GroupErrors {
  std::array<std::optional<double>, group_count> mean, otherwise;
};

GroupErrors group_errors(const PerUser& here, const PerUser& there, const Lets& lets) {
  const std::vector<double> own = here.column("MAE"), full = there.column("MAE");
  std::array<double, group_count> sums{}, full_sums{}, counts{};
  for (std::size_t row = 0; row < own.size() && row < full.size(); ++row)
    for (const Group group : {all_people, lets[here.users[row].value] ? open_people : reserved_people}) {
      sums[group] += own[row];
      full_sums[group] += full[row];
      counts[group] += 1.0;
    }
  GroupErrors errors;
  for (std::size_t group = 0; group < group_count; ++group)
    if (counts[group] > 0.0) {
      errors.mean[group] = sums[group] / counts[group];
      errors.otherwise[group] = full_sums[group] / counts[group];
    }
  return errors;
}

// Of a variant: MAE of all, of the open, of the reserved, and what it costs each of the three.
Result<PaperRow> protocol_row(const TargetData& at, const PaperData& data, const Variant& variant,
                              const Variant& open, const Split& split) {
  PaperRow row{variant.label, seeds_text(at, data, variant.label), {}, true};
  const MeasuredPoint* point = at.measured.chosen(data.name, variant.label);
  const MeasuredPoint* full = at.measured.chosen(data.name, open.label);
  std::array<std::vector<double>, group_count> errors, costs;
  for (std::size_t n = 0; point != nullptr && full != nullptr && n < point->cells.size(); ++n) {
    SOTTO_TRY(TrainRequest request, from_toml(point->cells[n].result.request, row.label));
    SOTTO_TRY(const Lets lets, who_lets_all_in(request, split));
    SOTTO_TRY(const CellDetail here, at.measured.detail(point->cells[n]));
    SOTTO_TRY(const CellDetail there, at.measured.detail(full->cells[std::min(n, full->cells.size() - 1)]));
    const GroupErrors found = group_errors(here.per_user, there.per_user, lets);
    for (std::size_t group = 0; group < group_count; ++group) {
      if (!found.mean[group]) continue;
      errors[group].push_back(*found.mean[group]);
      costs[group].push_back(*found.mean[group] - *found.otherwise[group]);
    }
  }
  for (const auto& values : errors) row.cells.push_back(over_seeds(values));
  for (const auto& values : costs) row.cells.push_back(over_seeds(values));
  return row;
}

std::vector<const Variant*> protocols(const TargetData& at, const PaperData& data) {
  return variants_of(at.target, data.name, at.target.paper->own, at.effort);
}

// Over the share of people who let all in, for those who let no contexts in.
XyChart protocol_chart(const TargetData& at, const PaperData& data, const PaperTable& table) {
  XyChart chart =
      line_chart(fmt::format("protocols-{}", slug(data.shown)),
                 fmt::format("{}: cost in MAE where not all let contexts in", data.shown),
                 "The others let none in. Cost: means of people's own MAE less that of the same people where "
                 "everybody lets all in; 95% intervals over seeds.",
                 "people who let all contexts in, %", "cost in MAE");
  chart.y.from_zero = true;
  const std::vector<const Variant*> variants = protocols(at, data);
  const std::array<const char*, group_count> names{"all", "who let all in", "who let none in"};
  for (std::size_t group = 0; group < group_count; ++group) {
    ChartSeries series{names[group], {}};
    for (std::size_t n = 0; n < table.rows.size(); ++n) {
      const PaperCell& cell = table.rows[n].cells[group_count + group];
      if ((variants[n]->others != "none" && !variants[n]->others.empty()) || !cell.ours) continue;
      ChartPoint point{variants[n]->x, *cell.ours};
      if (cell.interval) {
        point.range = cell.interval;
        series.spread = PointSpread::bars;
      }
      series.points.push_back(std::move(point));
    }
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    chart.series.push_back(std::move(series));
  }
  return chart;
}

// The paper (3.3): those who share make up for those who do not.
void add_cost_findings(const TargetData& at, const std::vector<PaperTable>& tables, Reproduction& out) {
  Finding others{
      "Who lets everything in loses at most 1% of MAE by others who let contexts in only in part "
      "or not.",
      {},
      {}};
  Finding own{"Who lets no contexts in pays for it with a larger error than before.", {}, {}};
  ClaimVotes other_votes, own_votes;
  const std::vector<const Variant*> variants = protocols(at, at.data.front());
  for (const PaperTable& table : tables)
    for (std::size_t n = 0; n < table.rows.size(); ++n) {
      const PaperRow& row = table.rows[n];
      const bool none = variants[n]->others == "none", some = variants[n]->others == "partial";
      if (row.cells[open_people].ours && row.cells[group_count + open_people].ours && (none || some)) {
        other_votes.cast(*row.cells[group_count + open_people].ours <= 0.01 * *row.cells[open_people].ours);
        others.evidence.push_back(fmt::format("{}, {}: {:+.4f} to {:.4f}", table.title, row.label,
                                              *row.cells[group_count + open_people].ours,
                                              *row.cells[open_people].ours));
      }
      if (none && row.cells[group_count + reserved_people].ours) {
        own_votes.cast(*row.cells[group_count + reserved_people].ours > 0.0);
        own.evidence.push_back(fmt::format("{}, {}: {:+.4f} to {:.4f}", table.title, row.label,
                                           *row.cells[group_count + reserved_people].ours,
                                           *row.cells[reserved_people].ours));
      }
    }
  add_finding(std::move(others), other_votes, out);
  add_finding(std::move(own), own_votes, out);
}

}  // namespace

Status add_protocol_costs(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    if (!data.there) continue;
    SOTTO_TRY(TrainRequest request, own_request(*at.target.paper, data.name));
    request.data = data.data;
    SOTTO_TRY_DONE(settle(request));
    SOTTO_TRY(const Prepared prepared, prepare(request.data));
    PaperTable table{data.shown,
                     "people",
                     {"all", "let all in", "do not", "cost to all", "cost: let all in", "cost: do not"},
                     {},
                     {}};
    const std::vector<const Variant*> variants = protocols(at, data);
    for (const Variant* variant : variants) {
      SOTTO_TRY(PaperRow row, protocol_row(at, data, *variant, *variants.front(), prepared.split));
      table.rows.push_back(std::move(row));
    }
    table.notes.emplace_back(
        "Means of people's own MAE. Cost: their error less that of the same people where everybody lets all "
        "in. partial, none: what the others let in; partial: half of the records carry each context. half, "
        "fifth: "
        "the newest of everybody's history. A history that does not enter is neither "
        "learned from nor adapted to.");
    out.figures.emplace_back(Chart{protocol_chart(at, data, table)});
    out.tables.push_back(std::move(table));
  }
  add_cost_findings(at, out.tables, out);
  return Done{};
}

}  // namespace sotto::lab
