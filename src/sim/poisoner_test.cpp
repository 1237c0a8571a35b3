#include "sim/poisoner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/central/testing/small_worlds.h"
#include "sim/federation.h"
#include "sim/thread_pool.h"

namespace sotto::sim::poisoner_test {

constexpr std::size_t width = 3;

// Keeps what arrives.
class Listener final : public Collector {
 public:
  Status begin(const RoundPlace&) override {
    rows.clear();
    return Done{};
  }
  Status accept(UserIndex user, Contribution& contribution) override {
    for (std::size_t n = 0; n < contribution.size(); ++n)
      rows.push_back({user.value, contribution.row(n), contribution.values(n)[0], contribution.values(n)[1],
                      contribution.values(n)[2]});
    return Done{};
  }
  Result<Traffic> finish(Aggregator&) override { return Traffic{}; }

  std::vector<std::vector<std::int64_t>> rows;  // user, row, values
};

RowMatrix matrix_of(const std::vector<std::vector<float>>& rows) {
  RowMatrix matrix(rows.size(), width);
  for (std::size_t row = 0; row < rows.size(); ++row)
    std::copy(rows[row].begin(), rows[row].end(), matrix.values(row).begin());
  return matrix;
}

Contribution honest_one() {
  Contribution contribution(width);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}), {}, contribution);
  pipeline.open(Evidence::positive, 0)[1] = 5;
  pipeline.open(Evidence::negative, 2)[2] = -5;
  return contribution;
}

// Two users, of which the second is malicious, go through rounds with these models.
std::vector<std::vector<std::int64_t>> heard(const PoisonOptions& options,
                                             const std::vector<RowMatrix>& models) {
  Listener listener;
  Poisoner poisoner(listener, options);
  const std::vector<UserIndex> cohort{UserIndex{0}, UserIndex{1}};
  for (std::uint32_t round = 0; round < models.size(); ++round) {
    EXPECT_TRUE(poisoner.begin({round, cohort, &models[round]}).ok());
    for (const UserIndex user : cohort) {
      Contribution sent = honest_one();
      EXPECT_TRUE(poisoner.accept(user, sent).ok());
    }
  }
  return listener.rows;
}

PoisonOptions second_user(PoisonAttack attack) {
  PoisonOptions options;
  options.attack = attack;
  options.target = ItemIndex{3};
  options.malicious = {UserIndex{1}};
  options.popular = 1;
  options.fixed.bits = 10;
  return options;
}

const std::vector<RowMatrix>& two_models() {
  // Row 1 moves most; row 3 is the target.
  static const std::vector<RowMatrix> models{matrix_of({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}),
                                             matrix_of({{0, 1, 0}, {3, 0, 4}, {0, 0, 1}, {0, 0, 9}})};
  return models;
}

TEST(Poisoner, HonestDevicesPassUntouchedAndBoostRaisesTheBias) {
  PoisonOptions options = second_user(PoisonAttack::boost);
  options.strength = 2.0;
  EXPECT_EQ(heard(options, two_models()),
            (std::vector<std::vector<std::int64_t>>{{0, 0, 0, 5, 0}, {0, 2, 0, 0, -5}, {1, 3, 0, 0, 2048}}));
}

TEST(Poisoner, WithoutMaliciousDevicesNothingChanges) {
  PoisonOptions options = second_user(PoisonAttack::random);
  options.malicious.clear();
  EXPECT_EQ(heard(options, two_models()).size(), 4u);
}

// The most moved row is [3, 0, 4], of length 5; at reach 2 the target shall be [6, 0, 8] and is [0, 0, 9].
TEST(Poisoner, ImitationCarriesTheTargetToThePopular) {
  PoisonOptions options = second_user(PoisonAttack::pieck_ipe);
  options.reach = 2.0;
  options.learning_rate = 0.5f;
  EXPECT_EQ(heard(options, two_models()).back(), (std::vector<std::int64_t>{1, 3, 12 * 1024, 0, -2 * 1024}));
}

// The stand-in for a person is [3, 0, 1] and its slope has that direction.
TEST(Poisoner, ApproximationPushesTowardsThePopular) {
  PoisonOptions options = second_user(PoisonAttack::pieck_uea);
  const std::vector<std::int64_t> sent = heard(options, two_models()).back();
  EXPECT_NEAR(static_cast<double>(sent[2]), 1024.0 * 3.0 / std::sqrt(10.0), 1.0);
  EXPECT_EQ(sent[3], 0);
  EXPECT_NEAR(static_cast<double>(sent[4]), 1024.0 / std::sqrt(10.0), 1.0);
}

TEST(Poisoner, MadeUpPeopleStayThemselves) {
  const PoisonOptions options = second_user(PoisonAttack::random);
  const auto first = heard(options, {two_models()[0]}), second = heard(options, two_models());
  EXPECT_EQ(first.back(), second.back());
  EXPECT_GT(first.back()[4], 0);
}

TEST(Poisoner, DrawsExactlyTheShare) {
  std::vector<UserIndex> users;
  for (std::uint32_t n = 0; n < 101; ++n) users.push_back(UserIndex{n * 3});
  const std::vector<UserIndex> drawn = draw_malicious(users, 0.05, 1);
  EXPECT_EQ(drawn.size(), 5u);
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
  EXPECT_TRUE(std::includes(users.begin(), users.end(), drawn.begin(), drawn.end()));
  EXPECT_NE(drawn, draw_malicious(users, 0.05, 2));
  EXPECT_EQ(draw_malicious(users, 1.0, 1), users);
}

TEST(Poisoner, NamesReadBack) {
  for (const PoisonAttack attack : all_attacks) EXPECT_EQ(parse_attack(to_string(attack)).value(), attack);
  EXPECT_FALSE(parse_attack("flood").ok());
}

// A whole federation under attack: the target's bias ends above all others, for any number of threads.
TEST(Poisoner, AnUndefendedFederationFollowsTheAttacker) {
  const Histories train = histories_of(planted_rows(200, 40, 4, 12));
  Plan plan;
  plan.epochs = 5;
  plan.fpl.factors = width - 1;
  const Fpl model(plan.fpl, 40, plan.seed);
  const std::vector<UserIndex> users = eligible_users(train, 40);
  const Schedule schedule = schedule_for(plan, users.size(), train.interactions()).value();
  PoisonOptions options = second_user(PoisonAttack::boost);
  options.malicious = draw_malicious(users, 0.1, 1);
  options.fixed = plan.fixed;
  const auto attacked = [&](std::size_t threads) {
    ThreadPool pool(threads);
    PlainCollector plain({40, width});
    Poisoner poisoner(plain, options);
    FplFederation federation(model, plan, schedule, train, pool);
    federation.collect_with(poisoner);
    EXPECT_TRUE(federation.run(static_cast<std::uint32_t>(schedule.rounds)).ok());
    return std::move(federation).take();
  };
  const FederationState state = attacked(1);
  for (std::uint32_t item = 0; item < 40; ++item) {
    if (item == 3) continue;
    EXPECT_LT(state.shared.row(item)[width - 1], state.shared.row(3)[width - 1]);
  }
  EXPECT_EQ(hash_rows(attacked(3).shared), hash_rows(state.shared));
}

}  // namespace sotto::sim::poisoner_test
