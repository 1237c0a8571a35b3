#include "metrics/evaluate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "metrics/metric_name.h"
#include "model/central/random_scores.h"
#include "model/central/testing/small_worlds.h"
#include "model/central/toppop.h"

namespace sotto::metrics::evaluate_test {

class ThreadedExecutor final : public Executor {
 public:
  [[nodiscard]] std::size_t threads() const override { return 3; }
  void run(std::size_t shards, const std::function<void(std::size_t)>& work) override {
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 3; ++t)
      threads.emplace_back([&, t] {
        for (std::size_t shard = t; shard < shards; shard += 3) work(shard);
      });
    for (auto& thread : threads) thread.join();
  }
};

// Scores with many ties, as a table.
class TableModel final : public Recommender {
 public:
  TableModel(std::size_t catalogue, std::vector<float> table)
      : catalogue_(catalogue), table_(std::move(table)) {}
  [[nodiscard]] std::size_t catalogue() const override { return catalogue_; }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override {
    for (std::size_t k = 0; k < users.size(); ++k)
      for (std::uint32_t item = items.begin; item < items.end; ++item)
        out[k * items.size() + item - items.begin] = of(users[k], item);
  }
  void score_history(std::span<const ItemIndex>, std::span<float>) const override {}
  [[nodiscard]] Status similar(ItemIndex, std::span<float>) const override { return Done{}; }
  [[nodiscard]] float of(UserIndex user, std::uint32_t item) const {
    return table_[user.value * catalogue_ + item];
  }

 private:
  std::size_t catalogue_;
  std::vector<float> table_;
};

Split split_of(const Rows& train, const Rows& validation, const Rows& test, std::size_t catalogue) {
  Split split;
  split.catalogue = catalogue;
  split.train = histories_of(train);
  split.validation = histories_of(validation);
  split.test = histories_of(test);
  return split;
}

struct World {
  Split split;
  std::vector<float> scores;
};

// Users × catalogue in three parts, some items outside the catalogue in the test part.
World random_world() {
  const auto users = *rc::gen::inRange<std::size_t>(1, 9);
  const auto catalogue = *rc::gen::inRange<std::uint32_t>(1, 14);
  Rows train(users), validation(users), test(users);
  for (std::size_t user = 0; user < users; ++user)
    for (std::uint32_t item = 0; item < catalogue + 3; ++item) {
      const int part = *rc::gen::inRange(0, 8);
      if (item >= catalogue) {
        if (part == 0) test[user].push_back(item);
      } else if (part < 4) {
        (part < 2 ? train : part == 2 ? validation : test)[user].push_back(item);
      }
    }
  test[0].push_back(catalogue + 3);  // somebody is judged
  // Everybody has something to learn from (a test of its own covers those who have not).
  for (std::size_t user = 0; user < users; ++user) {
    if (!train[user].empty()) continue;
    std::erase(validation[user], 0u);
    std::erase(test[user], 0u);
    train[user].push_back(0);
  }
  World world{split_of(train, validation, test, catalogue), {}};
  for (std::size_t n = 0; n < users * catalogue; ++n)
    world.scores.push_back(static_cast<float>(*rc::gen::inRange(0, 5)));
  return world;
}

// The whole evaluation again, from sets and full sorts.
struct SlowJudge {
  const Split& split;
  const TableModel& model;
  std::size_t k;

  [[nodiscard]] std::set<std::uint32_t> set_of(const Histories& part, std::uint32_t user) const {
    std::set<std::uint32_t> items;
    for (const ItemIndex item : part.of(UserIndex{user})) items.insert(item.value);
    return items;
  }
  [[nodiscard]] std::vector<std::uint32_t> ranking(std::uint32_t user) const {
    const auto train = set_of(split.train, user);
    const auto validation = set_of(split.validation, user);
    std::vector<std::uint32_t> items;
    for (std::uint32_t item = 0; item < split.catalogue; ++item)
      if (train.count(item) + validation.count(item) == 0) items.push_back(item);
    std::stable_sort(items.begin(), items.end(), [&](std::uint32_t a, std::uint32_t b) {
      return model.of(UserIndex{user}, a) > model.of(UserIndex{user}, b);
    });
    return items;
  }

