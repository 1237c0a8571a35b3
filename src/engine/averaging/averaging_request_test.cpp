#include "engine/averaging/averaging_request.h"

#include <gtest/gtest.h>

#include "engine/averaging/averaging_json.h"
#include "engine/plan/request.h"

namespace sotto::engine {
namespace {

TrainRequest made_up() {
  TrainRequest request;
  request.model = ChosenModel("fedavg");
  request.data.examples.generate = true;
  return request;
}

AveragingOptions& own(TrainRequest& request) { return request.model.own<AveragingOptions>(); }

TEST(AveragingRequest, APlanReadsBackAsItWasWritten) {
  TrainRequest request = made_up();
  request.data.examples.deal = DealKind::shards;
  request.data.examples.devices = 12;
  request.data.split.validation_share = 0.25;
  own(request).classifier.kind = ClassifierKind::dense;
  own(request).classifier.hidden = {};
  own(request).local.rate = 0.215f;
  own(request).until = AccuracyGoal{40, 85};
  request.plan.seed = 77;
  request.server.step = ServerStep::momentum;
  request.criteria.order = "MW>DS>LD";
  request.criteria.score = "owa";
  request.criteria.weights = {0.5, 0.25, 0.25};
  request.criteria.size_bound = 600;
  request.sum.kind = SumKind::secure;
  const std::string text = to_toml(request);
  const auto read = from_toml(text, "plan.toml");
  ASSERT_TRUE(read.ok()) << read.error().message << text;
  EXPECT_EQ(to_toml(*read), text);
  const auto asked = averaging_of(*read);
  ASSERT_TRUE(asked.ok()) << asked.error().message;
  EXPECT_EQ(asked->plan.seed, 77u);
  EXPECT_EQ(asked->plan.local.rate, 0.215f);
  EXPECT_EQ(asked->plan.server.step, ServerStep::momentum);
  EXPECT_EQ(asked->criteria.order, *parse_order("MW>DS>LD"));
  EXPECT_EQ(asked->criteria.score.weights, request.criteria.weights);
  EXPECT_EQ(asked->size_bound, 600u);
  EXPECT_TRUE(asked->classifier.hidden.empty());
  EXPECT_EQ(asked->until->devices, 40u);
  EXPECT_EQ(asked->sum.kind, SumKind::secure);
}

// Version 0.1.0 wrote a key per flag, without sections.
TEST(AveragingRequest, AFlatPlanOfVersion010IsRead) {
  const std::string flat =
      "seed = 7\ndata = \"\"\ngenerate = true\nexamples = 12000\ndeal = \"shards\"\ndevices = 20\n"
      "sample = 0.5\nleast = 5\nmodel = \"dense\"\nfilter = 5\nchannels = \"32,64\"\nhidden = \"64,32\"\n"
      "cohort = 0.5\nlr = 0.1\nserver_lr = 1\nuntil = \"\"\ncriteria = \"LD>MW\"\nscore = \"mean\"\n"
      "score_weights = \"0.3,0.7\"\nchoose_order = false\n\n[sum]\nkind = \"shares\"\n";
  auto read = from_toml(flat, "plan.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE(settle(*read).ok()) << settle(*read).error().message;
  const AveragingRequest asked = *averaging_of(*read);
  EXPECT_EQ(read->data.examples.deal, DealKind::shards);
  EXPECT_EQ(read->data.examples.devices, 20u);
  EXPECT_EQ(asked.plan.seed, 7u);
  EXPECT_EQ(asked.classifier.kind, ClassifierKind::dense);
  EXPECT_EQ(asked.classifier.hidden, (std::vector<std::uint32_t>{64, 32}));
  EXPECT_EQ(asked.plan.cohort, 0.5);
  EXPECT_EQ(asked.criteria.score.weights, (std::vector<double>{0.3, 0.7}));
  EXPECT_EQ(asked.sum.kind, SumKind::shares);
  const auto wrong = from_toml("deal = \"iid\"\nrounds = 3\nlocal_epoch = 2\n", "plan.toml");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("plan.toml, line 3"), std::string::npos) << wrong.error().message;
}

// A key of now that slipped out of its section is no plan of then.
TEST(AveragingRequest, AStrayKeyIsNoFlatPlan) {
  for (const char* plan : {"data = 'x.tsv'\n[model]\nname = 'fpl'\n", "model = 'ease'\n"}) {
    const auto read = from_toml(plan, "plan.toml");
    ASSERT_FALSE(read.ok()) << plan;
    EXPECT_EQ(read.error().message.find("fedavg"), std::string::npos) << read.error().message;
  }
}

TEST(AveragingRequest, WhatCannotBeIsRefused) {
  TrainRequest good = made_up();
  EXPECT_TRUE(settle(good).ok()) << settle(good).error().message;
  const auto refused = [&](auto change, const std::string& part) {
    TrainRequest request = good;
    change(request);
    const Status status = settle(request);
    ASSERT_FALSE(status.ok()) << part;
    EXPECT_EQ(status.error().code, Code::usage);
    EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
  };
  refused([](auto& r) { r.data.examples.generate = false; }, "--data");
  refused([](auto& r) { r.data.paths = {"x"}; }, "choose one");
  refused([](auto& r) { own(r).rounds = 0; }, "--rounds");
  refused([](auto& r) { own(r).local.rate = 0.0f; }, "");
  refused([](auto& r) { r.data.split.validation_share = 1.0; }, "--validation");
  refused([](auto& r) { r.data.examples.deal = DealKind::people; }, "choose --network dense");
  refused([](auto& r) { own(r).classifier.filter = 40; }, "odd");
  refused([](auto& r) { own(r).classifier.hidden = {0}; }, "layers");
  refused([](auto& r) { own(r).choose_order = true; }, "two or more");
  refused(
      [](auto& r) {
        own(r).choose_order = true;
        r.criteria.order = "DS>LD";
      },
      "--validation");
  refused(
      [](auto& r) {
        own(r).choose_order = true;
        r.data.split.validation_share = 0.1;
        r.criteria.order = "DS>LD>MW>RC>CB>MWL";
      },
      "6 of them have 720");
  refused(
      [](auto& r) {
        r.criteria.order = "DS>LD";
        r.criteria.score = "mean";
        r.criteria.weights = {1.0};
      },
      "");
  for (const double cohort : {0.0, -0.5, 1.5}) refused([&](auto& r) { own(r).cohort = cohort; }, "cohort");
  refused([](auto& r) { r.criteria.order = "NV"; }, "novelty");  // nothing tells these
  refused([](auto& r) { r.criteria.order = "DS>TR"; }, "trust");
  refused([](auto& r) { r.sum.silent = 0.1; }, "--secure-dropout is for --sum secure");
  // What says nothing beside the rest.
  refused([](auto& r) { r.data.examples.people.sample_share = 0.25; }, "--sample is for people");
  refused([](auto& r) { r.data.examples.people.least = 2; }, "--least is for people");
  refused([](auto& r) { r.criteria.score = "mean"; }, "--score is for criteria");
  refused([](auto& r) { r.criteria.weights = {0.5}; }, "--score-weights is for criteria");
  refused(
      [](auto& r) {
        own(r).classifier.kind = ClassifierKind::dense;
        own(r).classifier.filter = 3;
      },
      "--filter is for the network cnn");
}

TEST(AveragingRequest, RecencyNeedsDevicesThatAreAway) {
  AveragingRequest request;
  request.criteria.order = *parse_order("DS>RC");
  request.plan.cohort = 0.5;
  EXPECT_TRUE(check_cohort(request, 10).ok());
  request.plan.cohort = 1.0;
  EXPECT_FALSE(check_cohort(request, 10).ok());
  request.criteria.order = *parse_order("DS");
  EXPECT_TRUE(check_cohort(request, 10).ok());
}

TEST(AveragingRequest, Goals) {
  EXPECT_EQ(parse_goal("50%@95%")->accuracy, 95u);
  EXPECT_EQ(parse_goal("7@100")->devices, 7u);
  for (const char* wrong : {"", "50", "@", "0%@90%", "50%@101%", "a@b", "5.5@90", "-5@90", "1000@9"})
    EXPECT_FALSE(parse_goal(wrong).ok()) << wrong;
  EXPECT_EQ(to_string(AccuracyGoal{50, 95}), "50%@95%");
}

TEST(AveragingJson, BitsAsText) {
  EXPECT_EQ(bits_text(std::vector<std::uint8_t>{1, 0, 1, 1, 0, 1}), "b4");
  EXPECT_EQ(*bits_from_text("b4", 6), (std::vector<std::uint8_t>{1, 0, 1, 1, 0, 1}));
  EXPECT_FALSE(bits_from_text("b4", 9).ok());
  EXPECT_FALSE(bits_from_text("g0", 6).ok());
  EXPECT_TRUE(bits_from_text("", 0)->empty());
}

}  // namespace
}  // namespace sotto::engine
