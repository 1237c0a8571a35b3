// Biased MF, SVD++ and NMF.
#include <gtest/gtest.h>

#include "model/ratings/biased_mf.h"
#include "model/ratings/nmf.h"
#include "model/ratings/svdpp.h"
#include "model/ratings/testing/small_ratings.h"

namespace sotto::model::rating_factors_test {

double training_error(const RatingModel& model, const RatedWorld& world) {
  double sum = 0.0;
  for (std::uint32_t user = 0; user < world.train.users(); ++user) {
    const auto scores = scores_of(model, user);
    const auto items = world.train.of(UserIndex{user});
    for (std::size_t n = 0; n < items.size(); ++n) {
      const double error = static_cast<double>(world.ratings[world.train.offsets()[user] + n]) -
                           static_cast<double>(scores[items[n].value]);
      sum += error * error;
    }
  }
  return std::sqrt(sum / static_cast<double>(world.ratings.size()));
}

double squares(std::span<const double> values) { return product(values, values); }

BiasedMfParameters some_biased(std::size_t users, std::size_t items, std::size_t factors) {
  BiasedMfParameters parameters{3.5, std::vector<double>(users, 0.2), std::vector<double>(items, -0.3),
                                started_table(users, factors, 5, FactorStart::users),
                                started_table(items, factors, 5, FactorStart::items)};
  return parameters;
}

TEST(BiasedMf, AStepFollowsTheGradient) {
  BiasedMfParameters at = some_biased(2, 3, 4);
  const Rated record{2, 4.0f};
  const SgdOptions options{.learning_rate = 1e-3f, .reg = 0.1f};
  const auto loss = [&] {
    const double error =
        4.0 - (at.mean + at.user_biases[1] + at.item_biases[2] + product(at.users.of(1), at.items.of(2)));
    return 0.5 * error * error + 0.05000000074505806 * (at.user_biases[1] * at.user_biases[1] +
                                                        at.item_biases[2] * at.item_biases[2] +
                                                        squares(at.users.of(1)) + squares(at.items.of(2)));
  };
  BiasedMfParameters after = at;
  biased_mf_step(after, 1, record, options);
  const auto check_one = [&](double& value, double moved) {
    const double kept = value, h = 1e-6;
    value = kept + h;
    const double above = loss();
    value = kept - h;
    const double below = loss();
    value = kept;
    EXPECT_NEAR((kept - moved) / static_cast<double>(options.learning_rate), (above - below) / (2 * h), 1e-6);
  };
  check_one(at.user_biases[1], after.user_biases[1]);
  check_one(at.item_biases[2], after.item_biases[2]);
  for (std::size_t f = 0; f < 4; ++f) {
    check_one(at.users.of(1)[f], after.users.of(1)[f]);
    check_one(at.items.of(2)[f], after.items.of(2)[f]);
    EXPECT_EQ(at.users.of(0)[f], after.users.of(0)[f]);
  }
}

// With a step that is almost nothing a whole pass is one step along the gradient of all the person's records.
TEST(Svdpp, APassFollowsTheGradient) {
  const std::vector<Rated> records{{0, 4.0f}, {2, 1.0f}, {3, 5.0f}};
  const float rate = 1e-7f, reg = 0.125f;
  SvdppParameters at{3.5,
                     {0.1, 0.2},
                     {0.1, 0.0, -0.2, 0.3},
                     started_table(2, 3, 5, FactorStart::users),
                     started_table(4, 3, 5, FactorStart::items),
                     started_table(4, 3, 5, FactorStart::implicit)};
  const auto loss = [&] {
    double sum = 0.0, implicit_squares = 0.0;
    std::vector<double> person(at.users.of(1).begin(), at.users.of(1).end());
    for (const Rated& record : records) {
      const auto row = at.implicit.of(record.column);
      implicit_squares += squares(row);
      for (std::size_t f = 0; f < 3; ++f) person[f] += row[f] / std::sqrt(3.0);
    }
    for (const Rated& record : records) {
      const auto item = at.items.of(record.column);
      const double bias = at.item_biases[record.column];
      const double error =
          static_cast<double>(record.value) - (at.mean + at.user_biases[1] + bias + product(item, person));
      sum += 0.5 * error * error + 0.5 * 0.125 *
                                       (at.user_biases[1] * at.user_biases[1] + bias * bias + squares(item) +
                                        squares(at.users.of(1)) + implicit_squares);
    }
    return sum;
  };
  SvdppParameters after = at;
  svdpp_pass(after, 1, records, {.factors = 3, .learning_rate = rate, .reg = reg});
  const auto check_one = [&](double& value, double moved) {
    const double kept = value, h = 1e-5;
    value = kept + h;
    const double above = loss();
    value = kept - h;
    const double below = loss();
    value = kept;
    EXPECT_NEAR((kept - moved) / static_cast<double>(rate), (above - below) / (2 * h), 1e-4);
  };
  check_one(at.user_biases[1], after.user_biases[1]);
  for (const Rated& record : records) {
    check_one(at.item_biases[record.column], after.item_biases[record.column]);
    for (std::size_t f = 0; f < 3; ++f) {
      check_one(at.items.of(record.column)[f], after.items.of(record.column)[f]);
      check_one(at.implicit.of(record.column)[f], after.implicit.of(record.column)[f]);
    }
  }
  for (std::size_t f = 0; f < 3; ++f) {
    check_one(at.users.of(1)[f], after.users.of(1)[f]);
    EXPECT_EQ(at.items.of(1)[f], after.items.of(1)[f]);
    EXPECT_EQ(at.implicit.of(1)[f], after.implicit.of(1)[f]);
  }
}

// Koren's loop as it is written: every record moves every y of the person.
TEST(Svdpp, APassIsTheLoopOverAllRecordsAndAllTheyRated) {
  const std::vector<Rated> records{{0, 4.0f}, {2, 1.0f}, {3, 5.0f}};
  SvdppParameters slow{3.5,
                       {0.1, 0.2},
                       {0.1, 0.0, -0.2, 0.3},
                       started_table(2, 3, 5, FactorStart::users),
                       started_table(4, 3, 5, FactorStart::items),
                       started_table(4, 3, 5, FactorStart::implicit)};
  SvdppParameters fast = slow;
  svdpp_pass(fast, 1, records, {.factors = 3, .learning_rate = 0.25f, .reg = 0.5f});
  for (const Rated& record : records) {
    std::vector<double> sum(3, 0.0);
    for (const Rated& other : records)
      for (std::size_t f = 0; f < 3; ++f) sum[f] += slow.implicit.of(other.column)[f] / std::sqrt(3.0);
    const auto p = slow.users.of(1), q = slow.items.of(record.column);
    double& item_bias = slow.item_biases[record.column];
    double error = static_cast<double>(record.value) - 3.5 - slow.user_biases[1] - item_bias;
    for (std::size_t f = 0; f < 3; ++f) error -= q[f] * (p[f] + sum[f]);
    slow.user_biases[1] += 0.25 * (error - 0.5 * slow.user_biases[1]);
    item_bias += 0.25 * (error - 0.5 * item_bias);
    for (std::size_t f = 0; f < 3; ++f) {
      const double old_p = p[f], old_q = q[f];
      p[f] += 0.25 * (error * old_q - 0.5 * old_p);
      q[f] += 0.25 * (error * (old_p + sum[f]) - 0.5 * old_q);
      for (const Rated& other : records) {
        double& y = slow.implicit.of(other.column)[f];
        y += 0.25 * (error * old_q / std::sqrt(3.0) - 0.5 * y);
      }
    }
  }
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t f = 0; f < 3; ++f) {
      EXPECT_NEAR(fast.implicit.of(row)[f], slow.implicit.of(row)[f], 1e-12);
      EXPECT_NEAR(fast.items.of(row)[f], slow.items.of(row)[f], 1e-12);
    }
  for (std::size_t f = 0; f < 3; ++f) EXPECT_NEAR(fast.users.of(1)[f], slow.users.of(1)[f], 1e-12);
  EXPECT_NEAR(fast.user_biases[1], slow.user_biases[1], 1e-12);
}

