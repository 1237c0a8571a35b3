#include "model/central/bpr_mf.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "base/pair_kernels.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::model::bpr_mf_test {

constexpr std::size_t factors = 3;

struct Triple {
  RowMatrix rows{3, factors + 1};  // user, positive, negative
  Triple() {
    const float values[3][factors + 1] = {
        {0.3f, -0.2f, 0.5f, 1.0f}, {0.1f, 0.4f, -0.3f, 0.2f}, {-0.6f, 0.2f, 0.1f, -0.4f}};
    for (std::size_t row = 0; row < 3; ++row) std::copy_n(values[row], factors + 1, rows.row(row));
  }
};

struct Regs {
  float user, positive, negative;
};

// −ln σ(x_ui − x_uj) + ½(λ_u|p|² + λ⁺|q_i|² + λ⁻|q_j|²), biases free.
double loss(const std::vector<double>& p, const std::vector<double>& i, const std::vector<double>& j,
            const Regs& regs) {
  double x = i[factors] - j[factors];
  double norms[3] = {0, 0, 0};
  for (std::size_t k = 0; k < factors; ++k) {
    x += p[k] * (i[k] - j[k]);
    norms[0] += p[k] * p[k];
    norms[1] += i[k] * i[k];
    norms[2] += j[k] * j[k];
  }
  return std::log1p(std::exp(-x)) + 0.5 * (double{regs.user} * norms[0] + double{regs.positive} * norms[1] +
                                           double{regs.negative} * norms[2]);
}

kernels::PairTotals central_step(RowMatrix& rows, float rate, const Regs& regs) {
  const kernels::RowStep step{rows.row(0), rows.row(1), rows.row(2), true};
  return kernels::central_steps(std::span(&step, 1), {.fixed_scale = 1.0f,
                                                      .learning_rate = rate,
                                                      .user_reg = regs.user,
                                                      .positive_reg = regs.positive,
                                                      .negative_reg = regs.negative,
                                                      .stride = rows.stride(),
                                                      .bias = factors});
}

TEST(BprStep, FollowsTheGradientByFiniteDifferences) {
  const Regs regs{0.3f, 0.2f, 0.1f};
  Triple before, after;
  const kernels::PairTotals totals = central_step(after.rows, 0.01f, regs);
  std::vector<std::vector<double>> point(3);
  for (std::size_t row = 0; row < 3; ++row)
    for (const float value : before.rows.values(row)) point[row].push_back(static_cast<double>(value));
  EXPECT_NEAR(static_cast<double>(totals.loss_units) * 0x1.0p-20,
              loss(point[0], point[1], point[2], {0, 0, 0}), 1e-6);
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t k = 0; k < factors + (row > 0 ? 1 : 0); ++k) {
      constexpr double h = 1e-5;
      auto up = point, down = point;
      up[row][k] += h;
      down[row][k] -= h;
      const double slope =
          (loss(up[0], up[1], up[2], regs) - loss(down[0], down[1], down[2], regs)) / (2 * h);
      const double moved = static_cast<double>(after.rows.row(row)[k]) - point[row][k];
      EXPECT_NEAR(moved, -0.01 * slope, 2e-7) << "row " << row << " column " << k;
    }
  EXPECT_EQ(after.rows.row(0)[factors], 1.0f);
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t k = factors + 1; k < after.rows.stride(); ++k) EXPECT_EQ(after.rows.row(row)[k], 0.0f);
}

struct PlantedWorld {
  Rows train_rows = planted_rows(200, 120, 4, 25);
  Rows held_out{200};
  PlantedWorld() {
    for (std::size_t user = 0; user < 200; ++user) {
      held_out[user].assign(train_rows[user].end() - 5, train_rows[user].end());
      train_rows[user].resize(20);
    }
  }
};

// The share of pairs (held-out item, item never seen) that the model orders right.
double pairs_right(const Recommender& model, const PlantedWorld& world) {
  double right = 0, pairs = 0;
  std::vector<float> scores(120);
  for (std::uint32_t user = 0; user < 200; ++user) {
    const UserIndex index{user};
    model.score(std::span(&index, 1), {0, 120}, scores);
    for (const std::uint32_t wanted : world.held_out[user])
      for (std::uint32_t other = 0; other < 120; ++other) {
        const auto has = [&](const std::vector<std::uint32_t>& items) {
          return std::find(items.begin(), items.end(), other) != items.end();
        };
        if (has(world.train_rows[user]) || has(world.held_out[user])) continue;
        right += scores[wanted] > scores[other] ? 1 : 0;
        pairs += 1;
      }
  }
  return right / pairs;
}

