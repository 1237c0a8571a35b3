#include "model/kgflex/profile.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "model/kgflex/testing/small_world.h"

namespace sotto::model::profile_test {

// Figure 6.1 of the thesis.
class Places {
 public:
  Places() {
    const std::map<std::string, std::vector<std::pair<std::string, std::string>>> facts{
        {"Rijksmuseum", {{"type", "Location"}, {"location", "Amsterdam"}, {"type", "Art Museum"}}},
        {"Vondelpark", {{"type", "Location"}, {"location", "Amsterdam"}, {"type", "Urban Park"}}},
        {"Capitoline Museums", {{"type", "Location"}, {"location", "Rome"}, {"type", "Art Museum"}}},
        {"Piazza Navona", {{"type", "Location"}, {"location", "Rome"}}},
        {"Central Park", {{"type", "Location"}, {"location", "New York"}, {"type", "Urban Park"}}}};
    FeatureList list;
    for (const auto& [item, pairs] : facts)
      for (const auto& [predicate, object] : pairs)
        list.facts.push_back(
            {list.items.intern(item), list.intern_predicate(predicate), list.objects.intern(object)});
    list.settle();
    items = list.items;
    features = ItemFeatures(list, items, {.min_items = 1});
  }
  [[nodiscard]] ItemIndex item(const char* name) const { return {items.find(name).value()}; }
  [[nodiscard]] std::string name(FeatureIndex feature) const {
    return std::string(features.predicate(feature)) + " " + std::string(features.object(feature));
  }
  [[nodiscard]] std::set<std::string> of(std::span<const FeatureIndex> some) const {
    std::set<std::string> names;
    for (const FeatureIndex feature : some) names.insert(name(feature));
    return names;
  }

