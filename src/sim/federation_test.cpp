#include "sim/federation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "data/generate.h"
#include "sim/thread_pool.h"

namespace sotto::sim::federation_test {

const Split& small_world() {
  static const Split split =
      generate_split({.users = 400, .items = 300, .mean_interactions = 15.0, .seed = 5}).value();
  return split;
}

struct Outcome {
  std::string shared;
  std::string devices;
  RoundReport report;
};

Outcome run(const Plan& plan, std::uint32_t rounds, std::size_t threads, Path path = Path::fast,
            bool collected = false) {
  const Split& world = small_world();
  ThreadPool pool(threads);
  const auto users = eligible_users(world.train, world.catalogue).size();
  const Schedule schedule = schedule_for(plan, users, world.train.interactions()).value();
  FplFederation federation(Fpl(plan.fpl, world.catalogue, plan.seed), plan, schedule, world.train, pool,
                           path);
  PlainCollector collector({world.catalogue, plan.fpl.factors + std::size_t{1}});
  if (collected) federation.collect_with(collector);
  const RoundReport report = federation.run(rounds).value();
  return {hash_rows(federation.state().shared), hash_rows(federation.state().devices.on_device()), report};
}

Plan plan_of(const char* variant, double pi, MaskKind mask = MaskKind::sticky) {
  Plan plan;
  EXPECT_TRUE(set_variant(plan, variant).ok());
  plan.fpl.factors = 8;
  plan.consent = {pi, mask};
  return plan;
}

TEST(Federation, SameBytesForAnyNumberOfThreads) {
  for (const char* variant : {"pfpl", "pfpl+"}) {
    const Plan plan = plan_of(variant, 0.5, MaskKind::redraw);
    const Outcome one = run(plan, 12, 1);
    for (const std::size_t threads : {2, 3, 8}) {
      const Outcome more = run(plan, 12, threads);
      EXPECT_EQ(more.shared, one.shared) << variant << ' ' << threads;
      EXPECT_EQ(more.devices, one.devices) << variant << ' ' << threads;
      EXPECT_EQ(more.report.loss_units, one.report.loss_units);
      EXPECT_EQ(more.report.bytes_up, one.report.bytes_up);
    }
  }
}

TEST(Federation, ACollectorGetsTheSameContributions) {
  for (const char* variant : {"sfpl", "sfpl+", "pfpl", "pfpl+"}) {
    Plan plan = plan_of(variant, 0.5, MaskKind::redraw);
    if (variant == std::string("pfpl+")) plan.cohort = 0.6;
    const std::uint32_t rounds = variant[0] == 's' ? 300 : 3;
    const Outcome plain = run(plan, rounds, 2);
    for (const Path path : {Path::fast, Path::wire}) {
      const Outcome collected = run(plan, rounds, 2, path, true);
      EXPECT_EQ(collected.shared, plain.shared) << variant;
      EXPECT_EQ(collected.devices, plain.devices) << variant;
      EXPECT_EQ(collected.report.bytes_up, plain.report.bytes_up) << variant;
      EXPECT_EQ(collected.report.bytes_down, plain.report.bytes_down) << variant;
    }
  }
}

TEST(Federation, APartialCohortOverSeveralShardsGivesTheSameBytes) {
  Plan plan = plan_of("pfpl+", 0.5, MaskKind::redraw);
  plan.cohort = 0.6;  // 240 of 400 users: three shards of at least 64
  const Outcome one = run(plan, 8, 1);
  for (const std::size_t threads : {2, 3}) {
    EXPECT_EQ(run(plan, 8, threads).shared, one.shared) << threads;
    EXPECT_EQ(run(plan, 8, threads).devices, one.devices) << threads;
  }
}

TEST(Federation, TheWireGivesTheSameModelAndTheBytesThatWereCounted) {
  for (const char* variant : {"sfpl", "sfpl+", "pfpl", "pfpl+"}) {
    const MaskKind mask = variant == std::string("sfpl+") ? MaskKind::sticky : MaskKind::redraw;
    const Plan plan = plan_of(variant, 0.7, mask);
    const std::uint32_t rounds = variant[0] == 's' ? 300 : 3;  // enough for users and items to come again
    const Outcome fast = run(plan, rounds, 2);
    const Outcome wire = run(plan, rounds, 2, Path::wire);
    EXPECT_EQ(wire.report.loss_units, fast.report.loss_units) << variant;
    EXPECT_EQ(wire.shared, fast.shared) << variant;
    EXPECT_EQ(wire.devices, fast.devices) << variant;
    EXPECT_EQ(wire.report.bytes_up, fast.report.bytes_up) << variant;
    EXPECT_EQ(wire.report.bytes_down, fast.report.bytes_down) << variant;
  }
}

TEST(Federation, SeedsAndPlansMatter) {
  Plan plan = plan_of("pfpl", 0.5);
  const std::string first = run(plan, 5, 1).shared;
  plan.seed = 2;
  EXPECT_NE(run(plan, 5, 1).shared, first);
  plan.seed = 1;
  plan.consent.mask = MaskKind::redraw;
  EXPECT_NE(run(plan, 5, 1).shared, first);
}

TEST(Federation, GoesOnFromASavedStateAsIfNothingHadHappened) {
  const Split& world = small_world();
  const Plan plan = plan_of("sfpl+", 0.5, MaskKind::redraw);
  SerialExecutor serial;
  const auto users = eligible_users(world.train, world.catalogue).size();
  const Schedule schedule = schedule_for(plan, users, world.train.interactions()).value();
  const auto start = [&] {
    return std::make_unique<FplFederation>(Fpl(plan.fpl, world.catalogue, plan.seed), plan, schedule,
                                           world.train, serial);
  };
  const auto undisturbed = start();
  ASSERT_TRUE(undisturbed->run(40).ok());
  const auto first = start();
  ASSERT_TRUE(first->run(17).ok());
  const auto second = start();
  second->restore(first->state());
  ASSERT_TRUE(second->run(23).ok());
  EXPECT_EQ(hash_rows(second->state().shared), hash_rows(undisturbed->state().shared));
  EXPECT_EQ(hash_rows(second->state().devices.on_device()),
            hash_rows(undisturbed->state().devices.on_device()));
}

// Which items the rounds update and how often, one draw and one question to consent at a time.
std::vector<std::uint64_t> slow_updates(const Plan& plan, const Schedule& schedule, std::uint32_t rounds) {
  const Split& world = small_world();
  CohortSelector selector(eligible_users(world.train, world.catalogue), schedule.cohort, plan.seed);
  const Membership consumed(world.train, world.catalogue);
  const PairSampler sampler(world.train, consumed, world.catalogue, plan.seed);
  std::vector<std::uint64_t> updates(world.catalogue, 0);
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (const UserIndex user : selector.select(round)) {
      ConsentGate gate(plan.consent, plan.seed, round, user);
      for (std::uint32_t t = 0; t < schedule.triples; ++t) {
        const Pair pair = sampler.draw(round, user, t);
        ++updates[pair.negative.value];
        if (gate.allows(Evidence::positive, pair.positive.value)) ++updates[pair.positive.value];
      }
    }
  return updates;
}

TEST(Federation, CountsUpdatesOnEveryPathAsOneWouldByHand) {
  const Split& world = small_world();
  const auto users = eligible_users(world.train, world.catalogue).size();
  for (const char* variant : {"sfpl", "sfpl+", "pfpl", "pfpl+"})
    for (const Path path : {Path::fast, Path::wire})
      for (const std::size_t threads : {1, 3}) {
        const MaskKind mask = threads == 1 ? MaskKind::sticky : MaskKind::redraw;
        const Plan plan = plan_of(variant, 0.4, mask);
        const Schedule schedule = schedule_for(plan, users, world.train.interactions()).value();
        ThreadPool pool(threads);
        const Fpl model(plan.fpl, world.catalogue, plan.seed);
        FplFederation federation(model, plan, schedule, world.train, pool, path);
        federation.count_updates({});
        const std::uint32_t rounds = variant[0] == 's' ? 150 : 3;
        ASSERT_TRUE(federation.run(rounds - 1).ok());
        // Another federation goes on from there.
        FplFederation second(model, plan, schedule, world.train, pool, path);
        second.restore(federation.state());
        second.count_updates(federation.item_updates());
        ASSERT_TRUE(second.run(1).ok());
        EXPECT_EQ(second.item_updates(), slow_updates(plan, schedule, rounds)) << variant << ' ' << threads;
      }
}

TEST(Federation, CountsNothingUnasked) {
  const Split& world = small_world();
  const Plan plan = plan_of("pfpl", 1.0);
  SerialExecutor serial;
  const Schedule schedule = schedule_for(plan, world.users.size(), world.train.interactions()).value();
  FplFederation federation(Fpl(plan.fpl, world.catalogue, plan.seed), plan, schedule, world.train, serial);
  ASSERT_TRUE(federation.run(1).ok());
  EXPECT_TRUE(federation.item_updates().empty());
}

TEST(Federation, TrainingLowersTheLoss) {
  for (const char* variant : {"sfpl", "sfpl+", "pfpl", "pfpl+"}) {
    Plan plan = plan_of(variant, 1.0);
    plan.fpl.learning_rate = 0.02f;
    const Split& world = small_world();
    SerialExecutor serial;
    const Schedule schedule = schedule_for(plan, world.users.size(), world.train.interactions()).value();
    FplFederation federation(Fpl(plan.fpl, world.catalogue, plan.seed), plan, schedule, world.train, serial);
    const double before = federation.run(schedule.rounds_per_epoch).value().mean_loss();
    ASSERT_TRUE(federation.run(schedule.rounds_per_epoch * 8).ok());
    const double after = federation.run(schedule.rounds_per_epoch).value().mean_loss();
    EXPECT_LT(after, 0.9 * before) << variant;
  }
}

TEST(Federation, DivergenceIsAnErrorThatNamesTheRemedy) {
  Plan plan = plan_of("pfpl+", 1.0);
  plan.fpl.learning_rate = 1e6f;
  const Split& world = small_world();
  SerialExecutor serial;
  const Schedule schedule = schedule_for(plan, world.users.size(), world.train.interactions()).value();
  FplFederation federation(Fpl(plan.fpl, world.catalogue, plan.seed), plan, schedule, world.train, serial);
  const auto report = federation.run(50);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, Code::diverged);
  EXPECT_NE(report.error().message.find("learning rate"), std::string::npos);
  EXPECT_EQ(report.error().message.find("round 0"), std::string::npos) << report.error().message;
}

