#include "lab/report/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/terminal/console.h"
#include "lab/report/markup.h"

namespace sotto::lab {

namespace {

constexpr std::size_t hues = 8;
constexpr std::size_t ramp_steps = 11;
constexpr std::size_t shapes = 6;
constexpr std::size_t dashes = 4;

constexpr double margin = 14.0;
constexpr double title_height = 30.0;
constexpr double key_height = 22.0;
constexpr double key_sign = 26.0;         // width of the small line or block in a legend
constexpr std::size_t most_columns = 44;  // of a name in legend or axis; the whole is said on hovering

double key_width(const LegendKey& key) {
  return key_sign + 6.0 + text_width(shortened(key.name, most_columns), small_text) + 16.0;
}

// Each key's place: rows that fill the width.
std::vector<std::pair<double, double>> key_places(const std::vector<LegendKey>& keys) {
  std::vector<std::pair<double, double>> places;
  double x = margin;
  double y = 0.0;
  for (const LegendKey& key : keys) {
    const double width = key_width(key);
    if (x > margin && x + width > chart_width - margin) {
      x = margin;
      y += key_height;
    }
    places.emplace_back(x, y);
    x += width;
  }
  return places;
}

std::string key_element(const LegendKey& key, double x, double y) {
  const double middle = x + key_sign / 2.0;
  std::string sign;
  if (key.kind == LegendSign::block)
    sign = fmt::format(R"(<rect class="bar" x="{}" y="{}" width="14" height="12"/>)",
                       coordinate(middle - 7.0), coordinate(y - 6.0));
  if (key.kind == LegendSign::line || key.kind == LegendSign::line_and_mark)
    sign += fmt::format(R"(<path class="line d{}" d="M{} {}H{}"/>)", key.look.dash, coordinate(x),
                        coordinate(y), coordinate(x + key_sign));
  if (key.kind == LegendSign::mark || key.kind == LegendSign::line_and_mark)
    sign += fmt::format(R"(<path class="dot" d="{}"/>)", shape_path(key.look.shape, middle, y));
  const double width = key_width(key) - 8.0;
  return fmt::format(
      R"(<g class="key {}" data-series="{}" role="button" tabindex="0" aria-pressed="true"><title>{}</title>)"
      R"(<rect class="hit" x="{}" y="{}" width="{}" height="20"/>{}<text x="{}" y="{}" dy=".35em">{}</text></g>)",
      key.look.colour, escaped(key.series), escaped(key.name), coordinate(x - 4.0), coordinate(y - 10.0),
      coordinate(width), sign, coordinate(x + key_sign + 6.0), coordinate(y),
      escaped(shortened(key.name, most_columns)));
}

}  // namespace

SeriesLook look_of(ChartPalette palette, std::size_t index, std::size_t count) {
  if (palette == ChartPalette::distinct)
    return {fmt::format("p{}", index % hues), index % shapes, (index / hues) % dashes};
  const std::size_t step = count < 2 ? 0 : index * (ramp_steps - 1) / (count - 1);
  return {fmt::format("r{}", std::min(step, ramp_steps - 1)), index % shapes, index % 2 == 0 ? 0U : 1U};
}

std::string shape_path(std::size_t shape, double x, double y, double radius) {
  const std::string begin = fmt::format("M{} {}", coordinate(x), coordinate(y));
  const std::string r = coordinate(radius);
  switch (shape % shapes) {
    case 0:  // circle
      return fmt::format("{0}m-{1} 0a{1} {1} 0 1 0 {2} 0a{1} {1} 0 1 0-{2} 0z", begin, r,
                         coordinate(2 * radius));
    case 1:  // square
      return fmt::format("{0}m-{1}-{1}h{2}v{2}h-{2}z", begin, coordinate(radius * 0.9),
                         coordinate(radius * 1.8));
    case 2:  // triangle, point up
      return fmt::format("{0}m0-{1}l{2} {3}h-{4}z", begin, coordinate(radius * 1.2),
                         coordinate(radius * 1.15), coordinate(radius * 2.1), coordinate(radius * 2.3));
    case 3:  // diamond
      return fmt::format("{0}m0-{1}l{1} {1}l-{1} {1}l-{1}-{1}z", begin, coordinate(radius * 1.25));
    case 4:  // triangle, point down
      return fmt::format("{0}m0 {1}l{2}-{3}h-{4}z", begin, coordinate(radius * 1.2),
                         coordinate(radius * 1.15), coordinate(radius * 2.1), coordinate(radius * 2.3));
    default:  // a thick plus
      return fmt::format("{0}m-{1}-{2}h{3}v-{3}h{4}v{3}h{3}v{4}h-{3}v{3}h-{4}v-{3}h-{3}z", begin,
                         coordinate(radius * 1.2), coordinate(radius * 0.4), coordinate(radius * 0.8),
                         coordinate(radius * 0.8));
  }
}

ChartFrame::ChartFrame(const ChartHead& head, Dress dress, std::vector<LegendKey> keys, double left,
                       double height)
    : head_(head), dress_(dress), keys_(std::move(keys)) {
  double top = dress == Dress::alone ? title_height + 6.0 : 4.0;
  legend_top_ = top + key_height / 2.0;
  if (!keys_.empty()) top += key_places(keys_).back().second + key_height + 8.0;
  plot_ = {left, top + 8.0, chart_width - left - 1.6 * margin, height};
}

std::string ChartFrame::legend() const {
  std::string text = R"(<g class="legend">)";
  const auto places = key_places(keys_);
  for (std::size_t index = 0; index < keys_.size(); ++index)
    text += key_element(keys_[index], places[index].first, legend_top_ + places[index].second);
  return text + "</g>\n";
}

std::string ChartFrame::svg(const std::string& kind, const std::string& axes,
                            const std::string& inside) const {
  const double height = plot_.bottom() + 54.0;
  std::string text = fmt::format(
      R"(<svg class="chart {}" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" data-chart="{}" )"
      R"(role="group" aria-label="{}")",
      kind, coordinate(chart_width), coordinate(height), escaped(head_.name), escaped(head_.title));
  if (dress_ == Dress::alone) {
    text += fmt::format(R"( width="{}" height="{}">)", coordinate(chart_width), coordinate(height));
    text += fmt::format("\n<style>{}</style>\n<rect class=\"sheet\" width=\"100%\" height=\"100%\"/>\n",
                        chart_css(Dress::alone));
    text += fmt::format(R"(<text class="title" x="{}" y="24">{}</text>)", coordinate(margin),
                        escaped(head_.title));
    if (!head_.caption.empty()) text += fmt::format("<desc>{}</desc>", escaped(head_.caption));
  } else {
    text += ">";
  }
  text += "\n";
  if (!keys_.empty()) text += legend();
  return text + axes + inside + "</svg>\n";
}