  IdTable items;
  ItemFeatures features;
};

TEST(ThesisExample, 61AnItemsFeaturesAreItsFacts) {
  const Places places;
  EXPECT_EQ(places.of(places.features.of(places.item("Vondelpark"))),
            (std::set<std::string>{"type Location", "location Amsterdam", "type Urban Park"}));
}

TEST(ThesisExample, 62And63TheGainsOfPink) {
  const Places places;
  std::vector<ItemIndex> pink{places.item("Rijksmuseum"), places.item("Vondelpark")};
  std::sort(pink.begin(), pink.end());
  const std::vector<ItemIndex> others{places.item("Piazza Navona"), places.item("Central Park")};
  const auto counts = [](std::uint32_t p, std::uint32_t n) { return FeatureCounts{p, n, 2, 2}; };
  EXPECT_DOUBLE_EQ(feature_gain(GainKind::information, counts(2, 0)), 1.0);        // Amsterdam
  EXPECT_NEAR(feature_gain(GainKind::information, counts(1, 0)), 0.311278, 1e-6);  // Art Museum
  EXPECT_DOUBLE_EQ(feature_gain(GainKind::information, counts(2, 2)), 0.0);        // Location
  EXPECT_DOUBLE_EQ(feature_gain(GainKind::information, counts(1, 1)), 0.0);        // Urban Park

  const OwnedProfile profile = profile_over(pink, others, places.features, {});
  std::map<std::string, float> gains;
  for (std::size_t n = 0; n < profile.features.size(); ++n)
    gains[places.name(profile.features[n])] = profile.gains[n];
  ASSERT_EQ(gains.size(), 2u);  // what tells nothing is left out
  EXPECT_FLOAT_EQ(gains["location Amsterdam"], 1.0f);
  EXPECT_NEAR(gains["type Art Museum"], 0.311278f, 1e-6f);
}

TEST(ThesisExample, 64TheCapitolineMuseumsAreScoredByOneFeature) {
  const Places places;
  std::vector<ItemIndex> pink{places.item("Rijksmuseum"), places.item("Vondelpark")};
  std::sort(pink.begin(), pink.end());
  const std::vector<ItemIndex> others{places.item("Piazza Navona"), places.item("Central Park")};
  const OwnedProfile profile = profile_over(pink, others, places.features, {});
  std::set<std::string> common;
  for (const FeatureIndex feature : profile.features)
    if (std::ranges::binary_search(places.features.of(places.item("Capitoline Museums")), feature))
      common.insert(places.name(feature));
  EXPECT_EQ(common, (std::set<std::string>{"type Art Museum"}));
}

// Entropies straight from eq. 6.4 to 6.6, over single examples.
double slow_gain(GainKind kind, const FeatureCounts& counts) {
  const double total = 2.0 * counts.negatives;  // positives count as many times as makes both kinds even
  const double scale = static_cast<double>(counts.negatives) / counts.positives;
  const double with[2] = {counts.positives_with * scale, static_cast<double>(counts.negatives_with)};
  const double without[2] = {counts.negatives - with[0], counts.negatives - with[1]};
  const auto uncertainty = [&](const double(&parts)[2]) {
    const double sum = parts[0] + parts[1];
    double value = 0.0;
    for (const double part : parts) {
      if (part <= 1e-12) continue;
      const double q = part / sum;
      value += kind == GainKind::gini ? 2.0 * q * (1.0 - q) : -q * std::log2(q);
    }
    return value;
  };
  const double share = (with[0] + with[1]) / total;
  double gain = 1.0 - share * uncertainty(with) - (1.0 - share) * uncertainty(without);
  if (kind == GainKind::ratio) {
    const double own = -(share > 0 ? share * std::log2(share) : 0.0) -
                       (share < 1 ? (1.0 - share) * std::log2(1.0 - share) : 0.0);
    gain = own > 0.0 ? gain / own : 0.0;
  }
  return gain;
}

RC_GTEST_PROP(Gain, IsTheFallOfUncertainty, ()) {
  FeatureCounts counts;
  counts.positives = *rc::gen::inRange<std::uint32_t>(1, 40);
  counts.negatives = *rc::gen::inRange<std::uint32_t>(1, 40);
  counts.positives_with = *rc::gen::inRange<std::uint32_t>(0, counts.positives + 1);
  counts.negatives_with = *rc::gen::inRange<std::uint32_t>(0, counts.negatives + 1);
  const FeatureCounts swapped{counts.negatives_with, counts.positives_with, counts.negatives,
                              counts.positives};
  for (const GainKind kind : {GainKind::information, GainKind::gini, GainKind::ratio}) {
    const double gain = feature_gain(kind, counts);
    RC_ASSERT(std::abs(gain - slow_gain(kind, counts)) < 1e-9);
    RC_ASSERT(gain >= 0.0 && gain <= 1.0);
    RC_ASSERT(std::abs(gain - feature_gain(kind, swapped)) < 1e-12);
    RC_ASSERT(feature_gain(kind, {counts.positives, 0, counts.positives, counts.negatives}) > 1.0 - 1e-12);
  }
}

TEST(Gain, HasNames) {
  for (const GainKind kind : {GainKind::information, GainKind::gini, GainKind::ratio})
    EXPECT_EQ(parse_gain(to_string(kind)).value(), kind);
  EXPECT_FALSE(parse_gain("entropy").ok());
}

RC_GTEST_PROP(Profile, HoldsTheBestOfEachHop, ()) {
  const SmallWorld world(*rc::gen::inRange<std::uint64_t>(0, 1000));
  ProfileOptions options;
  options.most = {*rc::gen::inRange<std::uint32_t>(0, 5), *rc::gen::inRange<std::uint32_t>(0, 5)};
  options.gain = *rc::gen::element(GainKind::information, GainKind::gini, GainKind::ratio);
  const UserIndex user{*rc::gen::inRange<std::uint32_t>(0, 12)};
  const auto history = world.histories.of(user);
  std::vector<ItemIndex> others;
  for (std::uint32_t item = 0; item < 30; ++item)
    if (!world.histories.contains(user, {item}) && item % 2 == 0) others.push_back({item});
  const OwnedProfile profile = profile_over(history, others, *world.features, options);

  std::vector<std::tuple<float, std::int64_t>> best[2];
  for (std::uint32_t feature = 0; feature < world.features->features(); ++feature) {
    FeatureCounts counts{0, 0, static_cast<std::uint32_t>(history.size()),
                         static_cast<std::uint32_t>(others.size())};
    for (const ItemIndex item : history)
      counts.positives_with += std::ranges::count(world.features->of(item), FeatureIndex{feature}) > 0;
    for (const ItemIndex item : others)
      counts.negatives_with += std::ranges::count(world.features->of(item), FeatureIndex{feature}) > 0;
    const auto gain = static_cast<float>(feature_gain(options.gain, counts));
    if (counts.positives_with > 0 && gain > 0.0f)
      best[world.features->hops({feature}) - 1].emplace_back(gain, -std::int64_t{feature});
  }
  std::map<std::uint32_t, float> expected;
  for (std::size_t hop = 0; hop < 2; ++hop) {
    std::sort(best[hop].rbegin(), best[hop].rend());
    for (std::size_t n = 0; n < std::min<std::size_t>(options.most[hop], best[hop].size()); ++n)
      expected[static_cast<std::uint32_t>(-std::get<1>(best[hop][n]))] = std::get<0>(best[hop][n]);
  }
  std::map<std::uint32_t, float> got;
  for (std::size_t n = 0; n < profile.features.size(); ++n) {
    if (n > 0) RC_ASSERT(profile.features[n - 1] < profile.features[n]);  // it evaluates both sides of ||
    got[profile.features[n].value] = profile.gains[n];
  }
  RC_ASSERT(got == expected);
}

RC_GTEST_PROP(Profile, LeavesOutWhatIsKeptBackAndDependsOnNothingOfIt, ()) {
  const SmallWorld world(*rc::gen::inRange<std::uint64_t>(0, 1000));
  const FeatureIndex kept{
      *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(world.features->features()))};
  const ProfileOptions options{.most = {ProfileOptions::all, ProfileOptions::all}};
  const auto open = world.devices(options);
  const auto shut =
      world.devices(options, [&](UserIndex user, FeatureIndex f) { return user.value == 3 && f == kept; });
  for (std::uint32_t user = 0; user < 12; ++user) {
    const FeatureProfile a = open->profiles().of({user}), b = shut->profiles().of({user});
    std::vector<std::pair<FeatureIndex, float>> expected, got;
    for (std::size_t n = 0; n < a.features.size(); ++n)
      if (user != 3 || a.features[n] != kept) expected.emplace_back(a.features[n], a.gains[n]);
    for (std::size_t n = 0; n < b.features.size(); ++n) got.emplace_back(b.features[n], b.gains[n]);
    RC_ASSERT(got == expected);
  }
}