// A world small enough for paper: 3 users, 4 items, F = 2.
Histories tiny_histories() {
  return {{0, 2, 3, 5}, {ItemIndex{0}, ItemIndex{1}, ItemIndex{2}, ItemIndex{1}, ItemIndex{3}}};
}

TEST(Federation, OneRoundOnAThreeByFourWorldNumberByNumber) {
  const Histories histories = tiny_histories();
  Plan plan = plan_of("pfpl", 1.0);
  plan.fpl = {
      .factors = 2, .learning_rate = 0.1f, .user_reg = 0.01f, .positive_reg = 0.02f, .negative_reg = 0.03f};
  SerialExecutor serial;
  const Schedule schedule = schedule_for(plan, 3, 5).value();
  ASSERT_EQ(schedule.cohort, 3u);
  ASSERT_EQ(schedule.triples, 1u);
  FplFederation federation(Fpl(plan.fpl, 4, plan.seed), plan, schedule, histories, serial);

  const double q[4][3] = {{0.1, -0.2, 0.05}, {0.3, 0.4, -0.1}, {-0.5, 0.2, 0.0}, {0.25, -0.35, 0.2}};
  const double p[3][2] = {{0.5, -0.4}, {0.2, 0.7}, {-0.3, 0.1}};
  FederationState state{0, RowMatrix(4, 3), Private(RowMatrix(3, 3))};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 3; ++k) state.shared.row(i)[k] = static_cast<float>(q[i][k]);
  for (std::size_t u = 0; u < 3; ++u) {
    for (std::size_t k = 0; k < 2; ++k) state.devices.on_device().row(u)[k] = static_cast<float>(p[u][k]);
    state.devices.on_device().row(u)[2] = 1.0f;
  }
  federation.restore(state);

  // The papers' formulae in double, from the triples that the round will draw.
  double expected_q[4][3];
  double expected_p[3][2];
  std::copy(&q[0][0], &q[0][0] + 12, &expected_q[0][0]);
  const Membership consumed(histories, 4);
  const PairSampler sampler(histories, consumed, 4, plan.seed);
  for (std::uint32_t u = 0; u < 3; ++u) {
    const Pair pair = sampler.draw(0, UserIndex{u}, 0u);
    const double* qi = q[pair.positive.value];
    const double* qj = q[pair.negative.value];
    const double x =
        (qi[2] + p[u][0] * qi[0] + p[u][1] * qi[1]) - (qj[2] + p[u][0] * qj[0] + p[u][1] * qj[1]);
    const double d = 1.0 / (1.0 + std::exp(x));
    for (int k = 0; k < 2; ++k) {
      expected_q[pair.positive.value][k] += 0.1 * (d * p[u][k] - 0.02 * qi[k]);
      expected_q[pair.negative.value][k] += 0.1 * (-d * p[u][k] - 0.03 * qj[k]);
      expected_p[u][k] = p[u][k] + 0.1 * (d * (qi[k] - qj[k]) - 0.01 * p[u][k]);
    }
    expected_q[pair.positive.value][2] += 0.1 * d;
    expected_q[pair.negative.value][2] -= 0.1 * d;
  }
  ASSERT_TRUE(federation.run(1).ok());
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(federation.state().shared.row(i)[k], expected_q[i][k], 5e-7) << i << ',' << k;
  for (std::size_t u = 0; u < 3; ++u)
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(federation.state().devices.on_device().row(u)[k], expected_p[u][k], 2e-7) << u << ',' << k;
}