// Half of a planted world is held back: the models find the two tastes, which biases cannot.
template <class Model, class Options>
void finds_the_tastes(const Options& options) {
  const auto whole = planted_ratings(60, 40, 1.0);
  const auto part = planted_ratings(60, 40, 0.5);
  const RatedWorld world = rated_world(part);
  const auto model = Model::fit(world.data(), options).value();
  double error = 0.0, count = 0.0;
  for (std::uint32_t user = 0; user < 60; ++user) {
    const auto predicted = predictions_of(*model, user, 40);
    for (std::uint32_t item = 0; item < 40; ++item) {
      if (part[user][item] != 0.0f) continue;
      error += std::fabs(static_cast<double>(predicted[item]) - (user % 2 == item % 2 ? 4.0 : 2.0));
      count += 1.0;
    }
  }
  EXPECT_LT(error / count, 0.5);
  // The same seed gives the same bytes, another one others.
  Options other = options;
  other.seed = 77;
  EXPECT_EQ(all_scores(*model, 60), all_scores(*Model::fit(world.data(), options).value(), 60));
  EXPECT_NE(all_scores(*model, 60), all_scores(*Model::fit(world.data(), other).value(), 60));
  // Somebody new with a known person's ratings is predicted nearly the same.
  const RatedMatrix rows(world.train, world.ratings, 40);
  std::vector<float> fresh(40);
  model->score_rated(rows.of(7), fresh);
  double apart = 0.0;
  const auto known = scores_of(*model, 7);
  for (std::size_t item = 0; item < 40; ++item)
    apart += static_cast<double>(std::fabs(fresh[item] - known[item]));
  EXPECT_LT(apart / 40.0, 0.4);
  model->score_history({}, fresh);
  EXPECT_TRUE(std::ranges::all_of(fresh, [](float value) { return std::isfinite(value); }));
  std::vector<float> alike(40);
  ASSERT_TRUE(model->similar({0}, alike).ok());
  EXPECT_GT(alike[2], alike[1]);
}

