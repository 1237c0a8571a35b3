#include "lab/reproduce/cars_cold_start.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/executor.h"
#include "engine/models/fedcars.h"
#include "engine/train/training.h"
#include "model/fedcars/testing/small_rated_world.h"

namespace sotto::lab {
namespace {

TrainRequest new_people_request() {
  TrainRequest request;
  request.model = "fedcars";
  request.data.paths = {"made up"};
  request.plan.fpl.factors = 4;
  request.plan.epochs = 3;
  request.plan.cohort = 0.5;
  request.model.own<FedcarsSettings>().choices = false;
  request.model.own<FedcarsSettings>().participation = 0.6;
  return request;
}

struct ColdWorld {
  TrainRequest request = new_people_request();
  Split split = small_rated_world(5, {.users = 60, .items = 30, .history = 12});
  SerialExecutor serial;
  Trained trained;

  ColdWorld() {
    EXPECT_TRUE(settle(request).ok());
    TrainHooks hooks;
    trained = std::move(train(request, split, serial, hooks).value());
  }
  [[nodiscard]] const FedcarsRecommender& model() const {
    return dynamic_cast<const FedcarsRecommender&>(*trained.model);
  }
};

// The mean of the item, over people who took no part, by hand.
TEST(CarsColdStart, item_means_come_from_those_who_took_part) {
  const ColdWorld world;
  const Split& split = world.split;
  const auto is_new = [&](std::uint32_t user) {
    return !answers_at(world.request.model.own<FedcarsSettings>().participation, world.request.plan.seed,
                       UserIndex{user});
  };
  std::vector<double> sums(split.catalogue, 0.0), counts(split.catalogue, 0.0);
  double sum = 0.0, count = 0.0;
  for (std::uint32_t user = 0; user < split.users.size(); ++user)
    for (std::uint64_t n = split.train.offsets()[user]; n < split.train.offsets()[user + 1]; ++n) {
      if (is_new(user)) continue;
      const double rating = split.records->train.ratings[n];
      sums[split.train.items()[n].value] += rating;
      counts[split.train.items()[n].value] += 1.0;
      sum += rating;
      count += 1.0;
    }
  double errors = 0.0, asked = 0.0;
  std::size_t people = 0;
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    if (!is_new(user) || split.test.of(UserIndex{user}).empty()) continue;
    ++people;
    for (std::uint64_t n = split.test.offsets()[user]; n < split.test.offsets()[user + 1]; ++n) {
      const std::uint32_t item = split.test.items()[n].value;
      const double mean = counts[item] > 0.0 ? sums[item] / counts[item] : sum / count;
      errors += std::abs(mean - split.records->test.ratings[n]);
      asked += 1.0;
    }
  }
  const std::array<std::uint32_t, 2> known{0, 4};
  const auto curve = cold_start_curve(world.request, split, world.model(), known);
  ASSERT_TRUE(curve.ok()) << curve.error().message;
  EXPECT_EQ(curve->people, people);
  ASSERT_EQ(curve->points.size(), 2u);
  for (const ColdStartPoint& point : curve->points) EXPECT_NEAR(point.item_mean, errors / asked, 1e-6);
}

// Nothing known: no step has anything to go by. Everything known: what predict_new says of all of it.
TEST(CarsColdStart, steps_matter_where_something_is_known) {
  const ColdWorld world;
  const std::array<std::uint32_t, 3> known{0, 3, 1000};
  const auto curve = cold_start_curve(world.request, world.split, world.model(), known).value();
  EXPECT_EQ(curve.points[0].one_step, curve.points[0].all_steps);
  EXPECT_NE(curve.points[1].one_step, curve.points[1].all_steps);
  EXPECT_NE(curve.points[1].all_steps, curve.points[2].all_steps);
  EXPECT_NE(curve.points[0].biases, curve.points[1].biases);
  const Split& split = world.split;
  double errors = 0.0, asked = 0.0;
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    if (answers_at(0.6, world.request.plan.seed, UserIndex{user})) continue;
    std::vector<KnownRating> all;
    for (std::uint64_t n = split.train.offsets()[user]; n < split.train.offsets()[user + 1]; ++n)
      all.push_back({{split.train.items()[n], split.contexts->train.of(n)}, split.records->train.ratings[n]});
    for (std::uint64_t n = split.test.offsets()[user]; n < split.test.offsets()[user + 1]; ++n) {
      const Occasion occasion{split.test.items()[n], split.contexts->test.of(n)};
      float out = 0.0f;
      world.model().predict_new(all, world.model().model().options().rating.steps, {&occasion, 1}, {&out, 1});
      errors += std::abs(static_cast<double>(out) - static_cast<double>(split.records->test.ratings[n]));
      asked += 1.0;
    }
  }
  EXPECT_NEAR(curve.points[2].all_steps, errors / asked, 1e-5);  // floats are added in another order
}

TEST(CarsColdStart, with_everybody_there_is_nobody_new) {
  const ColdWorld world;
  TrainRequest all = world.request;
  all.model.own<FedcarsSettings>().participation = 1.0;
  const std::array<std::uint32_t, 1> known{0};
  EXPECT_FALSE(cold_start_curve(all, world.split, world.model(), known).ok());
}

}  // namespace
}  // namespace sotto::lab
