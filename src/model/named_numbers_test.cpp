// What a model's name notices, and what it does not: each kind of number, changed a little and a little more.
#include "model/named_numbers.h"

#include <gtest/gtest.h>

#include "model/central/ease.h"
#include "model/central/item_weights.h"
#include "model/central/testing/small_worlds.h"
#include "model/central/wide_ease.h"

namespace sotto::model::named_numbers_test {
namespace {

std::string name_of(const NamedNumbers& model) {
  Hasher hasher;
  model.add_numbers(hasher);
  return std::move(hasher).hex();
}

std::string rounded(std::vector<double> values) {
  Hasher hasher;
  add_rounded(values, hasher);
  return std::move(hasher).hex();
}

TEST(NamedNumbers, RoundingForgetsTheLastBitsAndTheSignOfZero) {
  const std::string name = rounded({0.7, -0.2, 0.0});
  EXPECT_EQ(rounded({0.7 + 1e-9, -0.2 - 1e-9, -0.0}), name);
  EXPECT_EQ(rounded({0.7, -0.2, -1e-9}), name);
  for (const auto& other : {std::vector<double>{0.701, -0.2, 0.0}, {0.7, -0.201, 0.0}, {0.7, -0.2, 0.001}})
    EXPECT_NE(rounded(other), name);
  // The grid follows the largest, so the same numbers in another unit have another name, not none.
  EXPECT_NE(rounded({0.7e-9, -0.2e-9, 0.0}), rounded({0.7e-9, 0.0, 0.0}));
  EXPECT_NE(rounded({1.4, -0.4, 0.0}), name);
  EXPECT_EQ(rounded({0.0, 0.0, 0.0}), rounded({-0.0, 0.0, 0.0}));
}

TEST(NamedNumbers, WeightsOfRowsDiffer) {
  for (std::size_t row = 0; row < 1000; ++row) {
    EXPECT_LE(std::abs(trial_weight(row)), 1.0);
    EXPECT_GT(std::abs(trial_weight(row) - trial_weight(row + 1)), 0.1);
  }
}

TEST(NamedNumbers, OneWeightOrPlaceOfATableMakesAnotherName) {
  const Histories train = histories_of({{0, 1}, {2}});
  const auto name = [&](std::vector<std::uint64_t> offsets, std::vector<Neighbor> weights) {
    return name_of(WeightedItems(train, ItemWeights(std::move(offsets), std::move(weights))));
  };
  const std::string usual = name({0, 2, 3, 3}, {{1, 0.5f}, {2, 0.25f}, {0, 0.5f}});
  EXPECT_EQ(name({0, 2, 3, 3}, {{1, 0.5f}, {2, 0.25f}, {0, 0.5f}}), usual);
  EXPECT_NE(name({0, 2, 3, 3}, {{1, 0.5f}, {2, std::nextafter(0.25f, 1.0f)}, {0, 0.5f}}), usual);
  EXPECT_NE(name({0, 2, 3, 3}, {{1, 0.5f}, {2, 0.25f}, {2, 0.5f}}), usual);
  EXPECT_NE(name({0, 1, 3, 3}, {{1, 0.5f}, {2, 0.25f}, {0, 0.5f}}), usual);
}

// The matrix of 150 items, with `more` on one pair.
ItemGram gram_with(double more, std::string statistics) {
  const Histories train = histories_of(planted_rows(300, 150, 4, 20));
  SerialExecutor serial;
  std::vector<std::uint32_t> items;
  for (std::uint32_t item = 0; item < 150; ++item) items.push_back(item);
  ItemGram made{count_all_pairs(train, Audiences(train, 150), serial), items, std::move(statistics)};
  made.gram.at(140, 17) += more;
  return made;
}

TEST(NamedNumbers, EaseNamesItsIntegersExactlyAndItsWeightsRounded) {
  const Histories train = histories_of(planted_rows(300, 150, 4, 20));
  BackwardExecutor backward(7);
  const auto name = [&](double more, const char* statistics, float lambda = 20.0f) {
    return name_of(
        *Ease::solve(gram_with(more, statistics), 150, train, {.lambda = lambda}, backward).value());
  };
  SerialExecutor serial;
  EXPECT_EQ(name(0.0, ""), name_of(*Ease::fit(train, 150, {.lambda = 20.0f}, serial).value()));
  // As little as a BLAS may differ by: the weights keep their name, the integers do not.
  EXPECT_EQ(name(1e-11, "the same"), name(0.0, "the same"));
  EXPECT_NE(name(1e-11, ""), name(0.0, ""));
  // What the integers do not say, the weights do.
  EXPECT_NE(name(1.0, "the same"), name(0.0, "the same"));
  EXPECT_NE(name(0.0, "", 20.1f), name(0.0, ""));
}

TEST(NamedNumbers, WideEaseNamesItsPeopleAndLambda) {
  const auto name = [](std::uint32_t length, float lambda, Executor& executor) {
    const Histories train = histories_of(planted_rows(60, 150, 4, length));
    return name_of(*WideEase::fit(train, 150, {.lambda = lambda}, executor).value());
  };
  SerialExecutor serial;
  BackwardExecutor backward(7);
  EXPECT_EQ(name(20, 3.0f, backward), name(20, 3.0f, serial));
  EXPECT_NE(name(20, 3.1f, serial), name(20, 3.0f, serial));
  EXPECT_NE(name(19, 3.0f, serial), name(20, 3.0f, serial));
}

}  // namespace
}  // namespace sotto::model::named_numbers_test
