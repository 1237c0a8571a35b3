#include "neural/trainings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/central/multvae.h"
#include "model/central/neumf.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::neural::trainings_test {
namespace {

constexpr std::uint32_t people = 120, catalogue = 60, groups = 3;

NeuralOptions small_options() {
  NeuralOptions options;
  options.learning_rate = 0.01f;
  options.batch = 50;
  options.vae = {.hidden = 24, .latent = 8, .dropout = 0.3f, .anneal_cap = 0.1f, .anneal_epochs = 5};
  options.neumf = {.factors = 6, .layers = {16, 12, 6}, .negatives = 3};
  return options;
}

using Start = Result<std::unique_ptr<NeuralTraining>> (*)(const Histories&, std::size_t, const NeuralOptions&,
                                                          std::uint64_t);
struct Kind {
  const char* name;
  Start start;
  std::uint32_t epochs;
};
const std::vector<Kind> kinds{{"multvae", start_multvae, 30}, {"neumf", start_neumf, 20}};

std::unique_ptr<Recommender> model_of(const Kind& kind, const NeuralTraining& training,
                                      const Histories& train) {
  SerialExecutor serial;
  if (kind.start == &start_multvae)
    return std::make_unique<MultVae>(train, training.items(), training.layers(), serial);
  return std::make_unique<NeuMf>(small_options().neumf, 1, training.users(), training.items(),
                                 training.layers());
}

// Of the items that the person does not have, the share of pairs in which one of the own group stands above
// one of another.
double own_group_first(const std::vector<float>& scores, const std::vector<std::uint32_t>& had,
                       std::uint32_t group) {
  std::uint64_t right = 0, pairs = 0;
  const auto is_new = [&](std::uint32_t item) {
    return std::find(had.begin(), had.end(), item) == had.end();
  };
  for (std::uint32_t own = group; own < catalogue; own += groups)
    for (std::uint32_t other = 0; other < catalogue; ++other)
      if (other % groups != group && is_new(own) && is_new(other)) {
        ++pairs;
        right += scores[own] > scores[other] ? 1 : 0;
      }
  return static_cast<double>(right) / static_cast<double>(pairs);
}

std::string bytes_of(const NeuralTraining& training) {
  std::string bytes;
  const auto add = [&](const RowMatrix& matrix) {
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      const auto values = std::as_bytes(matrix.values(row));
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size());
    }
  };
  add(training.items());
  add(training.users());
  for (const RowMatrix& layer : training.layers()) add(layer);
  return bytes;
}

TEST(NeuralTraining, LearnsWhoBelongsWhere) {
  const Rows rows = planted_rows(people, catalogue, groups, 10);
  const Histories train = histories_of(rows);
  SerialExecutor serial;
  for (const Kind& kind : kinds) {
    const auto training = kind.start(train, catalogue, small_options(), 1).value();
    std::vector<std::int64_t> losses;
    for (std::uint32_t epoch = 0; epoch < kind.epochs; ++epoch)
      losses.push_back(training->run_epoch(epoch, serial).value().loss_units);
    EXPECT_LT(losses.back(), losses.front() * 9 / 10) << kind.name;
    const auto model = model_of(kind, *training, train);
    double known = 0.0, guests = 0.0;
    for (std::uint32_t user = 0; user < people; ++user) {
      std::vector<float> scores(catalogue);
      const UserIndex index{user};
      model->score(std::span(&index, 1), {0, catalogue}, scores);
      known += own_group_first(scores, rows[user], user % groups) / people;
      std::vector<std::uint32_t> history(rows[user].begin(), rows[user].begin() + 6);
      std::sort(history.begin(), history.end());
      model->score_history(items_of(history), scores);
      guests += own_group_first(scores, history, user % groups) / people;
    }
    EXPECT_GT(known, 0.85) << kind.name;  // 0.5 where nothing is learned
    EXPECT_GT(guests, 0.8) << kind.name;
  }
}