  [[nodiscard]] std::map<std::string, double> judge() const {
    std::map<std::string, double> sums;
    std::map<std::uint32_t, double> shown;
    double judged = 0;
    for (std::uint32_t user = 0; user < split.test.users(); ++user) {
      const auto relevant = set_of(split.test, user);
      if (relevant.empty()) continue;
      ++judged;
      const auto items = ranking(user);
      double hits = 0, dcg = 0, ideal = 0, first = 0, precisions = 0, of_hits = 0, best_of_hits = 0;
      for (std::size_t n = 0; n < k; ++n) {
        if (n < items.size()) shown[items[n]] += 1;
        if (n < items.size() && relevant.count(items[n]) > 0) {
          of_hits += n < 2 ? 1 : 1 / std::log2(static_cast<double>(n) + 1);
          best_of_hits += hits < 2 ? 1 : 1 / std::log2(hits + 1);
          hits += 1;
          dcg += 1 / std::log2(static_cast<double>(n) + 2);
          if (first == 0) first = 1 / static_cast<double>(n + 1);
        }
        precisions += hits / static_cast<double>(n + 1);
        if (n < relevant.size()) ideal += 1 / std::log2(static_cast<double>(n) + 2);
      }
      const double p = hits / static_cast<double>(k), r = hits / static_cast<double>(relevant.size());
      sums["P"] += p;
      sums["R"] += r;
      sums["F1"] += hits > 0 ? 2 * p * r / (p + r) : 0;
      sums["HR"] += hits > 0 ? 1 : 0;
      sums["nDCG"] += dcg / ideal;
      sums["nDCGhits"] += hits > 0 ? of_hits / best_of_hits : 0;
      sums["MRR"] += first;
      sums["MAP"] += precisions / static_cast<double>(k);
      sums["AUC"] += slow_auc(user, items, relevant);
    }
    for (auto& [name, sum] : sums) sum /= judged;
    const double p = sums["P"], r = sums["R"];
    sums["F1means"] = p + r > 0 ? 2 * p * r / (p + r) : 0;
    sums["IC"] = static_cast<double>(shown.size());
    for (const auto& [item, times] : shown) sums["shown " + std::to_string(item)] = times;
    return sums;
  }

  // All pairs of a relevant item and a candidate that is not.
  [[nodiscard]] double slow_auc(std::uint32_t user, const std::vector<std::uint32_t>& items,
                                const std::set<std::uint32_t>& relevant) const {
    double sum = 0;
    for (const std::uint32_t wanted : relevant) {
      if (wanted >= split.catalogue) continue;
      double won = 0, pairs = 0;
      for (const std::uint32_t other : items) {
        if (relevant.count(other) > 0) continue;
        const float a = model.of(UserIndex{user}, wanted), b = model.of(UserIndex{user}, other);
        won += a > b ? 1 : a == b ? 0.5 : 0;
        pairs += 1;
      }
      sum += pairs > 0 ? won / pairs : 1;
    }
    return sum / static_cast<double>(relevant.size());
  }
};

RC_GTEST_PROP(Evaluate, AgreesWithTheSlowOracle, ()) {
  const World world = random_world();
  const TableModel model(world.split.catalogue, world.scores);
  const auto k = *rc::gen::inRange<std::uint32_t>(1, 8);
  SerialExecutor executor;
  EvaluateOptions options;
  options.cutoffs = {k};
  const auto result = evaluate(model, world.split, options, executor);
  RC_ASSERT(result.ok());
  const auto expected = SlowJudge{world.split, model, k}.judge();
  std::vector<std::uint64_t> shown(world.split.catalogue, 0);
  for (const auto& [name, value] : expected) {
    if (name.starts_with("shown ")) {
      shown[std::stoul(name.substr(6))] = static_cast<std::uint64_t>(value);
      continue;
    }
    const auto found = result->find(name == "AUC" ? name : name + "@" + std::to_string(k));
    RC_ASSERT(found.has_value());
    RC_ASSERT(std::fabs(*found - value) < 1e-12);
  }
  RC_ASSERT(result->recommended == shown);
  RC_ASSERT(result->users + result->users_without_test == world.split.test.users());
}

