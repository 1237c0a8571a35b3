#include "model/ratings/rating_means.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/ratings/testing/small_ratings.h"

namespace sotto::model::rating_means_test {

// Ratings 5, 3 | 4 | nothing. Item 1 is rated once, item 2 once.
const RatedWorld world = rated_world({{5, 3, 0}, {0, 0, 4}, {0, 0, 0}});

TEST(RatingMeans, ByHand) {
  const auto all = RatingMeans::fit(world.data(), MeanOf::all).value();
  EXPECT_EQ(predictions_of(*all, 0, 4), (std::vector<float>{4, 4, 4, 4}));
  const auto user = RatingMeans::fit(world.data(), MeanOf::user).value();
  EXPECT_EQ(predictions_of(*user, 0, 4), (std::vector<float>{4, 4, 4, 4}));
  EXPECT_EQ(predictions_of(*user, 2, 1), (std::vector<float>{4}));  // nobody's: the mean of all
  const auto item = RatingMeans::fit(world.data(), MeanOf::item).value();
  EXPECT_EQ(predictions_of(*item, 2, 4), (std::vector<float>{5, 3, 4, 4}));
}

TEST(RatingMeans, KnowsWhatItRestsOn) {
  const ItemIndex inside{0}, outside{3};
  const UserIndex somebody{0}, nobody{2};
  EXPECT_FALSE(RatingMeans::fit(world.data(), MeanOf::all).value()->knows(somebody, inside));
  const auto user = RatingMeans::fit(world.data(), MeanOf::user).value();
  EXPECT_TRUE(user->knows(somebody, outside));
  EXPECT_FALSE(user->knows(nobody, inside));
  const auto item = RatingMeans::fit(world.data(), MeanOf::item).value();
  EXPECT_TRUE(item->knows(nobody, inside));
  EXPECT_FALSE(item->knows(somebody, outside));
  const auto biases = BiasModel::fit(world.data(), {}).value();
  EXPECT_TRUE(biases->knows(somebody, outside));
  EXPECT_TRUE(biases->knows(nobody, inside));
  EXPECT_FALSE(biases->knows(nobody, outside));
}

TEST(RatingMeans, ThePopularStandFirstWhateverTheyWereGiven) {
  const RatedWorld two = rated_world({{1, 5}, {1, 0}});
  const auto popular = RatingMeans::fit(two.data(), MeanOf::popular).value();
  EXPECT_EQ(scores_of(*popular, 1), (std::vector<float>{2, 1}));
  EXPECT_EQ(predictions_of(*popular, 1, 2), (std::vector<float>{1, 5}));
  std::vector<float> out(2);
  popular->score_history({}, out);
  EXPECT_EQ(out, (std::vector<float>{2, 1}));
}

TEST(BiasModel, OnePassByHand) {
  // μ = 4; λ = 1: b_0 = 1/2, b_1 = −1/2, b_2 = 0; user 0: (1 − ½ − 1 + ½)/3 = 0.
  const auto model = BiasModel::fit(world.data(), {.user_reg = 1.0f, .item_reg = 1.0f, .passes = 1}).value();
  EXPECT_EQ(predictions_of(*model, 0, 4), (std::vector<float>{4.5f, 3.5f, 4.0f, 4.0f}));
  EXPECT_EQ(predictions_of(*model, 2, 2), (std::vector<float>{4.5f, 3.5f}));
}

// No small change of any bias makes the regularised error smaller.
TEST(BiasModel, PassesEndAtTheMinimum) {
  const RatedWorld big = rated_world(planted_ratings(12, 9, 0.6));
  const RatedMatrix rows(big.train, big.ratings, big.catalogue);
  const BiasOptions options{.user_reg = 3.0f, .item_reg = 2.0f, .passes = 200};
  RatingBiases biases = fit_biases(rows, options);
  const auto loss = [&] {
    double sum = 0.0;
    for (std::uint32_t user = 0; user < rows.rows(); ++user)
      for (const Rated& entry : rows.of(user)) {
        const double error = static_cast<double>(entry.value) - biases.of(user, entry.column);
        sum += error * error;
      }
    for (const double bias : biases.users) sum += 3.0 * bias * bias;
    for (const double bias : biases.items) sum += 2.0 * bias * bias;
    return sum;
  };
  const double least = loss();
  for (std::vector<double>* side : {&biases.users, &biases.items})
    for (double& bias : *side)
      for (const double change : {-1e-3, 1e-3}) {
        bias += change;
        EXPECT_GT(loss(), least);
        bias -= change;
      }
}

TEST(BiasModel, SomebodyNewWithTheSameRatingsIsPredictedTheSame) {
  const RatedWorld big = rated_world(planted_ratings(12, 9, 0.6));
  const auto model = BiasModel::fit(big.data(), {}).value();
  const RatedMatrix rows(big.train, big.ratings, big.catalogue);
  std::vector<float> out(9);
  model->score_rated(rows.of(3), out);
  EXPECT_EQ(out, scores_of(*model, 3));
}

TEST(RatingModel, RanksByWhatIsNotCutToTheScale) {
  const RatedWorld generous = rated_world({{5, 5, 1}, {5, 4, 0}, {5, 0, 0}, {0, 0, 5}});
  const auto model = BiasModel::fit(generous.data(), {.user_reg = 0.1f, .item_reg = 0.1f}).value();
  const auto scores = scores_of(*model, 2);
  EXPECT_GT(scores[0], 5.0f);
  EXPECT_EQ(predictions_of(*model, 2, 1)[0], 5.0f);
}

TEST(RatingModel, RefusesWhatIsNoTraining) {
  RatedWorld none = world;
  none.ratings.clear();
  EXPECT_EQ(RatingMeans::fit(none.data(), MeanOf::all).error().code, Code::bad_input);
  RatedWorld few = world;
  few.ratings.pop_back();
  EXPECT_EQ(RatingMeans::fit(few.data(), MeanOf::all).error().code, Code::incompatible);
  RatedWorld off = world;
  off.ratings[1] = 6.0f;
  EXPECT_EQ(BiasModel::fit(off.data(), {}).error().code, Code::bad_input);
  off.ratings[1] = std::nanf("");
  EXPECT_EQ(BiasModel::fit(off.data(), {}).error().code, Code::bad_input);
  EXPECT_EQ(BiasModel::fit(world.data(), {.user_reg = -1.0f}).error().code, Code::usage);
}

RC_GTEST_PROP(RatedMatrix, TransposedTwiceIsTheSame, ()) {
  const Rows rows = random_rows(*rc::gen::inRange<std::size_t>(1, 6), 7, 40);
  const Histories histories = histories_of(rows);
  std::vector<float> ratings;
  for (std::size_t n = 0; n < histories.interactions(); ++n) ratings.push_back(static_cast<float>(n));
  const RatedMatrix matrix(histories, ratings, 7);
  const RatedMatrix turned = matrix.transposed();
  const RatedMatrix again = turned.transposed();
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    RC_ASSERT(std::ranges::equal(matrix.of(row), again.of(row)));
    for (const Rated& entry : matrix.of(row)) {
      const auto column = turned.of(entry.column);
      RC_ASSERT(std::ranges::count(column, Rated{static_cast<std::uint32_t>(row), entry.value}) == 1);
    }
  }
}

}  // namespace sotto::model::rating_means_test
