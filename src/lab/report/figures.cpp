#include "lab/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "lab/report/markup.h"

namespace sotto::lab {

namespace {

// A command that would make the runs again for each π.
constexpr const char* sweep_over_pi =
    "for pi in 0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1; do\n"
    "  sotto train --data DATA --variant sfpl+ --pi $pi --out runs/pi-$pi\ndone\nsotto report runs";

const char* interval_words(const DatasetRuns& runs) {
  const bool seeds =
      std::ranges::any_of(runs.groups, [](const RunGroup& group) { return group.runs.size() > 1; });
  return seeds ? "Intervals: 95%, over seeds where there are several, else over users."
               : "Intervals: 95%, over users (one seed).";
}

ChartPoint point_of(const RunGroup& group, double x, const std::string& metric) {
  return {x, group.mean(metric), group.interval(metric), "", ""};
}

}  // namespace

std::vector<PageBlock> accuracy_figures(const DatasetRuns& runs) {
  const std::string f1 = runs.metric("F1means");
  XyChart over_pi{.head = {runs.name + "f1-over-pi", fmt::format("{} over π", f1),
                           fmt::format("π is the share of what people consumed that may leave the device. {}",
                                       interval_words(runs))},
                  .x = {.label = "π", .low = 0.0, .high = 1.0},
                  .y = {.label = f1},
                  .series = {}};
  XyChart coverage{
      .head = {runs.name + "coverage-over-precision", fmt::format("Item coverage over precision, along π"),
               "A line joins the runs of a configuration from the least π to the largest; up and to the "
               "right is better."},
      .x = {.label = runs.metric("P")},
      .y = {.label = fmt::format("{}, items in at least one list", runs.metric("IC"))},
      .series = {}};
  for (const std::string& configuration : runs.configurations()) {
    const std::vector<const RunGroup*> path = runs.along_pi(configuration);
    if (path.empty()) continue;
    ChartSeries& line = over_pi.series.emplace_back();
    line.name = configuration;
    line.spread = PointSpread::band;
    ChartSeries& way = coverage.series.emplace_back();
    way.name = configuration;
    for (std::size_t index = 0; index < path.size(); ++index) {
      const RunGroup& group = *path[index];
      line.points.push_back(point_of(group, *group.pi, f1));
      ChartPoint point{group.mean(runs.metric("P")), group.mean(runs.metric("IC")), {}, "", ""};
      point.note = fmt::format("π: {}", short_number(*group.pi));
      // Both ends and the middle: more words would lie on each other.
      if (index == 0 || index + 1 == path.size() || index == path.size() / 2)
        point.label = fmt::format("π {}", short_number(*group.pi));
      way.points.push_back(point);
    }
  }
  if (over_pi.series.empty())
    return {
        PageGap{"F1 over π and item coverage over precision need runs of one configuration with several π.",
                sweep_over_pi}};
  return {Chart(over_pi), Chart(coverage)};
}

std::vector<PageBlock> cost_figures(const DatasetRuns& runs) {
  const std::string precision = runs.metric("P");
  const std::string words =
      "The dashed line is the Pareto front: what is on it has no run beside it that is cheaper and better.";
  XyChart vectors{
      .head = {runs.name + "precision-over-vectors",
               fmt::format("{} over communication, in vectors", precision),
               "Total communication cost: epochs · rounds · cohort · (items + T(1 + π)) item vectors. " +
                   words},
      .x = {.label = "total communication cost, item vectors", .scale = ScaleKind::log},
      .y = {.label = precision},
      .series = {},
      .pareto = true};
  XyChart bytes = vectors;
  bytes.head = {runs.name + "precision-over-bytes", fmt::format("{} over communication, in bytes", precision),
                "Real bytes of all messages, down to the devices and up from them. " + words};
  bytes.x.label = "bytes sent, MB";
  for (const std::string& configuration : runs.configurations()) {
    ChartSeries by_vectors{.name = configuration, .points = {}};
    ChartSeries by_bytes = by_vectors;
    by_vectors.line = by_bytes.line = false;
    for (const RunGroup& group : runs.groups) {
      if (group.configuration != configuration) continue;
      ChartPoint point = point_of(group, group.first().result.vectors.value_or(NAN), precision);
      if (group.pi) point.note = fmt::format("π: {}", short_number(*group.pi));
      if (std::isfinite(point.x)) by_vectors.points.push_back(point);
      const RoundReport& totals = group.first().result.totals;
      point.x = static_cast<double>(totals.bytes_up + totals.bytes_down) / 1e6;
      if (point.x > 0.0) by_bytes.points.push_back(point);
    }
    if (!by_vectors.points.empty()) vectors.series.push_back(by_vectors);
    if (!by_bytes.points.empty()) bytes.series.push_back(by_bytes);
  }
  std::vector<PageBlock> blocks;
  if (!vectors.series.empty()) blocks.emplace_back(Chart(vectors));
  if (!bytes.series.empty()) blocks.emplace_back(Chart(bytes));
  if (blocks.empty())
    blocks.emplace_back(
        PageGap{"Precision over communication needs federated models; none of these runs sent anything.",
                "sotto train --data DATA --variant sfpl+ --out runs/sfpl-plus"});
  return blocks;
}

std::vector<PageBlock> bias_figures(const DatasetRuns& runs) {
  constexpr std::size_t most_categories = 15;
  constexpr std::size_t most_models = 6;
  BarChart chart{
      .head = {runs.name + "bias-disparity",
               fmt::format("Bias disparity per category, lists of {}", runs.cutoff),
               "How much more (right) or less (left) of a category is recommended than people chose before: "
               "(recommended − source) / source."},
      .value = {.label = "bias disparity"},
      .categories = {},
      .series = {}};
  for (const RunGroup* group : runs.best_groups()) {
    const auto& all = group->first().detail.category_bias;
    const auto at = std::ranges::find(all, runs.cutoff, &CategoryBiasAt::cutoff);
    if (at == all.end() || chart.series.size() == most_models) continue;
    std::vector<CategoryBias> largest = at->categories;
    std::ranges::stable_sort(largest, std::greater<>(), &CategoryBias::items);
    if (largest.size() > most_categories) largest.resize(most_categories);
    if (chart.categories.empty())  // the same for all: they share the split
      for (const CategoryBias& one : largest) chart.categories.push_back(one.category);
    BarSeries& series = chart.series.emplace_back();
    series.name = group->name();
    for (const std::string& category : chart.categories) {
      const auto found = std::ranges::find(at->categories, category, &CategoryBias::category);
      series.bars.push_back({found == at->categories.end() ? NAN : found->disparity, {}});
    }
  }
  if (chart.series.empty())
    return {PageGap{"Bias disparity needs items with categories.",
                    "sotto train --data DATA --names ITEMS_WITH_CATEGORIES --out runs/with-categories"}};
  chart.head.caption +=
      " Of each configuration the π with the highest F1; the largest categories, at most 15.";
  return {Chart(chart)};
}

namespace {

// A point an epoch of each configuration's best run.
template <class Value>
std::vector<ChartSeries> curves(const DatasetRuns& runs, Value value) {
  std::vector<ChartSeries> all;
  for (const RunGroup* group : runs.best_groups()) {
    ChartSeries series{.name = group->name(), .points = {}};
    for (const CurvePoint& point : group->first().detail.curve) {
      const double y = value(point);
      if (std::isfinite(y)) series.points.push_back({static_cast<double>(point.epoch), y});
    }
    series.marks = series.points.size() <= 60;
    if (!series.points.empty()) all.push_back(std::move(series));
  }
  return all;
}

}  // namespace

std::vector<PageBlock> learning_figures(const DatasetRuns& runs) {
  std::vector<PageBlock> blocks;
  XyChart loss{
      .head = {runs.name + "loss", "Training loss", "Mean loss of an epoch's triples, on the devices."},
      .x = {.label = "epoch", .low = 0.0},
      .y = {.label = "loss"},
      .series = curves(runs, [](const CurvePoint& point) { return point.loss; })};
  if (!loss.series.empty()) blocks.emplace_back(Chart(loss));
  XyChart validation{
      .head = {runs.name + "validation", "Learning curve on the validation part",
               "What early stopping looked at."},
      .x = {.label = "epoch", .low = 0.0},
      .y = {.label = "validation metric"},
      .series = curves(runs, [](const CurvePoint& point) { return point.validation.value_or(NAN); })};
  for (const RunGroup* group : runs.best_groups()) {
    const auto metric = group->first().plan.find("early_stopping.metric");
    if (metric != group->first().plan.end()) validation.y.label = metric->second + " on the validation part";
  }
  if (!validation.series.empty()) {
    blocks.emplace_back(Chart(validation));
  } else {
    blocks.emplace_back(
        PageGap{"No run looked at a validation part, so there is no learning curve of a metric.",
                "sotto train --data DATA --validation 0.2 --early-stop nDCG@10 --out runs/early"});
  }
  return blocks;
}

std::vector<PageBlock> user_figures(const DatasetRuns& runs) {
  constexpr std::size_t most_rows = 16;
  const std::string metric = runs.metric("nDCG");
  BoxChart chart{
      .head = {runs.name + "users", fmt::format("{} from user to user", metric),
               "Silhouette: how many users have which value (square root, so that few still show). Box: the "
               "middle half with the median; whiskers: 5% to 95%; diamond: the mean."},
      .value = {.label = fmt::format("{} of a user", metric), .from_zero = true},
      .groups = {}};
  for (const RunGroup* group : runs.best_groups()) {
    std::vector<double> values = group->first().detail.per_user.column(metric);
    if (!values.empty() && chart.groups.size() < most_rows)
      chart.groups.push_back({group->name(), std::move(values)});
  }
  if (chart.groups.empty())
    return {PageGap{"The runs kept no values of single users.", "sotto train --data DATA --out runs/again"}};
  return {Chart(chart)};
}

}  // namespace sotto::lab
