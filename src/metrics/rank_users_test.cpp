#include "metrics/rank_users.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/kernels.h"
#include "model/central/random_scores.h"
#include "model/central/testing/small_worlds.h"
#include "model/mf_recommender.h"

namespace sotto::metrics::rank_users_test {

struct World {
  RowMatrix users;
  RowMatrix items;
  Histories seen;
  Histories hidden;  // disjoint from seen
  Histories relevant;
};

// Small whole numbers as factors give many equal scores.
RowMatrix coarse_matrix(std::size_t rows, std::size_t width, std::uint32_t seed) {
  RowMatrix matrix(rows, width);
  for (std::uint32_t row = 0; row < rows; ++row) {
    Stream draws(seed, Purpose::init_shared, 0, row);
    for (float& value : matrix.values(row)) value = static_cast<float>(draws.below(3)) - 1.0f;
  }
  return matrix;
}

World draw_world() {
  const auto users = *rc::gen::inRange<std::size_t>(1, 40);
  const auto items = *rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(1, 8), rc::gen::inRange(8u, 400u));
  const auto width = *rc::gen::inRange<std::size_t>(2, 71);
  const auto seed = *rc::gen::inRange<std::uint32_t>(0, 1000);
  const auto rarity = *rc::gen::inRange<std::uint32_t>(3, 40);
  Rows seen(users), hidden(users), relevant(users);
  Stream draws(seed, Purpose::init_shared, 1);
  for (std::size_t user = 0; user < users; ++user)
    for (std::uint32_t item = 0; item < items + 5; ++item)  // the last five are in no catalogue
      switch (draws.below(rarity)) {
        case 0:
          if (item < items) seen[user].push_back(item);
          break;
        case 1:
          if (item < items) hidden[user].push_back(item);
          break;
        case 2:
          relevant[user].push_back(item);
          break;
        default:
          break;
      }
  return {coarse_matrix(users, width, seed + 1), coarse_matrix(items, width, seed + 2), histories_of(seen),
          histories_of(hidden), histories_of(relevant)};
}

// The obvious way for one user: every candidate, sorted; every pair, compared.
struct SlowRanking {
  std::vector<ItemIndex> list;
  double auc = 0.0;

  SlowRanking(const World& world, UserIndex user, std::size_t depth) {
    const auto has = [](std::span<const ItemIndex> part, std::uint32_t item) {
      return std::find(part.begin(), part.end(), ItemIndex{item}) != part.end();
    };
    const auto score = [&](std::uint32_t item) {
      float sum = 0.0f;
      for (std::size_t k = 0; k < world.users.width(); ++k)
        sum = std::fma(world.users.row(user.value)[k], world.items.row(item)[k], sum);
      return sum;
    };
    const auto relevant = world.relevant.of(user);
    std::vector<ItemIndex> candidates;
    for (std::uint32_t item = 0; item < world.items.rows(); ++item)
      if (!has(world.seen.of(user), item) && !has(world.hidden.of(user), item))
        candidates.push_back(ItemIndex{item});
    double sum = 0.0;
    for (const ItemIndex wanted : relevant) {
      if (wanted.value >= world.items.rows()) continue;
      double won = 0.0, pairs = 0.0;
      for (const ItemIndex other : candidates) {
        if (has(relevant, other.value)) continue;
        const float a = score(wanted.value), b = score(other.value);
        won += a > b ? 1.0 : a == b ? 0.5 : 0.0;
        pairs += 1.0;
      }
      sum += pairs > 0.0 ? won / pairs : 1.0;
    }
    auc = sum / static_cast<double>(relevant.size());
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](ItemIndex a, ItemIndex b) { return score(a.value) > score(b.value); });
    candidates.resize(std::min(depth, candidates.size()));
    list = candidates;
  }
};

std::vector<UserIndex> judged_users(const World& world) {
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < world.users.rows(); ++user)
    if (!world.relevant.of(UserIndex{user}).empty()) users.push_back(UserIndex{user});
  std::reverse(users.begin(), users.end());  // the order asked for is kept
  return users;
}

