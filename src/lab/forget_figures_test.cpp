#include "lab/forget_figures.h"

#include <gtest/gtest.h>

#include "data/generate.h"

namespace sotto::forget_figures_test {

const Split& world() {
  static const Split split =
      split_dataset(generate_world({.users = 90, .items = 70, .mean_interactions = 14.0, .seed = 4}).value(),
                    {})
          .value();
  return split;
}

TrainRequest request_for(ModelKind model) {
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
  for (const ModelKind model : {ModelKind::fpl, ModelKind::fcf, ModelKind::fedals})
    for (const std::uint32_t user : {5u, 31u}) {
      const Case one = forget_one(request_for(model), {user});
      const Parameters& before = *one.before.parameters;
      const auto left = left_of_person(one.asked, world(), before, one.forgotten);
      ASSERT_TRUE(left.ok() && left->has_value()) << to_string(model);
      const auto person = before.users.on_device().values(user);
      const auto history = world().train.of({user});
      EXPECT_NEAR((*left)->before, slow_auc(person, before.items, history), 1e-3) << to_string(model);
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
  TrainRequest request = request_for(ModelKind::fpl);
  const ConsentBook all({{.pi = 1.0}}, std::vector<std::uint16_t>(world().users.size(), 0));
  request.plan.consent.people = std::make_shared<ConsentBook>(all.without(UserIndex{5}));
  const Case silent = forget_one(request, {5});
  EXPECT_FALSE(
      left_of_person(silent.asked, world(), *silent.before.parameters, silent.forgotten)->has_value());
  const Case other = forget_one(request, {6});
  EXPECT_TRUE(left_of_person(other.asked, world(), *other.before.parameters, other.forgotten)->has_value());
}

TEST(ForgetFigures, ModelsOfPairsHaveNoVectors) {
  const Case one = forget_one(request_for(ModelKind::fedease), {5});
  EXPECT_FALSE(left_of_person(one.asked, world(), {}, one.forgotten)->has_value());
}

TEST(ForgetFigures, TheOthersLoseWhatTheTwoModelsDifferBy) {
  SerialExecutor serial;
  for (const ModelKind model : {ModelKind::fpl, ModelKind::fedease}) {
    Case one = forget_one(request_for(model), {5});
    for (const OthersFigure& figure : others_figures(one.forgotten, serial).value()) {
      EXPECT_EQ(figure.gap(), 0.0) << figure.metric;
      EXPECT_GT(figure.after, 0.0) << figure.metric;
    }
    // A forgetting that left another model than a retrain would show.
    TrainRequest worse = request_for(model);
    worse.plan.epochs = 1;
    worse.lambda = 1e6f;
    TrainHooks hooks;
    one.forgotten.trained = train(worse, *one.forgotten.split, serial, hooks).value();
    const auto figures = others_figures(one.forgotten, serial).value();
    const auto judged = evaluate(*one.forgotten.trained.model, *one.forgotten.split, {}, serial).value();
    ASSERT_EQ(figures.size(), 2u);
    EXPECT_EQ(figures[0].after, *judged.find("P@10"));
    EXPECT_EQ(figures[1].after, *judged.find("nDCG@10"));
    EXPECT_NE(figures[1].gap(), 0.0) << to_string(model);
  }
}

}  // namespace sotto::forget_figures_test
