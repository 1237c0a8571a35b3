#include "lab/report/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/assert.h"

namespace sotto::lab {

namespace {

// How much of a logarithmic axis the place of zero takes.
constexpr double zero_share = 0.08;

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

int exponent_below(double value) {
  auto exponent = static_cast<int>(std::floor(std::log10(value)));
  // log10 may land a hair beside a whole number.
  if (power_of_ten(exponent + 1) <= value) ++exponent;
  if (power_of_ten(exponent) > value) --exponent;
  return exponent;
}

std::string plain_label(double value, double step) {
  int decimals = 0;
  for (double scaled = step; decimals < 7 && std::abs(scaled - std::round(scaled)) > 1e-6 * scaled;
       ++decimals)
    scaled *= 10.0;
  if (decimals >= 7) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", std::abs(value) < step * 1e-6 ? 0.0 : value, decimals);
}

// The largest of 1, 2, 5 times a power of ten that is at most (or the least that is at least) the value.
double round_log(double value, bool up) {
  const double base = power_of_ten(exponent_below(value));
  constexpr std::array factors{1.0, 2.0, 5.0, 10.0};
  double below = base;
  for (const double factor : factors) {
    const double candidate = factor * base;
    if (candidate >= value * (1.0 - 1e-9)) return up || candidate <= value * (1.0 + 1e-9) ? candidate : below;
    below = candidate;
  }
  return up ? 10.0 * base : below;
}

}  // namespace

double nice_step(double span, std::size_t about) {
  SOTTO_ASSERT(span > 0.0 && about > 0, "an axis has a length and ticks");
  const double rough = span / static_cast<double>(about);
  const double base = power_of_ten(exponent_below(rough));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (factor * base >= rough * (1.0 - 1e-9)) return factor * base;
  return 10.0 * base;
}

std::string tick_label(double value, double step) {
  struct Unit {
    double size;
    const char* name;
  };
  constexpr std::array<Unit, 4> units{{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
  if (std::abs(value) < step * 1e-6) return "0";
  for (const Unit& unit : units)
    if (std::abs(value) >= unit.size * (1.0 - 1e-9) &&
        (unit.size > 1e3 || std::abs(value) >= 1e4 || step >= 1e3))
      return plain_label(value / unit.size, step / unit.size) + unit.name;
  return plain_label(value, step);
}

AxisScale::AxisScale(const ChartAxis& axis, const std::vector<double>& values, std::size_t about)
    : kind_(axis.scale) {
  double least = INFINITY;
  double most = -INFINITY;
  for (const double value : values) {
    SOTTO_ASSERT(std::isfinite(value), "what is drawn is finite");
    if (kind_ == ScaleKind::log && value <= 0.0) {
      zero_place_ = true;
      continue;
    }
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (axis.low) least = std::min(least, *axis.low);
  if (axis.high) most = std::max(most, *axis.high);
  if (axis.from_zero && kind_ == ScaleKind::linear) {
    least = std::min(least, 0.0);
    most = std::max(most, 0.0);
  }
  if (least > most) {  // nothing to show
    least = kind_ == ScaleKind::log ? 1.0 : 0.0;
    most = kind_ == ScaleKind::log ? 10.0 : 1.0;
  }
  if (kind_ == ScaleKind::log) {
    fit_log(axis, least, most, about);
  } else {
    fit_linear(axis, least, most, about);
  }
}

void AxisScale::fit_linear(const ChartAxis& axis, double least, double most, std::size_t about) {
  if (most - least <= 1e-12 * std::max(std::abs(least), std::abs(most))) {
    const double room = least == 0.0 ? 1.0 : std::abs(least) * 0.1;
    if (!(axis.from_zero && least >= 0.0)) least -= room;
    most += room;
  }
  const double step = nice_step(most - least, about);
  const double first = std::floor(least / step + 1e-9);
  const double last = std::ceil(most / step - 1e-9);
  // An end that was asked for stays; ticks then begin inside it.
  low_ = axis.low && *axis.low <= least ? least : first * step;
  high_ = axis.high && *axis.high >= most ? most : last * step;
  for (double index = first; index <= last; ++index) {
    const double value = index * step;
    if (value < low_ - 1e-9 * step || value > high_ + 1e-9 * step) continue;
    ticks_.push_back({std::clamp(value, low_, high_), tick_label(value, step)});
  }
}

void AxisScale::fit_log(const ChartAxis& axis, double least, double most, std::size_t about) {
  if (axis.low) SOTTO_ASSERT(*axis.low > 0.0, "a logarithmic axis begins above zero");
  low_ = round_log(least, false);
  high_ = round_log(most, true);
  if (high_ <= low_) {
    low_ = round_log(low_ * 0.5, false);
    high_ = round_log(high_ * 2.0, true);
  }
  if (zero_place_) ticks_.push_back({0.0, "0"});
  const int first = exponent_below(low_);
  const int last = exponent_below(high_);
  const int decades = last - first + 1;
  const int every = std::max(1, (decades + static_cast<int>(about) - 1) / static_cast<int>(about));
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * power_of_ten(exponent);
      if (value < low_ * (1.0 - 1e-9) || value > high_ * (1.0 + 1e-9)) continue;
      const bool main = digit == 1 && (exponent - first) % every == 0;
      const bool between = decades <= 3 && (digit == 2 || digit == 5);
      if (digit != 1 && every > 1) continue;  // many decades: small ticks would be a grey bar
      ticks_.push_back({std::clamp(value, low_, high_), main || between ? tick_label(value, value) : ""});
    }
  }
}

double AxisScale::at(double value) const {
  if (kind_ == ScaleKind::linear) return (value - low_) / (high_ - low_);
  const double begin = zero_place_ ? zero_share : 0.0;
  if (value <= 0.0) return 0.0;
  return begin + (1.0 - begin) * std::log(value / low_) / std::log(high_ / low_);
}

}  // namespace sotto::lab
