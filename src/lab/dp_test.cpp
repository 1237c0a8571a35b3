#include "lab/dp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/generate.h"
#include "lab/training.h"
#include "sim/thread_pool.h"

namespace sotto {
namespace {

Split world() {
  ThreadPool pool(2);
  WorldOptions options;
  options.users = 150;
  options.items = 120;
  options.seed = 5;
  return generate_split(options, 0.8, pool).value();
}

TrainRequest fedease(const char* place) {
  TrainRequest request;
  request.data.paths = {"made up"};
  request.model = ModelKind::fedease;
  request.lambda = 20.0f;
  request.dp.place = place;
  request.dp.epsilon = 4.0;
  request.dp.items = 40;
  return request;
}

Result<Trained> trained(const TrainRequest& request, const Split& split, std::size_t threads = 1) {
  ThreadPool pool(threads);
  TrainHooks hooks;
  return train(request, split, pool, hooks);
}

std::vector<float> scores(const Trained& model, const Split& split) {
  std::vector<float> out(split.catalogue);
  const UserIndex user{3};
  model.model->score({&user, 1}, {0, static_cast<std::uint32_t>(split.catalogue)}, out);
  return out;
}

TEST(PrivateEase, SpendsWhatWasAskedForAndNoMore) {
  const Split split = world();
  for (const char* place : {"central", "distributed", "local"}) {
    const auto model = trained(fedease(place), split);
    ASSERT_TRUE(model.ok()) << place << ": " << model.error().message;
    ASSERT_TRUE(model->privacy.has_value()) << place;
    EXPECT_LE(model->privacy->epsilon, 4.0) << place;
    EXPECT_GT(model->privacy->epsilon, 3.99) << place;
    EXPECT_EQ(model->privacy->delta, 1e-6);
  }
}

TEST(PrivateEase, IsTheSameForAnyThreadsAndAnotherForAnotherSeed) {
  const Split split = world();
  TrainRequest request = fedease("central");
  const auto first = trained(request, split), again = trained(request, split, 3);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(scores(*first, split), scores(*again, split));
  EXPECT_EQ(first->model_hash, again->model_hash);
  request.plan.seed = 2;
  const auto other = trained(request, split);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(scores(*first, split), scores(*other, split));
  EXPECT_NE(first->model_hash, other->model_hash);
}

TEST(DpTraining, RoundsAreCalibratedTogether) {
  const Split split = world();
  TrainRequest request;
  request.data.paths = {"made up"};
  request.plan.epochs = 1;
  request.plan.cohort = 1.0;
  request.plan.fpl.factors = 4;
  request.dp.place = "central";
  request.dp.epsilon = 8.0;
  ASSERT_TRUE(settle(request).ok());
  const auto model = trained(request, split);
  ASSERT_TRUE(model.ok()) << model.error().message;
  ASSERT_TRUE(model->privacy.has_value());
  EXPECT_LE(model->privacy->epsilon, 8.0);
  EXPECT_GT(model->privacy->epsilon, 7.9);
}

TEST(DpTraining, HaltsWhenTheBudgetIsSpent) {
  const Split split = world();
  TrainRequest request;
  request.data.paths = {"made up"};
  request.plan.epochs = 3;
  request.plan.cohort = 1.0;
  request.plan.fpl.factors = 4;
  request.dp.place = "central";
  request.dp.epsilon = 1.0;
  request.dp.noise = 4.6;  // enough for one release
  ASSERT_TRUE(settle(request).ok());
  const auto model = trained(request, split);
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message.find("budget is spent"), std::string::npos) << model.error().message;
}

TEST(DpTraining, AResumedRunPaysForTheRoundsBeforeItOnce) {
  TrainRequest request;
  request.dp.place = "central";
  request.dp.noise = 10.0;
  const auto account = DpAccount::open(request).value();
  const SumShape shape{2, 1};
  Protection protection;
  protection.put_before(std::make_unique<PlainCollector>(shape));
  ASSERT_TRUE(put_dp_before(protection, request, shape, {"a round", 10.0, 1000.0}, account).ok());
  SumSpace space(shape.rows, shape.width);
  for (const std::uint32_t round : {3u, 4u}) {
    ASSERT_TRUE(protection.first()->begin({round, {}, nullptr}).ok());
    Aggregator total(space);
    ASSERT_TRUE(protection.first()->finish(total).ok());
    EXPECT_DOUBLE_EQ(account->spent().epsilon, cost_of({10.0, 1.0, round + 1}, 1e-6, Accountant::rdp));
  }
}

TEST(DpRequest, WhatCannotBeIsRefused) {
  const auto refused = [](const std::function<void(TrainRequest&)>& change) {
    TrainRequest request = fedease("central");
    change(request);
    return !settle(request).ok();
  };
  EXPECT_FALSE(refused([](TrainRequest&) {}));
  EXPECT_TRUE(refused([](TrainRequest& r) { r.dp.place = "somewhere"; }));
  EXPECT_TRUE(refused([](TrainRequest& r) { r.dp.place = ""; }));
  EXPECT_TRUE(refused([](TrainRequest& r) { r.dp.epsilon.reset(); }));
  EXPECT_TRUE(refused([](TrainRequest& r) { r.dp.epsilon = -1.0; }));
  EXPECT_TRUE(refused([](TrainRequest& r) { r.dp.delta = 1.0; }));
  EXPECT_TRUE(refused([](TrainRequest& r) { r.dp.clip = 0.0; }));
  EXPECT_TRUE(refused([](TrainRequest& r) { r.dp.survivors = 1.5; }));
  EXPECT_TRUE(refused([](TrainRequest& r) { r.dp.items = 0; }));
  EXPECT_TRUE(refused([](TrainRequest& r) { r.model = ModelKind::ease; }));
}

TEST(DpRequest, APlanSaysItAndTheBudgetFileIsNotInIt) {
  TrainRequest request = fedease("distributed");
  request.dp.survivors = .75;
  request.dp.budget = "budget.json";
  const auto again = from_toml(to_toml(request), "plan.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->dp.place, "distributed");
  EXPECT_EQ(again->dp.epsilon, 4.0);
  EXPECT_EQ(again->dp.survivors, .75);
  EXPECT_EQ(again->dp.items, 40u);
  EXPECT_TRUE(again->dp.budget.empty());
  EXPECT_EQ(to_toml(TrainRequest{}).find("[dp]"), std::string::npos);
}

}  // namespace
}  // namespace sotto
