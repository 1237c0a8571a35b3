// What devices hold and how people are predicted, each against something written out.
#include "model/fedcars/fedcars.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/fedcars/fedcars_recommender.h"
#include "model/fedcars/testing/small_rated_world.h"

namespace sotto::model::fedcars_test {

const Split& world() {
  static const Split split = small_rated_world(3);
  return split;
}

FedcarsOptions small_options() {
  FedcarsOptions options;
  options.factors = 3;
  options.seed = 4;
  return options;
}

std::shared_ptr<const FedcarsDevices> devices_of(const Split& split, const FedcarsOptions& options,
                                                 ContextTermsOf terms = {}) {
  return std::make_shared<const FedcarsDevices>(split, split.train, std::move(terms), options);
}

std::vector<std::pair<std::uint32_t, float>> listed(std::span<const FmFeature> features) {
  std::vector<std::pair<std::uint32_t, float>> out;
  for (const FmFeature& feature : features) out.emplace_back(feature.row, feature.x);
  return out;
}

TEST(FedcarsDevices, ARecordIsItsItemItsContextsAndItsPerson) {
  const auto devices = devices_of(world(), small_options());
  const float half = 1.0f / std::sqrt(2.0f);
  for (std::uint32_t user = 0; user < world().users.size(); ++user)
    for (std::size_t k = 0; k < devices->records(UserIndex{user}); ++k) {
      const auto record = devices->record(UserIndex{user}, k);
      const std::uint64_t at = world().train.offsets()[user] + k;
      std::vector<std::pair<std::uint32_t, float>> expected{{record.item.value, 1.0f}};
      const bool two = record.item.value % 2 == 0;
      expected.emplace_back(30 + 3 + record.item.value % 3, two ? half : 1.0f);
      if (two) expected.emplace_back(30 + 6, half);
      expected.emplace_back(30 + 7 + user % 2, 1.0f);
      EXPECT_EQ(listed(record.timeless), expected);
      expected.emplace_back(30 + world().contexts->train.values[at], 1.0f);
      EXPECT_EQ(listed(record.features), expected);
      EXPECT_EQ(record.target, world().records->train.ratings[at] - 3.0f);
      EXPECT_EQ(record.weight, 1.0f);
    }
}

TEST(FedcarsDevices, WhatIsOffIsInNoRecord) {
  const ContextTerms off{.shares = {0.0f, 1.0f, 0.0f}};
  const auto devices =
      devices_of(world(), small_options(), [&](UserIndex) -> const ContextTerms& { return off; });
  for (std::uint32_t user = 0; user < world().users.size(); ++user)
    for (std::size_t k = 0; k < devices->records(UserIndex{user}); ++k)
      for (const FmFeature& feature : devices->record(UserIndex{user}, k).features)
        EXPECT_TRUE(feature.row < 30 || (feature.row >= 33 && feature.row < 37)) << feature.row;
}

TEST(FedcarsDevices, OlderRecordsCountLess) {
  FedcarsOptions options = small_options();
  options.half_life = 2.0f;
  const auto devices = devices_of(world(), options);
  for (std::uint32_t user = 0; user < world().users.size(); ++user) {
    const std::uint64_t first = world().train.offsets()[user];
    for (std::size_t k = 0; k < devices->records(UserIndex{user}); ++k) {
      int newer = 0;
      for (std::size_t other = 0; other < devices->records(UserIndex{user}); ++other)
        newer +=
            world().records->train.times[first + other] > world().records->train.times[first + k] ? 1 : 0;
      EXPECT_NEAR(devices->record(UserIndex{user}, k).weight,
                  std::pow(0.5f, static_cast<float>(newer) / 2.0f), 1e-5f);
    }
  }
}

TEST(FedcarsDevices, ChoicesMayForgetFaster) {
  FedcarsOptions options = small_options();
  options.half_life = 4.0f;
  for (const float half_life : {0.0f, 2.0f}) {
    options.choice_half_life = half_life;
    const auto devices = devices_of(world(), options);
    for (std::uint32_t user = 0; user < world().users.size(); ++user)
      for (std::size_t k = 0; k < devices->records(UserIndex{user}); ++k) {
        const auto record = devices->record(UserIndex{user}, k);
        const float same = record.weight, faster = record.weight * record.weight;
        EXPECT_NEAR(record.choice_weight, half_life > 0.0f ? faster : same, 1e-5f);
      }
  }
}

// What one record says about another tells of what is kept back.
TEST(FedcarsDevices, WhoKeepsAnythingBackHasNeitherIntervalsNorAges) {
  Split split = world();
  Contexts contexts = *split.contexts;
  contexts.dimensions[0].looks_back = true;
  split.contexts = std::make_shared<const Contexts>(contexts);
  FedcarsOptions options = small_options();
  options.half_life = 1.0f;
  for (const bool whole : {true, false}) {
    const ContextTerms terms{.whole = whole};
    const auto devices = devices_of(split, options, [&](UserIndex) -> const ContextTerms& { return terms; });
    std::size_t looks_back = 0, older = 0;
    for (std::uint32_t user = 0; user < split.users.size(); ++user)
      for (std::size_t k = 0; k < devices->records({user}); ++k) {
        const auto record = devices->record({user}, k);
        looks_back += record.features.size() - record.timeless.size();
        older += record.weight < 1.0f ? 1 : 0;
      }
    EXPECT_EQ(looks_back > 0, whole);
    EXPECT_EQ(older > 0, whole);
  }
}

// Where nobody was asked about recency, whoever keeps any context out is not weighed by age either.
TEST(FedcarsDevices, AgesNeedConsentToo) {
  FedcarsOptions options = small_options();
  options.half_life = 1.0f;
  const ContextTerms terms{.shares = {0.0f, 0.0f, 0.0f}};
  const auto devices = devices_of(world(), options, [&](UserIndex) -> const ContextTerms& { return terms; });
  for (std::uint32_t user = 0; user < world().users.size(); ++user)
    for (std::size_t k = 0; k < devices->records({user}); ++k)
      EXPECT_EQ(devices->record({user}, k).weight, 1.0f);
}

TEST(FedcarsDevices, AnItemOutsideTheCatalogueIsKnownByItsContexts) {
  Split split = world();
  split.catalogue = 25;
  std::vector<std::uint64_t> offsets{0};
  for (std::size_t user = 0; user < split.users.size(); ++user) offsets.push_back(0);
  const FedcarsDevices devices(split, Histories(std::move(offsets), {}), {}, small_options());
  std::vector<FmFeature> features;
  devices.describe(std::nullopt, {ItemIndex{28}}, features);
  ASSERT_EQ(features.size(), 2u);
  EXPECT_EQ(features[0].row, 25 + 3 + 28 % 3);
}

// The prediction by hand: adapt over the person's records with plain loops, in doubles.
TEST(FedcarsRecommender, PredictionsAreThoseOfTheAdaptedRow) {
  const FedcarsOptions options = small_options();
  const Fedcars model(options, devices_of(world(), options));
  RowMatrix shared = model.start_shared();
  Stream stream(9, Purpose::init_shared, 5);
  for (std::uint32_t row = 0; row < shared.rows(); ++row)
    for (float& value : shared.values(row)) value = 0.3f * static_cast<float>(stream.normal());
  const FedcarsRecommender recommender(model, &shared);
  const std::uint32_t user = 7;
  const FedcarsLayout& at = model.layout();
  const auto score = [&](const std::vector<double>& own, std::span<const FmFeature> features) {
    std::vector<std::pair<std::vector<double>, double>> all{{own, 1.0}};
    const auto row = [&](std::uint32_t number) {
      return std::vector<double>(shared.row(number), shared.row(number) + 4);
    };
    all.emplace_back(row(at.common_row()), 1.0);
    for (const FmFeature& feature : features)
      all.emplace_back(row(feature.row), static_cast<double>(feature.x));
    double sum = 0.0;
    for (std::size_t a = 0; a < all.size(); ++a) {
      sum += all[a].second * all[a].first[3];
      for (std::size_t b = 0; b < a; ++b)
        for (std::size_t k = 0; k < 3; ++k)
          sum += all[a].second * all[a].first[k] * all[b].second * all[b].first[k];
    }
    return sum;
  };
  const FedcarsDevices& devices = model.devices();
  const std::vector<double> home(shared.row(at.start_row()), shared.row(at.start_row()) + 4);
  std::vector<double> own = home;
  const std::size_t records = devices.records(UserIndex{user});
  for (std::uint32_t step = 0; step < options.rating.steps; ++step) {
    std::vector<double> gradient(4, 0.0);
    for (std::size_t k = 0; k < records; ++k) {
      const auto record = devices.record(UserIndex{user}, k);
      const double error = score(own, record.features) - static_cast<double>(record.target);
      for (std::size_t j = 0; j < 4; ++j) {
        std::vector<double> nudged = own;
        nudged[j] += 1.0;  // the score is linear in the own row
        gradient[j] += error * (score(nudged, record.features) - score(own, record.features)) /
                       (static_cast<double>(records) + 5.0);  // the prior
      }
    }
    for (std::size_t j = 0; j < 4; ++j)
      own[j] -= static_cast<double>(options.rating.rate) *
                (gradient[j] + static_cast<double>(options.rating.own_reg) * (own[j] - home[j]));
  }
  const std::uint32_t weather = 1;
  const Occasion occasion{ItemIndex{11}, std::span(&weather, 1)};
  std::vector<FmFeature> features;
  devices.describe(UserIndex{user}, occasion, features);
  float predicted = 0.0f;
  recommender.predict(UserIndex{user}, std::span(&occasion, 1), std::span(&predicted, 1));
  EXPECT_NEAR(predicted, std::clamp(3.0 + score(own, features), 1.0, 5.0), 1e-4);
}

TEST(FedcarsRecommender, SomebodyNewIsPredictedAsSomebodyKnownWithTheSameRecords) {
  Split split = world();
  Contexts contexts = *split.contexts;  // nothing is known about people, so that both are the same
  contexts.people = {};
  split.contexts = std::make_shared<const Contexts>(contexts);
  const FedcarsOptions options = small_options();
  const FedcarsRecommender recommender(Fedcars(options, devices_of(split, options)),
                                       Fedcars(options, devices_of(split, options)).start_shared());
  const UserIndex user{5};
  std::vector<KnownRating> known;
  for (std::size_t k = 0; k < split.train.of(user).size(); ++k) {
    const std::uint64_t at = split.train.offsets()[user.value] + k;
    known.push_back(
        {{split.train.of(user)[k], split.contexts->train.of(at)}, split.records->train.ratings[at]});
  }
  const std::vector<Occasion> occasions{{ItemIndex{1}}, {ItemIndex{2}}, {ItemIndex{29}}};
  std::vector<float> as_known(3), as_new(3);
  recommender.predict(user, occasions, as_known);
  recommender.predict_new(known, options.rating.steps, occasions, as_new);
  EXPECT_EQ(as_known, as_new);
}

RC_GTEST_PROP(FedcarsRecommender, ScoresAreFiniteOnTheScaleAndTheSameHoweverTheyAreCut, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
  FedcarsOptions options = small_options();
  options.seed = seed;
  options.chooses = *rc::gen::arbitrary<bool>();
  options.hidden = *rc::gen::inRange(0u, 4u);
  options.rating.adapts = *rc::gen::element(Adapts::own, Adapts::all);
  options.choice.rate = 0.5f;
  const Fedcars model(options, devices_of(world(), options));
  const FedcarsRecommender recommender(model, model.start_shared());
  const std::vector<UserIndex> users{UserIndex{2}, UserIndex{4}};
  std::vector<float> whole(60), cut(60);
  recommender.score(users, {0, 30}, whole);
  const auto at = *rc::gen::inRange(1u, 30u);
  for (std::size_t k = 0; k < 2; ++k) {
    recommender.score({&users[k], 1}, {0, at}, std::span(cut).subspan(k * 30, at));
    recommender.score({&users[k], 1}, {at, 30}, std::span(cut).subspan(k * 30 + at, 30 - at));
  }
  RC_ASSERT(whole == cut);
  for (const float score : whole) RC_ASSERT(std::isfinite(score));
  std::vector<Occasion> occasions;
  for (std::uint32_t item = 0; item < 30; ++item) occasions.push_back({ItemIndex{item}});
  std::vector<float> ratings(30);
  recommender.predict(UserIndex{2}, occasions, ratings);
  for (const float rating : ratings) RC_ASSERT(rating >= 1.0f && rating <= 5.0f);
}

TEST(FedcarsOptions, OutOfRangeIsNamed) {
  EXPECT_TRUE(check(FedcarsOptions{}).ok());
  FedcarsOptions options;
  options.query_share = 1.0f;
  EXPECT_FALSE(check(options).ok());
  options = {};
  options.negatives = 0;
  EXPECT_FALSE(check(options).ok());
  options.chooses = false;
  EXPECT_TRUE(check(options).ok());
  options = {};
  options.factors = 0;
  EXPECT_FALSE(check(options).ok());
}

}  // namespace sotto::model::fedcars_test
