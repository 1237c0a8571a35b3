#include "cli/ctl_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/terminal/console.h"

namespace sotto::cli::ctl_text_test {
namespace {

nlohmann::ordered_json round(int number, const std::string& why) {
  nlohmann::ordered_json one{{"round", number},   {"state", why.empty() ? "committed" : "failed"},
                             {"opened_ms", 1000}, {"closed_ms", 3500},
                             {"assigned", 12},    {"contributions", 7}};
  if (!why.empty()) one["why"] = why;
  return one;
}

TEST(CtlText, ReasonsAreWholeHoweverLong) {
  const std::string why = "7 contributions came and 10 are the quorum" + std::string(300, 'x') + "END";
  const std::string text = round_table({round(1234, why), round(1233, "")}, Console());
  EXPECT_NE(text.find("\n  round 1,234: " + why + "\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("…"), std::string::npos) << text;
  EXPECT_EQ(text.find("round 1,233:"), std::string::npos) << text;
  for (const char* cell : {"1,234", "1,233", "failed", "committed", "2.5"})
    EXPECT_NE(text.find(cell), std::string::npos) << cell << text;
}

TEST(CtlText, WithoutReasonsThereIsNoListOfThem) {
  const std::string text = round_table({round(1, ""), round(2, "")}, Console());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

}  // namespace
}  // namespace sotto::cli::ctl_text_test
