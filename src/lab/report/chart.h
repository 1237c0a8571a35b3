// Charts: data and words in, SVG text out. For reports, and for any command that has something to draw.
//
// Laws: the same chart gives the same bytes (no times, no drawn ids); every name is escaped; every finite
// datum is one mark (or one corner of a line without marks) and says its value in a <title>, so that a plain
// SVG file tells it too; what is not finite is left out. No style attributes and no scripts inside: a
// page with a strict content security policy can hold it. Series differ in colour (safe for the
// colour-blind, light and dark) and in shape or dashes, so that they survive a grey printer.
//
// For scripts and tests: each series is <g class="series" data-series="k" data-n="number of data">, its marks
// have the class "mark", lines without marks carry their values in data-xy="x,y x,y …"; axes are
// <g class="axis x"> and <g class="axis y"> with ticks of class "tick"; legend keys are <g class="key">.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lab/report/scale.h"
#include "metrics/statistics.h"

namespace sotto::lab {

// What every chart has.
struct ChartHead {
  std::string name;     // of its file, without the ending: letters, digits, hyphens
  std::string title;    // one line
  std::string caption;  // what to see in it
};

// Hues that differ, or a ramp from dark to bright for series that have an order.
enum class ChartPalette : std::uint8_t { distinct, ordered };

struct ChartPoint {
  double x = 0.0;
  double y = 0.0;
  std::optional<Interval> range = {};  // of y
  std::string label = {};              // written beside the mark where there is room
  std::string note = {};               // a further line of what hovering says
};

enum class PointSpread : std::uint8_t { none, band, bars };

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;  // in the order of the line
  bool line = true;
  bool marks = true;  // without: only the line, for very many points
  PointSpread spread = PointSpread::none;
};

// Lines, scatters and paths through a plane.
struct XyChart {
  ChartHead head;
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartSeries> series;
  ChartPalette palette = ChartPalette::distinct;
  // The points that no other beats (less x, more y), joined by a line: costs against quality.
  bool pareto = false;
};

struct ChartBar {
  double value = 0.0;  // not finite: no bar
  std::optional<Interval> range = {};
};

struct BarSeries {
  std::string name;
  std::vector<ChartBar> bars;  // one a category
};

// Groups of lying bars, one group a category: names of any length stay readable.
struct BarChart {
  ChartHead head;
  ChartAxis value;  // always shows zero
  std::vector<std::string> categories;
  std::vector<BarSeries> series;
};

struct BoxGroup {
  std::string name;
  std::vector<double> values;
};

// How values are distributed, a row a group: the silhouette of the histogram, within it the box from the
// first to the third quartile with the median, whiskers to the 5th and 95th percentile, a diamond at the
// mean.
struct BoxChart {
  ChartHead head;
  ChartAxis value;
  std::vector<BoxGroup> groups;
};

struct CloudWord {
  std::string text;
  double weight = 0.0;  // not finite, or not above zero: no word
  std::size_t key = 0;  // its colour: one of the keys
  std::string note = {};
};

// Words whose size tells their weight, the heaviest in the middle (word_cloud.h lays them out).
struct WordCloud {
  ChartHead head;
  std::string weight_label;  // what the sizes tell
  std::vector<CloudWord> words;
  std::vector<std::string> keys;  // what the colours mean
};

using Chart = std::variant<XyChart, BarChart, BoxChart, WordCloud>;

// A file of its own with title and colours, or part of a page that brings both.
enum class Dress : std::uint8_t { alone, in_page };

[[nodiscard]] std::string svg_of(const XyChart& chart, Dress dress);
[[nodiscard]] std::string svg_of(const BarChart& chart, Dress dress);
[[nodiscard]] std::string svg_of(const BoxChart& chart, Dress dress);
[[nodiscard]] std::string svg_of(const WordCloud& cloud, Dress dress);
[[nodiscard]] std::string svg_of(const Chart& chart, Dress dress);
[[nodiscard]] const ChartHead& head_of(const Chart& chart);

// Positions in `points` that no other point beats (less or equal x, more or equal y, one of them truly),
// from the least x on. Of equal points the first counts.
[[nodiscard]] std::vector<std::size_t> pareto_front(const std::vector<ChartPoint>& points);

// The value below which this share of the ascending values lies, between neighbours by their distance
// (as R's type 7).
[[nodiscard]] double quantile(const std::vector<double>& ascending, double share);

// The rules that charts in a page need, with the colours for light, dark and paper.
[[nodiscard]] std::string chart_css(Dress dress);

}  // namespace sotto::lab
