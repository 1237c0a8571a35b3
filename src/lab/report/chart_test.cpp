#include "lab/report/chart.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <regex>

namespace sotto::lab {
namespace {

// A reader of SVG that knows nothing of the charts: elements must close in order.
bool is_well_formed(const std::string& text) {
  std::vector<std::string> open;
  static const std::regex tag(R"(<(/?)([a-zA-Z]+)((?:\s+[-:a-zA-Z]+="[^"<]*")*)\s*(/?)>)");
  std::size_t brackets = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), tag), end; match != end; ++match) {
    ++brackets;
    const std::string name = (*match)[2];
    if ((*match)[1] == "/") {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    } else if ((*match)[4] != "/") {
      open.push_back(name);
    }
  }
  return open.empty() && brackets == static_cast<std::size_t>(std::count(text.begin(), text.end(), '<'));
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

struct ChartSpot {
  double x, y;
};

std::vector<ChartSpot> marks_of(const std::string& svg) {
  static const std::regex mark(R"(class="mark" d="M(-?[\d.]+) (-?[\d.]+))");
  std::vector<ChartSpot> places;
  for (std::sregex_iterator match(svg.begin(), svg.end(), mark), end; match != end; ++match)
    places.push_back({std::stod((*match)[1]), std::stod((*match)[2])});
  return places;
}

// An axis as a reader sees it: where two labels stand, and so what any place means.
struct ReadAxis {
  double first_place, first_value, last_place, last_value;
  [[nodiscard]] double value_at(double place) const {
    return first_value + (place - first_place) * (last_value - first_value) / (last_place - first_place);
  }
};

ReadAxis read_axis(const std::string& svg, bool of_x) {
  const std::size_t begin = svg.find(of_x ? R"(<g class="axis x">)" : R"(<g class="axis y">)");
  const std::string axis = svg.substr(begin, svg.find("\n", begin) - begin);
  static const std::regex tick(
      R"(<g class="tick"><path class="grid" d="M(-?[\d.]+) (-?[\d.]+)[VH][\d.]+"/><text [^>]*>([^<]+)<)");
  std::vector<std::pair<double, double>> ticks;
  for (std::sregex_iterator match(axis.begin(), axis.end(), tick), end; match != end; ++match)
    ticks.emplace_back(std::stod((*match)[of_x ? 1 : 2]), std::stod((*match)[3]));
  EXPECT_GE(ticks.size(), 2U) << axis;
  return {ticks.front().first, ticks.front().second, ticks.back().first, ticks.back().second};
}

XyChart sample_chart() {
  XyChart chart{.head = {"sample", "A <title> & more", "what to see"},
                .x = {.label = "π"},
                .y = {.label = "F1@10"},
                .series = {}};
  chart.series.push_back({.name = "one \"quoted\"", .points = {{0.0, 0.010}, {0.5, 0.0235}, {1.0, 0.017}}});
  chart.series.push_back(
      {.name = "two", .points = {{0.1, 0.03, Interval{0.02, 0.04}}, {0.9, 0.012, Interval{0.01, 0.014}}}});
  return chart;
}

TEST(XyChart, every_datum_is_a_mark_at_the_place_that_the_axes_say) {
  const XyChart chart = sample_chart();
  const std::string svg = svg_of(chart, Dress::alone);
  const ReadAxis x = read_axis(svg, true);
  const ReadAxis y = read_axis(svg, false);
  const std::vector<ChartSpot> marks = marks_of(svg);
  ASSERT_EQ(marks.size(), 5U);
  std::size_t next = 0;
  for (const ChartSeries& series : chart.series)
    for (const ChartPoint& point : series.points) {
      EXPECT_NEAR(x.value_at(marks[next].x), point.x, 1e-4);
      EXPECT_NEAR(y.value_at(marks[next].y), point.y, 1e-5);
      ++next;
    }
}

