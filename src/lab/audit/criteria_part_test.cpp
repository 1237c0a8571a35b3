#include "lab/audit/criteria_part.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "data/generate.h"
#include "engine/train/training.h"
#include "lab/audit/audit.h"

namespace sotto::lab {
namespace {

AuditRequest small_request(const char* order) {
  AuditRequest request;
  request.train.data.paths = {"generated"};
  EXPECT_TRUE(set_variant(request.train.plan, "pfpl").ok());
  request.train.plan.fpl.factors = 4;
  request.train.plan.epochs = 1;
  request.train.criteria.order = order;
  EXPECT_TRUE(settle(request.train).ok());
  request.attack.people = 20;
  request.attack.attackers = {Attacker::bias_sum};
  return request;
}

TEST(CriteriaAudit, FiguresAreThoseOfTheHistoriesAndTheModelIsThePlans) {
  const Split split = generate_split({.users = 40, .items = 60, .mean_interactions = 9.0, .seed = 5}).value();
  SerialExecutor serial;
  const AuditRequest request = small_request("size");
  const auto run = audit_plan(request, split, request.train.plan.seed, serial, {});
  ASSERT_TRUE(run.ok()) << run.error().message;
  TrainHooks hooks;
  EXPECT_EQ(run->model_hash, train(request.train, split, serial, hooks).value().model_hash);
  ASSERT_TRUE(run->criteria.has_value());
  // Size alone is the length of a history: its entropy, counted here.
  std::map<std::size_t, double> lengths;
  double people = 0.0;
  for (std::uint32_t user = 0; user < split.train.users(); ++user)
    if (!split.train.of({user}).empty()) ++lengths[split.train.of({user}).size()], ++people;
  double bits = 0.0, alone = 0.0;
  for (const auto& [length, count] : lengths) {
    bits -= count / people * std::log2(count / people);
    alone += count == 1.0 ? 1.0 : 0.0;
  }
  EXPECT_EQ(static_cast<double>(run->criteria->people), people);
  EXPECT_NEAR(run->criteria->bits, bits, 1e-9);
  EXPECT_NEAR(run->criteria->criteria[0].bits, bits, 1e-9);
  EXPECT_NEAR(run->criteria->unique, alone / people, 1e-9);
  // In every round the same: who are as long are drawn from, the others found.
  EXPECT_NEAR(run->criteria->linked, static_cast<double>(lengths.size()) / people, 1e-9);
  EXPECT_NEAR(run->criteria->chance, 1.0 / people, 1e-9);
  EXPECT_EQ(run->criteria->exposed, 0.0);
}

TEST(CriteriaAudit, WhatTooFewTellIsNeverSeen) {
  const Split split = generate_split({.users = 40, .items = 60, .mean_interactions = 9.0, .seed = 5}).value();
  SerialExecutor serial;
  AuditRequest request = small_request("size");
  request.train.consent.mix = "open=0.1,balanced=0.9";
  const auto few = audit_plan(request, split, request.train.plan.seed, serial, {});
  ASSERT_TRUE(few.ok()) << few.error().message;
  EXPECT_EQ(few->criteria->criteria[0].told, 0.0);
  EXPECT_EQ(few->criteria->bits, 0.0);
  EXPECT_EQ(few->criteria->exposed, 0.0);
  request.train.consent.mix = "open=0.9,balanced=0.1";
  EXPECT_GT(audit_plan(request, split, request.train.plan.seed, serial, {})->criteria->criteria[0].told, 0.7);
}

TEST(CriteriaAudit, WithoutCriteriaThereIsNoSuchPart) {
  const Split split = generate_split({.users = 40, .items = 60, .mean_interactions = 9.0, .seed = 5}).value();
  SerialExecutor serial;
  EXPECT_FALSE(audit_plan(small_request(""), split, 1, serial, {}).value().criteria.has_value());
}

TEST(CriteriaAudit, IsSaidInWordsAndInJson) {
  const CriteriaLeak leak = criteria_leak({{{{0}, {10, 7}}, {{1}, {20, ToldTuple::not_told}}}}, 2);
  const std::string text = leak_text(leak, "size>trust");
  EXPECT_NE(text.find("1.00 bits, told by 100.0%"), std::string::npos) << text;
  EXPECT_NE(text.find("told by 50.0%"), std::string::npos) << text;
  const nlohmann::json json = leak_json(leak, "size>trust");
  EXPECT_EQ(json["criteria"][1]["criterion"], "trust");
  EXPECT_EQ(json["criteria"][1]["told"], 0.5);
  EXPECT_EQ(json["plain"]["unique"], 1.0);
}

}  // namespace
}  // namespace sotto::lab
