#include "cli/averaging_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/averaging/averaging_json.h"
#include "engine/averaging/testing/tiny_task.h"

namespace sotto::cli::averaging_text_test {

nlohmann::json tiny_summary(AveragingRequest request) {
  request.rounds = 10;
  request.plan.cohort = 0.5;
  request.plan.seed = 3;
  const TinyTask task(two_kinds(20));
  const TinyFacts facts(task);
  SerialExecutor serial;
  const auto outcome = run_averaging(request, {task, facts}, serial, {});
  EXPECT_TRUE(outcome.ok()) << outcome.error().message;
  return outcome_json(request, *outcome);
}

bool says(const nlohmann::json& summary, const std::string& part) {
  return averaging_text(summary, Console()).find(part) != std::string::npos;
}

TEST(AveragingText, TheScoreIsNamed) {
  AveragingRequest request;
  request.criteria.order = *parse_order("DS>LD");
  nlohmann::json summary = tiny_summary(request);
  EXPECT_EQ(summary["score"], "prioritized");
  EXPECT_TRUE(says(summary, " size>diversity; weights")) << averaging_text(summary, Console());
  summary.erase("score");  // a run of before there was one
  EXPECT_TRUE(says(summary, " size>diversity; weights"));
  request.criteria.score.kind = ScoreKind::mean;
  summary = tiny_summary(request);
  EXPECT_EQ(summary["score"], "mean");
  EXPECT_TRUE(says(summary, " size, diversity by mean; weights")) << averaging_text(summary, Console());
  EXPECT_FALSE(tiny_summary({}).contains("score"));
}

// The wrong order falls in the first round that makes the model worse; all rounds are counted.
TEST(AveragingText, OrdersAreCounted) {
  AveragingRequest request;
  request.criteria.order = *parse_order("LD>DS");
  request.choose_order = true;
  const nlohmann::json summary = tiny_summary(request);
  std::uint64_t rounds = 0;
  for (const auto& entry : summary["choosing"]["orders"]) rounds += entry["rounds"].get<std::uint64_t>();
  EXPECT_EQ(rounds, 10u);
  const auto& last = summary["choosing"]["orders"].back();
  EXPECT_EQ(last["order"], "size>diversity");
  EXPECT_EQ(summary["order"], "size>diversity");
  EXPECT_TRUE(says(summary, "at the end size>diversity; weights"));
  EXPECT_TRUE(says(summary, "size>diversity " + last["rounds"].dump())) << averaging_text(summary, Console());
}

}  // namespace sotto::cli::averaging_text_test
