// AxisScale: from values to places on an axis, and the ticks that a person would choose (1, 2, 2.5, 5 times a
// power of ten; powers of ten on a logarithmic axis).
//
// Laws: low and high lie within the range, every tick does; at() grows with the value. A logarithmic axis
// has no zero: values of 0 and below get a place of their own beneath its low end, with a tick "0".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/layers.h"

namespace sotto::lab {

enum class ScaleKind : std::uint8_t { linear, log };

struct ChartAxis {
  std::string label;  // with its unit
  ScaleKind scale = ScaleKind::linear;
  bool from_zero = false;  // a linear axis shows 0
  // Where the axis shall begin and end; else what the data needs.
  std::optional<double> low = {};
  std::optional<double> high = {};
};

struct AxisTick {
  double value = 0.0;
  std::string label;  // empty: a small tick
};

class AxisScale {
 public:
  // For these values, which are finite; `about` ticks with a label.
  AxisScale(const ChartAxis& axis, const std::vector<double>& values, std::size_t about);

  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] const std::vector<AxisTick>& ticks() const { return ticks_; }
  // Share of the way from the axis' beginning (0) to its end (1).
  [[nodiscard]] double at(double value) const;

 private:
  void fit_linear(const ChartAxis& axis, double least, double most, std::size_t about);
  void fit_log(const ChartAxis& axis, double least, double most, std::size_t about);

  ScaleKind kind_;
  double low_ = 0.0;
  double high_ = 1.0;
  bool zero_place_ = false;
  std::vector<AxisTick> ticks_;
};

// The step between ticks: 1, 2, 2.5 or 5 times a power of ten, for about so many steps over `span`.
[[nodiscard]] double nice_step(double span, std::size_t about);

// "0.05", "1.5 k", "20 M": as many decimals as the step between ticks needs.
[[nodiscard]] std::string tick_label(double value, double step);

}  // namespace sotto::lab
