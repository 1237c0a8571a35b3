// Training under a secure sum gives the plain model, byte for byte; with silent devices, that of the others.
#include <gtest/gtest.h>

#include "data/generate.h"
#include "fed/secure/secure_collector.h"
#include "model/fcf.h"
#include "privacy/pair_contribution.h"
#include "sim/federation.h"
#include "sim/history_federation.h"
#include "sim/pair_round.h"
#include "sim/thread_pool.h"

namespace sotto::sim::secure_round_test {

const Split& world() {
  static const Split split =
      generate_split({.users = 20, .items = 24, .mean_interactions = 6.0, .seed = 5}).value();
  return split;
}

Plan plan() {
  Plan made;
  made.seed = 3;
  made.fpl.factors = 4;
  EXPECT_TRUE(set_variant(made, "pfpl+").ok());
  return made;
}

SumOptions options(SumKind kind, std::uint32_t group = 0, std::uint32_t block = 0) {
  SumOptions chosen;
  chosen.kind = kind;
  chosen.group = group;
  chosen.block = block;
  chosen.assumed.crowd = 4;
  return chosen;
}

// The options of each kind of sum that must not be seen in a model.
std::vector<SumOptions> ways() {
  return {options(SumKind::secure), options(SumKind::secure, 8), options(SumKind::secure, 0, 7),
          options(SumKind::shares), options(SumKind::shares, 9, 5)};
}

std::string fpl_hash(const SumOptions* sum, std::size_t threads = 1) {
  ThreadPool pool(threads);
  const Plan made = plan();
  const auto users = eligible_users(world().train, world().catalogue).size();
  const Schedule schedule = schedule_for(made, users, world().train.interactions()).value();
  const Fpl model(made.fpl, world().catalogue, made.seed);
  FplFederation federation(model, made, schedule, world().train, pool);
  std::unique_ptr<SecureCollector> collector;
  if (sum != nullptr) {
    const SumShape shape{model.shared_rows(), model.shared_width()};
    collector = std::make_unique<SecureCollector>(*sum, shape, made.seed, pool);
    federation.collect_with(*collector);
  }
  const auto report = federation.run(3);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return hash_rows(federation.state().shared) + hash_rows(federation.state().devices.on_device());
}

template <class Model>
std::string history_hash(const Model& model, const SumOptions* sum) {
  ThreadPool pool(2);
  const Plan made = plan();
  const Schedule schedule = history_schedule_for(made, users_with_history(world().train).size()).value();
  HistoryFederation<Model> federation(model, made, schedule, world().train, pool);
  std::unique_ptr<SecureCollector> collector;
  if (sum != nullptr) {
    const SumShape shape{model.sum_rows(), model.sum_width()};
    collector = std::make_unique<SecureCollector>(*sum, shape, made.seed, pool);
    federation.collect_with(*collector);
  }
  const auto report = federation.run(2);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return hash_rows(federation.state().shared) + hash_rows(federation.state().devices.on_device());
}

TEST(SecureRound, FplHasThePlainModelsHash) {
  const std::string plain = fpl_hash(nullptr);
  for (const SumOptions& way : ways()) EXPECT_EQ(fpl_hash(&way), plain);
}

TEST(SecureRound, FcfAndFederatedAlsHaveThePlainModelsHash) {
  const AlsOptions als{.factors = 4, .lambda = 0.5f, .confidence = 4.0f, .seed = 3};
  const Fcf fcf({.als = als, .server = {.step = ServerStep::adam, .rate = 0.05f}}, world().catalogue, 1.0);
  const FedAls fed_als(als, world().catalogue);
  const std::string plain_fcf = history_hash(fcf, nullptr), plain_als = history_hash(fed_als, nullptr);
  for (const SumOptions& way : ways()) {
    EXPECT_EQ(history_hash(fcf, &way), plain_fcf);
    EXPECT_EQ(history_hash(fed_als, &way), plain_als);
  }
}

// What federated EASE, Item-kNN and RP3β learn from is the sum of pairs.
TEST(SecureRound, FederatedEaseHasThePlainSumOfPairs) {
  const PairLayout layout(world().catalogue);
  SerialExecutor serial;
  const SumShape shape{layout.rows(), PairLayout::width};
  PlainCollector plain(shape);
  const CollectedNumbers expected =
      collect_pairs(world().train, world().catalogue, plan(), PersonWeight(0.5f), plain).value();
  for (const SumOptions& way : ways()) {
    SecureCollector secure(way, shape, 3, serial);
    const auto got = collect_pairs(world().train, world().catalogue, plan(), PersonWeight(0.5f), secure);
    ASSERT_TRUE(got.ok()) << got.error().message;
    EXPECT_EQ(got->sums, expected.sums);
  }
}

TEST(SecureRound, SilentDevicesChangeTheModelTheSameWayForAnyThreads) {
  SumOptions way = options(SumKind::secure);
  way.silent = 0.25;
  const std::string once = fpl_hash(&way);
  EXPECT_EQ(fpl_hash(&way, 3), once);
  EXPECT_NE(once, fpl_hash(nullptr));
}

}  // namespace sotto::sim::secure_round_test