// What each device sends over some rounds: item → how often, through the real pipeline.
std::map<std::uint32_t, std::set<std::uint32_t>> positives_sent(const ConsentPolicy& consent,
                                                                std::uint32_t rounds) {
  const Split& world = small_world();
  Plan plan;
  plan.consent = consent;
  plan.fpl.factors = 4;
  const Fpl model(plan.fpl, world.catalogue, plan.seed);
  const RowMatrix shared = model.start_shared();
  const Membership consumed(world.train, world.catalogue);
  const PairSampler sampler(world.train, consumed, world.catalogue, plan.seed);
  RowMatrix own(1, 5);
  RowMatrix scratch(1, 5);
  std::vector<Pair> pairs(30);
  DeviceWork work(5);
  std::map<std::uint32_t, std::set<std::uint32_t>> sent;
  for (std::uint32_t user = 0; user < 50; ++user) {
    model.start_private(UserIndex{user}, own.row(0));
    for (std::uint32_t round = 0; round < rounds; ++round) {
      sampler.draw(std::vector<VisitPlace>{{round, UserIndex{user}}}, pairs);
      const Visit visit{.shared = &shared,
                        .own = own.row(0),
                        .scratch = scratch.row(0),
                        .pairs = pairs,
                        .user = UserIndex{user},
                        .round = round};
      work.contribute(model, plan, std::span(&visit, 1));
      const Contribution& out = work.contribution(0);
      for (std::size_t n = 0; n < out.size(); ++n)
        if (world.train.contains(UserIndex{user}, ItemIndex{out.row(n)})) sent[user].insert(out.row(n));
    }
  }
  return sent;
}

