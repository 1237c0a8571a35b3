#include "lab/reproduce/verdict.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace sotto::lab {
namespace {

TEST(Verdict, more_is_better) {
  EXPECT_EQ(judge(0.01422, 0.01422, Yardstick::at_least), Verdict::reached);
  EXPECT_EQ(judge(0.01422, 0.5, Yardstick::at_least), Verdict::reached);
  EXPECT_EQ(judge(0.01422, 0.014216, Yardstick::at_least), Verdict::reached);  // prints as .01422
  EXPECT_EQ(judge(0.01422, 0.014214, Yardstick::at_least), Verdict::near);
  EXPECT_EQ(judge(0.10000, 0.0951, Yardstick::at_least), Verdict::near);
  EXPECT_EQ(judge(0.10000, 0.0951, Yardstick::at_most), Verdict::reached);
  EXPECT_EQ(judge(0.10000, 0.1049, Yardstick::at_most), Verdict::near);
  EXPECT_EQ(judge(0.10000, 0.1051, Yardstick::at_most), Verdict::above);
  EXPECT_EQ(judge(0.10000, 0.0949, Yardstick::at_least), Verdict::below);
  EXPECT_EQ(judge(std::nullopt, 0.1, Yardstick::at_least), Verdict::no_print);
}

TEST(Verdict, facts_must_agree_in_both_directions) {
  EXPECT_EQ(judge(1353.0, 1353.0, Yardstick::same), Verdict::reached);
  EXPECT_EQ(judge(25522.0, 25498.0, Yardstick::same), Verdict::reached);
  EXPECT_EQ(judge(1.4, 1.46, Yardstick::same), Verdict::near);
  EXPECT_EQ(judge(1.4, 1.5, Yardstick::same), Verdict::above);
  EXPECT_EQ(judge(1.4, 1.3, Yardstick::same), Verdict::below);
  EXPECT_EQ(judge(-0.5, -0.51, Yardstick::same), Verdict::near);
  EXPECT_EQ(judge(-0.5, -0.6, Yardstick::same), Verdict::below);
}

TEST(Verdict, what_is_above_print_is_never_called_below) {
  for (const Yardstick yardstick : {Yardstick::at_least, Yardstick::at_most, Yardstick::same})
    for (const double printed : {-2.0, -0.1, 0.0, 0.003, 7.0})
      for (const double more : {1e-9, 0.01, 0.3, 5.0}) {
        EXPECT_NE(judge(printed, printed + more, yardstick), Verdict::below);
        EXPECT_NE(judge(printed, printed - more, yardstick), Verdict::above);
      }
}

TEST(Verdict, ratio_needs_both) {
  EXPECT_DOUBLE_EQ(ratio_of(0.5, 0.6).value(), 1.2);
  EXPECT_FALSE(ratio_of(std::nullopt, 0.6).has_value());
  EXPECT_FALSE(ratio_of(0.5, std::nullopt).has_value());
  EXPECT_FALSE(ratio_of(0.0, 0.6).has_value());
}

TEST(Verdict, each_has_a_name_of_its_own) {
  std::set<std::string> names;
  for (std::size_t n = 0; n < verdict_count; ++n) names.insert(to_string(static_cast<Verdict>(n)));
  EXPECT_EQ(names.size(), verdict_count);
}

}  // namespace
}  // namespace sotto::lab