RC_GTEST_PROP(RankUsers, AgreesWithSortingEverythingForAnyMemory, ()) {
  const World world = draw_world();
  const MfRecommender model(&world.users, &world.items, {});
  const auto depth = *rc::gen::element<std::size_t>(1, 3, 10, 16, 17, 32, 33, 60, 500);
  const auto memory = *rc::gen::element<std::size_t>(0, 2000, 20'000, std::size_t{64} << 20);
  BackwardExecutor executor(*rc::gen::inRange<std::size_t>(1, 4));
  const RankTask task{&model, {&world.seen, &world.hidden}, &world.relevant, depth, memory};
  const auto users = judged_users(world);
  const auto ranking = rank_users(task, users, executor);
  RC_ASSERT(ranking.ok());
  for (std::size_t row = 0; row < users.size(); ++row) {
    const SlowRanking slow(world, users[row], depth);
    const auto list = ranking->lists.of(row, depth);
    RC_ASSERT(std::vector(list.begin(), list.end()) == slow.list);
    RC_ASSERT(std::fabs(ranking->auc[row] - slow.auc) < 1e-12);
  }
}

RC_GTEST_PROP(RankUsers, WithoutRelevantItemsTheListsAreTheSame, ()) {
  const World world = draw_world();
  const MfRecommender model(&world.users, &world.items, {});
  SerialExecutor executor;
  RankTask task{&model, {&world.seen}, &world.relevant, 10, 5000};
  const auto users = judged_users(world);
  const auto judged = rank_users(task, users, executor);
  task.relevant = nullptr;
  const auto lists = rank_users(task, users, executor);
  RC_ASSERT(judged.ok() && lists.ok());
  RC_ASSERT(lists->lists.items == judged->lists.items);
  RC_ASSERT(lists->candidates == judged->candidates);
  RC_ASSERT(lists->auc.empty());
}

// Knows score() only: goes through the sweep that every model has.
class OnlyScores final : public Recommender {
 public:
  explicit OnlyScores(const Recommender& model) : model_(model) {}
  [[nodiscard]] std::size_t catalogue() const override { return model_.catalogue(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override {
    model_.score(users, items, out);
  }
  void score_history(std::span<const ItemIndex>, std::span<float>) const override {}
  [[nodiscard]] Status similar(ItemIndex, std::span<float>) const override { return Done{}; }

 private:
  const Recommender& model_;
};

TEST(RankUsers, AModelsOwnSweepAndTheOneMadeOfScoresAgree) {
  // More items than the plain sweep scores at once.
  const std::size_t catalogue = 10'000;
  World world{coarse_matrix(30, 6, 1), coarse_matrix(catalogue, 6, 2), {}, {}, {}};
  Rows relevant(30), seen(30);
  Stream draws(1, Purpose::init_shared, 2);
  for (std::size_t user = 0; user < 30; ++user)
    for (std::uint32_t item = draws.below(200); item < catalogue; item += 1 + draws.below(900))
      (draws.below(2) == 0 ? relevant : seen)[user].push_back(item);
  world.relevant = histories_of(relevant);
  world.seen = histories_of(seen);
  const MfRecommender model(&world.users, &world.items, {});
  const OnlyScores plain(model);
  SerialExecutor executor;
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < 30; ++user) users.push_back(UserIndex{user});
  RankTask task{&model, {&world.seen}, &world.relevant, 50, std::size_t{64} << 20};
  const auto own = rank_users(task, users, executor);
  task.model = &plain;
  const auto made = rank_users(task, users, executor);
  ASSERT_TRUE(own.ok() && made.ok());
  EXPECT_EQ(own->lists.items, made->lists.items);
  EXPECT_EQ(own->auc, made->auc);
}

TEST(RankUsers, EveryTargetRanksAlike) {
  const RowMatrix users = coarse_matrix(50, 21, 3);
  const RowMatrix items = coarse_matrix(700, 21, 4);
  const MfRecommender model(&users, &items, {});
  Rows relevant;
  for (std::uint32_t user = 0; user < 50; ++user) relevant.push_back({user, user + 100, 699});
  const Histories judged = histories_of(relevant);
  std::vector<UserIndex> all;
  for (std::uint32_t user = 0; user < 50; ++user) all.push_back(UserIndex{user});
  const RankTask task{&model, {}, &judged, 10, std::size_t{1} << 20};
  SerialExecutor executor;
  const auto best = rank_users(task, all, executor);
  ASSERT_TRUE(best.ok());
  for (const std::int64_t target : kernels::runnable_targets()) {
    kernels::use_target(target);
    const auto other = rank_users(task, all, executor);
    ASSERT_TRUE(other.ok());
    EXPECT_EQ(other->lists.items, best->lists.items) << kernels::target_name();
    EXPECT_EQ(other->auc, best->auc) << kernels::target_name();
  }
  kernels::use_target(0);
}

TEST(RankUsers, FindsScoresThatAreNotFiniteAlsoOfMaskedItems) {
  const Histories seen = histories_of({{70}});
  SerialExecutor executor;
  const auto ranks = [&](float user_value, float item_value) {
    RowMatrix users(1, 3), items(100, 3);
    users.row(0)[0] = user_value;
    items.row(70)[0] = item_value;
    const MfRecommender model(&users, &items, {});
    const auto ranking = rank_users({&model, {&seen}, nullptr, 10, 0}, {UserIndex{0}}, executor);
    if (!ranking.ok()) {
      EXPECT_EQ(ranking.error().code, Code::diverged);
    }
    return ranking.ok();
  };
  EXPECT_TRUE(ranks(1.0f, 2.0f));
  EXPECT_FALSE(ranks(1.0f, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_FALSE(ranks(std::numeric_limits<float>::infinity(), 1.0f));
  EXPECT_FALSE(ranks(1e20f, 1e20f));  // finite rows, infinite product
  EXPECT_TRUE(ranks(1e19f, 1e19f));   // large but finite
}

TEST(RankUsers, RefusesSizesBeyondAnIndex) {
  SerialExecutor executor;
  const RandomScores large(std::size_t{1} << 32, 1);
  const auto items = rank_users({&large, {}, nullptr, 10, 0}, {UserIndex{0}}, executor);
  ASSERT_FALSE(items.ok());
  EXPECT_EQ(items.error().code, Code::bad_input);
  const RandomScores small(10, 1);
  const auto lists = rank_users({&small, {}, nullptr, std::numeric_limits<std::size_t>::max() / 4, 0},
                                {UserIndex{0}, UserIndex{1}}, executor);
  ASSERT_FALSE(lists.ok());
  EXPECT_EQ(lists.error().code, Code::usage);
}

}  // namespace sotto::metrics::rank_users_test