Status run_all(BprMf& model, const BprMfOptions& options) {
  SerialExecutor serial;
  for (std::uint32_t epoch = 0; epoch < options.epochs; ++epoch) {
    SOTTO_TRY([[maybe_unused]] const BprMf::Epoch done, model.run_epoch(epoch, serial));
  }
  return Done{};
}

TEST(BprMf, LearnsAPlantedWorld) {
  const PlantedWorld world;
  const Histories train = histories_of(world.train_rows);
  BprMfOptions options;
  options.factors = 8;
  options.epochs = 40;
  auto model = BprMf::start(train, 120, options);
  ASSERT_TRUE(model.ok());
  EXPECT_NEAR(pairs_right(*(*model)->view(), world), 0.5, 0.05);
  SerialExecutor serial;
  const auto first = (*model)->run_epoch(0, serial);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->steps, train.interactions());
  auto last = first;
  for (std::uint32_t epoch = 1; epoch < options.epochs; ++epoch) last = (*model)->run_epoch(epoch, serial);
  ASSERT_TRUE(last.ok());
  EXPECT_LT(last->mean_loss(), first->mean_loss() - 0.2);
  // 9 of 10 stay in the taste group of a quarter of the items: the best possible is about .93.
  EXPECT_GT(pairs_right(*(*model)->view(), world), 0.85);
}

TEST(BprMf, FoldInOfAHistoryGivesTheTrainedUsersList) {
  const PlantedWorld world;
  const Histories train = histories_of(world.train_rows);
  BprMfOptions options;
  options.factors = 8;
  auto trained = BprMf::start(train, 120, options);
  ASSERT_TRUE(run_all(**trained, options).ok());
  const auto model = (*trained)->view();
  std::size_t common = 0;
  std::vector<float> scores(120);
  const auto best_ten = [&](std::uint32_t user) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t item = 0; item < 120; ++item)
      if (!train.contains(UserIndex{user}, ItemIndex{item})) order.push_back(item);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
    order.resize(10);
    return order;
  };
  for (std::uint32_t user = 0; user < 200; ++user) {
    const UserIndex index{user};
    model->score(std::span(&index, 1), {0, 120}, scores);
    const auto own = best_ten(user);
    model->score_history(train.of(index), scores);
    for (const std::uint32_t item : best_ten(user)) common += std::count(own.begin(), own.end(), item) > 0;
  }
  // By chance it would be one of ten.
  EXPECT_GT(common, 200u * 10 * 7 / 10);
}

bool same(const RowMatrix& a, const RowMatrix& b) { return std::memcmp(a.row(0), b.row(0), a.bytes()) == 0; }

TEST(BprMf, TheSameSeedGivesTheSameBytes) {
  const Histories train = histories_of(PlantedWorld().train_rows);
  BprMfOptions options;
  options.epochs = 2;
  auto one = BprMf::start(train, 120, options);
  auto two = BprMf::start(train, 120, options);
  ASSERT_TRUE(run_all(**one, options).ok());
  ASSERT_TRUE(run_all(**two, options).ok());
  EXPECT_TRUE(same((*one)->items(), (*two)->items()));
  EXPECT_TRUE(same((*one)->users(), (*two)->users()));
  options.seed = 2;
  auto other = BprMf::start(train, 120, options);
  ASSERT_TRUE(run_all(**other, options).ok());
  EXPECT_FALSE(same((*one)->items(), (*other)->items()));
}

// Runs shards backwards: an order that no law promises.
class BackwardExecutor final : public Executor {
 public:
  [[nodiscard]] std::size_t threads() const override { return 3; }
  void run(std::size_t shards, const std::function<void(std::size_t)>& work) override {
    for (std::size_t shard = shards; shard-- > 0;) work(shard);
  }
};

