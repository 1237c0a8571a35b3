// How often items are updated and recommended (figures.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/report/figures.h"
#include "lab/report/markup.h"

namespace sotto::lab {

namespace {

constexpr std::size_t most_updated = 1000;
constexpr std::size_t most_popular = 250;

constexpr std::size_t neighbours = 15;  // that a point of a smoothed line is the mean of

using Counts = std::vector<double>;

ChartSeries ranked(std::string name, const Counts& counts) {
  ChartSeries series{.name = std::move(name), .points = {}};
  series.marks = false;
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    series.points.push_back({static_cast<double>(rank + 1), counts[rank]});
  return series;
}

Counts most_updated_first(const std::vector<std::uint64_t>& updates) {
  Counts counts(updates.begin(), updates.end());
  std::ranges::sort(counts, std::greater<>());
  if (counts.size() > most_updated) counts.resize(most_updated);
  return counts;
}

// Means over neighbours, fewer at the ends. Lists differ so much from item to item that bare lines would hide
// each other.
Counts smoothed(const Counts& counts) {
  constexpr std::size_t half = neighbours / 2;
  Counts means;
  for (std::size_t at = 0; at < counts.size(); ++at) {
    const std::size_t before = std::min(half, at);  // the first stand for themselves: the peak stays
    const std::size_t after = std::min(before, counts.size() - 1 - at);
    double sum = 0.0;
    for (std::size_t near = at - before; near <= at + after; ++near) sum += counts[near];
    means.push_back(sum / static_cast<double>(before + after + 1));
  }
  return means;
}

// The counts of the items that most people chose, from the most popular on (ties by item).
Counts by_popularity(const std::vector<std::uint64_t>& counts, const std::vector<std::uint32_t>& popularity) {
  std::vector<std::size_t> order(std::min(counts.size(), popularity.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t item) { return popularity[item]; });
  if (order.size() > most_popular) order.resize(most_popular);
  Counts chosen;
  for (const std::size_t item : order) chosen.push_back(static_cast<double>(counts[item]));
  return smoothed(chosen);
}

XyChart updates_chart(const DatasetRuns& runs, const std::string& of) {
  return {
      .head = {runs.name + "updates-" + slug(of), fmt::format("Updates of the most updated items: {}", of),
               "How often each of the 1,000 most updated items was updated during training, the most updated "
               "first. "
               "Steeper curves mean that training dwells on fewer items."},
      .x = {.label = "item, by its updates", .low = 0.0},
      .y = {.label = "updates", .scale = ScaleKind::log},
      .series = {},
      .palette = ChartPalette::ordered};
}

XyChart recommended_chart(const DatasetRuns& runs, const std::string& of) {
  return {
      .head = {runs.name + "recommended-" + slug(of),
               fmt::format("Recommendations of the most popular items: {}", of),
               "In how many lists each of the 250 most popular items stands, the most popular first "
               "(popular: many training "
               "interactions). Each point is the mean over 15 neighbours in this order, fewer at the ends."},
      .x = {.label = "item, by its popularity in training", .low = 0.0},
      .y = {.label = "lists it stands in", .scale = ScaleKind::log},
      .series = {},
      .palette = ChartPalette::ordered};
}

// One chart a configuration along π; all others, one π each, share one.
struct ItemCharts {
  std::vector<XyChart> along_pi;
  XyChart others;

  void add_to(std::vector<PageBlock>& blocks) const {
    for (const XyChart& chart : along_pi)
      if (!chart.series.empty()) blocks.emplace_back(Chart(chart));
    if (!others.series.empty()) blocks.emplace_back(Chart(others));
  }
};

template <class MakeChart, class CountsOf>
ItemCharts item_charts(const DatasetRuns& runs, MakeChart make_chart, CountsOf counts_of) {
  ItemCharts charts;
  for (const std::string& configuration : runs.configurations()) {
    const std::vector<const RunGroup*> path = runs.along_pi(configuration);
    if (path.empty()) continue;
    XyChart chart = make_chart(runs, configuration);
    for (const RunGroup* group : path)
      if (const Counts counts = counts_of(*group); !counts.empty())
        chart.series.push_back(ranked(fmt::format("π {}", short_number(*group->pi)), counts));
    charts.along_pi.push_back(std::move(chart));
  }
  charts.others = make_chart(runs, charts.along_pi.empty() ? "all models" : "other models");
  charts.others.palette = ChartPalette::distinct;
  for (const RunGroup& group : runs.groups)
    if (runs.along_pi(group.configuration).empty())
      if (const Counts counts = counts_of(group); !counts.empty())
        charts.others.series.push_back(ranked(group.name(), counts));
  return charts;
}

}  // namespace

std::vector<PageBlock> item_figures(const DatasetRuns& runs) {
  std::vector<PageBlock> blocks;
  item_charts(runs, updates_chart, [](const RunGroup& group) {
    return most_updated_first(group.first().detail.item_updates);
  }).add_to(blocks);
  if (blocks.empty())
    blocks.emplace_back(
        PageGap{"No run counted how often items were updated: federated models do, since items.tsv.",
                "sotto train --data DATA --variant sfpl+ --pi 0.5 --out runs/counted"});
  const std::size_t before = blocks.size();
  if (runs.facts != nullptr)
    item_charts(runs, recommended_chart, [&runs](const RunGroup& group) {
      return by_popularity(group.first().detail.item_recommended, runs.facts->popularity);
    }).add_to(blocks);
  if (blocks.size() == before)
    blocks.emplace_back(
        PageGap{"No run kept how often items are recommended.", "sotto train --data DATA --out runs/again"});
  return blocks;
}

}  // namespace sotto::lab
