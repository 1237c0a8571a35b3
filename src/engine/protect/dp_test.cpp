#include "engine/protect/dp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/generate.h"
#include "engine/train/training.h"
#include "sim/thread_pool.h"

namespace sotto::engine {
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
  request.model = "fedease";
  request.lambda = 20.0f;
  request.dp.place = place;
  request.dp.epsilon = 4.0;
  request.dp.items = 40;
  if (request.dp.place == "distributed") request.sum.kind = SumKind::shares;
  return request;
}

// Rounds of everybody, with noise at `place`; how much is still to be said.
TrainRequest whole_cohorts(std::uint32_t epochs, const char* place) {
  TrainRequest request;
  request.data.paths = {"made up"};
  request.plan.epochs = epochs;
  request.plan.cohort = 1.0;
  request.plan.fpl.factors = 4;
  request.dp.place = place;
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
    EXPECT_FALSE(model->privacy->pure) << "a Gaussian has no epsilon without delta";
  }
}

// Two sums with 3% and 97% of one ε: without δ they cost all of it.
TEST(PrivateEase, LaplaceNoiseSpendsWhatWasAskedForWithoutDelta) {
  const Split split = world();
  std::vector<std::vector<float>> seen;
  // So few people drown in local noise of a usual ε.
  for (const auto& [place, epsilon] : {std::pair("central", 4.0), std::pair("local", 400.0)}) {
    TrainRequest request = fedease(place), gaussian = request;
    request.dp.kind = "laplace";
    request.dp.epsilon = gaussian.dp.epsilon = epsilon;
    ASSERT_TRUE(settle(request).ok());
    const auto model = trained(request, split), again = trained(request, split, 3);
    ASSERT_TRUE(model.ok()) << place << ": " << model.error().message;
    ASSERT_TRUE(again.ok() && model->privacy && model->privacy->pure);
    EXPECT_LE(model->privacy->epsilon, epsilon) << place;
    EXPECT_NEAR(*model->privacy->pure, epsilon, 1e-3 * epsilon) << place;
    EXPECT_NEAR(model->privacy->noise, (request.dp.place == "local" ? 2.0 : 1.0) / epsilon, 1e-4) << place;
    EXPECT_EQ(scores(*model, split), scores(*again, split)) << "any threads";
    EXPECT_NE(scores(*model, split), scores(*trained(gaussian, split), split)) << "no Gaussian";
    seen.push_back(scores(*model, split));
  }
  EXPECT_NE(seen[0], seen[1]);
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
  TrainRequest request = whole_cohorts(1, "central");
  request.dp.epsilon = 8.0;
  ASSERT_TRUE(settle(request).ok());
  const auto model = trained(request, split);
  ASSERT_TRUE(model.ok()) << model.error().message;
  ASSERT_TRUE(model->privacy.has_value());
  EXPECT_LE(model->privacy->epsilon, 8.0);
  EXPECT_GT(model->privacy->epsilon, 7.9);
}

TrainRequest laplace_rounds(const char* place) {
  TrainRequest request = whole_cohorts(3, place);
  request.dp.kind = "laplace";
  request.dp.noise = 4.0;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

TEST(DpTraining, LaplaceRoundsAddUpAndTheirModelIsTheSameForAnyThreads) {
  const Split split = world();
  for (const char* place : {"central", "local"}) {
    const TrainRequest request = laplace_rounds(place);
    const auto model = trained(request, split), again = trained(request, split, 3);
    ASSERT_TRUE(model.ok() && again.ok()) << (model.ok() ? "" : model.error().message);
    EXPECT_EQ(model->model_hash, again->model_hash) << place;
    ASSERT_TRUE(model->privacy && model->privacy->pure);
    // Three rounds; local noise hides which of two contributions it was.
    EXPECT_DOUBLE_EQ(*model->privacy->pure, request.dp.place == "local" ? 1.5 : .75);
    EXPECT_LE(model->privacy->epsilon, *model->privacy->pure);
    TrainRequest gaussian = request;
    gaussian.dp.kind = "";
    EXPECT_NE(trained(gaussian, split)->model_hash, model->model_hash) << place;
  }
}

TEST(DpTraining, AStoppedLaplaceRunGoesOnToTheSameBytesAndTheSameCost) {
  const Split split = world();
  const TrainRequest request = laplace_rounds("local");
  std::vector<Checkpoint> kept;
  TrainHooks hooks;
  hooks.checkpoint_due = [] { return true; };
  hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status {
    kept.push_back(checkpoint);
    return Done{};
  };
  SerialExecutor serial;
  const auto whole = train(request, split, serial, hooks);
  ASSERT_TRUE(whole.ok() && kept.size() > 2);
  ASSERT_GT(kept[1].round, 0u);
  TrainHooks none;
  const auto resumed = train(request, split, serial, none, kept[1]);
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_EQ(resumed->model_hash, whole->model_hash);
  EXPECT_DOUBLE_EQ(resumed->privacy->epsilon, whole->privacy->epsilon);
  EXPECT_DOUBLE_EQ(*resumed->privacy->pure, *whole->privacy->pure);
}

TEST(DpTraining, ALaplaceRunHaltsWhenItsEpsilonIsSpent) {
  TrainRequest request = laplace_rounds("central");
  request.dp.epsilon = .6;  // two rounds of 1/4
  ASSERT_TRUE(settle(request).ok());
  const auto model = trained(request, world());
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message.find("budget is spent"), std::string::npos) << model.error().message;
}

