#include "engine/plan/request.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/models/ease.h"
#include "engine/models/networks.h"
#include "engine/plan/testing/set_option.h"

namespace sotto::engine {
namespace {

TrainRequest full_request() {
  TrainRequest r;
  r.data.paths = {"a \"quoted\" file.tsv", "b.tsv"};
  r.data.columns = "user=1,item=2";
  r.data.filter = {.min_rating = 3.5f, .min_user = 20, .core = 5};
  r.data.split.rule = RandomHoldout{0.7};
  r.data.split.validation_share = 0.25;
  r.plan.seed = 123456789012345ull;
  r.plan.fpl.factors = 33;
  r.plan.fpl.learning_rate = 0.07f;
  r.plan.fpl.local = LocalSteps::batch;
  r.plan.consent = {0.3, MaskKind::redraw};
  r.plan.cohort = 0.125;
  r.plan.triples = 7;
  r.plan.rounds_per_epoch = RoundsPerEpoch::exchanges;
  r.plan.epochs = 3;
  r.plan.fixed.bits = 22;
  r.user_reg = 0.5f;
  r.sum.kind = SumKind::shares;
  r.sum.block = 12;
  r.sum.assumed.dropped = 0.125;
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
  EXPECT_EQ(again->plan.fpl.local, LocalSteps::batch);
  EXPECT_EQ(again->data.filter.min_rating, 3.5f);
  EXPECT_EQ(to_string(again->data.split.rule), "random:0.7");
  EXPECT_EQ(again->sum.kind, SumKind::shares);
  EXPECT_EQ(again->sum.block, 12u);
  EXPECT_EQ(again->sum.assumed.dropped, 0.125);
}

// Another value than the field has, of its kind.
PlanValue other_value(const Field& field, const TrainRequest& request) {
  if (!field.values.empty()) return PlanValue{{field.values.back()}, field.words == FlagWords::commas};
  const auto now = field.get(request);
  PlanScalar scalar = std::string("open=1");
  if (field.kind == WordKind::truth) scalar = !now || !std::get<bool>(now->parts.front());
  if (field.kind == WordKind::whole) scalar = std::int64_t{13};
  if (field.kind == WordKind::number) scalar = 0.375;
  if (field.path == "split.rule") scalar = std::string("random:0.7");
  if (field.path == "robust.across") scalar = std::string("median");
  if (field.path == "federation.triples") scalar = std::int64_t{13};
  if (field.path == "averaging.until") scalar = std::string("30%@85%");
  return PlanValue{{scalar}, field.words == FlagWords::many || field.words == FlagWords::commas};
}

TEST(RequestToml, EveryFieldOfEveryModelIsWrittenAndReadBack) {
  for (const ModelEntry& entry : all_models()) {
    TrainRequest request;
    request.model = ChosenModel(entry);
    std::size_t changed = 0;
    for (const Field& field : entry.fields) {
      if (field.path.empty() || field.path == "model.name" || field.path == "federation.variant") continue;
      const PlanValue value = other_value(field, request);
      const Status set = field.set(request, value);
      ASSERT_TRUE(set.ok()) << entry.name << ' ' << field.path << ": " << set.error().message;
      const auto kept = field.get(request);
      ASSERT_TRUE(kept) << entry.name << ' ' << field.path;
      EXPECT_EQ(to_text(*kept), to_text(value)) << entry.name << ' ' << field.path;
      ++changed;
    }
    EXPECT_GT(changed, 30u) << entry.name;
    const std::string text = to_toml(request);
    const auto again = from_toml(text, "plan.toml");
    ASSERT_TRUE(again.ok()) << entry.name << ": " << again.error().message;
    EXPECT_EQ(to_toml(*again), text);
  }
}

TEST(RequestToml, EachKeyStandsOnceAndSectionsHangTogether) {
  for (const ModelEntry& entry : all_models()) {
    std::set<std::string> paths, flags, sections;
    std::string section = "none";
    for (const Field& field : entry.fields) {
      EXPECT_TRUE(field.flag.empty() || flags.insert(field.flag).second) << entry.name << ' ' << field.flag;
      if (field.path.empty()) continue;
      EXPECT_TRUE(paths.insert(field.path).second) << entry.name << ' ' << field.path;
      if (field.section() == section) continue;
      section = field.section();
      EXPECT_TRUE(sections.insert(section).second) << entry.name << " [" << section << "] is torn";
    }
  }
}

TEST(RequestToml, AnOptionOfAnotherModelIsRefusedByNameAndThoseOfItsOwnAreListed) {
  const auto wrong = from_toml("[model]\nname = \"ease\"\n[linear]\nl1 = 3.0\n", "my.toml");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, Code::usage);
  for (const char* words : {"my.toml, line 4", "l1", "slim", "--lambda", "--dense-items"})
    EXPECT_NE(wrong.error().message.find(words), std::string::npos) << wrong.error().message;
  const auto misspelt = from_toml("[model]\nname = \"eese\"\n", "my.toml");
  ASSERT_FALSE(misspelt.ok());
  EXPECT_NE(misspelt.error().message.find("'ease'?"), std::string::npos) << misspelt.error().message;
  const auto key = from_toml("[model]\nfactor = 3\n", "my.toml");
  ASSERT_FALSE(key.ok());
  EXPECT_NE(key.error().message.find("'model.factors'?"), std::string::npos) << key.error().message;
}

TEST(RequestToml, APlanOfVersion010HoldsTheOptionsOfAllModels) {
  const std::string plan =
      "seed = 1\n[model]\nname = \"ease\"\nfactors = 10\n[linear]\nl1 = 3.0\ndense_items = 77\n";
  EXPECT_FALSE(from_toml(plan, "plan.toml").ok());
  const auto kept = from_toml("# A run of Sotto, format 1\n" + plan, "plan.toml");
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(kept->model->name, "ease");
  EXPECT_EQ(kept->model.own<EaseSettings>().dense_items, 77u);
  EXPECT_EQ(to_toml(*kept).find("l1"), std::string::npos);
  EXPECT_FALSE(from_toml("# A run of Sotto, format 1\n[linear]\nl7 = 1\n", "plan.toml").ok());
}

TEST(Request, AnotherModelKeepsWhatBothHave) {
  TrainRequest request = full_request();
  const TrainRequest bpr = with_model(request, *find_model("bprmf").value());
  EXPECT_EQ(bpr.data.paths, request.data.paths);
  EXPECT_EQ(bpr.plan.fpl.factors, 33u);
  EXPECT_EQ(bpr.user_reg, 0.5f);
  EXPECT_EQ(bpr.early.metric, "P@5");
  EXPECT_EQ(bpr.sum.kind, SumKind::plain) << "a central model has no sum";
  EXPECT_FALSE(bpr.wire);
  // What was not set is as usual in the other model too.
  const TrainRequest svd = with_model(TrainRequest{}, *find_model("svdpp").value());
  EXPECT_EQ(to_toml(svd), to_toml(TrainRequest{.model = "svdpp"}));
}

TEST(Request, AnotherModelIsRefusedWhereAProtectionWouldBeLost) {
  TrainRequest request;
  request.plan.consent.pi = 0.5;
  EXPECT_TRUE(switched_to(request, *find_model("ease").value()).ok()) << "nothing leaves a central model";
  const auto shares_all = switched_to(request, *find_model("fedavg").value());
  ASSERT_FALSE(shares_all.ok()) << "a federated model in which everything may leave";
  EXPECT_NE(shares_all.error().message.find("consent.pi"), std::string::npos) << shares_all.error().message;
  request.dp.place = "central";
  EXPECT_TRUE(switched_to(request, *find_model("fedease").value()).ok());
  const auto noiseless = switched_to(request, *find_model("feditemknn").value());
  ASSERT_FALSE(noiseless.ok());
  EXPECT_NE(noiseless.error().message.find("dp.place"), std::string::npos) << noiseless.error().message;
  request.dp.place.clear();
  request.sum.kind = SumKind::secure;
  EXPECT_FALSE(switched_to(request, *find_model("ease").value()).ok());
  EXPECT_FALSE(from_toml("[model]\nname = 'ease'\n", "p", request).ok());
}

TEST(RequestToml, ARateIsNoOtherModelsRate) {
  TrainRequest request;
  request.plan.fpl.learning_rate = 0.3f;
  const TrainRequest network = with_model(request, *find_model("multvae").value());
  EXPECT_EQ(to_toml(network), to_toml(TrainRequest{.model = "multvae"}));
  EXPECT_EQ(with_model(request, *find_model("bprmf").value()).plan.fpl.learning_rate, 0.3f);
}

TEST(Request, OptionsOfAFactorModelAreCheckedBeforeAnythingRuns) {
  const auto refused = [](std::string_view model, auto set, const char* words) {
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
      "ials", [](TrainRequest& r) { r.lambda = -1.0f; }, "lambda");
  refused(
      "ials", [](TrainRequest& r) { set_option(r, "model.reg_power", 9.0f); }, "reg-power");
  refused(
      "fedals", [](TrainRequest& r) { r.plan.cohort = 0.5; }, "--cohort");
  refused(
      "fedals", [](TrainRequest& r) { r.plan.fpl.factors = 300; }, "fewer factors");
  refused(
      "fcf", [](TrainRequest& r) { r.server.rate = 0.0f; }, "server-lr");
  refused(
      "fcf", [](TrainRequest& r) { r.server.beta2 = 1.0f; }, "beta");
  refused(
      "mf", [](TrainRequest& r) { set_option(r, "model.negatives", 0); }, "negatives");
  refused(
      "warp", [](TrainRequest& r) { set_option(r, "model.max_trials", 0); }, "max-trials");
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
  EXPECT_EQ(network.model.own<NetworkSettings>().neural.learning_rate, 0.25f);
  EXPECT_EQ(network.plan.fpl.learning_rate, TrainRequest{}.plan.fpl.learning_rate);
  const auto again = from_toml(to_toml(network), "p").value();
  EXPECT_EQ(again.model.own<NetworkSettings>().neural.learning_rate, 0.25f);
  const auto factors = from_toml("[model]\nname = \"bprmf\"\nlr = 0.25\n", "p").value();
  EXPECT_EQ(factors.plan.fpl.learning_rate, 0.25f);
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
  mistake("[modell]\nfactors = 5\n", "unknown section. Did you mean '[model]'?");
  mistake("[model]\nfactrs = 5\n", "unknown key in [model]. Did you mean 'model.factors'?");
  mistake("[evaluation]\nfactors = 5\n", "unknown key in [evaluation]. Did you mean 'model.factors'?");
  mistake("[model]\nq = 5\n", "unknown key in [model]");
  mistake("sead = 1\n", "unknown key");
  mistake("[model]\nfactors = -5\n", "out of range");
  mistake("[model]\nname = \"magic\"\n", "choose one of");
  mistake("[consent]\nmask = 3\n", "string");
  mistake("[model]\nname = \"itemknn\"\n[knn]\nsimilarity = \"euclid\"\n", "cosine, jaccard or pearson");
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
  refused([](TrainRequest& r) { r.model = "userknn", r.knn.neighbors = 0; }, "neighbo");
  refused([](TrainRequest& r) { r.plan.consent.pi = -1; }, "pi");
  const auto item_model = [](std::string_view kind, auto change) {
    return [=](TrainRequest& r) {
      r.model = kind;
      change(r);
    };
  };
  refused(item_model("ease", [](TrainRequest& r) { r.lambda = 0.0f; }), "lambda");
  refused(item_model("fedease", [](TrainRequest& r) { set_option(r, "linear.gram_power", -1.0f); }),
          "gram-power");
  refused(item_model("ease", [](TrainRequest& r) { set_option(r, "linear.dense_items", 0); }), "dense-items");
  refused(item_model("slim", [](TrainRequest& r) { set_option(r, "linear.l1", -1.0f); }), "l1");
  refused(item_model("rp3beta", [](TrainRequest& r) { set_option(r, "linear.alpha", -1.0f); }), "alpha");
}

}  // namespace
}  // namespace sotto::engine
