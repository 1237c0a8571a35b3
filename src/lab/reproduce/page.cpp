// A reproduction as one page: verdicts first, then tables, findings, figures, and what is missing.
#include <fmt/core.h>

#include <cmath>

#include "base/version.h"
#include "lab/reproduce/reproduce.h"

namespace sotto::lab {

namespace {

constexpr std::size_t most_spread_metrics = 4;  // with columns of their own for print and verdict

bool compares(const PaperTable& table) {
  for (const PaperRow& row : table.rows)
    for (const PaperCell& cell : row.cells)
      if (cell.printed) return true;
  return false;
}

void add_columns(PageTable& page, const PaperTable& table, bool printed) {
  page.columns.push_back({table.row_title, false, ""});
  page.columns.push_back({"setting", false, "the chosen π, and how many seeds"});
  for (const std::string& metric : table.metrics) {
    if (printed) page.columns.push_back({metric + " print", true, "as the papers print it"});
    page.columns.push_back(
        {metric + " ours", true, "95% interval: over seeds, or over users for a single one"});
    if (printed)
      page.columns.push_back({"verdict", false, "reached: at or above print; below it ours / print"});
  }
}

std::string detail_of(const PaperTable& table, const PaperCell& cell) {
  if (!cell.interval || !std::isfinite(cell.interval->low)) return "";
  return fmt::format("{} to {}", paper_number(table, cell.interval->low),
                     paper_number(table, cell.interval->high));
}

// Many metrics: one column each, the print under what was measured.
PageTable compact_table(const PaperTable& table) {
  PageTable page;
  page.caption = table.title;
  page.columns = {{table.row_title, false, ""}, {"setting", false, "how many seeds"}};
  for (const std::string& metric : table.metrics)
    page.columns.push_back({metric, true, "measured, and below it the print or a 95% interval"});
  for (const PaperRow& row : table.rows) {
    std::vector<PageCell> cells{{row.label}, {row.setting}};
    for (const PaperCell& cell : row.cells) {
      PageCell& ours =
          cells.emplace_back(PageCell{cell.ours ? paper_number(table, *cell.ours) : "–", cell.ours});
      ours.detail = cell.printed ? "print " + paper_number(table, *cell.printed) : detail_of(table, cell);
      ours.hint = to_string(cell.verdict);
      if (const std::string range = detail_of(table, cell); !range.empty()) ours.hint += "; 95%: " + range;
      ours.standing = cell.standing;
    }
    page.rows.push_back(std::move(cells));
  }
  return page;
}

PageTable page_table(const PaperTable& table) {
  if (table.metrics.size() > most_spread_metrics) return compact_table(table);
  PageTable page;
  page.caption = table.title;
  const bool printed = compares(table);
  add_columns(page, table, printed);
  for (const PaperRow& row : table.rows) {
    std::vector<PageCell> cells{{row.label}, {row.setting}};
    for (const PaperCell& cell : row.cells) {
      const std::optional<double> ratio = ratio_of(cell.printed, cell.ours);
      if (printed) cells.push_back({cell.printed ? paper_number(table, *cell.printed) : "–", cell.printed});
      PageCell& ours =
          cells.emplace_back(PageCell{cell.ours ? paper_number(table, *cell.ours) : "–", cell.ours});
      ours.detail = detail_of(table, cell);
      if (!printed) continue;
      PageCell& verdict = cells.emplace_back(PageCell{to_string(cell.verdict)});
      if (ratio) verdict.detail = fmt::format("{:.2f} of print", *ratio);
      if (cell.verdict == Verdict::reached) verdict.standing = RankMark::best;
    }
    page.rows.push_back(std::move(cells));
  }
  return page;
}

PageSection tables_section(const Reproduction& reproduction) {
  PageSection section{"Print and measurement", {}};
  for (const PaperTable& table : reproduction.tables) {
    section.blocks.emplace_back(page_table(table));
    for (const std::string& note : table.notes) section.blocks.emplace_back(PageText{note});
  }
  for (const std::string& note : reproduction.notes) section.blocks.emplace_back(PageText{note});
  return section;
}

PageSection findings_section(const Reproduction& reproduction) {
  PageSection section{"The papers' findings", {}};
  section.blocks.emplace_back(PageText{reproduction.target.tested});
  PageTable table;
  table.caption = "Findings";
  table.columns = {{"finding", false, ""}, {"here", false, ""}, {"measured", false, ""}};
  for (const Finding& finding : reproduction.findings)
    for (std::size_t n = 0; n < finding.evidence.size(); ++n)
      table.rows.push_back(
          {{n == 0 ? finding.claim : ""}, {n == 0 ? to_string(finding.outcome) : ""}, {finding.evidence[n]}});
  section.blocks.emplace_back(std::move(table));
  return section;
}

PageSection made_section(const Reproduction& reproduction, const std::string& command) {
  PageSection section{"How this was made", {}};
  const Paper& paper = *reproduction.target.paper;
  section.blocks.emplace_back(
      PageText{fmt::format("sotto {}. Protocol: {}. {}", version, paper.protocol,
                           reproduction.effort == Effort::quick ? paper.quick : paper.full)});
  section.blocks.emplace_back(PageListing{"The command", command});
  return section;
}

}  // namespace

std::string paper_number(double value) {
  if (std::abs(value) >= 1000.0 || (value == std::floor(value) && std::abs(value) >= 10.0)) {
    std::string digits = fmt::format("{:.0f}", value);
    for (std::size_t at = digits.size(); at > 3 + (value < 0.0 ? 1u : 0u); at -= 3)
      digits.insert(at - 3, ",");
    return digits;
  }
  if (std::abs(value) >= 10.0) return fmt::format("{:.2f}", value);  // means of counts
  return fmt::format("{:.5f}", value);
}

std::string paper_number(const PaperTable& table, double value) {
  if (!table.rounds || std::abs(value) >= 1000.0) return paper_number(value);
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

std::string measured_text(const PaperCell& cell) {
  if (!cell.ours) return "–";
  if (!cell.interval || !std::isfinite(cell.interval->low)) return paper_number(*cell.ours);
  const double half = (cell.interval->high - cell.interval->low) / 2.0;
  const bool count = *cell.ours >= 10.0;
  return fmt::format("{} ±{}", paper_number(*cell.ours),
                     count ? fmt::format("{:.0f}", half) : fmt::format("{:.4f}", half));
}

std::string verdicts_text(const Reproduction& reproduction) {
  const VerdictCounts counts = count_verdicts(reproduction);
  std::string text;
  for (std::size_t n = 0; n < counts.size(); ++n)
    if (counts[n] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[n], to_string(static_cast<Verdict>(n)));
  std::size_t ranged = 0, inside = 0;
  for (const PaperTable& table : reproduction.tables)
    for (const PaperRow& row : table.rows)
      for (const PaperCell& cell : row.cells) {
        if (!cell.printed || !cell.interval || cell.verdict == Verdict::other) continue;
        ++ranged;
        inside += cell.interval->low <= *cell.printed && *cell.printed <= cell.interval->high ? 1 : 0;
      }
  if (ranged > 0)
    text += fmt::format("; the print lies inside our interval in {} of {} cells", inside, ranged);
  return text;
}

Page page_of(const Reproduction& reproduction, const std::string& command) {
  Page page;
  page.title = reproduction.target.title;
  if (const std::string verdicts = verdicts_text(reproduction); !verdicts.empty())
    page.summary.push_back("Cells: " + verdicts + ".");
  for (const Finding& finding : reproduction.findings)
    page.summary.push_back(fmt::format("{} Here: {}.", finding.claim, to_string(finding.outcome)));
  if (!reproduction.tables.empty()) page.sections.push_back(tables_section(reproduction));
  if (!reproduction.findings.empty()) page.sections.push_back(findings_section(reproduction));
  if (!reproduction.figures.empty()) page.sections.push_back({"Figures", reproduction.figures});
  if (!reproduction.absent.empty()) {
    PageSection absent{"Data that is not here", {}};
    for (const std::string& line : reproduction.absent) absent.blocks.emplace_back(PageText{line});
    page.sections.push_back(std::move(absent));
  }
  page.sections.push_back(made_section(reproduction, command));
  return page;
}

}  // namespace sotto::lab
