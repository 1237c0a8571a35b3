#include "engine/train/forget.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "data/generate.h"
#include "data/split_parts.h"
#include "model/fedcars/testing/small_rated_world.h"
#include "sim/thread_pool.h"

namespace sotto::engine {
namespace {

const Split& forget_world() {
  static const Split split =
      split_dataset(generate_world({.users = 120, .items = 90, .mean_interactions = 15.0, .seed = 3}).value(),
                    {})
          .value();
  return split;
}

TrainRequest request_for(std::string_view model, const char* variant, double cohort) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = model;
  EXPECT_TRUE(set_variant(request.plan, variant).ok());
  request.plan.cohort = cohort;
  request.plan.fpl.factors = 5;
  request.plan.epochs = 3;
  request.plan.consent = {0.6, MaskKind::sticky};
  const Status settled = settle(request);
  EXPECT_TRUE(settled.ok()) << (settled.ok() ? "" : settled.error().message);
  return request;
}

// The slow and obvious way: the same plan on data in which the person has nothing, if nothing else depends on
// that (everybody in every round, and a fixed number of triples).
Trained trained_without(const TrainRequest& request, UserIndex user) {
  const Split& split = forget_world();
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::uint32_t n = 0; n < split.users.size(); ++n) {
    if (n != user.value)
      for (const ItemIndex item : split.train.of({n})) items.push_back(item);
    offsets.push_back(items.size());
  }
  Split rest = split;
  rest.train = Histories(std::move(offsets), std::move(items));
  SerialExecutor serial;
  TrainHooks hooks;
  return train(request, rest, serial, hooks).value();
}

TEST(Forget, ModelsOfOneSumAreSolvedAgainWithoutAskingAnybody) {
  ThreadPool threads(2);
  for (const std::string_view model : {"fedease", "feditemknn", "fedrp3beta"}) {
    const TrainRequest request = request_for(model, "pfpl", 1.0);
    for (const std::uint32_t user : {0u, 17u}) {
      const auto forgotten =
          forget({.request = request, .user = {user}, .kept = {}, .check = true}, forget_world(), threads);
      ASSERT_TRUE(forgotten.ok()) << forgotten.error().message;
      EXPECT_STREQ(forgotten->way, "subtract");
      EXPECT_EQ(forgotten->cost.bytes_up, 0u);
      EXPECT_GT(forgotten->retrain->bytes_up, 0u);
      EXPECT_EQ(forgotten->cost.bytes_down, forgotten->retrain->bytes_down);
      EXPECT_EQ(forgotten->cost.hash, forgotten->retrain->hash);
      EXPECT_EQ(forgotten->cost.hash, hash_answers(*trained_without(request, {user}).model));
      SerialExecutor serial;
      TrainHooks hooks;
      EXPECT_NE(forgotten->cost.hash,
                hash_answers(*train(request, forget_world(), serial, hooks).value().model));
    }
  }
}

TEST(Forget, WhatIsSubtractedIsTheShareOfTheHistoryThatWasGiven) {
  SerialExecutor serial;
  TrainRequest request = request_for("fedease", "pfpl", 1.0);
  request.plan.consent = {};
  TrainHooks hooks;
  const std::string all = hash_answers(*train(request, forget_world(), serial, hooks).value().model);
  request.consent.policy = "pi = 1\nhistory = 0.4\n";
  ASSERT_TRUE(settle(request).ok());
  EXPECT_NE(hash_answers(*train(request, forget_world(), serial, hooks).value().model), all);
  const auto forgotten =
      forget({.request = request, .user = {17}, .kept = {}, .check = true}, forget_world(), serial);
  ASSERT_TRUE(forgotten.ok()) << forgotten.error().message;
  EXPECT_EQ(forgotten->cost.hash, forgotten->retrain->hash);
}

TEST(Forget, ModelsOfRoundsAreReplayedWithoutThem) {
  SerialExecutor serial;
  for (const std::string_view model : {"fcf", "fedals"}) {
    const TrainRequest request = request_for(model, "pfpl", 1.0);
    const auto forgotten =
        forget({.request = request, .user = {17}, .kept = {}, .check = true}, forget_world(), serial);
    ASSERT_TRUE(forgotten.ok()) << forgotten.error().message;
    EXPECT_STREQ(forgotten->way, "replay");
    EXPECT_EQ(forgotten->first_round, 0u);
    EXPECT_EQ(forgotten->cost.hash, forgotten->retrain->hash);
    EXPECT_EQ(forgotten->cost.hash, trained_without(request, {17}).model_hash);
    for (const float value : forgotten->trained.parameters->users.on_device().values(17))
      EXPECT_EQ(value, 0.0f);
  }
}