bool same_bits(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

RC_GTEST_PROP(Evaluate, SameBitsForAnyThreadsAndMemory, ()) {
  const World world = random_world();
  const TableModel model(world.split.catalogue, world.scores);
  EvaluateOptions options;
  options.cutoffs = {2, 5};
  options.keep_lists = true;
  SerialExecutor serial;
  const auto whole = evaluate(model, world.split, options, serial);
  options.memory_bytes = *rc::gen::inRange<std::size_t>(0, 200);
  BackwardExecutor backward(*rc::gen::inRange<std::size_t>(1, 4));
  const auto cut = evaluate(model, world.split, options, backward);
  RC_ASSERT(whole.ok() && cut.ok());
  RC_ASSERT(whole->metrics.size() == cut->metrics.size());
  for (std::size_t n = 0; n < whole->metrics.size(); ++n)
    RC_ASSERT(same_bits(whole->metrics[n].value, cut->metrics[n].value));
  RC_ASSERT(whole->per_user.values == cut->per_user.values);
  RC_ASSERT(whole->lists.items == cut->lists.items);
  RC_ASSERT(whole->short_lists == cut->short_lists);
}

TEST(Evaluate, SameBitsWithRealThreads) {
  const Rows rows = planted_rows(300, 200, 4, 20);
  Rows train = rows, test = rows;
  for (std::size_t user = 0; user < rows.size(); ++user) {
    train[user].resize(15);
    test[user].erase(test[user].begin(), test[user].begin() + 15);
  }
  const Split split = split_of(train, Rows(300), test, 200);
  const RandomScores model(200, 1);
  SerialExecutor serial;
  ThreadedExecutor threaded;
  const auto one = evaluate(model, split, {}, serial);
  const auto three = evaluate(model, split, {}, threaded);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(one->per_user.values, three->per_user.values);
  for (std::size_t n = 0; n < one->metrics.size(); ++n)
    EXPECT_TRUE(same_bits(one->metrics[n].value, three->metrics[n].value)) << one->metrics[n].name;
}

TEST(Evaluate, ByHand) {
  // Popularity of items 0…3: 3, 2, 1, 1. Item 4 is in the test part only.
  Split split = split_of({{0, 1}, {0, 2}, {0, 1, 3}}, Rows(3), {{2, 4}, {1}, {}}, 4);
  split.item_categories = {"a", "b", "a", "b", "a"};
  SerialExecutor executor;
  EvaluateOptions options;
  options.cutoffs = {3, 1, 1};
  options.keep_lists = true;
  const auto result = evaluate(TopPop(split.train, 4), split, options, executor);
  ASSERT_TRUE(result.ok()) << result.error().message;
  // User 0 gets [2, 3], user 1 gets [1, 3]; user 2 has nothing to be judged on.
  EXPECT_EQ(result->users, 2u);
  EXPECT_EQ(result->users_without_test, 1u);
  EXPECT_EQ(result->cutoffs, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(result->short_lists, (std::vector<std::uint64_t>{0, 2}));
  EXPECT_EQ(result->lists.of(0, 3)[0].value, 2u);
  EXPECT_EQ(result->lists.of(1, 3).size(), 2u);
  EXPECT_DOUBLE_EQ(*result->find("P@1"), 1.0);
  EXPECT_DOUBLE_EQ(*result->find("R@1"), (0.5 + 1) / 2);
  EXPECT_DOUBLE_EQ(*result->find("P@3"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(*result->find("IC@3"), 3.0);
  EXPECT_DOUBLE_EQ(*result->find("Coverage@3"), 3.0 / 4);
  EXPECT_EQ(result->recommended, (std::vector<std::uint64_t>{0, 1, 1, 2}));  // of the lists of three
  EXPECT_DOUBLE_EQ(*result->find("ARP@3"), ((1 + 1) / 2.0 + (2 + 1) / 2.0) / 2);
  // User 0: item 2 is level with the only negative, item 4 is unknown; user 1: item 1 is above item 3.
  EXPECT_DOUBLE_EQ(*result->find("AUC"), (0.5 / 2 + 1) / 2);
  EXPECT_EQ(result->per_user.column("R@1"), (std::vector<double>{0.5, 1.0}));
  EXPECT_TRUE(result->per_user.column("R@2").empty());
  EXPECT_FALSE(result->find("P@2").has_value());
  ASSERT_EQ(result->category_bias.size(), 2u);
  EXPECT_EQ(result->category_bias[1].cutoff, 3u);
  EXPECT_EQ(result->category_bias[1].categories.size(), 2u);
}

TEST(SampleUsers, TakesUsersWithSomethingToJudgeAndTheSameOnesAgain) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::uint32_t user = 0; user < 100; ++user) {
    if (user % 2 == 1) items.push_back(ItemIndex{user});
    offsets.push_back(items.size());
  }
  const Histories part(offsets, items);
  const std::vector<UserIndex> sample = sample_users(part, 20, 7);
  EXPECT_EQ(sample.size(), 20u);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end()), sample.end());
  for (const UserIndex user : sample) EXPECT_FALSE(part.of(user).empty());
  EXPECT_EQ(sample_users(part, 20, 7), sample);
  EXPECT_NE(sample_users(part, 20, 8), sample);
  EXPECT_EQ(sample_users(part, 1000, 7).size(), 50u);
}