TEST(Profile, DrawsDistinctOthersAndAllWhereThereAreFew) {
  // With as many others as there are, every item counts once: the gain is the one over the whole catalogue.
  const SmallWorld world(4);
  ProfileOptions options;
  options.negatives = 1000;
  const UserIndex user{1};
  std::vector<ItemIndex> others;
  for (std::uint32_t item = 0; item < 30; ++item)
    if (!world.histories.contains(user, {item})) others.push_back({item});
  const OwnedProfile drawn = make_profile(world.histories.of(user), user, 30, *world.features, options, {});
  const OwnedProfile whole = profile_over(world.histories.of(user), others, *world.features, options);
  EXPECT_EQ(drawn.features, whole.features);
  EXPECT_EQ(drawn.gains, whole.gains);
  EXPECT_FALSE(drawn.features.empty());
}

TEST(Profile, OfSomebodyWithoutItemsOrWithoutFeaturesIsEmpty) {
  const SmallWorld world(4);
  EXPECT_TRUE(make_profile({}, {0}, 30, *world.features, {}, {}).features.empty());
  std::vector<ItemIndex> bare;
  for (std::uint32_t item = 0; item < 30; ++item)
    if (world.features->of({item}).empty()) bare.push_back({item});
  ASSERT_FALSE(bare.empty());
  EXPECT_TRUE(make_profile(bare, {0}, 30, *world.features, {}, {}).features.empty());
}

TEST(Profile, RefusesSettingsThatCannotBe) {
  EXPECT_FALSE(check(ProfileOptions{.negatives = 0}).ok());
  EXPECT_FALSE(check(ProfileOptions{.least_gain = 1.0f}).ok());
  EXPECT_FALSE(check(ProfileOptions{.least_gain = std::nanf("")}).ok());
  EXPECT_TRUE(check(ProfileOptions{}).ok());
}

}  // namespace sotto::model::profile_test