TEST(NeuralTraining, ThreadsDoNotChangeAByte) {
  const Histories train = histories_of(planted_rows(people, catalogue, groups, 10));
  for (const Kind& kind : kinds) {
    std::vector<std::string> results;
    for (const std::size_t threads : {1u, 2u, 3u}) {
      BackwardExecutor executor(threads);
      const auto training = kind.start(train, catalogue, small_options(), 7).value();
      for (std::uint32_t epoch = 0; epoch < 3; ++epoch)
        ASSERT_TRUE(training->run_epoch(epoch, executor).ok());
      results.push_back(bytes_of(*training));
    }
    SerialExecutor serial;
    const auto training = kind.start(train, catalogue, small_options(), 7).value();
    for (std::uint32_t epoch = 0; epoch < 3; ++epoch) ASSERT_TRUE(training->run_epoch(epoch, serial).ok());
    for (const std::string& result : results) EXPECT_TRUE(result == bytes_of(*training)) << kind.name;
    const auto other = kind.start(train, catalogue, small_options(), 8).value();
    EXPECT_TRUE(bytes_of(*other) != bytes_of(*training));
  }
}

TEST(NeuralTraining, ARestoredTrainingGoesOnAsIfNothingHadHappened) {
  const Histories train = histories_of(planted_rows(people, catalogue, groups, 10));
  SerialExecutor serial;
  for (const Kind& kind : kinds) {
    const auto undisturbed = kind.start(train, catalogue, small_options(), 1).value();
    const auto stopped = kind.start(train, catalogue, small_options(), 1).value();
    for (std::uint32_t epoch = 0; epoch < 4; ++epoch) {
      ASSERT_TRUE(undisturbed->run_epoch(epoch, serial).ok());
      if (epoch < 2) {
        ASSERT_TRUE(stopped->run_epoch(epoch, serial).ok());
      }
    }
    std::vector<RowMatrix> rest = stopped->layers();
    for (RowMatrix& matrix : stopped->moments()) rest.push_back(std::move(matrix));
    const auto resumed = kind.start(train, catalogue, small_options(), 1).value();
    EXPECT_FALSE(resumed->restore(stopped->items(), stopped->users(), stopped->layers()));  // no moments
    ASSERT_TRUE(resumed->restore(stopped->items(), stopped->users(), std::move(rest)));
    for (std::uint32_t epoch = 2; epoch < 4; ++epoch) ASSERT_TRUE(resumed->run_epoch(epoch, serial).ok());
    EXPECT_TRUE(bytes_of(*resumed) == bytes_of(*undisturbed)) << kind.name;
  }
}

TEST(NeuralTraining, WithoutAnythingToLearnItSaysSo) {
  const Histories nothing = histories_of({{}, {}});
  const Histories all = histories_of({{0, 1}});
  EXPECT_EQ(start_multvae(nothing, 2, small_options(), 1).error().code, Code::bad_input);
  EXPECT_EQ(start_neumf(nothing, 2, small_options(), 1).error().code, Code::bad_input);
  EXPECT_EQ(start_neumf(all, 2, small_options(), 1).error().code, Code::bad_input);  // no negatives
}

TEST(NeuralTraining, DivergenceIsAnError) {
  const Histories train = histories_of(planted_rows(people, catalogue, groups, 10));
  NeuralOptions wild = small_options();
  wild.learning_rate = 1e30f;
  SerialExecutor serial;
  for (const Kind& kind : kinds) {
    const auto training = kind.start(train, catalogue, wild, 1).value();
    bool diverged = false;
    for (std::uint32_t epoch = 0; epoch < 3 && !diverged; ++epoch) {
      const auto done = training->run_epoch(epoch, serial);
      diverged = !done.ok() && done.error().code == Code::diverged;
    }
    EXPECT_TRUE(diverged) << kind.name;
  }
}

}  // namespace
}  // namespace sotto::neural::trainings_test