std::string ChartFrame::x_axis(const AxisScale& scale, const std::string& label) const {
  std::string text = R"(<g class="axis x">)";
  for (const AxisTick& tick : scale.ticks()) {
    const std::string place = coordinate(x(scale, tick.value));
    if (tick.label.empty()) {
      text += fmt::format(R"(<path class="rule" d="M{} {}v3"/>)", place, coordinate(plot_.bottom()));
      continue;
    }
    text += fmt::format(R"(<g class="tick"><path class="grid" d="M{0} {1}V{2}"/>)"
                        R"(<text x="{0}" y="{3}" text-anchor="middle">{4}</text></g>)",
                        place, coordinate(plot_.top), coordinate(plot_.bottom() + 5.0),
                        coordinate(plot_.bottom() + 19.0), tick.label);
  }
  text += fmt::format(R"(<path class="rule" d="M{} {}H{}"/>)", coordinate(plot_.left),
                      coordinate(plot_.bottom()), coordinate(plot_.right()));
  return text + fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text></g>\n",
                            coordinate(plot_.left + plot_.width / 2.0), coordinate(plot_.bottom() + 42.0),
                            escaped(label));
}

std::string ChartFrame::y_axis(const AxisScale& scale, const std::string& label) const {
  std::string text = R"(<g class="axis y">)";
  for (const AxisTick& tick : scale.ticks()) {
    const std::string place = coordinate(y(scale, tick.value));
    if (tick.label.empty()) {
      text += fmt::format(R"(<path class="rule" d="M{} {}h-3"/>)", coordinate(plot_.left), place);
      continue;
    }
    text += fmt::format(R"(<g class="tick"><path class="grid" d="M{0} {1}H{2}"/>)"
                        R"(<text x="{3}" y="{1}" dy=".35em" text-anchor="end">{4}</text></g>)",
                        coordinate(plot_.left - 5.0), place, coordinate(plot_.right()),
                        coordinate(plot_.left - 9.0), tick.label);
  }
  text += fmt::format(R"(<path class="rule" d="M{} {}V{}"/>)", coordinate(plot_.left), coordinate(plot_.top),
                      coordinate(plot_.bottom()));
  const double middle = plot_.top + plot_.height / 2.0;
  return text + fmt::format(
                    "<text class=\"label\" transform=\"translate({} {}) rotate(-90)\" "
                    "text-anchor=\"middle\">{}</text></g>\n",
                    coordinate(margin + 4.0), coordinate(middle), escaped(label));
}