// Fed-CARS looks at its split whenever it is asked (under a sanitizer: at one that is still there).
TEST(Forget, AReplayedModelAnswersAsTheOneInWhichThePersonStayedSilent) {
  SerialExecutor serial;
  Split split = small_rated_world(6, {.users = 24, .items = 40, .history = 12});
  split.hash = hash_of(split);
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = "fedcars";
  request.plan.fpl.factors = 4;
  request.plan.epochs = 2;
  ASSERT_TRUE(settle(request).ok());
  const auto forgotten = forget({.request = request, .user = {3}, .kept = {}, .check = true}, split, serial);
  ASSERT_TRUE(forgotten.ok()) << forgotten.error().message;
  const ConsentBook all({{.pi = 1.0, .contexts = {.whole = true}}},
                        std::vector<std::uint16_t>(split.users.size(), 0));
  request.plan.consent.people = std::make_shared<ConsentBook>(all.without(UserIndex{3}));
  TrainHooks hooks;
  const Trained silent = train(request, split, serial, hooks).value();
  EXPECT_EQ(forgotten->cost.hash, silent.model_hash);
  const auto scores_of = [&](const Trained& trained) {
    std::vector<float> scores(split.catalogue);
    const UserIndex other{5};
    trained.model->score({&other, 1}, {0, static_cast<std::uint32_t>(split.catalogue)}, scores);
    return scores;
  };
  EXPECT_EQ(scores_of(forgotten->trained), scores_of(silent));
  EXPECT_EQ(scores_of(*forgotten->retrained), scores_of(silent));
}

TEST(Forget, AReplayFromAKeptCheckpointIsTheWholeOne) {
  SerialExecutor serial;
  const TrainRequest request = request_for("fpl", "sfpl", 0.0);
  const auto folder = std::filesystem::temp_directory_path() / ("sotto-forget-" + std::to_string(::getpid()));
  const KeptCheckpoints kept(folder);
  TrainHooks hooks;
  hooks.checkpoint_due = [asked = 0]() mutable { return asked++ % 10 == 0; };
  hooks.on_checkpoint = [&](const Checkpoint& checkpoint) { return kept.keep(checkpoint); };
  ASSERT_TRUE(train(request, forget_world(), serial, hooks).ok());
  ASSERT_GT(kept.rounds().size(), 3u);
  std::uint64_t saved = 0;
  for (const std::uint32_t user : {3u, 40u, 77u}) {
    const auto forgotten =
        forget({.request = request, .user = {user}, .kept = kept, .check = true}, forget_world(), serial);
    ASSERT_TRUE(forgotten.ok()) << forgotten.error().message;
    ASSERT_TRUE(forgotten->first_round);
    EXPECT_EQ(forgotten->cost.hash, forgotten->retrain->hash);
    EXPECT_LE(forgotten->retrain->rounds - forgotten->cost.rounds, *forgotten->first_round);
    saved += forgotten->retrain->rounds - forgotten->cost.rounds;
  }
  EXPECT_GT(saved, 0u);
  ASSERT_TRUE(kept.clear().ok());
  EXPECT_TRUE(kept.rounds().empty());
  std::filesystem::remove_all(folder);
}

