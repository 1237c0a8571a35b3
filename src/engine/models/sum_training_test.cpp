// Training under secure sums gives the plain model, byte for byte.
#include <gtest/gtest.h>

#include <string_view>

#include "data/generate.h"
#include "engine/train/forget.h"
#include "engine/train/training.h"
#include "fed/messages.h"
#include "fed/secure/pair_cost.h"
#include "sim/thread_pool.h"

namespace sotto::engine {
namespace {

Split sum_world() {
  return generate_split({.users = 24, .items = 30, .mean_interactions = 7.0, .seed = 5}).value();
}

TrainRequest request_for(std::string_view model, SumKind kind) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = model;
  EXPECT_TRUE(set_variant(request.plan, "pfpl+").ok());
  request.plan.fpl.factors = 4;
  request.plan.epochs = 2;
  request.sum.kind = kind;
  if (kind != SumKind::plain) request.sum.assumed.crowd = 4;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

// Of the answers: fedease's model_hash names its settings, whatever the sum does.
std::string hash_of(const TrainRequest& request, const Split& split, Executor& executor) {
  TrainHooks hooks;
  auto trained = train(request, split, executor, hooks);
  EXPECT_TRUE(trained.ok()) << trained.error().message;
  return trained.ok() ? hash_answers(*trained->model) : "";
}

// sim/secure_round_test.cpp has every kind of sum; here it is that a request reaches it.
TEST(SumTraining, ARequestedSumGivesThePlainModel) {
  const Split split = sum_world();
  SerialExecutor serial;
  for (const std::string_view model : {"fpl", "fedease"}) {
    const std::string plain = hash_of(request_for(model, SumKind::plain), split, serial);
    EXPECT_EQ(hash_of(request_for(model, SumKind::secure), split, serial), plain) << model;
    EXPECT_EQ(hash_of(request_for(model, SumKind::shares), split, serial), plain) << model;
    TrainRequest loses = request_for(model, SumKind::secure);
    loses.sum.silent = 0.2;
    EXPECT_NE(hash_of(loses, split, serial), plain) << model << ": another sum shows";
  }
}

// sim/pair_round_test.cpp has what the sums are; here it is that a request reaches them.
TEST(SumTraining, PairsOfPopularItemsAreTheSameHoweverTheyAreSummed) {
  const Split split = sum_world();
  SerialExecutor serial;
  ThreadPool pool(3);
  for (const std::string_view model : {"fedease", "feditemknn", "fedrp3beta"}) {
    const auto request = [&](SumKind kind) {
      TrainRequest made = request_for(model, kind);
      made.pairs.items = 12;
      EXPECT_TRUE(settle(made).ok());
      return made;
    };
    const std::string secure = hash_of(request(SumKind::secure), split, serial);
    EXPECT_EQ(hash_of(request(SumKind::secure), split, pool), secure) << model;
    EXPECT_EQ(hash_of(request(SumKind::shares), split, serial), secure) << model;
    EXPECT_EQ(hash_of(request(SumKind::products), split, serial), secure) << model;
    EXPECT_EQ(hash_of(request(SumKind::products), split, pool), secure) << model;
    EXPECT_EQ(hash_of(request_for(model, SumKind::products), split, serial),
              hash_of(request_for(model, SumKind::plain), split, serial))
        << model;
    EXPECT_NE(hash_of(request_for(model, SumKind::shares), split, serial), secure) << model;
    TrainRequest all = request(SumKind::shares);
    all.pairs.items = 30;
    EXPECT_EQ(hash_of(all, split, serial), hash_of(request_for(model, SumKind::shares), split, serial))
        << "of the whole catalogue there is nothing to find";
  }
}

TEST(SumTraining, PairsTakeWhatWasReckonedAndNoMore) {
  const Split split = sum_world();
  SerialExecutor serial;
  TrainHooks hooks;
  for (const SumKind kind : {SumKind::shares, SumKind::products})
    for (const std::optional<std::uint32_t> items : {std::optional<std::uint32_t>(12), {}}) {
      TrainRequest request = request_for("fedrp3beta", kind);
      request.pairs.items = items;
      const PersonWeight weight(0.5f);
      const PairSumPlan plan{sum_of_pairs(request.sum, weight), split.train.users(), split.catalogue, weight};
      EXPECT_EQ(train(request, split, serial, hooks).value().totals.bytes_up,
                split.train.users() * pair_bytes_up(plan, items.value_or(split.catalogue)).value())
          << to_string(kind);
    }
  TrainRequest request = request_for("fedease", SumKind::shares);
  request.pairs.items = 12;
  const Trained trained = train(request, split, serial, hooks).value();
  const PairSumPlan plan{sum_of_pairs(request.sum, PersonWeight()), split.train.users(), split.catalogue,
                         PersonWeight()};
  EXPECT_EQ(trained.totals.bytes_up, split.train.users() * pair_bytes_up(plan, 12).value());
  EXPECT_EQ(trained.totals.rounds, 2u);
  EXPECT_EQ(trained.totals.exchanges, split.train.users());
  EXPECT_EQ(trained.totals.bytes_down, split.train.users() * encoded_model_bytes(12, 12));
  request.pairs.bytes = pair_bytes_up(plan, 12).value() - 1;
  const auto refused = train(request, split, serial, hooks);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("--pair-items 11"), std::string::npos) << refused.error().message;
}

TEST(SumTraining, WhoIsForgottenIsTakenBackFromProductsToo) {
  SerialExecutor serial;
  const TrainRequest request = request_for("fedease", SumKind::products);
  const auto forgotten =
      forget({.request = request, .user = {3}, .kept = {}, .check = true}, sum_world(), serial);
  ASSERT_TRUE(forgotten.ok()) << forgotten.error().message;
  EXPECT_EQ(forgotten->cost.hash, forgotten->retrain->hash);
}

TEST(SumTraining, PairItemsAreRefusedWhereTheyMeanNothing) {
  const auto said = [](auto set) {
    TrainRequest request = request_for("fedease", SumKind::secure);
    request.pairs.items = 12;
    set(request);
    const Status status = settle(request);
    return status.ok() ? "" : status.error().message;
  };
  EXPECT_EQ(said([](TrainRequest&) {}), "");
  EXPECT_NE(said([](TrainRequest& request) { request.pairs.items = 0; }).find("from 1 up"),
            std::string::npos);
  EXPECT_NE(said([](TrainRequest& request) { request.sum = {}; }).find("add --sum secure"),
            std::string::npos);
  EXPECT_NE(said([](TrainRequest& request) {
              request.dp.place = "central";
              request.dp.epsilon = 8.0;
            }).find("--dp-items"),
            std::string::npos);
  EXPECT_NE(said([](TrainRequest& request) {
              request.sum.kind = SumKind::products;
              request.robust.groups = 3;
            }).find("no robust rule"),
            std::string::npos);
  TrainRequest rows = request_for("fpl", SumKind::plain);
  rows.sum.kind = SumKind::products;
  const Status refused = settle(rows);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("fedease, feditemknn, fedrp3beta"), std::string::npos);
  TrainRequest request = request_for("fedease", SumKind::secure);
  request.pairs.items = 12;
  SerialExecutor serial;
  const auto forgotten = forget({.request = request, .user = {3}, .kept = {}}, sum_world(), serial);
  ASSERT_FALSE(forgotten.ok());
  EXPECT_NE(forgotten.error().message.find("--pair-items"), std::string::npos);
}