TEST(XyChart, is_well_formed_escaped_and_always_the_same) {
  for (const Dress dress : {Dress::alone, Dress::in_page})
    for (const PointSpread spread : {PointSpread::none, PointSpread::band, PointSpread::bars}) {
      XyChart chart = sample_chart();
      chart.pareto = true;
      for (ChartSeries& series : chart.series) series.spread = spread;
      chart.series.front().points.front().label = "<b>";
      const std::string svg = svg_of(chart, dress);
      EXPECT_TRUE(is_well_formed(svg)) << svg;
      EXPECT_EQ(svg, svg_of(chart, dress));
      EXPECT_EQ(svg.find("<b>"), std::string::npos);
      EXPECT_EQ(svg.find("style="), std::string::npos);
      EXPECT_EQ(times_in(svg, "class=\"band\""), spread == PointSpread::band ? 1U : 0U);
      EXPECT_EQ(times_in(svg, "class=\"whisker\""), spread == PointSpread::bars ? 2U : 0U);
      EXPECT_EQ(times_in(svg, "<style>"), dress == Dress::alone ? 1U : 0U);
    }
}

TEST(XyChart, hovering_says_series_axes_values_and_interval) {
  const std::string svg = svg_of(sample_chart(), Dress::in_page);
  EXPECT_NE(svg.find("<title>one &quot;quoted&quot;\nπ: 0.5\nF1@10: 0.0235</title>"), std::string::npos)
      << svg;
  EXPECT_NE(svg.find("<title>two\nπ: 0.1\nF1@10: 0.03 [0.02, 0.04]</title>"), std::string::npos);
}

TEST(XyChart, what_is_not_finite_is_left_out_and_not_counted) {
  XyChart chart = sample_chart();
  chart.series.front().points.push_back({NAN, 1.0});
  chart.series.front().points.push_back({0.3, INFINITY});
  const std::string svg = svg_of(chart, Dress::in_page);
  EXPECT_EQ(marks_of(svg).size(), 5U);
  EXPECT_NE(svg.find("data-n=\"3\""), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(XyChart, a_line_without_marks_has_a_corner_and_a_value_for_each_datum) {
  XyChart chart = sample_chart();
  chart.series.resize(1);
  chart.series.front().marks = false;
  chart.series.front().points.clear();
  for (int item = 1; item <= 1000; ++item)
    chart.series.front().points.push_back({double(item), 5000.0 / item});
  const std::string svg = svg_of(chart, Dress::in_page);
  EXPECT_EQ(marks_of(svg).size(), 0U);
  const std::size_t begin = svg.find("d=\"M", svg.find("class=\"series"));
  const std::string path = svg.substr(begin, svg.find('"', begin + 3) - begin);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'L'), 999);
  EXPECT_NE(svg.find("data-xy=\"1,5000 2,2500 3,1666.67"), std::string::npos);
}

TEST(XyChart, nothing_at_all_is_a_chart_too) {
  XyChart chart = sample_chart();
  chart.series.clear();
  chart.pareto = true;
  EXPECT_TRUE(is_well_formed(svg_of(chart, Dress::alone)));
}

RC_GTEST_PROP(Pareto, is_what_no_other_point_beats,
              (const std::vector<std::pair<std::uint8_t, std::uint8_t>>& pairs)) {
  std::vector<ChartPoint> points;
  for (const auto& [x, y] : pairs) points.push_back({x % 8 * 1.0, y % 8 * 1.0});
  std::vector<std::size_t> expected;
  for (std::size_t a = 0; a < points.size(); ++a) {
    bool beaten = false;
    for (std::size_t b = 0; b < points.size() && !beaten; ++b) {
      const bool no_worse = points[b].x <= points[a].x && points[b].y >= points[a].y;
      const bool equal = points[b].x == points[a].x && points[b].y == points[a].y;
      beaten = no_worse && (equal ? b < a : true) && a != b;
    }
    if (!beaten) expected.push_back(a);
  }
  std::vector<std::size_t> found = pareto_front(points);
  RC_ASSERT(
      std::is_sorted(found.begin(), found.end(), [&](auto a, auto b) { return points[a].x < points[b].x; }));
  std::sort(found.begin(), found.end());
  RC_ASSERT(found == expected);
}

