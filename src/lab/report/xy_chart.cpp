// Lines, scatters and paths (chart.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "lab/report/chart.h"
#include "lab/report/frame.h"
#include "lab/report/markup.h"

namespace sotto::lab {

namespace {

constexpr double plot_height = 330.0;

bool is_drawn(const ChartPoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

bool has_range(const ChartPoint& point) {
  return point.range && std::isfinite(point.range->low) && std::isfinite(point.range->high);
}

// A rectangle that text already takes, or a mark.
struct TakenPlace {
  double left, top, right, bottom;
  [[nodiscard]] bool meets(const TakenPlace& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// Where a label may stand.
struct LabelSpot {
  double left = 0.0, middle = 0.0;
  bool far = false;
};

class XyDrawing {
 public:
  explicit XyDrawing(const XyChart& chart, Dress dress);

  [[nodiscard]] std::string svg() const;

 private:
  [[nodiscard]] static std::vector<ChartSeries> drawn_series(const XyChart& chart);
  [[nodiscard]] std::vector<double> values(bool of_x) const;
  [[nodiscard]] std::vector<LegendKey> keys() const;
  [[nodiscard]] double x(const ChartPoint& point) const { return frame_.x(x_scale_, point.x); }
  [[nodiscard]] double y(double value) const { return frame_.y(y_scale_, value); }

  [[nodiscard]] std::string says(const ChartSeries& series, const ChartPoint& point) const;
  [[nodiscard]] std::string line_path(const ChartSeries& series) const;
  [[nodiscard]] std::string spread(const ChartSeries& series) const;
  [[nodiscard]] std::string bare_line(const ChartSeries& series, std::size_t dash) const;
  [[nodiscard]] std::string series_group(std::size_t index) const;
  [[nodiscard]] std::string front() const;
  [[nodiscard]] static std::array<LabelSpot, 16> label_spots(double x, double y, double width);
  [[nodiscard]] std::string label(std::size_t index, const ChartPoint& point,
                                  std::vector<TakenPlace>& taken) const;
  [[nodiscard]] std::string labels() const;

  const XyChart& chart_;
  std::vector<ChartSeries> series_;  // with what can be drawn
  AxisScale x_scale_;
  AxisScale y_scale_;
  ChartFrame frame_;
};

XyDrawing::XyDrawing(const XyChart& chart, Dress dress)
    : chart_(chart),
      series_(drawn_series(chart)),
      x_scale_(chart.x, values(true), 7),
      y_scale_(chart.y, values(false), 6),
      frame_(chart.head, dress, keys(), room_for(y_scale_), plot_height) {}

std::vector<ChartSeries> XyDrawing::drawn_series(const XyChart& chart) {
  std::vector<ChartSeries> drawn = chart.series;
  for (ChartSeries& series : drawn)
    std::erase_if(series.points, [](const ChartPoint& point) { return !is_drawn(point); });
  return drawn;
}

std::vector<double> XyDrawing::values(bool of_x) const {
  std::vector<double> all;
  for (const ChartSeries& series : series_)
    for (const ChartPoint& point : series.points) {
      all.push_back(of_x ? point.x : point.y);
      if (of_x || series.spread == PointSpread::none || !has_range(point)) continue;
      all.push_back(point.range->low);
      all.push_back(point.range->high);
    }
  return all;
}

std::vector<LegendKey> XyDrawing::keys() const {
  std::vector<LegendKey> keys;
  for (std::size_t index = 0; index < series_.size(); ++index) {
    const ChartSeries& series = series_[index];
    const LegendSign kind = !series.marks ? LegendSign::line
                            : series.line ? LegendSign::line_and_mark
                                          : LegendSign::mark;
    keys.push_back(
        {series.name, look_of(chart_.palette, index, series_.size()), kind, std::to_string(index)});
  }
  if (chart_.pareto) keys.push_back({"Pareto front", {"front", 0, 0}, LegendSign::line, "front"});
  return keys;
}

std::string XyDrawing::says(const ChartSeries& series, const ChartPoint& point) const {
  std::string text = fmt::format("{}\n{}: {}\n{}: {}", series.name, chart_.x.label, short_number(point.x),
                                 chart_.y.label, short_number(point.y));
  if (has_range(point))
    text += fmt::format(" [{}, {}]", short_number(point.range->low), short_number(point.range->high));
  if (!point.note.empty()) text += "\n" + point.note;
  return text;
}

std::string XyDrawing::line_path(const ChartSeries& series) const {
  std::string path;
  for (const ChartPoint& point : series.points)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", coordinate(x(point)), coordinate(y(point.y)));
  return path;
}

std::string XyDrawing::spread(const ChartSeries& series) const {
  std::string text;
  if (series.spread == PointSpread::bars)
    for (const ChartPoint& point : series.points)
      if (has_range(point)) text += whisker(x(point), y(point.range->low), x(point), y(point.range->high));
  if (series.spread != PointSpread::band) return text;
  std::string above;
  std::string below;
  for (const ChartPoint& point : series.points) {
    if (!has_range(point)) continue;
    above += fmt::format("{}{} {}", above.empty() ? "M" : "L", coordinate(x(point)),
                         coordinate(y(point.range->high)));
    below = fmt::format("L{} {}", coordinate(x(point)), coordinate(y(point.range->low))) + below;
  }
  return above.empty() ? text : fmt::format(R"(<path class="band" d="{}{}z"/>)", above, below);
}

std::string XyDrawing::bare_line(const ChartSeries& series, std::size_t dash) const {
  std::string values;
  for (const ChartPoint& point : series.points)
    values += fmt::format("{}{:.6g},{:.6g}", values.empty() ? "" : " ", point.x, point.y);
  const auto [low, high] =
      std::minmax_element(series.points.begin(), series.points.end(),
                          [](const ChartPoint& a, const ChartPoint& b) { return a.y < b.y; });
  return fmt::format(R"(<path class="line d{}" d="{}" data-xy="{}"><title>{}</title></path>)", dash,
                     line_path(series), values,
                     escaped(fmt::format("{}\n{} from {} to {}", series.name, chart_.y.label,
                                         short_number(low->y), short_number(high->y))));
}

std::string XyDrawing::series_group(std::size_t index) const {
  const ChartSeries& series = series_[index];
  const SeriesLook look = look_of(chart_.palette, index, series_.size());
  std::string text = fmt::format(R"(<g class="series {}" data-series="{}" data-name="{}" data-n="{}">)",
                                 look.colour, index, escaped(series.name), series.points.size());
  if (!series.points.empty()) {
    text += spread(series);
    if (!series.marks) {
      text += bare_line(series, look.dash);
    } else if (series.line) {
      text += fmt::format(R"(<path class="line d{}" d="{}"/>)", look.dash, line_path(series));
    }
    for (const ChartPoint& point : series.points)
      if (series.marks)
        text += mark_element(shape_path(look.shape, x(point), y(point.y)), says(series, point));
  }
  return text + "</g>\n";
}

std::string XyDrawing::front() const {
  std::vector<ChartPoint> all;
  for (const ChartSeries& series : series_) all.insert(all.end(), series.points.begin(), series.points.end());
  std::string path;
  for (const std::size_t index : pareto_front(all)) {
    const std::string right = coordinate(x(all[index]));
    const std::string up = coordinate(y(all[index].y));
    // A step: between two points of the front, more cost without more quality is not better.
    path += path.empty() ? fmt::format("M{} {}", right, up) : fmt::format("H{}V{}", right, up);
  }
  if (path.empty()) return "";
  path += fmt::format("H{}", coordinate(frame_.plot().right()));
  return fmt::format(
      "<g class=\"series front\" data-series=\"front\"><path class=\"line d0\" d=\"{}\"/></g>\n", path);
}

// Around a mark: right, left, above, below, the corners; then further away, with a line to the mark.
std::array<LabelSpot, 16> XyDrawing::label_spots(double x, double y, double width) {
  std::array<LabelSpot, 16> spots;
  const double middle = x - width / 2.0;
  for (std::size_t ring = 0; ring < 2; ++ring) {
    const bool far = ring == 1;
    const double side = far ? 20.0 : 7.0, up = far ? 28.0 : 13.0, slant = far ? 14.0 : 4.0;
    const std::array<LabelSpot, 8> round{
        LabelSpot{x + side, y, far},       LabelSpot{x - side - width, y, far},
        LabelSpot{middle, y - up, far},    LabelSpot{middle, y + up, far},
        LabelSpot{x + slant, y - up, far}, LabelSpot{x - slant - width, y - up, far},
        LabelSpot{x + slant, y + up, far}, LabelSpot{x - slant - width, y + up, far}};
    std::copy(round.begin(), round.end(), spots.begin() + static_cast<std::ptrdiff_t>(8 * ring));
  }
  return spots;
}

std::string XyDrawing::label(std::size_t index, const ChartPoint& point,
                             std::vector<TakenPlace>& taken) const {
  const PlotArea& plot = frame_.plot();
  const double width = text_width(point.label, 11.0), px = x(point), py = y(point.y);
  for (const LabelSpot& spot : label_spots(px, py, width)) {
    const TakenPlace place{spot.left, spot.middle - 6.5, spot.left + width, spot.middle + 6.5};
    const bool outside = place.left < plot.left || place.right > plot.right() || place.top < plot.top ||
                         place.bottom > plot.bottom();
    if (outside || std::ranges::any_of(taken, [&](const TakenPlace& other) { return other.meets(place); }))
      continue;
    taken.push_back(place);
    std::string text;
    if (spot.far)
      text = fmt::format(R"(<path class="rule" d="M{} {}L{} {}"/>)", coordinate(px), coordinate(py),
                         coordinate(std::clamp(px, place.left, place.right)),
                         coordinate(std::clamp(py, place.top, place.bottom)));
    // Left of the mark the text ends beside it, however wide the face is.
    const bool ends = place.right < px;
    return text + fmt::format(R"(<text class="note" data-series="{}" x="{}" y="{}" dy=".35em"{}>{}</text>)",
                              index, coordinate(ends ? place.right : place.left), coordinate(spot.middle),
                              ends ? R"( text-anchor="end")" : "", escaped(point.label));
  }
  return "";  // no room: hovering must do
}

std::string XyDrawing::labels() const {
  std::vector<TakenPlace> taken;
  for (const ChartSeries& series : series_)
    for (const ChartPoint& point : series.points)
      if (series.marks) taken.push_back({x(point) - 5, y(point.y) - 5, x(point) + 5, y(point.y) + 5});
  std::string text;
  for (std::size_t index = 0; index < series_.size(); ++index)
    for (const ChartPoint& point : series_[index].points)
      if (!point.label.empty() && series_[index].marks) text += label(index, point, taken);
  return text.empty() ? "" : text + "\n";
}

std::string XyDrawing::svg() const {
  std::string inside;
  if (chart_.pareto) inside += front();
  for (std::size_t index = 0; index < series_.size(); ++index) inside += series_group(index);
  return frame_.svg("xy", frame_.x_axis(x_scale_, chart_.x.label) + frame_.y_axis(y_scale_, chart_.y.label),
                    inside + labels());
}

}  // namespace

std::vector<std::size_t> pareto_front(const std::vector<ChartPoint>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&points](std::size_t a, std::size_t b) {
    return points[a].x != points[b].x ? points[a].x < points[b].x : points[a].y > points[b].y;
  });
  std::vector<std::size_t> front;
  for (const std::size_t index : order)
    if (front.empty() || points[index].y > points[front.back()].y) front.push_back(index);
  return front;
}

std::string svg_of(const XyChart& chart, Dress dress) { return XyDrawing(chart, dress).svg(); }

}  // namespace sotto::lab
