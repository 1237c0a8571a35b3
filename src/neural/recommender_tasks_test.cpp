#include "neural/recommender_tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "model/averaging/flat_matrices.h"
#include "model/central/multvae.h"
#include "model/central/neumf.h"
#include "model/central/testing/small_worlds.h"
#include "neural/neumf_step.h"
#include "neural/trainings.h"
#include "neural/vae_step.h"

namespace sotto::neural::recommender_tasks_test {
namespace {

constexpr std::uint32_t people = 30, catalogue = 40, groups = 3, length = 6;
constexpr std::uint64_t seed = 11;
constexpr std::uint32_t a_round = 7;
constexpr float rate = 0.2f;
const MultVaeOptions vae{.hidden = 12, .latent = 5, .dropout = 0.3f, .anneal_cap = 0.5f, .anneal_epochs = 10};
const NeuMfOptions neumf{.factors = 4, .layers = {12, 8, 4}, .negatives = 3};

const DeviceHistories& devices() {
  static const DeviceHistories histories(histories_of(planted_rows(people, catalogue, groups, length)));
  return histories;
}
const Histories& world() { return devices().asked(); }

std::vector<float> start_of(const LocalTask& task) {
  std::vector<float> model(task.parameters());
  task.start(seed, model);
  return model;
}

// What the server makes of one local step of everybody: the mean of the devices' models.
std::vector<double> mean_after_one_step(const LocalTask& task, const std::vector<float>& model,
                                        RowMatrix& own) {
  std::vector<double> sum(model.size(), 0.0);
  for (std::uint32_t user = 0; user < people; ++user) {
    std::vector<float> copy = model;
    const auto row = own.rows() > 0 ? own.values(user) : std::span<float>();
    EXPECT_TRUE(
        task.train(seed, a_round, UserIndex{user}, {.epochs = 1, .rate = rate}, copy, row).value().finite);
    for (std::size_t k = 0; k < copy.size(); ++k) sum[k] += static_cast<double>(copy[k]) / people;
  }
  return sum;
}

void expect_central_step(Network& network, const std::vector<std::size_t>& shared,
                         const std::vector<double>& mean) {
  std::size_t at = 0;
  double moved = 0.0;
  for (const std::size_t n : shared)
    for (std::size_t row = 0; row < network.value(n).rows(); ++row)
      for (std::size_t k = 0; k < network.value(n).width(); ++k, ++at) {
        const double step = static_cast<double>(rate * network.gradient(n).row(row)[k]);
        ASSERT_NEAR(mean[at], static_cast<double>(network.value(n).row(row)[k]) - step, 3e-7)
            << "matrix " << n << ", row " << row << ", place " << k;
        moved = std::max(moved, std::abs(step));
      }
  EXPECT_EQ(at, mean.size());
  EXPECT_GT(moved, 1e-3);
}

TEST(FedMultVae, OneStepOfEverybodyIsACentralStep) {
  const auto task = start_fed_multvae(devices(), catalogue, vae).value();
  const std::vector<float> model = start_of(*task);
  RowMatrix none;
  const std::vector<double> mean = mean_after_one_step(*task, model, none);
  VaeBatch batch;
  batch.noise = RowMatrix(people, vae.latent);
  for (std::uint32_t user = 0; user < people; ++user) {
    const auto history = world().of(UserIndex{user});
    Stream dropout(seed, Purpose::local_dropout, a_round, user),
        noise(seed, Purpose::local_noise, a_round, user);
    for (const ItemIndex item : history) {
      batch.items.push_back(item);
      batch.inputs.push_back(dropout.chance(0.3f) ? 0.0f : 1.0f / (std::sqrt(6.0f) * 0.7f));
    }
    batch.offsets.push_back(batch.items.size());
    for (float& value : batch.noise.values(user)) value = static_cast<float>(noise.normal());
  }
  const auto shapes = multvae_shared_shapes(catalogue, vae);
  Network network(shapes);
  const auto matrices = matrices_of(model, shapes);
  for (std::size_t n = 0; n < matrices.size(); ++n) network.value(n).take_values(matrices[n]);
  SerialExecutor serial;
  static_cast<void>(vae_gradients(network, batch, 0.5f * 7.0f / 10.0f, serial));
  expect_central_step(network, {0, 1, 2, 3}, mean);
}

TEST(FedNeuMf, OneStepOfEverybodyIsACentralStep) {
  const auto task = start_fed_neumf(devices(), catalogue, neumf).value();
  const std::vector<float> model = start_of(*task);
  Network network([] {
    std::vector<MatrixShape> shapes{{catalogue, neumf_row_width(neumf)}, {people, neumf_row_width(neumf)}};
    for (const MatrixShape& shape : neumf_layer_shapes(neumf)) shapes.push_back(shape);
    return shapes;
  }());
  const auto matrices = matrices_of(model, neumf_shared_shapes(catalogue, neumf));
  const std::vector<std::size_t> shared{0, 2, 3, 4};
  ASSERT_EQ(matrices.size(), shared.size());
  for (std::size_t n = 0; n < shared.size(); ++n) network.value(shared[n]).take_values(matrices[n]);
  RowMatrix& users = network.value(neumf_net_users);
  std::vector<NeuMfExample> batch;
  for (std::uint32_t user = 0; user < people; ++user) {
    task->start_private(seed, UserIndex{user}, users.values(user));
    Stream draws(seed, Purpose::local_negatives, a_round, user);
    for (const ItemIndex item : world().of(UserIndex{user})) {
      batch.push_back({UserIndex{user}, item, 1.0f});
      for (int drawn = 0; drawn < 3;) {
        const ItemIndex other{draws.below(catalogue)};
        if (world().contains(UserIndex{user}, other)) continue;
        batch.push_back({UserIndex{user}, other, 0.0f});
        ++drawn;
      }
    }
  }
  RowMatrix own = users;
  const std::vector<double> mean = mean_after_one_step(*task, model, own);
  SerialExecutor serial;
  static_cast<void>(neumf_gradients(network, neumf, batch, serial));
  expect_central_step(network, shared, mean);
  // The own row's loss is the device's alone, not a share of everybody's.
  for (std::uint32_t user = 0; user < people; ++user)
    for (std::size_t k = 0; k < own.width(); ++k)
      ASSERT_NEAR(own.row(user)[k],
                  users.row(user)[k] - rate * people * network.gradient(neumf_net_users).row(user)[k], 1e-6);
}

struct Kind {
  const char* name;
  Result<std::unique_ptr<LocalTask>> (*start)();
};
const std::vector<Kind> kinds{{"MultVAE", [] { return start_fed_multvae(devices(), catalogue, vae); }},
                              {"NeuMF", [] { return start_fed_neumf(devices(), catalogue, neumf); }}};

struct Outcome {
  std::vector<float> model, own;
  bool operator==(const Outcome&) const = default;
};

Outcome trained(const LocalTask& task, std::uint32_t user, const LocalTraining& how,
                std::uint32_t round = 0) {
  Outcome out{start_of(task), std::vector<float>(task.private_width())};
  task.start_private(seed, UserIndex{user}, out.own);
  EXPECT_TRUE(task.train(seed, round, UserIndex{user}, how, out.model, out.own).value().finite);
  return out;
}

TEST(FedRecommenders, ThreadsDoNotChangeAByteAndRoundsDo) {
  const LocalTraining how{.epochs = 3, .batch = 2, .rate = rate};
  for (const Kind& kind : kinds) {
    const auto task = kind.start().value();
    std::vector<Outcome> together(4);
    std::vector<std::thread> threads;
    for (std::uint32_t user = 0; user < 4; ++user)
      threads.emplace_back([&, user] { together[user] = trained(*task, user, how); });
    for (std::thread& thread : threads) thread.join();
    for (std::uint32_t user = 0; user < 4; ++user)
      EXPECT_TRUE(together[user] == trained(*task, user, how)) << kind.name;
    EXPECT_FALSE(together[0] == trained(*task, 0, how, 1)) << kind.name;
  }
}

TEST(FedRecommenders, TheProximalTermPullsBackAsMuSays) {
  const auto task = start_fed_neumf(devices(), catalogue, neumf).value();
  const std::vector<float> received = start_of(*task);
  const float mu = 0.8f;
  // Two steps whose second one is seen alone too: same draws, since the first ones are the stream's first.
  const Outcome one = trained(*task, 0, {.epochs = 1, .rate = rate});
  EXPECT_TRUE(one == trained(*task, 0, {.epochs = 1, .rate = rate, .proximal = mu}));
  const Outcome two = trained(*task, 0, {.epochs = 2, .rate = rate});
  const Outcome pulled = trained(*task, 0, {.epochs = 2, .rate = rate, .proximal = mu});
  for (std::size_t k = 0; k < received.size(); ++k)
    ASSERT_NEAR(pulled.model[k], two.model[k] - rate * mu * (one.model[k] - received[k]), 1e-6) << k;
  EXPECT_EQ(pulled.own, two.own);  // nobody sent the own row, so nothing pulls it
}

// The share of pairs of items that the person does not have, one of the own group and one of another, that
// stand in the right order.
double own_group_first(const Recommender& model) {
  std::uint64_t right = 0, pairs = 0;
  for (std::uint32_t user = 0; user < people; ++user) {
    std::vector<float> scores(catalogue);
    const UserIndex index{user};
    model.score(std::span(&index, 1), {0, catalogue}, scores);
    for (std::uint32_t own = user % groups; own < catalogue; own += groups)
      for (std::uint32_t other = 0; other < catalogue; ++other)
        if (other % groups != user % groups && !world().contains(index, ItemIndex{own}) &&
            !world().contains(index, ItemIndex{other})) {
          ++pairs;
          right += scores[own] > scores[other] ? 1 : 0;
        }
  }
  return static_cast<double>(right) / static_cast<double>(pairs);
}

TEST(FedRecommenders, RoundsOfAveragingLearnWhoBelongsWhere) {
  SerialExecutor serial;
  for (const Kind& kind : kinds) {
    const auto task = kind.start().value();
    const bool is_vae = task->private_width() == 0;
    std::vector<float> model = start_of(*task);
    RowMatrix own(people, std::max<std::size_t>(1, task->private_width()));
    if (!is_vae)
      for (std::uint32_t user = 0; user < people; ++user)
        task->start_private(seed, UserIndex{user}, own.values(user));
    const LocalTraining how{.epochs = is_vae ? 1u : 5u, .rate = is_vae ? 0.5f : 5.0f};
    for (std::uint32_t round = 0; round < (is_vae ? 200u : 40u); ++round) {
      std::vector<double> sum(model.size(), 0.0);
      for (std::uint32_t user = 0; user < people; ++user) {
        std::vector<float> copy = model;
        const auto row = is_vae ? std::span<float>() : own.values(user);
        ASSERT_TRUE(task->train(seed, round, UserIndex{user}, how, copy, row).value().finite);
        for (std::size_t k = 0; k < copy.size(); ++k) sum[k] += static_cast<double>(copy[k]) / people;
      }
      std::ranges::transform(sum, model.begin(), [](double value) { return static_cast<float>(value); });
    }
    const auto shapes =
        is_vae ? multvae_shared_shapes(catalogue, vae) : neumf_shared_shapes(catalogue, neumf);
    std::vector<RowMatrix> layers = matrices_of(model, shapes);
    const RowMatrix items = std::move(layers.front());
    layers.erase(layers.begin());
    const double share = is_vae ? own_group_first(MultVae(world(), items, layers, serial))
                                : own_group_first(NeuMf(neumf, 1, own, items, layers));
    EXPECT_GT(share, 0.8) << kind.name;  // 0.5 where nothing is learned
  }
}

// Two people's histories, whose first speaks of the even items alone.
class EvenItems final : public DeviceHistories {
 public:
  explicit EvenItems(const std::vector<std::vector<std::uint32_t>>& rows)
      : DeviceHistories(histories_of(rows)) {}
  [[nodiscard]] std::vector<ItemIndex> spoken(std::uint32_t round, UserIndex user) const override {
    std::vector<ItemIndex> items = DeviceHistories::spoken(round, user);
    std::erase_if(items, [](ItemIndex item) { return item.value % 2 == 1; });
    return items;
  }
};

TEST(FedRecommenders, WhatIsNotSpokenOfMovesNothing) {
  const EvenItems some({{0, 1, 4, 7}, {3, 5}}), others({{0, 1, 4, 7}, {3, 5}});
  const DeviceHistories spoken(histories_of({{0, 4}, {6}}));
  const LocalTraining how{.epochs = 2, .rate = rate};
  const auto kept = start_fed_multvae(some, catalogue, vae).value(),
             told = start_fed_multvae(spoken, catalogue, vae).value();
  EXPECT_TRUE(trained(*kept, 0, how) == trained(*told, 0, how));
  // Nothing to say this time: everything goes back as it came.
  const std::vector<float> received = start_of(*kept);
  EXPECT_EQ(trained(*kept, 1, how).model, received);
  EXPECT_NE(trained(*told, 1, how).model, received);
  const auto network = start_fed_neumf(others, catalogue, neumf).value();
  EXPECT_EQ(trained(*network, 1, how).model, start_of(*network));
  EXPECT_NE(trained(*network, 0, how).model, start_of(*network));
}

TEST(FedRecommenders, BeginLikeTheCentralTraining) {
  NeuralOptions options;
  options.neumf = neumf;
  const auto central = start_neumf(world(), catalogue, options, seed).value();
  const auto task = start_fed_neumf(devices(), catalogue, neumf).value();
  const auto matrices = matrices_of(start_of(*task), neumf_shared_shapes(catalogue, neumf));
  std::vector<float> own(task->private_width());
  task->start_private(seed, UserIndex{9}, own);
  EXPECT_TRUE(std::ranges::equal(own, central->users().values(9)));
  for (std::size_t row = 0; row < catalogue; ++row)
    ASSERT_TRUE(std::ranges::equal(matrices[0].values(row), central->items().values(row)));
}

TEST(FedRecommenders, WhoHasNothingToLearnFromTakesNoPart) {
  const DeviceHistories some(histories_of({{}, {0, 1}, {1}}));
  const auto task = start_fed_neumf(some, 2, neumf).value();
  EXPECT_FALSE(task->takes_part(UserIndex{0}));
  EXPECT_FALSE(task->answers(UserIndex{1}));  // has everything: no negatives
  EXPECT_TRUE(task->answers(UserIndex{2}));
  EXPECT_TRUE(start_fed_multvae(some, 2, vae).value()->answers(UserIndex{1}));
  const DeviceHistories nothing(histories_of({{}, {}})), all(histories_of({{0, 1}}));
  EXPECT_EQ(start_fed_multvae(nothing, 2, vae).error().code, Code::bad_input);
  EXPECT_EQ(start_fed_neumf(all, 2, neumf).error().code, Code::bad_input);
}

}  // namespace
}  // namespace sotto::neural::recommender_tasks_test