TEST(Federation, PiZeroSendsNoPositiveAndPiOneAll) {
  EXPECT_TRUE(positives_sent({0.0, MaskKind::redraw}, 20).empty());
  EXPECT_TRUE(positives_sent({0.0, MaskKind::sticky}, 20).empty());
  const auto sent = positives_sent({1.0, MaskKind::sticky}, 20);  // 600 draws from ~12 items: each comes up
  for (std::uint32_t user = 0; user < 50; ++user)
    EXPECT_EQ(sent.at(user).size(), small_world().train.of(UserIndex{user}).size());
}

TEST(Federation, StickyDisclosesAShareForEverAndRedrawNearlyAll) {
  const auto share = [](const auto& sent) {
    double disclosed = 0.0;
    double all = 0.0;
    for (std::uint32_t user = 0; user < 50; ++user) {
      disclosed += sent.contains(user) ? static_cast<double>(sent.at(user).size()) : 0.0;
      all += static_cast<double>(small_world().train.of(UserIndex{user}).size());
    }
    return disclosed / all;
  };
  EXPECT_EQ(positives_sent({0.3, MaskKind::sticky}, 20), positives_sent({0.3, MaskKind::sticky}, 40));
  EXPECT_NEAR(share(positives_sent({0.3, MaskKind::sticky}, 40)), 0.3, 0.06);
  EXPECT_GT(share(positives_sent({0.3, MaskKind::redraw}, 40)), 0.95);
  EXPECT_GT(share(positives_sent({0.3, MaskKind::round}, 40)), 0.95);
}

TEST(ThreadPool, RunsEveryShardOnce) {
  ThreadPool pool(4);
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<int> ran(37, 0);
    pool.run(ran.size(), [&](std::size_t shard) { ++ran[shard]; });
    EXPECT_EQ(ran, std::vector<int>(37, 1));
  }
  EXPECT_EQ(pool.threads(), 4u);
  EXPECT_GE(ThreadPool(0).threads(), 1u);
}

}  // namespace sotto::sim::federation_test
