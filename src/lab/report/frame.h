// ChartFrame: what all charts share: the room for legend, axes and labels, and the words of an <svg> element.
// Internal to the charts.
#pragma once

#include <string>
#include <vector>

#include "lab/report/chart.h"

namespace sotto::lab {

inline constexpr double chart_width = 760.0;
inline constexpr double small_text = 12.0;

// How a series looks everywhere: "p3" or "r7" for its colour, a shape for its marks, dashes for its line.
struct SeriesLook {
  std::string colour;
  std::size_t shape = 0;
  std::size_t dash = 0;
};
[[nodiscard]] SeriesLook look_of(ChartPalette palette, std::size_t index, std::size_t count);

// The path of a mark of this shape around a place.
[[nodiscard]] std::string shape_path(std::size_t shape, double x, double y, double radius = 4.0);

enum class LegendSign : std::uint8_t { line, mark, line_and_mark, block };

struct LegendKey {
  std::string name;
  SeriesLook look;
  LegendSign kind = LegendSign::line_and_mark;
  std::string series;  // what data-series of its series says
};

// The plot's rectangle.
struct PlotArea {
  double left = 0.0;
  double top = 0.0;
  double width = 0.0;
  double height = 0.0;
  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
};

class ChartFrame {
 public:
  // `left` is the room for what stands beside the plot, `height` that of the plot itself.
  ChartFrame(const ChartHead& head, Dress dress, std::vector<LegendKey> keys, double left, double height);

  [[nodiscard]] const PlotArea& plot() const { return plot_; }
  [[nodiscard]] double x(const AxisScale& scale, double value) const {
    return plot_.left + plot_.width * scale.at(value);
  }
  [[nodiscard]] double y(const AxisScale& scale, double value) const {
    return plot_.bottom() - plot_.height * scale.at(value);
  }

  // The whole element: frame, axes, then `inside`.
  [[nodiscard]] std::string svg(const std::string& kind, const std::string& axes,
                                const std::string& inside) const;
  [[nodiscard]] std::string x_axis(const AxisScale& scale, const std::string& label) const;
  [[nodiscard]] std::string y_axis(const AxisScale& scale, const std::string& label) const;
  // An axis of names, a row each, instead of y.
  [[nodiscard]] std::string row_axis(const std::vector<std::string>& names) const;

 private:
  [[nodiscard]] std::string legend() const;

  const ChartHead& head_;
  Dress dress_;
  std::vector<LegendKey> keys_;
  double legend_top_ = 0.0;
  PlotArea plot_;
};

// Room beside the plot for a y axis with these ticks, or for these names.
[[nodiscard]] double room_for(const AxisScale& scale);
[[nodiscard]] double room_for(const std::vector<std::string>& names);

// <path class="mark …"> with what hovering says.
[[nodiscard]] std::string mark_element(const std::string& path, const std::string& says);
// A whisker with caps from one place to another, across (x grows) or along y.
[[nodiscard]] std::string whisker(double x1, double y1, double x2, double y2);

}  // namespace sotto::lab
