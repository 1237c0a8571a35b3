
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "data/generate.h"
#include "engine/plan/testing/set_option.h"
#include "engine/train/direct_model.h"
#include "engine/train/training.h"
#include "metrics/evaluate.h"
#include "sim/thread_pool.h"

namespace sotto::engine {
namespace {

const std::vector<std::string_view> predictors{"globalmean", "usermean",     "itemmean",     "toppop-ratings",
                                               "baseline",   "uknn-ratings", "iknn-ratings", "biasedmf",
                                               "nmf",        "svdpp"};

// Half the people like even items and half odd ones, by two stars.
std::vector<float> made_up_ratings(const Histories& part) {
  std::vector<float> ratings;
  for (std::uint32_t user = 0; user < part.users(); ++user)
    for (const ItemIndex item : part.of(UserIndex{user}))
      ratings.push_back(user % 2 == item.value % 2 ? 5.0f : user % 5 == 0 ? 3.0f : 2.0f);
  return ratings;
}

Split rated_split() {
  Split split = generate_split({.users = 80, .items = 60, .mean_interactions = 20.0, .seed = 3}).value();
  auto records = std::make_shared<Records>();
  records->has_ratings = true;
  records->train.ratings = made_up_ratings(split.train);
  records->validation.ratings = made_up_ratings(split.validation);
  records->test.ratings = made_up_ratings(split.test);
  split.records = records;
  return split;
}

TrainRequest rating_request(std::string_view model) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = model;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

std::vector<float> rating_scores(const Recommender& model, const Split& split) {
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < split.users.size(); ++user) users.push_back(UserIndex{user});
  std::vector<float> scores(users.size() * split.catalogue);
  model.score(users, {0, static_cast<std::uint32_t>(split.catalogue)}, scores);
  return scores;
}

TEST(RatingModels, ComeBackAsTheyWereOnAnyNumberOfThreads) {
  const Split split = rated_split();
  SerialExecutor one;
  ThreadPool two(2);
  std::set<std::string> hashes;
  std::vector<std::string_view> all = predictors;
  all.push_back("paco");
  for (const std::string_view kind : all) {
    const TrainRequest request = rating_request(kind);
    TrainHooks hooks;
    const Trained trained = train(request, split, one, hooks).value();
    const Trained again = train(request, split, two, hooks).value();
    EXPECT_EQ(again.model_hash, trained.model_hash);
    EXPECT_TRUE(hashes.insert(trained.model_hash).second) << kind;
    const std::vector<float> scores = rating_scores(*trained.model, split);
    EXPECT_EQ(rating_scores(*again.model, split), scores) << kind;
    EXPECT_EQ(rating_scores(*rebuild_model(request, split, std::nullopt, one).value().model, split), scores);
  }
}

TEST(RatingModels, AreJudgedByTheirErrors) {
  const Split split = rated_split();
  SerialExecutor executor;
  std::map<std::string_view, double> errors;
  for (const std::string_view kind : predictors) {
    TrainHooks hooks;
    const Trained trained = train(rating_request(kind), split, executor, hooks).value();
    const Evaluation evaluation = evaluate(*trained.model, split, {}, executor).value();
    ASSERT_TRUE(evaluation.find("MAE").has_value()) << kind;
    errors[kind] = *evaluation.find("MAE");
    EXPECT_LE(errors[kind], *evaluation.find("RMSE"));
  }
  EXPECT_EQ(errors["itemmean"], errors["toppop-ratings"]);
  // Only the models that tell the two halves apart can know.
  for (const std::string_view kind : {"biasedmf", "nmf", "svdpp"})
    EXPECT_LT(errors[kind], 0.6 * errors["baseline"]) << kind;
  EXPECT_GT(errors["globalmean"], 1.0);
}

TEST(RatingModels, AreNamedByTheirRatingsAndSettings) {
  const Split split = rated_split();
  Split other = split;
  auto records = std::make_shared<Records>(*split.records);
  records->train.ratings[0] = records->train.ratings[0] == 5.0f ? 2.0f : 5.0f;
  other.records = records;
  TrainRequest request = rating_request("biasedmf");
  const auto hash_by = [&](const Split& data) {
    SerialExecutor executor;
    TrainHooks hooks;
    return train(request, data, executor, hooks).value().model_hash;
  };
  const std::string name = hash_by(split);
  EXPECT_NE(hash_by(other), name);
  set_option(request, "model.lr", 0.005f);
  EXPECT_NE(hash_by(split), name);
  request = rating_request("paco");
  EXPECT_EQ(hash_by(other), hash_by(split));  // looks at no ratings
}

TEST(RatingModels, NeedRatings) {
  Split split = rated_split();
  split.records = nullptr;
  SerialExecutor executor;
  for (const std::string_view kind : predictors) {
    EXPECT_TRUE(rating_request(kind).model->needs_ratings);
    const auto made = make_direct(rating_request(kind), split, executor);
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.error().message.find(kind), std::string::npos);
  }
  EXPECT_FALSE(rating_request("paco").model->needs_ratings);
  EXPECT_TRUE(make_direct(rating_request("paco"), split, executor).ok());
}

TEST(RatingModels, TheRateIsInThePlan) {
  TrainRequest request = rating_request("svdpp");
  set_option(request, "model.lr", 0.125f);
  const TrainRequest again = from_toml(to_toml(request), "plan.toml").value();
  EXPECT_EQ(again.model->field("model.lr")->get(again), (PlanValue{{0.125f}}));
  EXPECT_EQ(again.model->name, "svdpp");
}

}  // namespace
}  // namespace sotto::engine
