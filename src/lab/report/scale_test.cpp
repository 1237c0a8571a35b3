#include "lab/report/scale.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace sotto::lab {
namespace {

std::vector<std::string> labels_of(const AxisScale& scale) {
  std::vector<std::string> labels;
  for (const AxisTick& tick : scale.ticks())
    if (!tick.label.empty()) labels.push_back(tick.label);
  return labels;
}

TEST(AxisScale, steps_are_those_that_people_choose) {
  EXPECT_DOUBLE_EQ(nice_step(1.0, 5), 0.2);
  EXPECT_DOUBLE_EQ(nice_step(1.0, 4), 0.25);
  EXPECT_DOUBLE_EQ(nice_step(1.0, 10), 0.1);
  EXPECT_DOUBLE_EQ(nice_step(730.0, 6), 200.0);
  EXPECT_DOUBLE_EQ(nice_step(0.0131, 6), 0.0025);
  EXPECT_DOUBLE_EQ(nice_step(95.0, 10), 10.0);
}

TEST(AxisScale, labels_have_the_decimals_that_the_step_needs) {
  EXPECT_EQ(tick_label(0.2, 0.2), "0.2");
  EXPECT_EQ(tick_label(1.0, 0.25), "1.00");
  EXPECT_EQ(tick_label(0.0, 0.25), "0");
  EXPECT_EQ(tick_label(-0.5, 0.5), "-0.5");
  EXPECT_EQ(tick_label(1500.0, 500.0), "1500");
  EXPECT_EQ(tick_label(25000.0, 5000.0), "25 k");
  EXPECT_EQ(tick_label(2.5e6, 5e5), "2.5 M");
  EXPECT_EQ(tick_label(1e9, 1e9), "1 G");
  EXPECT_EQ(labels_of(AxisScale({.label = "π"}, {0.0, 0.35, 1.0}, 5)),
            (std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
}

TEST(AxisScale, a_logarithmic_axis_has_the_powers_of_ten_and_a_place_for_zero) {
  const ChartAxis axis{.label = "updates", .scale = ScaleKind::log};
  const AxisScale plain(axis, {1.0, 100000.0}, 6);
  EXPECT_EQ(labels_of(plain), (std::vector<std::string>{"1", "10", "100", "1 k", "10 k", "100 k"}));
  EXPECT_NEAR(plain.at(1.0), 0.0, 1e-12);
  EXPECT_NEAR(plain.at(10.0), 0.2, 1e-12);
  EXPECT_NEAR(plain.at(100000.0), 1.0, 1e-12);
  const AxisScale with_zero(axis, {0.0, 1.0, 1000.0}, 6);
  EXPECT_EQ(labels_of(with_zero).front(), "0");
  EXPECT_EQ(with_zero.at(0.0), 0.0);
  EXPECT_GT(with_zero.at(1.0), 0.02);
}

TEST(AxisScale, one_value_and_none_have_an_axis_too) {
  for (const std::vector<double>& values : std::vector<std::vector<double>>{{}, {0.0}, {5.0}, {-3.0, -3.0}})
    for (const ScaleKind kind : {ScaleKind::linear, ScaleKind::log}) {
      const AxisScale scale({.label = "x", .scale = kind}, values, 6);
      EXPECT_GE(scale.ticks().size(), 2U);
      for (const double value : values) {
        EXPECT_GE(scale.at(value), 0.0);
        EXPECT_LE(scale.at(value), 1.0);
      }
    }
}

RC_GTEST_PROP(AxisScale, holds_all_values_in_order_and_ticks_lie_inside,
              (const std::vector<int>& numbers, bool log)) {
  std::vector<double> values;
  for (const int number : numbers) values.push_back(number / 64.0);
  const AxisScale scale({.label = "x", .scale = log ? ScaleKind::log : ScaleKind::linear}, values, 6);
  std::sort(values.begin(), values.end());
  double before = 0.0;
  for (const double value : values) {
    const double place = scale.at(value);
    RC_ASSERT(place >= before - 1e-12 && place <= 1.0 + 1e-9);
    before = place;
  }
  RC_ASSERT(scale.ticks().size() >= 2U && scale.ticks().size() < 120U);
  for (std::size_t index = 1; index < scale.ticks().size(); ++index)
    RC_ASSERT(scale.at(scale.ticks()[index].value) > scale.at(scale.ticks()[index - 1].value));
}

}  // namespace
}  // namespace sotto::lab
