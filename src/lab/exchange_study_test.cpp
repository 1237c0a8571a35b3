#include "lab/exchange_study.h"

#include <gtest/gtest.h>

#include "data/generate.h"
#include "engine/train/training.h"
#include "metrics/evaluate.h"
#include "sim/thread_pool.h"

namespace sotto::lab {
namespace {

const Split& exchange_world() {
  static const Split split =
      generate_split({.users = 120, .items = 150, .mean_interactions = 20.0, .seed = 8}).value();
  return split;
}

TrainRequest exchange_plan(ModelPrecision down = ModelPrecision::f32) {
  TrainRequest request;
  request.data.paths = {"generated"};
  EXPECT_TRUE(set_variant(request.plan, "pfpl+").ok());
  request.plan.fpl.factors = 7;
  request.plan.epochs = 5;
  request.plan.down = down;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

ExchangeRequest exchange_request() {
  ExchangeRequest request;
  request.plan = exchange_plan().plan;
  request.seeds = 1;
  request.samples = 3;
  return request;
}

TEST(ExchangeStudy, BytesAreThoseOfTheFormats) {
  SerialExecutor serial;
  const auto all = run_exchange_study(exchange_request(), exchange_world(), serial, {}).value();
  ASSERT_EQ(all.size(), 1u);
  const CohortFigures& figures = all.front();
  const auto items = static_cast<double>(exchange_world().catalogue);
  ASSERT_EQ(figures.precisions.size(), 3u);
  EXPECT_EQ(figures.rounds_between, 1u);  // everybody is asked in every round
  EXPECT_EQ(figures.precisions[0].whole, 16.0 + items * 8 * 4);
  EXPECT_EQ(figures.precisions[1].whole, 16.0 + items * 8 * 2);
  EXPECT_EQ(figures.precisions[2].whole, 16.0 + items * (8 + 4));
  EXPECT_EQ(figures.naive, 20.0 + items * 8 * 4 + figures.precisions[0].up);
  EXPECT_DOUBLE_EQ(figures.estimate, (items + 2.0 * figures.schedule.triples) * 32);  // π is 1
  for (const PrecisionFigures& one : figures.precisions) {
    EXPECT_EQ(one.from_visit, one.from_last);
    EXPECT_LT(one.packed, one.whole);
    EXPECT_LT(one.up_packed, one.up);
    // Each distinct row of at most 2T: its number and 8 integers.
    EXPECT_LE(one.up, 20.0 + 2.0 * figures.schedule.triples * 36);
  }
}

TEST(ExchangeStudy, QualityIsThatOfATrainingInThatPrecision) {
  SerialExecutor serial;
  const auto all = run_exchange_study(exchange_request(), exchange_world(), serial, {}).value();
  for (const PrecisionFigures& one : all.front().precisions) {
    TrainHooks hooks;
    const Trained trained = train(exchange_plan(one.precision), exchange_world(), serial, hooks).value();
    const Evaluation judged = evaluate(*trained.model, exchange_world(), {}, serial).value();
    EXPECT_EQ(one.quality, judged.find("P@10")) << to_string(one.precision);
  }
}

TEST(ExchangeStudy, TheSameForAnyThreadsAndByCohort) {
  ExchangeRequest request = exchange_request();
  request.cohorts = {0.1, 1.0};
  SerialExecutor serial;
  ThreadPool pool(3);
  const auto one = run_exchange_study(request, exchange_world(), serial, {}).value();
  const auto more = run_exchange_study(request, exchange_world(), pool, {}).value();
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].rounds_between, 10u);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t p = 0; p < 3; ++p) {
      EXPECT_EQ(more[n].precisions[p].exchange(), one[n].precisions[p].exchange());
      EXPECT_EQ(more[n].precisions[p].quality, one[n].precisions[p].quality);
    }
  // Fewer rows change in a round of fewer devices.
  EXPECT_LT(one[0].precisions[2].from_last, one[1].precisions[2].from_last);
  EXPECT_LT(one[0].precisions[2].from_last, one[0].precisions[2].from_visit);
}

TEST(ExchangeStudy, RefusesWhatCannotBe) {
  ExchangeRequest request = exchange_request();
  request.cohorts = {1.5};
  EXPECT_FALSE(check(request).ok());
  request.cohorts.clear();
  request.samples = 0;
  EXPECT_FALSE(check(request).ok());
}

// What a run directory gives back is what devices hold, and the file holds the server's.
TEST(DownPrecision, AKeptModelIsJudgedAsDevicesHoldIt) {
  SerialExecutor serial;
  const TrainRequest request = exchange_plan(ModelPrecision::i8);
  TrainHooks hooks;
  const Trained trained = train(request, exchange_world(), serial, hooks).value();
  EXPECT_EQ(trained.model_hash, hash_rows(trained.parameters->items));
  const auto again = rebuild_model(request, exchange_world(), *trained.parameters, serial).value();
  TrainRequest full = request;
  full.plan.down = ModelPrecision::f32;
  const auto master = rebuild_model(full, exchange_world(), *trained.parameters, serial).value();
  const std::vector<UserIndex> users{UserIndex{3}};
  const ItemRange items{0, static_cast<std::uint32_t>(exchange_world().catalogue)};
  std::vector<float> kept(items.size()), rebuilt(items.size()), exact(items.size());
  trained.model->score(users, items, kept);
  again.model->score(users, items, rebuilt);
  master.model->score(users, items, exact);
  EXPECT_EQ(rebuilt, kept);
  EXPECT_NE(exact, kept);
}

TEST(DownPrecision, IsAKeyOfAPlanAndServesFplAlone) {
  TrainRequest request = exchange_plan(ModelPrecision::f16);
  const std::string text = to_toml(request);
  EXPECT_NE(text.find("down_precision = 'f16'"), std::string::npos) << text;
  EXPECT_EQ(from_toml(text, "plan.toml").value().plan.down, ModelPrecision::f16);
  EXPECT_EQ(to_toml(exchange_plan()).find("down_precision"), std::string::npos);
  EXPECT_FALSE(from_toml("[federation]\ndown_precision = 'f64'\n", "plan.toml").ok());
  request.model = "fcf";
  const Status settled = settle(request);
  ASSERT_FALSE(settled.ok());
  EXPECT_NE(settled.error().message.find("--down-precision"), std::string::npos);
}

}  // namespace
}  // namespace sotto::lab