std::string ChartFrame::row_axis(const std::vector<std::string>& names) const {
  std::string text = R"(<g class="axis y">)";
  const double row = plot_.height / static_cast<double>(std::max<std::size_t>(1, names.size()));
  for (std::size_t index = 0; index < names.size(); ++index) {
    const double middle = plot_.top + (static_cast<double>(index) + 0.5) * row;
    text += fmt::format(
        R"(<g class="tick"><text x="{}" y="{}" dy=".35em" text-anchor="end">{}<title>{}</title></text></g>)",
        coordinate(plot_.left - 9.0), coordinate(middle), escaped(shortened(names[index], most_columns)),
        escaped(names[index]));
    if (index > 0)
      text += fmt::format(R"(<path class="grid" d="M{} {}H{}"/>)", coordinate(plot_.left - 5.0),
                          coordinate(middle - row / 2.0), coordinate(plot_.right()));
  }
  return text + fmt::format("<path class=\"rule\" d=\"M{} {}V{}\"/></g>\n", coordinate(plot_.left),
                            coordinate(plot_.top), coordinate(plot_.bottom()));
}

double room_for(const AxisScale& scale) {
  double widest = 0.0;
  for (const AxisTick& tick : scale.ticks()) widest = std::max(widest, text_width(tick.label, small_text));
  return margin + 16.0 + widest + 14.0;
}

double room_for(const std::vector<std::string>& names) {
  double widest = 40.0;
  for (const std::string& name : names)
    widest = std::max(widest, text_width(shortened(name, most_columns), small_text));
  return margin + widest + 12.0;
}

std::string mark_element(const std::string& path, const std::string& says) {
  return fmt::format("<path class=\"mark\" d=\"{}\"><title>{}</title></path>", path, escaped(says));
}

std::string whisker(double x1, double y1, double x2, double y2) {
  constexpr double cap = 3.5;
  if (std::abs(x1 - x2) < 1e-9)
    return fmt::format(R"(<path class="whisker" d="M{0} {1}h{4}M{2} {1}V{3}M{0} {3}h{4}"/>)",
                       coordinate(x1 - cap), coordinate(y1), coordinate(x1), coordinate(y2),
                       coordinate(2 * cap));
  return fmt::format(R"(<path class="whisker" d="M{0} {1}v{4}M{0} {2}H{3}M{3} {1}v{4}"/>)", coordinate(x1),
                     coordinate(y1 - cap), coordinate(y1), coordinate(x2), coordinate(2 * cap));
}

}  // namespace sotto::lab