TEST(BiasedMf, FindsTheTastes) { finds_the_tastes<BiasedMf>(SgdOptions{.factors = 4, .epochs = 60}); }
TEST(Svdpp, FindsTheTastes) { finds_the_tastes<Svdpp>(SgdOptions{.factors = 4, .epochs = 60}); }
TEST(Nmf, FindsTheTastes) { finds_the_tastes<Nmf>(NmfOptions{.factors = 3, .epochs = 60}); }

TEST(RatingFactors, WhatIsNotKnownFallsBackAndPredictionsStayOnTheScale) {
  auto table = planted_ratings(20, 10, 0.7);
  table.push_back(std::vector<float>(10, 0.0f));
  const RatedWorld world = rated_world(table);
  const auto mf = BiasedMf::fit(world.data(), {.factors = 3}).value();
  const auto svdpp = Svdpp::fit(world.data(), {.factors = 3}).value();
  const auto nmf = Nmf::fit(world.data(), {.factors = 3}).value();
  for (const RatingModel* model :
       {static_cast<const RatingModel*>(mf.get()), static_cast<const RatingModel*>(svdpp.get()),
        static_cast<const RatingModel*>(nmf.get())}) {
    const auto nobody = predictions_of(*model, 20, 12);
    const RatedMatrix rows(world.train, world.ratings, 10);
    EXPECT_FLOAT_EQ(nobody[10], static_cast<float>(rows.mean()));
    EXPECT_EQ(nobody[10], nobody[11]);
    for (std::uint32_t user = 0; user < 21; ++user)
      for (const float value : predictions_of(*model, user, 12)) EXPECT_TRUE(value >= 1.0f && value <= 5.0f);
  }
  // Of NMF the means stand in.
  double sum = 0.0, count = 0.0;
  for (std::uint32_t user = 0; user < 20; ++user)
    if (table[user][3] != 0.0f) {
      sum += static_cast<double>(table[user][3]);
      count += 1.0;
    }
  EXPECT_FLOAT_EQ(predictions_of(*nmf, 20, 4)[3], static_cast<float>(sum / count));
}

TEST(RatingFactors, AnEpochMoreFitsBetter) {
  const RatedWorld world = rated_world(planted_ratings(30, 20, 0.6));
  double last_mf = 1e9, last_svdpp = 1e9;
  for (const std::uint32_t epochs : {1u, 10u, 40u}) {
    const double mf =
        training_error(*BiasedMf::fit(world.data(), {.factors = 4, .epochs = epochs}).value(), world);
    const double svdpp =
        training_error(*Svdpp::fit(world.data(), {.factors = 4, .epochs = epochs}).value(), world);
    EXPECT_LT(mf, last_mf);
    EXPECT_LT(svdpp, last_svdpp);
    last_mf = mf;
    last_svdpp = svdpp;
  }
}

TEST(Nmf, NothingIsNegativeAndTheErrorOnlyFalls) {
  const RatedWorld world = rated_world(planted_ratings(30, 20, 0.6));
  double last = 1e9;
  for (std::uint32_t epochs = 0; epochs < 12; ++epochs) {
    const auto model = Nmf::fit(world.data(), {.factors = 4, .epochs = epochs, .reg = 0.0f}).value();
    for (const FactorTable* table : {&model->users(), &model->items()})
      for (std::size_t row = 0; row < table->rows(); ++row)
        for (const double value : table->of(row)) EXPECT_GE(value, 0.0);
    const double error = training_error(*model, world);
    EXPECT_LT(error, last);
    last = error;
  }
}

TEST(RatingFactors, RefuseWhatCannotBe) {
  const RatedWorld world = rated_world({{5, 1}});
  EXPECT_EQ(BiasedMf::fit(world.data(), {.factors = 0}).error().code, Code::usage);
  EXPECT_EQ(Svdpp::fit(world.data(), {.learning_rate = 0.0f}).error().code, Code::usage);
  EXPECT_EQ(Nmf::fit(world.data(), {.reg = -1.0f}).error().code, Code::usage);
  RatingData below = world.data();
  below.scale = {-5.0f, 5.0f};
  EXPECT_EQ(Nmf::fit(below, {}).error().code, Code::bad_input);
}

}  // namespace sotto::model::rating_factors_test
