#include "model/central/vsm.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

#include "model/central/testing/small_features.h"

namespace sotto::model::vsm_test {

using Vector = std::map<std::uint32_t, double>;

// The obvious way, by maps and the C library.
Vector slow_row(const ItemFeatures& features, std::uint32_t item, FeatureWeights weights) {
  double documents = 0.0;
  for (std::uint32_t other = 0; other < features.items(); ++other)
    documents += features.of(ItemIndex{other}).empty() ? 0.0 : 1.0;
  Vector row;
  for (const FeatureIndex feature : features.of(ItemIndex{item})) {
    double holders = 0.0;
    for (std::uint32_t other = 0; other < features.items(); ++other)
      for (const FeatureIndex held : features.of(ItemIndex{other})) holders += held == feature ? 1.0 : 0.0;
    row[feature.value] = weights == FeatureWeights::binary ? 1.0 : std::log(documents / holders);
  }
  return row;
}

double length(const Vector& row) {
  double squares = 0.0;
  for (const auto& [feature, value] : row) squares += value * value;
  return std::sqrt(squares);
}

Vector scaled(Vector row) {
  const double by = length(row);
  for (auto& [feature, value] : row) value = by > 0.0 ? value / by : 0.0;
  return row;
}

double cosine(const Vector& a, const Vector& b) {
  double product = 0.0;
  for (const auto& [feature, value] : a)
    if (b.contains(feature)) product += value * b.at(feature);
  const double lengths = length(a) * length(b);
  return lengths > 0.0 ? product / lengths : 0.0;
}

Vector slow_profile(const ItemFeatures& features, const std::vector<ItemIndex>& history,
                    const VsmOptions& options) {
  std::map<std::uint32_t, std::vector<double>> values;
  for (const ItemIndex item : history)
    for (const auto& [feature, value] : scaled(slow_row(features, item.value, options.users)))
      values[feature].push_back(value);
  Vector profile;
  for (const auto& [feature, held] : values) {
    double sum = 0.0;
    for (const double value : held) sum += value;
    const std::size_t by = options.profile == ProfileRule::mean ? held.size() : history.size();
    profile[feature] = options.users == FeatureWeights::binary ? 1.0 : sum / static_cast<double>(by);
  }
  return profile;
}

TEST(TfIdf, AWorkedExample) {
  // Three items have features: feature 0 is of all, 1 of two, 2 of one. ln(3/3) = 0, ln(3/2), ln 3.
  const TfIdf rows(features_of({{0, 1, 2}, {0, 1}, {0}, {}}));
  const double middle = std::log(1.5), rare = std::log(3.0), by = std::hypot(middle, rare);
  EXPECT_EQ(rows.of(ItemIndex{0})[0], 0.0f);
  EXPECT_NEAR(static_cast<double>(rows.of(ItemIndex{0})[1]), middle / by, 1e-7);
  EXPECT_NEAR(static_cast<double>(rows.of(ItemIndex{0})[2]), rare / by, 1e-7);
  EXPECT_EQ(rows.of(ItemIndex{1})[1], 1.0f);
  EXPECT_EQ(rows.of(ItemIndex{2})[0], 0.0f);  // it has only what all have
  EXPECT_TRUE(rows.of(ItemIndex{3}).empty());
  std::vector<float> profile(3);
  rows.profile(items_of({0, 1}), ProfileRule::mean, profile);
  EXPECT_NEAR(static_cast<double>(profile[1]), (middle / by + 1.0) / 2.0, 1e-7);
  EXPECT_NEAR(static_cast<double>(profile[2]), rare / by, 1e-7);  // of the one item that has it
  rows.profile(items_of({0, 1}), ProfileRule::centroid, profile);
  EXPECT_NEAR(static_cast<double>(profile[2]), rare / by / 2.0, 1e-7);
}

RC_GTEST_PROP(Vsm, ScoresAreTheCosineOfTheObviousWay, ()) {
  const auto features = random_features(9, 7, *rc::gen::element(10, 30, 60));
  const Histories train = histories_of(random_rows(4, 8, 40));
  VsmOptions options;
  options.users = *rc::gen::element(FeatureWeights::tf_idf, FeatureWeights::binary);
  options.items = *rc::gen::element(FeatureWeights::tf_idf, FeatureWeights::binary);
  options.profile = *rc::gen::element(ProfileRule::mean, ProfileRule::centroid);
  const Vsm model(train, 8, features, options);  // the ninth item is in no catalogue, and counts in idf
  for (std::uint32_t user = 0; user < 4; ++user) {
    const UserIndex index{user};
    std::vector<float> scores(8), piece(3), folded(8);
    model.score(std::span(&index, 1), {0, 8}, scores);
    model.score(std::span(&index, 1), {2, 5}, piece);
    model.score_history(train.of(index), folded);
    RC_ASSERT(folded == scores);
    RC_ASSERT(std::equal(piece.begin(), piece.end(), scores.begin() + 2));
    const std::vector<ItemIndex> history(train.of(index).begin(), train.of(index).end());
    const Vector profile = slow_profile(*features, history, options);
    for (std::uint32_t item = 0; item < 8; ++item) {
      const double expected = cosine(profile, slow_row(*features, item, options.items));
      RC_ASSERT(std::fabs(static_cast<double>(scores[item]) - expected) < 1e-6);
    }
  }
}

RC_GTEST_PROP(Vsm, SimilarItemsAreByTheirRows, ()) {
  const auto features = random_features(6, 5, 40);
  const Histories nobody(0);
  const Vsm model(nobody, 6, features, {});
  for (std::uint32_t item = 0; item < 6; ++item) {
    std::vector<float> likeness(6);
    RC_ASSERT(model.similar(ItemIndex{item}, likeness).ok());
    for (std::uint32_t other = 0; other < 6; ++other) {
      const double expected = cosine(slow_row(*features, item, FeatureWeights::tf_idf),
                                     slow_row(*features, other, FeatureWeights::tf_idf));
      RC_ASSERT(std::fabs(static_cast<double>(likeness[other]) - expected) < 1e-6);
    }
  }
}

RC_GTEST_PROP(Vsm, ReasonsAddUpAndVetoesTakeThemAway, ()) {
  const auto features = random_features(8, 6, 50);
  const Histories train = histories_of(random_rows(1, 8, 50));
  Vsm model(train, 8, features, {});
  const UserIndex user{0};
  const auto sum_up = [&] {
    std::vector<float> scores(8);
    model.score(std::span(&user, 1), {0, 8}, scores);
    for (std::uint32_t item = 0; item < 8; ++item) {
      const auto reasons = model.reasons(user, ItemIndex{item});
      double sum = 0.0;
      for (std::size_t n = 0; n < reasons.size(); ++n) {
        sum += static_cast<double>(reasons[n].part);
        if (n > 0)  // RC_ASSERT evaluates both sides of ||
          RC_ASSERT(reasons[n - 1].part > reasons[n].part ||
                    (reasons[n - 1].part == reasons[n].part &&
                     reasons[n - 1].feature.value < reasons[n].feature.value));
      }
      RC_ASSERT(std::fabs(sum - static_cast<double>(scores[item])) < 1e-6);
    }
  };
  sum_up();
  if (features->features() == 0) return;
  const FeatureIndex vetoed{*rc::gen::inRange(0u, static_cast<std::uint32_t>(features->features()))};
  model.veto({vetoed});
  sum_up();
  for (std::uint32_t item = 0; item < 8; ++item)
    for (const Reason& reason : model.reasons(user, ItemIndex{item})) RC_ASSERT(reason.feature != vetoed);
}

TEST(Vsm, WhoHasNothingKnownScoresZero) {
  const Histories train = histories_of({{2}, {}, {0}});  // item 2 has no features
  const Vsm model(train, 3, features_of({{0}, {1}, {}}), {});
  const UserIndex users[] = {UserIndex{0}, UserIndex{1}, UserIndex{2}};
  std::vector<float> scores(9);
  model.score(users, {0, 3}, scores);
  EXPECT_EQ(scores, (std::vector<float>{0, 0, 0, 0, 0, 0, 1, 0, 0}));
  EXPECT_TRUE(model.reasons(UserIndex{0}, ItemIndex{0}).empty());
}

TEST(Vsm, NamesAreReadAsTheyAreWritten) {
  for (const FeatureWeights weights : {FeatureWeights::tf_idf, FeatureWeights::binary})
    EXPECT_EQ(parse_feature_weights(to_string(weights)).value(), weights);
  for (const ProfileRule rule : {ProfileRule::mean, ProfileRule::centroid})
    EXPECT_EQ(parse_profile_rule(to_string(rule)).value(), rule);
  EXPECT_EQ(parse_feature_weights("idf").error().code, Code::usage);
  EXPECT_EQ(parse_profile_rule("").error().code, Code::usage);
}

}  // namespace sotto::model::vsm_test