TEST(SumTraining, WhatOnlyASecureSumReadsIsRefusedWithAPlainOne) {
  const auto said = [](auto set, const char* criteria = "") {
    TrainRequest request;
    request.data.paths = {"generated"};
    request.criteria.order = criteria;
    set(request.sum);
    const Status plain = settle(request);
    request.sum.kind = SumKind::secure;
    EXPECT_TRUE(settle(request).ok());
    return plain.ok() ? "" : plain.error().message;
  };
  EXPECT_EQ(said([](SumOptions&) {}), "");
  EXPECT_EQ(said([](SumOptions& sum) { sum.silent = 0.1; }),
            "--secure-dropout is for --sum secure: add it, or leave the option out");
  EXPECT_NE(said([](SumOptions& sum) { sum.block = 8; }).find("--secure-block"), std::string::npos);
  EXPECT_NE(said([](SumOptions& sum) { sum.group = 20; }).find("--secure-group"), std::string::npos);
  EXPECT_NE(said([](SumOptions& sum) { sum.bits = 40; }).find("--secure-bits"), std::string::npos);
  EXPECT_NE(said([](SumOptions& sum) { sum.limit = 99; }).find("--secure-limit"), std::string::npos);
  EXPECT_NE(said([](SumOptions& sum) { sum.aggregators = 3; }).find("--sum shares"), std::string::npos);
  const auto tolerates = [](SumOptions& sum) { sum.assumed.dropped = 0.125; };
  EXPECT_NE(said(tolerates).find("--secure-tolerate"), std::string::npos);
  const auto doubts = [](SumOptions& sum) { sum.assumed.corrupt = 0.125; };
  EXPECT_NE(said(doubts).find("--secure-corrupt"), std::string::npos);
  const auto crowded = [](SumOptions& sum) { sum.assumed.crowd = 4; };
  EXPECT_NE(said(crowded).find("--secure-crowd"), std::string::npos);
  EXPECT_EQ(said(crowded, "size"), "") << "a criterion that few tell is left alone with plain sums, too";
}

TEST(SumTraining, PaillierToo) {
  const Split split = generate_split({.users = 6, .items = 8, .mean_interactions = 3.0, .seed = 5}).value();
  SerialExecutor serial;
  const auto request = [](SumKind kind) {
    TrainRequest made = request_for("fpl", kind);
    made.plan.epochs = 1;
    made.sum.assumed.crowd = 3;
    return made;
  };
  EXPECT_EQ(hash_of(request(SumKind::paillier), split, serial),
            hash_of(request(SumKind::plain), split, serial));
}

TEST(SumTraining, ACohortThatIsTooSmallFailsTheRun) {
  const Split split = sum_world();
  SerialExecutor serial;
  TrainRequest request = request_for("fpl", SumKind::secure);
  request.sum.assumed.crowd = 30;
  TrainHooks hooks;
  const auto trained = train(request, split, serial, hooks);
  ASSERT_FALSE(trained.ok());
  EXPECT_NE(trained.error().message.find("secure sum refused"), std::string::npos);
}

TEST(SumTraining, CentralModelsHaveNothingToSum) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = "bprmf";
  request.sum.kind = SumKind::secure;
  const Status status = settle(request);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::usage);
}

}  // namespace
}  // namespace sotto::engine
