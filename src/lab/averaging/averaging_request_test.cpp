#include "lab/averaging/averaging_request.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lab/averaging/averaging_json.h"

namespace sotto {
namespace {

TEST(AveragingRequest, APlanReadsBackAsItWasWritten) {
  AveragingRequest request;
  request.data = "a folder's \"name\"";
  request.deal = DealKind::shards;
  request.devices = 12;
  request.validation = 0.25;
  request.classifier.kind = ClassifierKind::dense;
  request.classifier.hidden = {};
  request.plan.seed = 77;
  request.plan.local.rate = 0.215f;
  request.plan.server.step = ServerStep::momentum;
  request.criteria.order = *parse_order("MW>DS>LD");
  request.criteria.score = {ScoreKind::owa, {0.5, 0.25, 0.25}};
  request.until = AccuracyGoal{40, 85};
  request.sum.kind = SumKind::secure;
  request.sum.assumed.dropped = 0.125;
  const std::string text = to_toml(request);
  const auto read = averaging_from_toml(text, "plan.toml");
  ASSERT_TRUE(read.ok()) << read.error().message << text;
  EXPECT_EQ(to_toml(*read), text);
  EXPECT_EQ(read->data, request.data);
  EXPECT_EQ(read->plan.local.rate, 0.215f);
  EXPECT_EQ(read->criteria.order, request.criteria.order);
  EXPECT_EQ(read->criteria.score.weights, request.criteria.score.weights);
  EXPECT_TRUE(read->classifier.hidden.empty());
  EXPECT_EQ(read->until->devices, 40u);
  EXPECT_EQ(read->sum.kind, SumKind::secure);
  EXPECT_EQ(read->sum.assumed.dropped, 0.125);
}

// Something that no field of its type has by itself.
std::string other_value(const AveragingField& field) {
  static const std::map<std::string, std::string> words{
      {"data", "a folder"}, {"deal", "shards"},     {"model", "dense"}, {"accelerator", "cuda"},
      {"server", "adam"},   {"criteria", "LD>MWL"}, {"score", "owa"},   {"until", "30%@85%"}};
  if (const auto word = words.find(field.name); word != words.end()) return word->second;
  if (field.type.empty()) return "true";
  if (field.type == "N") return "7";
  return field.type == "LIST" ? "3,4" : "0.375";
}

// Every field shows what it was set to, changes no other, and is in the plan; no two have the same name.
TEST(AveragingRequest, FieldsAreNamedOnceAndShowWhatTheyWereGiven) {
  const std::vector<AveragingField> fields = averaging_fields();
  const AveragingRequest defaults;
  std::set<std::string> names;
  for (const AveragingField& field : fields) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    AveragingRequest request;
    const std::string value = other_value(field);
    ASSERT_NE(field.show(request), value) << field.name;
    ASSERT_TRUE(field.set(request, value).ok()) << field.name;
    EXPECT_EQ(field.show(request), value) << field.name;
    for (const AveragingField& other : fields)
      if (other.name != field.name) {
        EXPECT_EQ(other.show(request), other.show(defaults)) << field.name << ' ' << other.name;
      }
    const auto read = averaging_from_toml(to_toml(request), "plan.toml");
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(field.show(*read), value) << field.name;
  }
  EXPECT_GE(names.size(), 25u);
}

// What was written down and says nothing beside the rest is refused, be it what holds anyway; a whole plan,
// which has everything in it, is not.
TEST(AveragingRequest, FieldsThatSayNothingAreRefused) {
  const auto words = [](const std::string& plan, const std::vector<std::string>& given) {
    const auto read = averaging_from_toml(plan, "plan.toml");
    if (!read.ok()) return read.error().message;
    const Status status = check(*read, given);
    return status.ok() ? std::string() : status.error().message;
  };
  const std::string made_up = "generate = true\n",
                    people = "generate = true\nmodel = 'dense'\ndeal = 'people'\n",
                    dense = "generate = true\nmodel = 'dense'\n";
  const std::vector<std::pair<std::string, std::string>> idle{
      {"data = 'x'\n", "examples"}, {people, "devices"},        {made_up, "sample"},
      {made_up, "least"},           {dense, "filter"},          {dense, "channels"},
      {made_up, "score"},           {made_up, "score-weights"},
  };
  for (const auto& [plan, name] : idle) {
    EXPECT_EQ(words(plan, {}), "") << name;
    EXPECT_TRUE(words(plan, {name}).starts_with("--" + name + " is of")) << words(plan, {name});
  }
  EXPECT_NE(words(made_up + "sample = 0.25\n", {}).find("--deal people"), std::string::npos);
  EXPECT_NE(words(dense + "filter = 3\n", {}).find("--filter"), std::string::npos);
  EXPECT_NE(words(made_up + "score = 'mean'\n", {}).find("--criteria"), std::string::npos);
  EXPECT_EQ(words(made_up + "criteria = 'DS>LD'\nscore = 'mean'\n", {"score", "examples", "filter"}), "");
  EXPECT_EQ(words(people, {"sample", "least", "examples"}), "");
  AveragingRequest whole;
  whole.generate = true;
  EXPECT_EQ(words(to_toml(whole), {}), "");
}

TEST(AveragingRequest, WrongPlansNameTheLine) {
  const auto message = [](const std::string& text) {
    const auto read = averaging_from_toml(text, "plan.toml");
    return read.ok() ? std::string("read") : read.error().message;
  };
  EXPECT_NE(message("seed = 1\nround = 5\n").find("plan.toml, line 2: unknown key round"), std::string::npos)
      << message("seed = 1\nround = 5\n");
  EXPECT_NE(message("devices = -3\n").find("line 1"), std::string::npos);
  EXPECT_NE(message("rounds = [1]\n").find("one value"), std::string::npos);
  EXPECT_NE(message("criteria = 'DS>XY'\n").find("diversity (LD)"), std::string::npos);
  EXPECT_EQ(message("criteria = 'DS>XY'\n").find("novelty"), std::string::npos) << "refused, so not offered";
  EXPECT_NE(message("[sum]\nkind = 'guess'\n").find("plan.toml"), std::string::npos);
  EXPECT_NE(message("[sum]\nkinds = 'plain'\n").find("unknown key"), std::string::npos);
  EXPECT_NE(message("until = '50@101'\n").find("no goal"), std::string::npos);
}

TEST(AveragingRequest, WhatCannotBeIsRefused) {
  AveragingRequest good;
  good.generate = true;
  EXPECT_TRUE(check(good).ok());
  const auto refused = [&](auto change) {
    AveragingRequest request = good;
    change(request);
    const Status status = check(request);
    return !status.ok() && status.error().code == Code::usage;
  };
  EXPECT_TRUE(refused([](auto& r) { r.generate = false; }));
  EXPECT_TRUE(refused([](auto& r) { r.data = "x"; }));
  EXPECT_TRUE(refused([](auto& r) { r.rounds = 0; }));
  EXPECT_TRUE(refused([](auto& r) { r.plan.local.rate = 0.0f; }));
  EXPECT_TRUE(refused([](auto& r) { r.validation = 1.0; }));
  EXPECT_TRUE(refused([](auto& r) { r.deal = DealKind::people; }));  // a cnn of attributes
  EXPECT_TRUE(refused([](auto& r) { r.classifier.filter = 40; }));
  EXPECT_TRUE(refused([](auto& r) { r.classifier.hidden = {0}; }));
  const std::vector<std::string> none{"criteria"};
  EXPECT_NE(check(good, none).error().message.find("leave it out for none"), std::string::npos);
  EXPECT_TRUE(refused([](auto& r) {
    r.choose_order = true;
    r.validation = 0.1;
    r.criteria.order = *parse_order("DS");
  }));
  EXPECT_TRUE(refused([](auto& r) {
    r.choose_order = true;
    r.criteria.order = *parse_order("DS>LD");
  }));
  EXPECT_TRUE(refused([](auto& r) {
    r.criteria.order = *parse_order("DS>LD");
    r.criteria.score = {ScoreKind::mean, {1.0}};
  }));
  for (const double cohort : {0.0, -0.5, 1.5})
    EXPECT_TRUE(refused([&](auto& r) { r.plan.cohort = cohort; })) << cohort;
  for (const char* order : {"NV", "DS>TR"})  // nothing tells these
    EXPECT_TRUE(refused([&](auto& r) { r.criteria.order = *parse_order(order); })) << order;
}

TEST(AveragingRequest, AnOrderIsChosenAmongTwentyFourAtMost) {
  AveragingRequest request;
  request.generate = request.choose_order = true;
  request.validation = 0.1;
  request.criteria.order = *parse_order("DS>LD>MW>RC");
  EXPECT_TRUE(check(request).ok());
  request.criteria.order = *parse_order("DS>LD>MW>RC>CB>MWL");
  const Status refused = check(request);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("6 of them have 720"), std::string::npos) << refused.error().message;
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

TEST(AveragingRequest, WhatOnlyASecureSumReadsIsRefusedWithAPlainOne) {
  AveragingRequest request;
  request.generate = true;
  request.sum.silent = 0.1;
  const Status plain = check(request);
  ASSERT_FALSE(plain.ok());
  EXPECT_NE(plain.error().message.find("--secure-dropout is of --sum secure"), std::string::npos);
  request.sum.kind = SumKind::secure;
  EXPECT_TRUE(check(request).ok());
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
}  // namespace sotto