TEST(Quantile, is_that_of_r) {  // quantile(c(1, 2, 4, 8, 16, 32), c(.05, .25, .5, .75, .95))
  const std::vector<double> values{1, 2, 4, 8, 16, 32};
  const std::vector<std::pair<double, double>> cases{
      {0.05, 1.25}, {0.25, 2.5}, {0.5, 6}, {0.75, 14}, {0.95, 28}};
  for (const auto& [share, expected] : cases) EXPECT_DOUBLE_EQ(quantile(values, share), expected);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

BarChart bars() {
  return {.head = {"bias", "Bias", ""},
          .value = {.label = "bias disparity"},
          .categories = {"Rock & Roll", "Jazz", "Folk"},
          .series = {{"a", {{0.5}, {-0.25}, {NAN}}}, {"b", {{0.1, Interval{0.0, 0.2}}, {0.0}, {1.0}}}}};
}

TEST(BarChart, bars_reach_from_zero_to_their_value) {
  const std::string svg = svg_of(bars(), Dress::alone);
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  const ReadAxis x = read_axis(svg, true);
  static const std::regex mark(R"(class="mark" d="M(-?[\d.]+) [\d.]+H(-?[\d.]+)v)");
  std::vector<double> values;
  for (std::sregex_iterator match(svg.begin(), svg.end(), mark), end; match != end; ++match) {
    EXPECT_NEAR(x.value_at(std::stod((*match)[1])), 0.0, 1e-3);
    values.push_back(x.value_at(std::stod((*match)[2])));
  }
  const std::vector<double> expected{0.5, -0.25, 0.1, 0.0, 1.0};  // no bar for what is not a number
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t index = 0; index < expected.size(); ++index)
    EXPECT_NEAR(values[index], expected[index], 1e-3);
  EXPECT_EQ(times_in(svg, "class=\"whisker\""), 1U);
  EXPECT_NE(svg.find("Rock &amp; Roll"), std::string::npos);
}

TEST(BoxChart, box_whiskers_and_mean_stand_where_the_values_say) {
  BoxChart chart;
  chart.head = {"users", "Users", ""};
  chart.value.label = "nDCG@10";
  chart.groups = {{"m", {}}, {"none", {}}};
  for (int value = 0; value <= 100; ++value) chart.groups.front().values.push_back(value / 100.0);
  const std::string svg = svg_of(chart, Dress::in_page);
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  const ReadAxis x = read_axis(svg, true);
  std::smatch match;
  ASSERT_TRUE(std::regex_search(svg, match, std::regex(R"(class="box" d="M([\d.]+) [\d.]+H([\d.]+))")));
  EXPECT_NEAR(x.value_at(std::stod(match[1])), 0.25, 1e-3);
  EXPECT_NEAR(x.value_at(std::stod(match[2])), 0.75, 1e-3);
  ASSERT_EQ(marks_of(svg).size(), 1U);
  EXPECT_NEAR(x.value_at(marks_of(svg).front().x), 0.5, 1e-3);
  EXPECT_NE(svg.find("101 values"), std::string::npos);
}

// Marks in a heap: every name is there, and none covers another or a mark.
TEST(XyChart, labels_of_crowded_marks_stand_apart) {
  XyChart chart{.head = {"crowd", "Crowd", ""},
                .x = {.label = "x"},
                .y = {.label = "y"},
                .series = {{"all", {}, false}}};
  for (int n = 0; n < 7; ++n)
    chart.series[0].points.push_back(
        {5.0 + 0.05 * n, 3.0 + 0.01 * (n % 3), {}, "Model " + std::to_string(n)});
  chart.series[0].points.push_back({9.0, 9.0});
  chart.series[0].points.push_back({0.0, 0.0});
  const std::string svg = svg_of(chart, Dress::in_page);
  static const std::regex note(
      R"re(<text class="note"[^>]* x="(-?[0-9.]+)" y="(-?[0-9.]+)"([^>]*)>[^<]+<)re");
  const double width = 0.5 * 11.0 * 7;  // seven letters of size 11, not wider than they are
  std::vector<ChartSpot> places;
  for (std::sregex_iterator match(svg.begin(), svg.end(), note), end; match != end; ++match)
    places.push_back(
        {std::stod((*match)[1]) - ((*match)[3].str().find("end") != std::string::npos ? width : 0.0),
         std::stod((*match)[2])});
  ASSERT_EQ(places.size(), 7u);
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_TRUE(std::abs(places[a].x - places[b].x) >= width || std::abs(places[a].y - places[b].y) >= 11.0)
          << a << " " << b;
    for (const ChartSpot& mark : marks_of(svg))
      EXPECT_FALSE(mark.x > places[a].x && mark.x < places[a].x + width &&
                   std::abs(mark.y - places[a].y) < 5.0);
  }
}

}  // namespace
}  // namespace sotto::lab
