// Tables 4.5 and 4.6: how the population leans towards categories of venues, and how lists lean on top of it.
#include <fmt/core.h>

#include <cmath>
#include <map>

#include "engine/files/files.h"
#include "lab/reproduce/printed_table.h"
#include "lab/reproduce/reproduction.h"

namespace sotto::lab {

namespace {

using TopLevel = std::map<std::string, std::string>;  // category → top-level category

Result<TopLevel> load_top_level(const std::string& path) {
  TopLevel top;
  if (path.empty()) return top;
  SOTTO_TRY(const std::string text, read_text(path));
  std::size_t begin = 0;
  for (std::size_t number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t tab = line.find('\t');
    if (line.empty()) continue;
    if (tab == std::string::npos)
      return fail(
          Code::bad_input,
          fmt::format("{}, line {}: two columns are needed, category and top-level category", path, number));
    top[line.substr(0, tab)] = line.substr(tab + 1, line.find_first_of("\t\r", tab + 1) - tab - 1);
  }
  return top;
}

struct TopBias {
  double source = std::nan("");
  double disparity = std::nan("");
};

// A bias is a share of interactions over a share of the catalogue: shares of fine categories add up.
std::map<std::string, TopBias> by_top_level(const CategoryBiasAt& fine, const TopLevel& top) {
  double catalogue = 0.0;
  for (const CategoryBias& one : fine.categories) catalogue += static_cast<double>(one.items);
  struct Shares {
    double items = 0.0, source = 0.0, recommended = 0.0;
  };
  std::map<std::string, Shares> sums;
  for (const CategoryBias& one : fine.categories) {
    const auto found = top.find(one.category);
    Shares& sum = sums[found == top.end() ? one.category : found->second];
    const double share = static_cast<double>(one.items) / catalogue;
    sum.items += share;
    sum.source += one.source * share;
    sum.recommended += one.recommended * share;
  }
  std::map<std::string, TopBias> biases;
  for (const auto& [name, sum] : sums)
    biases[name] = {sum.source / sum.items, (sum.recommended - sum.source) / sum.source};
  return biases;
}

Result<std::map<std::string, TopBias>> bias_of(const TargetData& at, const PaperData& data,
                                               std::string_view model) {
  std::map<std::string, TopBias> none;
  const MeasuredPoint* point = at.measured.chosen(data.name, model);
  if (point == nullptr) return none;
  SOTTO_TRY(const CellDetail detail, at.measured.detail(*point));
  if (detail.category_bias.empty()) return none;
  SOTTO_TRY(const TopLevel top, load_top_level(data.categories));
  return by_top_level(detail.category_bias.front(), top);
}

std::optional<double> number(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

}  // namespace

Status add_source_bias(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    SOTTO_TRY(const auto biases, bias_of(at, data, at.target.models.front()));
    PaperTable table{data.shown, "category", {"B_T"}, {}, {}};
    const PrintedTable& print = printed("pairwise/source_bias.tsv");
    for (const std::string& category : print.columns()) {
      PaperCell cell{print.value({data.name}, category), std::nullopt, std::nullopt, Verdict::absent};
      const auto found = biases.find(category);
      if (found != biases.end()) {
        cell.ours = number(found->second.source);
        if (cell.ours)
          cell.verdict = data.proxy ? Verdict::other : judge(cell.printed, *cell.ours, Yardstick::same);
      }
      table.rows.push_back({category, "", {cell}, false});
    }
    if (data.there && biases.empty())
      table.notes.push_back("These files name no categories of venues, so there is nothing to compare.");
    if (data.there && !biases.empty())
      table.notes.push_back(
          "Top-level categories come from category_top_level.tsv, made from a newer category tree than the "
          "authors' unpublished one.");
    out.tables.push_back(std::move(table));
  }
  return Done{};
}

Status add_disparity(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    if (!data.there) continue;
    PaperTable table{fmt::format("Bias disparity on {}", data.shown), "model", {}, {}, {}};
    BarChart chart;
    chart.head = {"bias-disparity", fmt::format("Bias disparity per category on {}", data.shown),
                  "0: lists lean as the population does; above: more."};
    chart.value.label = "bias disparity";
    const PrintedTable& print = printed("pairwise/disparity.tsv");
    const std::string& printed_data = at.target.datasets.front();
    table.metrics = chart.categories = print.columns();
    for (const std::string& model : at.target.models) {
      SOTTO_TRY(const auto biases, bias_of(at, data, model));
      PaperRow row{model, "", {}, false};
      BarSeries bars{model, {}};
      for (const std::string& category : print.columns()) {
        const auto found = biases.find(category);
        PaperCell cell{print.value({model}, category), std::nullopt, std::nullopt, Verdict::failed};
        if (found != biases.end()) cell.ours = number(found->second.disparity);
        if (cell.ours)
          cell.verdict = data.name == printed_data && !data.proxy
                             ? judge(cell.printed, *cell.ours, Yardstick::same)
                             : Verdict::other;
        bars.bars.push_back({cell.ours.value_or(std::nan("")), {}});
        row.cells.push_back(std::move(cell));
      }
      table.rows.push_back(std::move(row));
      if (contains(at.target.drawn, model)) chart.series.push_back(std::move(bars));
    }
    if (data.name != printed_data)
      table.notes.push_back(
          fmt::format("The print is of {}, ours of {}: compare signs and order.", printed_data, data.shown));
    out.tables.push_back(std::move(table));
    out.figures.emplace_back(Chart(std::move(chart)));
  }
  return Done{};
}

}  // namespace sotto::lab