TEST(DpTraining, HaltsWhenTheBudgetIsSpent) {
  const Split split = world();
  TrainRequest request = whole_cohorts(3, "central");
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
  ASSERT_TRUE(protection.count_before(3).ok());
  EXPECT_DOUBLE_EQ(account->spent().epsilon, cost_of({10.0, 1.0, 3}, 1e-6, Accountant::rdp))
      << "though it released nothing yet";
  SumSpace space(shape.rows, shape.width);
  for (const std::uint32_t round : {3u, 4u}) {
    ASSERT_TRUE(protection.first()->begin({round, {}, nullptr}).ok());
    Aggregator total(space);
    ASSERT_TRUE(protection.first()->finish(total).ok());
    EXPECT_DOUBLE_EQ(account->spent().epsilon, cost_of({10.0, 1.0, round + 1}, 1e-6, Accountant::rdp));
  }
}

TrainRequest noisy_rounds() {
  TrainRequest request = whole_cohorts(2, "central");
  request.dp.noise = 10.0;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

TEST(DpTraining, ARunResumedAtItsEndHasSpentWhatItSpent) {
  const Split split = world();
  const TrainRequest request = noisy_rounds();
  std::optional<Checkpoint> last;
  TrainHooks hooks;
  hooks.checkpoint_due = [] { return true; };
  hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status {
    last = checkpoint;
    return Done{};
  };
  SerialExecutor serial;
  const auto whole = train(request, split, serial, hooks);
  ASSERT_TRUE(whole.ok() && last.has_value());
  ASSERT_GT(whole->privacy->epsilon, 0.0);
  TrainHooks none;
  const auto again = train(request, split, serial, none, std::move(last));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_DOUBLE_EQ(again->privacy->epsilon, whole->privacy->epsilon);
}

// Where two releases differ by a person and have the same noise, their difference is that person.
TEST(DpTraining, OtherDataTermsOrPlansDrawOtherNoise) {
  const Split split = world();
  const TrainRequest request = noisy_rounds();
  const std::string usual = with_noise(request, 2, split)->dp.drawn_for;
  EXPECT_EQ(with_noise(request, 2, split)->dp.drawn_for, usual);
  TrainRequest changed = request;
  changed.wire = true;
  changed.sum.kind = SumKind::secure;
  EXPECT_EQ(with_noise(changed, 2, split)->dp.drawn_for, usual) << "the same sum";
  changed.sum.silent = .1;
  EXPECT_NE(with_noise(changed, 2, split)->dp.drawn_for, usual);
  changed = request;
  changed.plan.fpl.learning_rate *= 2;
  EXPECT_NE(with_noise(changed, 2, split)->dp.drawn_for, usual);
  changed = request;
  const ConsentBook all({{.pi = 1.0}}, std::vector<std::uint16_t>(split.users.size(), 0));
  changed.plan.consent.people = std::make_shared<ConsentBook>(all.without(UserIndex{3}));
  const std::string without_one = with_noise(changed, 2, split)->dp.drawn_for;
  EXPECT_NE(without_one, usual);
  changed.plan.consent.people = std::make_shared<ConsentBook>(all.without(UserIndex{4}));
  EXPECT_NE(with_noise(changed, 2, split)->dp.drawn_for, without_one);
  Split other = world();
  other.hash = "another";
  EXPECT_NE(with_noise(request, 2, other)->dp.drawn_for, usual);
  // So do what people keep back of the items' features, and the features.
  const auto terms = [](std::vector<FeatureIndex> kept) {
    ConsentTerms one;
    one.kept_back = std::move(kept);
    return std::make_shared<ConsentBook>(std::vector{one}, std::vector<std::uint16_t>(150, 0));
  };
  changed.plan.consent.people = terms({});
  const std::string open = with_noise(changed, 2, split)->dp.drawn_for;
  changed.plan.consent.people = terms({{4}});
  EXPECT_NE(with_noise(changed, 2, split)->dp.drawn_for, open);
  Split known = world();
  known.features = std::make_shared<const ItemFeatures>();
  EXPECT_NE(with_noise(request, 2, known)->dp.drawn_for, usual);
  // And it is what the noise is drawn by.
  const auto released = [&](const TrainRequest& noisy) {
    const SumShape shape{2, 1};
    Protection protection;
    protection.put_before(std::make_unique<PlainCollector>(shape));
    const auto account = DpAccount::open(noisy).value();
    EXPECT_TRUE(put_dp_before(protection, noisy, shape, {"a round", 10.0, 1000.0}, account).ok());
    EXPECT_TRUE(protection.first()->begin({0, {}, nullptr}).ok());
    SumSpace space(shape.rows, shape.width);
    Aggregator total(space);
    EXPECT_TRUE(protection.first()->finish(total).ok());
    std::vector<std::int64_t> sums;
    std::move(total).release([&](std::uint32_t, const auto* values) { sums.push_back(values[0]); });
    return sums;
  };
  EXPECT_EQ(released(*with_noise(request, 2, split)), released(*with_noise(request, 2, split)));
  EXPECT_NE(released(*with_noise(request, 2, split)), released(*with_noise(request, 2, other)));
}

TEST(DpRequest, DistributedNoiseNeedsOneSecureSum) {
  TrainRequest request = fedease("distributed");
  EXPECT_TRUE(settle(request).ok());
  request.sum.group = 20;
  EXPECT_FALSE(settle(request).ok());
  request.sum.group = 0;
  request.sum.block = 16;
  EXPECT_FALSE(settle(request).ok());
  request.sum = {};
  const Status plain = settle(request);
  ASSERT_FALSE(plain.ok());
  EXPECT_NE(plain.error().message.find("--sum secure"), std::string::npos) << plain.error().message;
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
  EXPECT_TRUE(refused([](TrainRequest& r) { r.dp.kind = "loud"; }));
  EXPECT_TRUE(refused([](TrainRequest& r) { r.dp = {}, r.dp.kind = "laplace"; }));
  EXPECT_FALSE(refused([](TrainRequest& r) { r.dp.kind = "laplace"; }));
  EXPECT_FALSE(refused([](TrainRequest& r) { r.dp.kind = "gaussian"; }));
  EXPECT_TRUE(refused([](TrainRequest& r) { r.model = "ease"; }));
  const auto looks = [](TrainRequest& r) { r.early.patience = 3, r.data.split.validation_share = .2; };
  EXPECT_TRUE(refused(looks));
  EXPECT_FALSE(refused([&](TrainRequest& r) { looks(r), r.dp = {}; }));
}

TEST(DpRequest, SharesOfLaplaceNoiseAreRefused) {
  TrainRequest request = fedease("distributed");
  request.dp.kind = "laplace";
  const Status refused = settle(request);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("--dp central or local"), std::string::npos)
      << refused.error().message;
}