TEST(Evaluate, SomebodyWithoutTrainingItemsIsCountedAndNotJudged) {
  const Split split = split_of({{0}, {}}, {{}, {}}, {{1}, {1}}, 3);
  const TableModel model(3, {0, 1, 2, 0, 9, 0});
  SerialExecutor executor;
  EvaluateOptions options;
  options.cutoffs = {1};
  const auto result = evaluate(model, split, options, executor);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->users, 1u);
  EXPECT_EQ(result->users_without_training, 1u);
  EXPECT_EQ(result->find("P@1"), 0.0);  // the second user's list would have hit
}

TEST(Evaluate, MetricNamesAreKnownWithoutEvaluating) {
  const Split split = split_of({{0, 1}, {0, 2}}, Rows(2), {{2}, {1}}, 3);
  SerialExecutor executor;
  const std::vector<std::uint32_t> cutoffs{1, 2};
  EvaluateOptions options;
  options.cutoffs = cutoffs;
  const auto result = evaluate(TopPop(split.train, 3), split, options, executor);
  ASSERT_TRUE(result.ok());
  std::vector<std::string> given;
  for (const Metric& metric : result->metrics) given.push_back(metric.name);
  given.insert(given.end(), {"MAE", "RMSE", "RatedShare"});  // what Top-Pop, which predicts nothing, has not
  EXPECT_EQ(metric_names(cutoffs), given);
}

TEST(Evaluate, NamesEveryMetric) {
  const Split split = split_of({{0}}, Rows(1), {{1}}, 2);
  SerialExecutor executor;
  const auto result = evaluate(RandomScores(2, 1), split, {}, executor);
  ASSERT_TRUE(result.ok());
  for (const char* name : {"P", "R", "F1", "HR", "nDCG", "MRR", "MAP", "IC", "Gini", "GiniRec", "SE", "ARP",
                           "APLT", "ACLT", "PopREO", "PopRSP", "F1means", "nDCGhits", "Coverage"})
    EXPECT_TRUE(result->find(std::string(name) + "@10").has_value()) << name;
  EXPECT_EQ(result->metrics.size(), 20u);
  EXPECT_EQ(result->per_user.names.size(), 10u);
}

TEST(Evaluate, ValidationIsJudgedWithOnlyTrainingMasked) {
  const Split split = split_of({{0}}, {{1}}, {{2}}, 3);
  SerialExecutor executor;
  EvaluateOptions options;
  options.cutoffs = {3};
  options.keep_lists = true;
  options.part = Part::validation;
  const auto validation = evaluate(TopPop(split.train, 3), split, options, executor);
  ASSERT_TRUE(validation.ok());
  EXPECT_EQ(validation->lists.of(0, 3).size(), 2u);
  EXPECT_DOUBLE_EQ(*validation->find("MRR@3"), 1.0);
  options.part = Part::test;
  const auto test = evaluate(TopPop(split.train, 3), split, options, executor);
  ASSERT_TRUE(test.ok());
  ASSERT_EQ(test->lists.of(0, 3).size(), 1u);
  EXPECT_EQ(test->lists.of(0, 3)[0].value, 2u);
}

TEST(Evaluate, JudgesOnlyTheUsersAskedFor) {
  const Split split = split_of({{0}, {0}, {0}}, Rows(3), {{1}, {1}, {}}, 2);
  SerialExecutor executor;
  EvaluateOptions options;
  options.users = {{2}, {1}};
  const auto result = evaluate(TopPop(split.train, 2), split, options, executor);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->per_user.users, (std::vector<UserIndex>{{1}}));
  EXPECT_EQ(result->users_without_test, 1u);
}

TEST(Evaluate, RefusesWhatCannotBe) {
  const Split split = split_of({{0}}, Rows(1), {{1}}, 2);
  SerialExecutor executor;
  const auto code = [&](const Recommender& model, const Split& judged, const EvaluateOptions& options) {
    const auto result = evaluate(model, judged, options, executor);
    EXPECT_FALSE(result.ok());
    return result.error().code;
  };
  const RandomScores model(2, 1);
  EvaluateOptions options;
  options.cutoffs = {};
  EXPECT_EQ(code(model, split, options), Code::usage);
  options.cutoffs = {0, 5};
  EXPECT_EQ(code(model, split, options), Code::usage);
  options = {};
  options.users = {{1}};
  EXPECT_EQ(code(model, split, options), Code::usage);
  options = {};
  options.part = Part::validation;
  EXPECT_EQ(code(model, split, options), Code::bad_input);
  EXPECT_EQ(code(RandomScores(3, 1), split, {}), Code::incompatible);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(code(TableModel(2, {1.0f, nan}), split, {}), Code::diverged);
}

}  // namespace sotto::metrics::evaluate_test
