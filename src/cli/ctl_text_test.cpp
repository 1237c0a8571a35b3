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

nlohmann::ordered_json version(int number, double gain) {
  nlohmann::ordered_json one{{"version", number},
                             {"round", number - 1},
                             {"contributions", 7},
                             {"time_ms", 1000},
                             {"model_hash", "0123456789ab"}};
  if (gain > 0) {
    one["evaluation"]["people"] = 1234;
    one["evaluation"]["metrics"]["P@10"] = 0.1;
    one["evaluation"]["metrics"]["nDCG@10"] = gain;
    one["evaluation"]["coverage"]["items"] = 321;
  }
  return one;
}

TEST(CtlText, VersionsThatWereJudgedHaveFiguresAndACurve) {
  auto again = version(3, 0.25);
  again["again"] = 1;
  const std::string text =
      version_table(nlohmann::ordered_json::array({again, version(2, 0), version(1, 0.125)}), Console());
  for (const char* part : {"version 1", "round 1", "1,234", "0.2500", "321", "nDCG@10  0.1250 ▁█ 0.2500"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(version_table(nlohmann::ordered_json::array({version(2, 0)}), Console()).find("people"),
            std::string::npos);
  // One alone is no curve.
  EXPECT_EQ(version_table(nlohmann::ordered_json::array({version(1, 0.125)}), Console()).find("█"),
            std::string::npos);
}

TEST(CtlText, WithoutReasonsThereIsNoListOfThem) {
  const std::string text = round_table({round(1, ""), round(2, "")}, Console());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

}  // namespace
}  // namespace sotto::cli::ctl_text_test