TEST(BprMf, TheOrderOfTheJobsDoesNotMatterAndBlocksLearnToo) {
  const PlantedWorld world;
  const Histories train = histories_of(world.train_rows);
  BprMfOptions options;
  options.factors = 8;
  options.epochs = 40;
  options.blocks = 3;
  auto one = BprMf::start(train, 120, options);
  auto two = BprMf::start(train, 120, options);
  SerialExecutor forward;
  BackwardExecutor backward;
  for (std::uint32_t epoch = 0; epoch < options.epochs; ++epoch) {
    const auto done = (*one)->run_epoch(epoch, forward);
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->steps, train.interactions());
    EXPECT_EQ((*two)->run_epoch(epoch, backward)->loss_units, done->loss_units);
  }
  EXPECT_TRUE(same((*one)->items(), (*two)->items()));
  EXPECT_TRUE(same((*one)->users(), (*two)->users()));
  EXPECT_GT(pairs_right(*(*one)->view(), world), 0.85);
}

TEST(BprMf, GoesOnFromSavedParametersAtAnyEpoch) {
  const Histories train = histories_of(PlantedWorld().train_rows);
  BprMfOptions options;
  options.blocks = 3;
  SerialExecutor serial;
  auto whole = BprMf::start(train, 120, options);
  for (std::uint32_t epoch = 0; epoch < 6; ++epoch) ASSERT_TRUE((*whole)->run_epoch(epoch, serial).ok());
  auto first = BprMf::start(train, 120, options);
  for (std::uint32_t epoch = 0; epoch < 3; ++epoch) ASSERT_TRUE((*first)->run_epoch(epoch, serial).ok());
  auto second = BprMf::start(train, 120, options);
  (*second)->restore((*first)->users(), (*first)->items());
  for (std::uint32_t epoch = 3; epoch < 6; ++epoch) ASSERT_TRUE((*second)->run_epoch(epoch, serial).ok());
  EXPECT_TRUE(same((*whole)->items(), (*second)->items()));
  EXPECT_TRUE(same((*whole)->users(), (*second)->users()));
}

TEST(BprMf, AUserWithTheWholeCatalogueIsSkipped) {
  const Histories train = histories_of({{0, 1}, {0, 1}});
  auto model = BprMf::start(train, 2, {});
  const RowMatrix before = (*model)->items();
  SerialExecutor serial;
  const auto done = (*model)->run_epoch(0, serial);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->steps, 0u);
  EXPECT_EQ(done->mean_loss(), 0.0);
  EXPECT_EQ(std::memcmp(before.row(0), (*model)->items().row(0), before.bytes()), 0);
}

TEST(BprMf, DivergenceIsReported) {
  const Histories train = histories_of(PlantedWorld().train_rows);
  BprMfOptions options;
  options.learning_rate = 1e20f;
  options.epochs = 5;
  auto model = BprMf::start(train, 120, options);
  const Status status = run_all(**model, options);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::diverged);
}

TEST(BprMf, RefusesBadOptionsAndEmptyData) {
  const Histories train = histories_of({{0}});
  const auto code = [&](const std::function<void(BprMfOptions&)>& change) {
    BprMfOptions options;
    change(options);
    return BprMf::start(train, 2, options).error().code;
  };
  EXPECT_EQ(code([](auto& o) { o.factors = 0; }), Code::usage);
  EXPECT_EQ(code([](auto& o) { o.factors = 0xFFFFFFFFu; }), Code::usage);
  EXPECT_EQ(code([](auto& o) { o.learning_rate = 0.0f; }), Code::usage);
  EXPECT_EQ(code([](auto& o) { o.learning_rate = std::numeric_limits<float>::quiet_NaN(); }), Code::usage);
  EXPECT_EQ(code([](auto& o) { o.negative_reg = -1.0f; }), Code::usage);
  EXPECT_EQ(code([](auto& o) { o.init_sd = std::numeric_limits<float>::infinity(); }), Code::usage);
  EXPECT_EQ(BprMf::start(Histories(3), 2, {}).error().code, Code::bad_input);
  EXPECT_EQ(BprMf::start(train, 1, {}).error().code, Code::bad_input);
}

}  // namespace sotto::model::bpr_mf_test