TEST(DpRequest, TheUsualKindSaidAloudDrawsTheSameNoise) {
  const Split split = world();
  TrainRequest request = fedease("central");
  const std::string usual = with_noise(request, 1, split)->dp.drawn_for;
  request.dp.kind = "gaussian";
  EXPECT_EQ(with_noise(request, 1, split)->dp.drawn_for, usual);
  request.dp.kind = "laplace";
  EXPECT_NE(with_noise(request, 1, split)->dp.drawn_for, usual);
}

TEST(DpRequest, APlanSaysItAndTheBudgetFileIsNotInIt) {
  TrainRequest request = fedease("distributed");
  request.dp.survivors = .75;
  request.dp.kind = "gaussian";
  request.dp.budget = "budget.json";
  const auto again = from_toml(to_toml(request), "plan.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->dp.place, "distributed");
  EXPECT_EQ(again->dp.kind, "gaussian");
  EXPECT_EQ(again->dp.epsilon, 4.0);
  EXPECT_EQ(again->dp.survivors, .75);
  EXPECT_EQ(again->dp.items, 40u);
  EXPECT_TRUE(again->dp.budget.empty());
  EXPECT_EQ(to_toml(TrainRequest{}).find("[dp]"), std::string::npos);
}

}  // namespace
}  // namespace sotto::engine
