
#include <gtest/gtest.h>

#include <string_view>

#include "data/generate.h"
#include "engine/train/memory_plan.h"
#include "engine/train/training.h"
#include "metrics/evaluate.h"
#include "model/central/vsm.h"
#include "model/explainer.h"
#include "sim/thread_pool.h"

namespace sotto::engine {
namespace {

// A world whose items have 2 of 12 features each, every ninth item none.
Split content_world() {
  const Dataset dataset =
      generate_world({.users = 60, .items = 80, .mean_interactions = 12.0, .seed = 3}).value();
  Split split = split_dataset(dataset, {}).value();
  FeatureList list;
  const std::uint32_t predicate = list.intern_predicate("about");
  for (std::uint32_t item = 0; item < split.items.size(); ++item) {
    const std::uint32_t listed = list.items.intern(split.items.name(item));
    if (item % 9 == 8) continue;
    for (const std::uint32_t object : {item % 5, 5 + item % 7})
      list.facts.push_back({listed, predicate, list.objects.intern("thing " + std::to_string(object))});
  }
  list.settle();
  split.features =
      std::make_shared<const ItemFeatures>(list, split.items, FeatureFilter{.min_items = 1, .max_hops = 1});
  return split;
}

TrainRequest content_request(std::string_view model) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.data.kg.paths = {"made up"};
  request.model = model;
  request.plan.epochs = 3;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

std::vector<float> content_scores(const Recommender& model, const Split& split) {
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < split.users.size(); ++user) users.push_back(UserIndex{user});
  std::vector<float> scores(users.size() * split.catalogue);
  model.score(users, {0, static_cast<std::uint32_t>(split.catalogue)}, scores);
  return scores;
}

TEST(ContentModels, ComeBackAsTheyWereOnAnyNumberOfThreads) {
  const Split split = content_world();
  SerialExecutor one;
  ThreadPool two(2);
  for (const std::string_view kind : {"vsm", "kahfm"}) {
    const TrainRequest request = content_request(kind);
    TrainHooks hooks;
    const Trained trained = train(request, split, one, hooks).value();
    const Trained again = train(request, split, two, hooks).value();
    EXPECT_EQ(again.model_hash, trained.model_hash);
    const std::vector<float> scores = content_scores(*trained.model, split);
    EXPECT_EQ(content_scores(*again.model, split), scores) << kind;
    std::optional<Parameters> kept;
    if (trained.parameters) {
      kept = *trained.parameters;
      EXPECT_TRUE(fits_model(request, split, *kept));
      Split other = content_world();
      other.features = nullptr;
      EXPECT_FALSE(fits_model(request, other, *kept));
    }
    const RebuiltModel again_made = rebuild_model(request, split, std::move(kept), one).value();
    const Recommender* rebuilt = again_made.model.get();
    EXPECT_EQ(content_scores(*rebuilt, split), scores) << kind;
    EXPECT_NE(dynamic_cast<const Explainer*>(rebuilt), nullptr) << kind;
    EXPECT_NE(dynamic_cast<const Explainer*>(trained.model.get()), nullptr) << kind;
  }
}

TEST(ContentModels, AreNamedByWhatDecidesThem) {
  const Split split = content_world();
  SerialExecutor serial;
  TrainHooks hooks;
  TrainRequest request = content_request("vsm");
  const std::string usual = train(request, split, serial, hooks)->model_hash;
  request.model.own<VsmOptions>().profile = ProfileRule::centroid;
  EXPECT_NE(train(request, split, serial, hooks)->model_hash, usual);
  request.model.own<VsmOptions>().profile = ProfileRule::mean;
  request.model.own<VsmOptions>().items = FeatureWeights::binary;
  EXPECT_NE(train(request, split, serial, hooks)->model_hash, usual);
  request = content_request("kahfm");
  const std::string learned = train(request, split, serial, hooks)->model_hash;
  request.model.own<VsmOptions>().profile = ProfileRule::centroid;
  EXPECT_NE(train(request, split, serial, hooks)->model_hash, learned);
}

TEST(ContentModels, NothingKnownIsSaid) {
  Split split = content_world();
  split.features = nullptr;
  SerialExecutor serial;
  TrainHooks hooks;
  for (const std::string_view kind : {"vsm", "kahfm"}) {
    const auto trained = train(content_request(kind), split, serial, hooks);
    ASSERT_FALSE(trained.ok());
    EXPECT_EQ(trained.error().code, Code::usage);
    EXPECT_NE(trained.error().message.find("--kg"), std::string::npos);
  }
}

TEST(ContentModels, APlanKeepsTheirSettings) {
  TrainRequest request = content_request("vsm");
  request.model.own<VsmOptions>() = {
      .users = FeatureWeights::binary, .items = FeatureWeights::binary, .profile = ProfileRule::centroid};
  const TrainRequest again = from_toml(to_toml(request), "plan.toml").value();
  EXPECT_EQ(again.model.own<VsmOptions>().users, FeatureWeights::binary);
  EXPECT_EQ(again.model.own<VsmOptions>().items, FeatureWeights::binary);
  EXPECT_EQ(again.model.own<VsmOptions>().profile, ProfileRule::centroid);
  EXPECT_EQ(from_toml("[model]\nname = \"vsm\"\n[content]\nprofile_rule = \"middle\"\n", "p").error().code,
            Code::usage);
}

TEST(ContentModels, RowsAsWideAsAllFeaturesAreCountedBefore) {
  const Split split = content_world();
  const TrainRequest request = content_request("kahfm");
  MemoryFacts facts = memory_facts(request, split, 1);
  EXPECT_EQ(facts.features, split.features->features());
  facts = {
      .users = 1'000'000, .catalogue = 100'000, .judged = 50, .features = 99'999};  // rows of 400,000 bytes
  const Status refused = check_memory(request, facts, 64e9);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("--kg-min-items"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace sotto::engine
