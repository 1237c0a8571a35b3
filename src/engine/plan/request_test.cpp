#include "engine/plan/request.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

TrainRequest full_request() {
  TrainRequest r;
  r.data.paths = {"a \"quoted\" file.tsv", "b.tsv"};
  r.data.columns = "user=1,item=2";
  r.data.filter = {.min_rating = 3.5f, .min_user = 20, .core = 5};
  r.data.split.rule = RandomHoldout{0.7};
  r.data.split.validation_share = 0.25;
  r.model = ModelKind::bprmf;
  r.plan.seed = 123456789012345ull;
  r.plan.fpl.factors = 33;
  r.plan.fpl.learning_rate = 0.07f;
  r.local = LocalSteps::batch;
  r.plan.consent = {0.3, MaskKind::redraw};
  r.plan.cohort = 0.125;
  r.plan.triples = 7;
  r.plan.rounds_per_epoch = RoundsPerEpoch::exchanges;
  r.plan.epochs = 3;
  r.plan.fixed.bits = 22;
  r.user_reg = 0.5f;
  r.knn = {.neighbors = 11, .shrink = 2.5f, .similarity = Similarity::jaccard};
  r.lambda = 12.5f;
  r.linear = {.l1 = 0.25f,
              .non_negative = false,
              .alpha = 0.75f,
              .beta = 0.125f,
              .gram_power = 0.5f,
              .dense_items = 77};
  r.factors = {.confidence = 10.0f,
               .reg_power = 0.5f,
               .negatives = 7,
               .max_trials = 33,
               .server = ServerStep::sgd,
               .server_lr = 0.25f,
               .beta1 = 0.1f,
               .beta2 = 0.99f};
  r.sum.kind = SumKind::shares;
  r.sum.block = 12;
  r.sum.assumed.dropped = 0.125;
  r.recency = 7.5f;
  r.early = {.metric = "P@5", .every = 2, .patience = 4};
  r.cutoffs = {1, 5};
  r.wire = true;
  r.log_every = 9;
  r.average_last = 3;
  return r;
}

