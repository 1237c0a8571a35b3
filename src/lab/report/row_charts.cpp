// Charts of rows: lying bars and distributions (chart.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/report/chart.h"
#include "lab/report/frame.h"
#include "lab/report/markup.h"

namespace sotto::lab {

namespace {

bool has_range(const ChartBar& bar) {
  return bar.range && std::isfinite(bar.range->low) && std::isfinite(bar.range->high);
}

std::vector<double> values_of(const BarChart& chart) {
  std::vector<double> values{0.0};
  for (const BarSeries& series : chart.series)
    for (const ChartBar& bar : series.bars) {
      if (!std::isfinite(bar.value)) continue;
      values.push_back(bar.value);
      if (!has_range(bar)) continue;
      values.push_back(bar.range->low);
      values.push_back(bar.range->high);
    }
  return values;
}

std::string bar_says(const BarChart& chart, const BarSeries& series, std::size_t category,
                     const ChartBar& bar) {
  std::string text = fmt::format("{}\n{}\n{}: {}", series.name, chart.categories[category], chart.value.label,
                                 short_number(bar.value));
  if (has_range(bar))
    text += fmt::format(" [{}, {}]", short_number(bar.range->low), short_number(bar.range->high));
  return text;
}

// One series' bars: the `index`th bar of each group.
std::string bars_of(const BarChart& chart, std::size_t index, const AxisScale& scale,
                    const ChartFrame& frame) {
  const BarSeries& series = chart.series[index];
  const PlotArea& plot = frame.plot();
  const double group = plot.height / static_cast<double>(chart.categories.size());
  const double thickness = group * 0.8 / static_cast<double>(chart.series.size());
  const double zero = frame.x(scale, 0.0);
  std::string marks;
  std::size_t count = 0;
  for (std::size_t category = 0; category < std::min(series.bars.size(), chart.categories.size());
       ++category) {
    const ChartBar& bar = series.bars[category];
    if (!std::isfinite(bar.value)) continue;
    ++count;
    const double top = plot.top + static_cast<double>(category) * group + 0.1 * group +
                       static_cast<double>(index) * thickness;
    const double end = frame.x(scale, bar.value);
    const std::string path = fmt::format("M{} {}H{}v{}H{}z", coordinate(zero), coordinate(top),
                                         coordinate(end), coordinate(thickness * 0.9), coordinate(zero));
    marks += mark_element(path, bar_says(chart, series, category, bar));
    if (has_range(bar))
      marks += whisker(frame.x(scale, bar.range->low), top + thickness * 0.45,
                       frame.x(scale, bar.range->high), top + thickness * 0.45);
  }
  return fmt::format("<g class=\"series {}\" data-series=\"{}\" data-name=\"{}\" data-n=\"{}\">{}</g>\n",
                     look_of(ChartPalette::distinct, index, chart.series.size()).colour, index,
                     escaped(series.name), count, marks);
}

// The shape of a distribution.
struct ValueShape {
  std::vector<double> ascending;
  double mean = 0.0;
  std::vector<std::size_t> bins;
};

ValueShape shape_of(const BoxGroup& group, const AxisScale& scale, std::size_t bins) {
  ValueShape shape;
  for (const double value : group.values)
    if (std::isfinite(value)) shape.ascending.push_back(value);
  std::sort(shape.ascending.begin(), shape.ascending.end());
  shape.mean = std::accumulate(shape.ascending.begin(), shape.ascending.end(), 0.0) /
               static_cast<double>(std::max<std::size_t>(1, shape.ascending.size()));
  shape.bins.assign(bins, 0);
  for (const double value : shape.ascending) {
    const double place = scale.at(value) * static_cast<double>(bins);
    // A hair to the right: values on a border (0.1, 0.2, …) fall into one bin, not now here, now there.
    const auto bin = static_cast<std::size_t>(std::max(0.0, place + 1e-9));
    ++shape.bins[std::min(bin, bins - 1)];
  }
  return shape;
}

// The histogram, mirrored; its widest place is always as wide as the row, so that shapes compare. The square
// root of the count: few users with high values still show.
std::string silhouette(const ValueShape& shape, const PlotArea& plot, double middle, double half) {
  const std::size_t most = *std::max_element(shape.bins.begin(), shape.bins.end());
  if (most == 0) return "";
  const double width = plot.width / static_cast<double>(shape.bins.size());
  std::string path;
  for (std::size_t bin = 0; bin < shape.bins.size(); ++bin) {
    if (shape.bins[bin] == 0) continue;
    const double reach = half * std::sqrt(static_cast<double>(shape.bins[bin]) / static_cast<double>(most));
    path +=
        fmt::format("M{} {}h{}v{}h-{}z", coordinate(plot.left + static_cast<double>(bin) * width),
                    coordinate(middle - reach), coordinate(width), coordinate(2 * reach), coordinate(width));
  }
  return fmt::format(R"(<path class="band" d="{}"/>)", path);
}

std::string box_says(const BoxChart& chart, const BoxGroup& group, const ValueShape& shape) {
  const auto at = [&shape](double share) { return short_number(quantile(shape.ascending, share)); };
  return fmt::format("{}\n{}: mean {}, median {}\nmiddle half {} to {}, 5% to 95% {} to {}\n{} values",
                     group.name, chart.value.label, short_number(shape.mean), at(0.5), at(0.25), at(0.75),
                     at(0.05), at(0.95), short_number(static_cast<double>(shape.ascending.size())));
}

std::string box_row(const BoxChart& chart, std::size_t index, const AxisScale& scale,
                    const ChartFrame& frame) {
  constexpr std::size_t bins = 40;
  const BoxGroup& group = chart.groups[index];
  const ValueShape shape = shape_of(group, scale, bins);
  const PlotArea& plot = frame.plot();
  const double row = plot.height / static_cast<double>(chart.groups.size());
  const double middle = plot.top + (static_cast<double>(index) + 0.5) * row;
  std::string inside;
  if (!shape.ascending.empty()) {
    const auto x = [&](double share) { return frame.x(scale, quantile(shape.ascending, share)); };
    const double half = std::min(7.0, row * 0.2);
    inside = silhouette(shape, plot, middle, row * 0.42);
    inside += whisker(x(0.05), middle, x(0.95) + 0.01, middle);
    inside += fmt::format(R"(<path class="box" d="M{} {}H{}v{}H{}z"/>)", coordinate(x(0.25)),
                          coordinate(middle - half), coordinate(x(0.75)), coordinate(2 * half),
                          coordinate(x(0.25)));
    inside += fmt::format(R"(<path class="median" d="M{} {}v{}"/>)", coordinate(x(0.5)),
                          coordinate(middle - half), coordinate(2 * half));
    inside += mark_element(shape_path(3, frame.x(scale, shape.mean), middle), box_says(chart, group, shape));
  }
  return fmt::format("<g class=\"series {}\" data-series=\"{}\" data-name=\"{}\" data-n=\"{}\">{}</g>\n",
                     look_of(ChartPalette::distinct, index, chart.groups.size()).colour, index,
                     escaped(group.name), shape.ascending.empty() ? 0 : 1, inside);
}

}  // namespace

double quantile(const std::vector<double>& ascending, double share) {
  if (ascending.empty()) return NAN;
  const double place = share * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (place - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

std::string svg_of(const BarChart& chart, Dress dress) {
  ChartAxis axis = chart.value;
  axis.scale = ScaleKind::linear;
  axis.from_zero = true;
  const AxisScale scale(axis, values_of(chart), 7);
  std::vector<LegendKey> keys;
  for (std::size_t index = 0; index < chart.series.size(); ++index)
    keys.push_back({chart.series[index].name, look_of(ChartPalette::distinct, index, chart.series.size()),
                    LegendSign::block, std::to_string(index)});
  const double group = std::max(24.0, 8.0 + 9.0 * static_cast<double>(chart.series.size()));
  const double height = std::max(60.0, group * static_cast<double>(chart.categories.size()));
  const ChartFrame frame(chart.head, dress, std::move(keys), room_for(chart.categories), height);
  std::string inside =
      fmt::format("<path class=\"rule\" d=\"M{} {}V{}\"/>\n", coordinate(frame.x(scale, 0.0)),
                  coordinate(frame.plot().top), coordinate(frame.plot().bottom()));
  if (!chart.categories.empty())
    for (std::size_t index = 0; index < chart.series.size(); ++index)
      inside += bars_of(chart, index, scale, frame);
  return frame.svg("bars", frame.x_axis(scale, axis.label) + frame.row_axis(chart.categories), inside);
}

std::string svg_of(const BoxChart& chart, Dress dress) {
  std::vector<double> values;
  std::vector<std::string> names;
  for (const BoxGroup& group : chart.groups) {
    names.push_back(group.name);
    for (const double value : group.values)
      if (std::isfinite(value)) values.push_back(value);
  }
  const AxisScale scale(chart.value, values, 7);
  const double height = std::max(60.0, 46.0 * static_cast<double>(chart.groups.size()));
  const ChartFrame frame(chart.head, dress, {}, room_for(names), height);
  std::string inside;
  for (std::size_t index = 0; index < chart.groups.size(); ++index)
    inside += box_row(chart, index, scale, frame);
  return frame.svg("boxes", frame.x_axis(scale, chart.value.label) + frame.row_axis(names), inside);
}

std::string svg_of(const Chart& chart, Dress dress) {
  return std::visit([dress](const auto& one) { return svg_of(one, dress); }, chart);
}

const ChartHead& head_of(const Chart& chart) {
  return std::visit([](const auto& one) -> const ChartHead& { return one.head; }, chart);
}

}  // namespace sotto::lab
