#include "lab/forget_figures.h"

#include <gtest/gtest.h>

#include <string_view>

#include "data/generate.h"

namespace sotto::lab::forget_figures_test {

const Split& world() {
  static const Split split =
      split_dataset(generate_world({.users = 90, .items = 70, .mean_interactions = 14.0, .seed = 4}).value(),
                    {})
          .value();
  return split;
}

TrainRequest request_for(std::string_view model) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = model;
  EXPECT_TRUE(set_variant(request.plan, "pfpl").ok());
  request.plan.cohort = 1.0;
  request.plan.fpl.factors = 4;
  request.plan.epochs = 3;
  request.plan.consent = {0.6, MaskKind::sticky};
  EXPECT_TRUE(settle(request).ok());
  return request;
}

struct Case {
  ForgetRequest asked;
  Trained before;
  Forgotten forgotten;
};
template <class Value>
Value must(Result<Value> result) {
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return std::move(result).value();
}
Case forget_one(const TrainRequest& request, UserIndex user) {
  SerialExecutor serial;
  TrainHooks hooks;
  Case out{{.request = request, .user = user, .kept = {}, .check = true},
           must(train(request, world(), serial, hooks)),
           {}};
  out.forgotten = must(forget(out.asked, world(), serial));
  return out;
}

// How often an item of the history stands above another one, pair by pair; b + p·q in doubles.
double slow_auc(std::span<const float> person, const RowMatrix& items, std::span<const ItemIndex> history) {
  const auto score = [&](std::uint32_t item) {
    double sum = 0.0;
    for (std::size_t k = 0; k < items.width(); ++k)
      sum += static_cast<double>(person[k]) * static_cast<double>(items.row(item)[k]);
    return sum;
  };
  double won = 0.0, pairs = 0.0;
  for (const ItemIndex own : history)
    for (std::uint32_t other = 0; other < items.rows(); ++other) {
      if (std::find(history.begin(), history.end(), ItemIndex{other}) != history.end()) continue;
      pairs += 1.0;
      won += score(own.value) > score(other) ? 1.0 : 0.0;
    }
  return won / pairs;
}

TEST(ForgetFigures, TheOldVectorIsRankedWithInAllThreeModels) {
  for (const std::string_view model : {"fpl", "fcf", "fedals"})
    for (const std::uint32_t user : {5u, 31u}) {
      const Case one = forget_one(request_for(model), {user});
      const Parameters& before = *one.before.parameters;
      const auto left = left_of_person(one.asked, world(), before, one.forgotten);
      ASSERT_TRUE(left.ok() && left->has_value()) << model;
      const auto person = before.users.on_device().values(user);
      const auto history = world().train.of({user});
      EXPECT_NEAR((*left)->before, slow_auc(person, before.items, history), 1e-3) << model;
      EXPECT_NEAR((*left)->after, slow_auc(person, one.forgotten.trained.parameters->items, history), 1e-3);
      EXPECT_EQ((*left)->after, (*left)->retrain) << "the same model, so the same figure";
      EXPECT_NE((*left)->after, (*left)->before) << "and another than it was";
      // By hand: of all pairs, those that the others' counts put right, and half of those that are level.
      std::vector<int> counts(world().catalogue, 0);
      for (std::uint32_t n = 0; n < world().users.size(); ++n)
        if (n != user)
          for (const ItemIndex item : world().train.of({n})) ++counts[item.value];
      double won = 0.0, pairs = 0.0;
      for (const ItemIndex own : history)
        for (std::uint32_t other = 0; other < counts.size(); ++other) {
          if (std::find(history.begin(), history.end(), ItemIndex{other}) != history.end()) continue;
          pairs += 1.0;
          won += counts[own.value] > counts[other] ? 1.0 : counts[own.value] == counts[other] ? .5 : 0.0;
        }
      EXPECT_NEAR((*left)->popularity, won / pairs, 1e-12);
    }
}

TEST(ForgetFigures, WhoSentNothingHasNoVectorToBeRankedBy) {
  TrainRequest request = request_for("fpl");
  const ConsentBook all({{.pi = 1.0}}, std::vector<std::uint16_t>(world().users.size(), 0));
  request.plan.consent.people = std::make_shared<ConsentBook>(all.without(UserIndex{5}));
  const Case silent = forget_one(request, {5});
  EXPECT_FALSE(
      left_of_person(silent.asked, world(), *silent.before.parameters, silent.forgotten)->has_value());
  const Case other = forget_one(request, {6});
  EXPECT_TRUE(left_of_person(other.asked, world(), *other.before.parameters, other.forgotten)->has_value());
}

TEST(ForgetFigures, ModelsOfPairsHaveNoVectors) {
  const Case one = forget_one(request_for("fedease"), {5});
  EXPECT_FALSE(left_of_person(one.asked, world(), {}, one.forgotten)->has_value());
}

// The mean over all but one, of everybody's values in the run's own evaluation.
double mean_of_others(const Evaluation& evaluation, const char* metric, UserIndex person) {
  const std::vector<double> values = evaluation.per_user.column(metric);
  double sum = 0.0, judged = 0.0;
  for (std::size_t n = 0; n < values.size(); ++n)
    if (evaluation.per_user.users[n] != person) sum += values[n], judged += 1.0;
  return sum / judged;
}

TEST(ForgetFigures, TheOthersLoseWhatTheModelsBeforeAndAfterDifferBy) {
  SerialExecutor serial;
  for (const std::string_view model : {"fpl", "fedals", "fedease"}) {
    const UserIndex person{5};
    const Case one = forget_one(request_for(model), person);
    const auto figures = others_figures(*one.before.model, one.forgotten, serial).value();
    ASSERT_EQ(figures.size(), 2u);
    const auto old = evaluate(*one.before.model, world(), {}, serial).value();
    ASSERT_NE(std::ranges::count(old.per_user.users, person), 0) << "the person was judged, too";
    const auto now = evaluate(*one.forgotten.trained.model, *one.forgotten.split, {}, serial).value();
    for (const OthersFigure& figure : figures) {
      EXPECT_NEAR(figure.before, mean_of_others(old, figure.metric.c_str(), person), 1e-12) << figure.metric;
      EXPECT_EQ(figure.after, *now.find(figure.metric)) << figure.metric;
      EXPECT_EQ(figure.change(), figure.after - figure.before);
    }
    EXPECT_NE(figures[1].change(), 0.0) << model << ": another model gives other lists";
  }
}

}  // namespace sotto::lab::forget_figures_test