TEST(RequestToml, WhatIsWrittenReadsBackTheSame) {
  const TrainRequest request = full_request();
  const std::string text = to_toml(request);
  const auto again = from_toml(text, "plan.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(to_toml(*again), text);
  EXPECT_EQ(again->data.paths, request.data.paths);
  EXPECT_EQ(again->plan.fpl.learning_rate, 0.07f);
  EXPECT_EQ(again->plan.consent.mask, MaskKind::redraw);
  EXPECT_EQ(again->data.filter.min_rating, 3.5f);
  EXPECT_EQ(to_string(again->data.split.rule), "random:0.7");
  EXPECT_EQ(again->knn.similarity, Similarity::jaccard);
  EXPECT_EQ(again->lambda, 12.5f);
  EXPECT_EQ(again->linear.dense_items, 77u);
  EXPECT_FALSE(again->linear.non_negative);
  EXPECT_EQ(again->recency, 7.5f);
  EXPECT_EQ(again->sum.kind, SumKind::shares);
  EXPECT_EQ(again->sum.block, 12u);
  EXPECT_EQ(again->sum.assumed.dropped, 0.125);
  EXPECT_EQ(again->factors.confidence, 10.0f);
  EXPECT_EQ(again->factors.server, ServerStep::sgd);
  EXPECT_EQ(again->factors.negatives, 7u);
}

TEST(Request, OptionsOfAFactorModelAreCheckedBeforeAnythingRuns) {
  const auto refused = [](ModelKind model, auto set, const char* words) {
    TrainRequest request;
    request.data.paths = {"w"};
    request.model = model;
    set(request);
    const Status status = settle(request);
    ASSERT_FALSE(status.ok()) << words;
    EXPECT_EQ(status.error().code, Code::usage);
    EXPECT_NE(status.error().message.find(words), std::string::npos) << status.error().message;
  };
  refused(
      ModelKind::ials, [](TrainRequest& r) { r.lambda = -1.0f; }, "lambda");
  refused(
      ModelKind::ials, [](TrainRequest& r) { r.factors.reg_power = 9.0f; }, "reg-power");
  refused(
      ModelKind::fedals, [](TrainRequest& r) { r.plan.cohort = 0.5; }, "--cohort");
  refused(
      ModelKind::fedals, [](TrainRequest& r) { r.plan.fpl.factors = 300; }, "fewer factors");
  refused(
      ModelKind::fcf, [](TrainRequest& r) { r.factors.server_lr = 0.0f; }, "server-lr");
  refused(
      ModelKind::fcf, [](TrainRequest& r) { r.factors.beta2 = 1.0f; }, "beta");
  refused(
      ModelKind::mf, [](TrainRequest& r) { r.factors.negatives = 0; }, "negatives");
  refused(
      ModelKind::warp, [](TrainRequest& r) { r.factors.max_trials = 0; }, "max-trials");
}

TEST(Request, EarlyStoppingKnowsItsMetricBeforeAnythingRuns) {
  const auto told = [](const char* metric) {
    TrainRequest request;
    request.data.paths = {"w"};
    request.data.split.validation_share = 0.2;
    request.early = {.metric = metric, .every = 1, .patience = 2};
    const Status status = settle(request);
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_EQ(told("nDCG@10"), "");
  EXPECT_EQ(told("AUC"), "");
  EXPECT_NE(told("nope@10"), "");
  EXPECT_NE(told("nDCG@5").find("add 5 to --cutoffs"), std::string::npos) << told("nDCG@5");
}

TEST(RequestToml, TheLearningRateIsThatOfTheModelNamed) {
  const auto network = from_toml("[model]\nname = \"multvae\"\nlr = 0.25\n", "p").value();
  EXPECT_EQ(network.neural.learning_rate, 0.25f);
  EXPECT_EQ(network.plan.fpl.learning_rate, TrainRequest{}.plan.fpl.learning_rate);
  const auto again = from_toml(to_toml(network), "p").value();
  EXPECT_EQ(again.neural.learning_rate, 0.25f);
  const auto factors = from_toml("[model]\nname = \"bprmf\"\nlr = 0.25\n", "p").value();
  EXPECT_EQ(factors.plan.fpl.learning_rate, 0.25f);
  EXPECT_EQ(factors.neural.learning_rate, TrainRequest{}.neural.learning_rate);
}

TEST(RequestToml, ReadsOnTopOfWhatIsThere) {
  TrainRequest base;
  base.plan.epochs = 77;
  const auto request = from_toml("[model]\nfactors = 5\n[federation]\nvariant = \"sfpl+\"\n", "p", base);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->plan.epochs, 77u);
  EXPECT_EQ(request->plan.fpl.factors, 5u);
  EXPECT_EQ(variant_of(request->plan), "sfpl+");
}

TEST(RequestToml, MistakesNameFileLineAndCause) {
  const auto mistake = [](const std::string& text, const std::string& words) {
    const auto request = from_toml(text, "my.toml");
    ASSERT_FALSE(request.ok()) << text;
    EXPECT_EQ(request.error().code, Code::usage);
    EXPECT_NE(request.error().message.find("my.toml, line "), std::string::npos) << request.error().message;
    EXPECT_NE(request.error().message.find(words), std::string::npos) << request.error().message;
  };
  mistake("seed = \"one\"\n", "whole number");
  mistake("[model]\nfactor = 5\n", "unknown key");
  mistake("[modell]\nfactors = 5\n", "unknown section");
  mistake("sead = 1\n", "unknown key");
  mistake("[model]\nfactors = -5\n", "out of range");
  mistake("[model]\nname = \"magic\"\n", "choose one of");
  mistake("[consent]\nmask = 3\n", "string");
  mistake("[knn]\nsimilarity = \"euclid\"\n", "cosine, jaccard or pearson");
  mistake("[federation]\nvariant = \"zfpl\"\n", "sfpl");
  mistake("[split]\nrule = \"weekly\"\n", "rule");
  mistake("[evaluation]\ncutoffs = 10\n", "list");
  mistake("[model\n", "not valid TOML");
}

TEST(Settle, LambdasFollowTheLearningRateUnlessGiven) {
  TrainRequest request;
  request.data.paths = {"x"};
  request.plan.fpl.learning_rate = 0.2f;
  request.positive_reg = 0.5f;
  ASSERT_TRUE(settle(request).ok());
  EXPECT_FLOAT_EQ(request.plan.fpl.user_reg, 0.01f);
  EXPECT_FLOAT_EQ(request.plan.fpl.positive_reg, 0.5f);
  EXPECT_FLOAT_EQ(request.plan.fpl.negative_reg, 0.001f);
}

TEST(Settle, RefusesWhatCannotBe) {
  const auto refused = [](auto change, const char* words) {
    TrainRequest request;
    request.data.paths = {"x"};
    change(request);
    const Status status = settle(request);
    ASSERT_FALSE(status.ok()) << words;
    EXPECT_EQ(status.error().code, Code::usage);
    EXPECT_NE(status.error().message.find(words), std::string::npos) << status.error().message;
  };
  refused([](TrainRequest& r) { r.data.paths.clear(); }, "--data");
  refused([](TrainRequest& r) { r.data.split_file = "s"; }, "not both");
  refused([](TrainRequest& r) { r.data.validation = {"v"}; }, "without a test file");
  refused([](TrainRequest& r) { r.early.patience = 3; }, "--validation");
  refused([](TrainRequest& r) { r.cutoffs = {10, 0}; }, "cut-off");
  refused([](TrainRequest& r) { r.knn.neighbors = 0; }, "neighbo");
  refused([](TrainRequest& r) { r.plan.consent.pi = -1; }, "pi");
  const auto item_model = [](ModelKind kind, auto change) {
    return [=](TrainRequest& r) {
      r.model = kind;
      change(r);
    };
  };
  refused(item_model(ModelKind::ease, [](TrainRequest& r) { r.lambda = 0.0f; }), "lambda");
  refused(item_model(ModelKind::fedease, [](TrainRequest& r) { r.linear.gram_power = -1.0f; }), "gram-power");
  refused(item_model(ModelKind::ease, [](TrainRequest& r) { r.linear.dense_items = 0; }), "dense-items");
  refused(item_model(ModelKind::slim, [](TrainRequest& r) { r.linear.l1 = -1.0f; }), "l1");
  refused(item_model(ModelKind::rp3beta, [](TrainRequest& r) { r.linear.alpha = -1.0f; }), "alpha");
}

}  // namespace
}  // namespace sotto
