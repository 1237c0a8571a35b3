#include "model/kgflex/kgflex_recommender.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/kgflex/kgflex_central.h"
#include "model/kgflex/testing/small_world.h"

namespace sotto::model::kgflex_recommender_test {

class Trained {
 public:
  explicit Trained(std::uint64_t seed, const SmallWorldShape& shape = {})
      : world(seed, shape),
        model({.factors = 3, .learning_rate = 0.2f, .init_sd = 0.3f}, world.devices()),
        training(model) {
    SerialExecutor serial;
    for (std::uint32_t epoch = 0; epoch < 5; ++epoch) (void)training.run_epoch(epoch, serial).value();
  }
  [[nodiscard]] KgflexRecommender recommender() const {
    return {model, &training.users(), &training.items()};
  }
  [[nodiscard]] std::vector<float> scores(const KgflexRecommender& of, UserIndex user) const {
    std::vector<float> out(world.catalogue());
    of.score(std::span(&user, 1), {0, static_cast<std::uint32_t>(out.size())}, out);
    return out;
  }

  SmallWorld world;
  Kgflex model;
  KgflexCentral training;
};

TEST(KgflexRecommender, ScoresByEquation612) {
  const Trained trained(5);
  const KgflexRecommender model = trained.recommender();
  const std::size_t stride = trained.training.items().stride();
  for (std::uint32_t user = 0; user < 12; ++user) {
    const FeatureProfile profile = model.profile({user});
    const std::vector<float> scores = trained.scores(model, {user});
    for (std::uint32_t item = 0; item < 30; ++item) {
      double expected = 0.0;
      for (const FeatureIndex feature : trained.world.features->of({item})) {
        const float* g = trained.training.items().row(feature.value);
        if (profile.features.empty()) {
          expected += g[3];
          continue;
        }
        const auto found = std::ranges::lower_bound(profile.features, feature);
        if (found == profile.features.end() || *found != feature) continue;
        const auto n = static_cast<std::size_t>(found - profile.features.begin());
        const float* p = trained.training.users().row(user) + n * stride;
        expected += static_cast<double>(profile.gains[n]) * (p[0] * g[0] + p[1] * g[1] + p[2] * g[2] + g[3]);
      }
      EXPECT_NEAR(scores[item], expected, 1e-5);
    }
  }
}

TEST(KgflexRecommender, BlocksDoNotMatter) {
  const Trained trained(6);
  const KgflexRecommender model = trained.recommender();
  const std::vector<UserIndex> users{{2}, {7}};
  std::vector<float> part(2 * 7);
  model.score(users, {11, 18}, part);
  for (std::size_t k = 0; k < 2; ++k) {
    const std::vector<float> whole = trained.scores(model, users[k]);
    for (std::size_t n = 0; n < 7; ++n) EXPECT_EQ(part[k * 7 + n], whole[11 + n]);
  }
}

TEST(KgflexRecommender, ReasonsAddUpToTheScoreAndAVetoTakesOneOut) {
  const Trained trained(7);
  KgflexRecommender model = trained.recommender();
  std::size_t seen = 0;
  for (std::uint32_t user = 0; user < 12; ++user) {
    const std::vector<float> scores = trained.scores(model, {user});
    for (std::uint32_t item = 0; item < 30; ++item) {
      const std::vector<Reason> reasons = model.reasons({user}, {item});
      double sum = 0.0;
      for (const Reason& reason : reasons) sum += static_cast<double>(reason.part);
      EXPECT_NEAR(sum, scores[item], 1e-5);
      for (std::size_t n = 1; n < reasons.size(); ++n) EXPECT_GE(reasons[n - 1].part, reasons[n].part);
      if (reasons.size() < 2) continue;
      ++seen;
      model.veto({reasons[0].feature});
      EXPECT_NEAR(trained.scores(model, {user})[item], scores[item] - reasons[0].part, 1e-5);
      EXPECT_EQ(model.reasons({user}, {item}).size(), reasons.size() - 1);
      model.veto({});
      EXPECT_EQ(trained.scores(model, {user}), scores);
    }
  }
  EXPECT_GT(seen, 10u);
}

TEST(KgflexRecommender, SomebodyNewGetsWhatTheirHistoryAsksFor) {
  const Trained trained(9, {.users = 60, .items = 40, .features = 12, .history = 6, .of_an_item = 3});
  const KgflexRecommender model = trained.recommender();
  const auto history = trained.world.histories.of({1});
  std::vector<float> scores(40), again(40), nobody(40);
  model.score_history(history, scores);
  model.score_history(history, again);
  EXPECT_EQ(scores, again);
  // Learned from it, the history stands above the rest in the mean.
  double own = 0.0, other = 0.0;
  for (std::uint32_t item = 0; item < 40; ++item)
    (trained.world.histories.contains({1}, {item}) ? own : other) += static_cast<double>(scores[item]);
  EXPECT_GT(own / static_cast<double>(history.size()), other / static_cast<double>(40 - history.size()));
  double sum = 0.0;
  const auto of_history = model.reasons_for_history(history, history.first(1));
  for (const Reason& reason : of_history.front()) sum += static_cast<double>(reason.part);
  EXPECT_NEAR(sum, scores[history[0].value], 1e-4);
  // Without a history: the biases alone.
  model.score_history({}, nobody);
  for (std::uint32_t item = 0; item < 40; ++item) {
    double biases = 0.0;
    for (const FeatureIndex feature : trained.world.features->of({item}))
      biases += static_cast<double>(trained.training.items().row(feature.value)[3]);
    EXPECT_NEAR(nobody[item], biases, 1e-5);
  }
}

// Somebody whose private row nobody has but their device: learned from the history, for the profile they
// have.
TEST(KgflexRecommender, AKnownHistoryAloneGivesARowThatRanksIt) {
  const Trained trained(9, {.users = 60, .items = 40, .features = 12, .history = 6, .of_an_item = 3});
  const KgflexRecommender model = trained.recommender();
  RowMatrix rows(60, trained.model.private_width());
  for (std::uint32_t user = 0; user < 60; ++user) {
    const RowMatrix own = model.fold_in({user});
    ASSERT_LE(own.width(), rows.width());
    std::ranges::copy(own.values(0), rows.row(user));
  }
  const KgflexRecommender folded(trained.model, &rows, &trained.training.items());
  double own = 0.0, other = 0.0;
  for (std::uint32_t user = 0; user < 60; ++user) {
    const std::vector<float> scores = trained.scores(folded, {user});
    for (std::uint32_t item = 0; item < 40; ++item)
      (trained.world.histories.contains({user}, {item}) ? own : other) += static_cast<double>(scores[item]);
  }
  const auto had = static_cast<double>(trained.world.histories.interactions());
  EXPECT_GT(own / had, 1.3 * other / (60.0 * 40.0 - had));
}

TEST(KgflexRecommender, WhoKeepsEverythingBackIsNotScoredByIt) {
  const SmallWorld world(5);
  const UserIndex shut{3};
  const Kgflex model({.factors = 3, .init_sd = 0.3f},
                     world.devices({}, [&](UserIndex user, FeatureIndex) { return user == shut; }));
  KgflexCentral training(model);
  const KgflexRecommender recommender(model, &training.users(), &training.items());
  const std::vector<UserIndex> users{shut};
  std::vector<float> scores(30);
  recommender.score(users, {0, 30}, scores);
  EXPECT_EQ(scores, std::vector<float>(30, 0.0f));
  for (std::uint32_t item = 0; item < 30; ++item) EXPECT_TRUE(recommender.reasons(shut, {item}).empty());
}

TEST(KgflexRecommender, ItemsAreAlikeByTheirCommonFeatures) {
  const Trained trained(5);
  const KgflexRecommender model = trained.recommender();
  std::vector<float> alike(30);
  for (std::uint32_t item = 0; item < 30; ++item) {
    ASSERT_TRUE(model.similar({item}, alike).ok());
    for (std::uint32_t other = 0; other < 30; ++other) {
      const auto a = trained.world.features->of({item}), b = trained.world.features->of({other});
      std::vector<FeatureIndex> both, any;
      std::ranges::set_intersection(a, b, std::back_inserter(both));
      std::ranges::set_union(a, b, std::back_inserter(any));
      EXPECT_FLOAT_EQ(alike[other],
                      any.empty() ? 0.0f : static_cast<float>(both.size()) / static_cast<float>(any.size()));
    }
  }
}

}  // namespace sotto::model::kgflex_recommender_test