// A weight may follow from people who were not asked yet.
TEST(Forget, AReplayWithCriteriaIsTheWholeOne) {
  SerialExecutor serial;
  UserIndex longest{0};
  for (std::uint32_t user = 1; user < forget_world().train.users(); ++user)
    if (forget_world().train.of({user}).size() > forget_world().train.of(longest).size()) longest = {user};
  struct Case {
    const char* order;
    std::optional<std::uint32_t> bound;
    bool from_the_start;
  };
  for (const Case& one : {Case{"novelty", {}, true}, Case{"size", {}, true}, Case{"size", 20, false}}) {
    TrainRequest request = request_for("fpl", "pfpl", 0.05);
    request.plan.epochs = 1;
    request.criteria.order = one.order;
    request.criteria.size_bound = one.bound;
    const auto folder =
        std::filesystem::temp_directory_path() / ("sotto-forget-criteria-" + std::to_string(::getpid()));
    const KeptCheckpoints kept(folder);
    TrainHooks hooks;
    hooks.checkpoint_due = [asked = 0]() mutable { return asked++ % 5 == 0; };
    hooks.on_checkpoint = [&](const Checkpoint& checkpoint) { return kept.keep(checkpoint); };
    ASSERT_TRUE(train(request, forget_world(), serial, hooks).ok());
    const auto forgotten =
        forget({.request = request, .user = longest, .kept = kept, .check = true}, forget_world(), serial);
    ASSERT_TRUE(forgotten.ok()) << forgotten.error().message;
    ASSERT_TRUE(forgotten->first_round && *forgotten->first_round > 0) << "something comes before";
    EXPECT_EQ(forgotten->cost.hash, forgotten->retrain->hash) << one.order;
    EXPECT_EQ(forgotten->cost.rounds == forgotten->retrain->rounds, one.from_the_start) << one.order;
    std::filesystem::remove_all(folder);
  }
}

TEST(Forget, WhatWasReleasedWithNoiseIsNotTakenBack) {
  for (const std::string_view model : {"fedease", "fpl"}) {
    ForgetRequest asked{.request = request_for(model, "pfpl+", 1.0), .user = UserIndex{3}};
    asked.request.dp.place = "central";
    asked.request.dp.epsilon = 4.0;
    SerialExecutor serial;
    const auto refused = forget(asked, forget_world(), serial);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::usage);
    EXPECT_NE(refused.error().message.find("cannot be taken back"), std::string::npos);
  }
}

std::string refusal(const TrainRequest& request, const Split& split, UserIndex user) {
  SerialExecutor serial;
  const auto refused = forget({.request = request, .user = user, .kept = {}}, split, serial);
  EXPECT_FALSE(refused.ok());
  if (refused.ok()) return "";
  EXPECT_EQ(refused.error().code, Code::usage);
  return refused.error().message;
}

TEST(Forget, OnlyTheSumOfAllWhoAnsweredIsSubtractedFrom) {
  TrainRequest request = request_for("fedease", "pfpl", 1.0);
  request.robust.groups = 5;
  EXPECT_NE(refusal(request, forget_world(), {3}).find("robust rule"), std::string::npos);
  request.robust = {};
  request.sum.kind = SumKind::secure;
  request.sum.silent = 0.2;
  EXPECT_NE(refusal(request, forget_world(), {3}).find("--secure-dropout"), std::string::npos);
  request.sum.silent = 0.0;
  ThreadPool threads(2);
  const auto forgotten =
      forget({.request = request, .user = {3}, .kept = {}, .check = true}, forget_world(), threads);
  ASSERT_TRUE(forgotten.ok()) << forgotten.error().message;
  EXPECT_EQ(forgotten->cost.hash, forgotten->retrain->hash);
}

TEST(Forget, ASecondOneIsSubtractedButNotReplayed) {
  SerialExecutor serial;
  for (const std::string_view model : {"fedease", "fcf"}) {
    const TrainRequest request = request_for(model, "pfpl", model == "fcf" ? 0.5 : 1.0);
    const auto first = forget({.request = request, .user = {3}, .kept = {}}, forget_world(), serial);
    ASSERT_TRUE(first.ok()) << first.error().message;
    if (model == "fcf") {
      EXPECT_NE(refusal(request, *first->split, {40}).find("before"), std::string::npos);
      continue;
    }
    const auto second =
        forget({.request = request, .user = {40}, .kept = {}, .check = true}, *first->split, serial);
    ASSERT_TRUE(second.ok()) << second.error().message;
    EXPECT_EQ(second->cost.hash, second->retrain->hash);
  }
}

TEST(Forget, CentralModelsHaveNoDevices) {
  SerialExecutor serial;
  TrainRequest request = request_for("ease", "pfpl", 1.0);
  EXPECT_EQ(forget({.request = request, .user = {1}, .kept = {}}, forget_world(), serial).error().code,
            Code::usage);
}

}  // namespace
}  // namespace sotto::engine
