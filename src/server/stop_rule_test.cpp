#include "server/stop_rule.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "server/figures_text.h"

namespace sotto::server::stop_rule_test {
namespace {

std::vector<EvaluationRecord> judged(const std::vector<double>& oldest_first) {
  std::vector<EvaluationRecord> all;
  for (const double value : oldest_first)
    all.insert(all.begin(), {.task = "t",
                             .version = static_cast<std::uint32_t>(all.size() + 1),
                             .people = 5,
                             .figures = fmt::format(R"({{"metrics":{{"P@10":0.5,"nDCG@10":{}}}}})", value)});
  return all;
}

TEST(StopRule, IsReadOrRefusedWithItsForm) {
  const auto rule = parse_stop_rule("nDCG not above 0.001 for 5");
  ASSERT_TRUE(rule.ok());
  EXPECT_EQ(rule->metric, "nDCG");
  EXPECT_EQ(rule->gain, 0.001);
  EXPECT_EQ(rule->versions, 5u);
  EXPECT_EQ(parse_stop_rule("RMSE not below 0.01 for 2")->metric, "RMSE");
  EXPECT_EQ(parse_stop_rule("Accuracy not above 0.01 for 2")->metric, "Accuracy");
  for (const char* wrong :
       {"", "nDCG", "nDCG above 0.1 for 5", "ndcg not above 0.1 for 5", "RMSE not above 0.1 for 5",
        "nDCG not below 0.1 for 5", "P not above -1 for 5", "P not above 0.1 for 0",
        "P not above 0.1 for five", "P not above 0.1 for 5 rounds", "P not above nan for 5"})
    EXPECT_NE(parse_stop_rule(wrong).error().message.find("write it as"), std::string::npos) << wrong;
}

TEST(StopRule, HoldsWhenTheNewestAreNoBetter) {
  const StopRule rule{"nDCG", 0.01, 2};
  EXPECT_EQ(why_stop(rule, {}), "");
  EXPECT_EQ(why_stop(rule, judged({0.3, 0.1})), "");
  EXPECT_EQ(why_stop(rule, judged({0.1, 0.2, 0.2})), "");
  EXPECT_EQ(why_stop(rule, judged({0.1, 0.3, 0.2, 0.32})), "");
  EXPECT_EQ(why_stop(rule, judged({0.1, 0.3, 0.2, 0.305})),
            "nDCG of the last 2 judged versions is not above 0.3000, that of version 2, by more than 0.01");
  // Another metric of the same evaluations.
  EXPECT_NE(why_stop({"P", 0.0, 1}, judged({0.1, 0.9})), "");
}

TEST(StopRule, OfAClassifierLooksAtItsAccuracy) {
  EvaluationTerms terms;
  terms.classifies = true;
  std::vector<EvaluationRecord> newest_first;
  for (const double accuracy : {0.25, 0.5, 0.5}) {
    LiveFigures figures;
    figures.answers = RightAnswers{70.0, accuracy};
    newest_first.insert(newest_first.begin(), {.task = "t",
                                               .version = static_cast<std::uint32_t>(newest_first.size() + 1),
                                               .people = 5,
                                               .figures = figures_text(figures, terms)});
  }
  EXPECT_EQ(newest_first[0].figures, R"({"metrics":{"Accuracy":0.5},"examples":70})");
  const StopRule rule{"Accuracy", 0.01, 1};
  EXPECT_EQ(
      why_stop(rule, newest_first),
      "Accuracy of the last 1 judged versions is not above 0.5000, that of version 2, by more than 0.01");
  newest_first.erase(newest_first.begin());
  EXPECT_EQ(why_stop(rule, newest_first), "");
  // Where noise drowned the count there is none.
  newest_first[0].figures = figures_text(LiveFigures(), terms);
  EXPECT_EQ(newest_first[0].figures, R"({"metrics":{}})");
  EXPECT_EQ(why_stop(rule, newest_first), "");
}

TEST(StopRule, OfErrorsHoldsWhenTheNewestAreNoSmaller) {
  const auto errors = [](const std::vector<double>& oldest_first) {
    std::vector<EvaluationRecord> all;
    for (const double value : oldest_first)
      all.insert(all.begin(), {.task = "t",
                               .version = static_cast<std::uint32_t>(all.size() + 1),
                               .people = 5,
                               .figures = fmt::format(R"({{"metrics":{{"P@10":0.5,"RMSE":{}}}}})", value)});
    return all;
  };
  const StopRule rule{"RMSE", 0.01, 2};
  EXPECT_EQ(why_stop(rule, errors({1.0, 0.9, 0.8})), "");
  EXPECT_EQ(why_stop(rule, errors({1.0, 0.8, 0.9, 0.78})), "");
  EXPECT_EQ(why_stop(rule, errors({1.0, 0.8, 0.9, 0.795})),
            "RMSE of the last 2 judged versions is not below 0.8000, that of version 2, by more than 0.01");
  // Where nobody had ratings there is no error to beat.
  EXPECT_EQ(why_stop({"MAE", 0.0, 1}, errors({1.0, 0.9, 0.8})), "");
  std::vector<EvaluationRecord> some = errors({1.0, 0.8});
  for (const EvaluationRecord& unrated : judged({0.5, 0.5, 0.5})) some.insert(some.begin(), unrated);
  EXPECT_EQ(why_stop({"RMSE", 0.0, 2}, some), "");
  EXPECT_EQ(why_stop({"RMSE", 0.0, 1}, errors({1.0, 1.0})),
            "RMSE of the last 1 judged versions is not below 1.0000, that of version 1, by more than 0");
}

}  // namespace
}  // namespace sotto::server::stop_rule_test
