#include "lab/reproduce/knowledge_analysis.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace sotto::lab {
namespace {

// Items 0 … with the features that are named, a set each; every feature has one predicate.
ItemFeatures features_of(const std::vector<std::set<std::uint32_t>>& rows) {
  FeatureList list;
  const std::uint32_t predicate = list.intern_predicate("p");
  IdTable items;
  for (std::uint32_t item = 0; item < rows.size(); ++item) {
    const std::string name = "i" + std::to_string(item);
    items.intern(name);
    list.items.intern(name);
    for (const std::uint32_t feature : rows[item])
      list.facts.push_back(
          {item, predicate, list.objects.intern(std::string(1, static_cast<char>('a' + feature)))});
  }
  list.settle();
  return {list, items, {.min_items = 1, .max_hops = 2}};
}

struct World {
  std::vector<std::set<std::uint32_t>> rows;  // features of an item
  ItemFeatures features;
  std::vector<std::map<std::uint32_t, float>> gains;  // of a person
  std::vector<OwnedProfile> owned;
  std::vector<FeatureProfile> profiles;
  TopLists lists;
};

constexpr std::uint32_t world_items = 8, world_features = 10, world_users = 6;

World some_world() {
  World world;
  world.rows.resize(world_items);
  // Every feature is somewhere, so that its number is its letter's.
  for (std::uint32_t feature = 0; feature < world_features; ++feature)
    world.rows[*rc::gen::inRange(0u, world_items)].insert(feature);
  for (auto& row : world.rows)
    for (std::uint32_t feature = 0; feature < world_features; ++feature)
      if (*rc::gen::inRange(0, 4) == 0) row.insert(feature);
  world.features = features_of(world.rows);
  world.lists.depth = 3;
  for (std::uint32_t user = 0; user < world_users; ++user) {
    auto& gains = world.gains.emplace_back();
    OwnedProfile& own = world.owned.emplace_back();
    for (std::uint32_t feature = 0; feature < world_features; ++feature)
      if (*rc::gen::inRange(0, 2) == 0) gains[feature] = static_cast<float>(*rc::gen::inRange(1, 5)) / 8.0f;
    for (const auto& [feature, gain] : gains) {
      own.features.push_back(FeatureIndex{feature});
      own.gains.push_back(gain);
    }
    if (user == 2) continue;  // was not judged
    world.lists.users.push_back(UserIndex{user});
    const auto length = *rc::gen::inRange(0u, 4u);
    world.lists.lengths.push_back(length);
    const std::uint32_t first = *rc::gen::inRange(0u, world_items);
    for (std::uint32_t n = 0; n < 3; ++n)
      world.lists.items.push_back(ItemIndex{(first + 3 * n) % world_items});
  }
  for (const OwnedProfile& own : world.owned) world.profiles.push_back(own.view());
  return world;
}

// A person's features, best first: all pairs compared, none sorted by the code under test.
std::vector<std::uint32_t> ranked(const std::map<std::uint32_t, float>& gains) {
  std::vector<std::uint32_t> order(gains.size());
  for (const auto& [feature, gain] : gains) {
    std::size_t better = 0;
    for (const auto& [other, more] : gains)
      better += more > gain || (more == gain && other < feature) ? 1 : 0;
    order[better] = feature;
  }
  return order;
}

RC_GTEST_PROP(KnowledgeAnalysis, shares_are_those_of_a_plain_count, ()) {
  const World world = some_world();
  const std::size_t k = *rc::gen::elementOf(std::vector<std::size_t>{all_of_them, 1, 2, 5, 100});
  const std::size_t cutoff = *rc::gen::elementOf(std::vector<std::size_t>{1, 3});
  std::multiset<double> expected;
  for (std::size_t row = 0; row < world.lists.users.size(); ++row) {
    std::vector<std::uint32_t> best = ranked(world.gains[world.lists.users[row].value]);
    if (best.empty()) continue;
    if (k != all_of_them && best.size() > k) best.resize(k);
    std::size_t kept = 0;
    for (const std::uint32_t feature : best) {
      bool found = false;
      for (std::size_t n = 0; n < std::min<std::size_t>(cutoff, world.lists.lengths[row]); ++n)
        found = found || world.rows[world.lists.items[row * 3 + n].value].contains(feature);
      kept += found ? 1 : 0;
    }
    expected.insert(static_cast<double>(kept) / static_cast<double>(best.size()));
  }
  const auto shares = preserved_shares(world.profiles, world.lists, cutoff, world.features, k);
  RC_ASSERT(shares == std::vector<double>(expected.begin(), expected.end()));
}

RC_GTEST_PROP(KnowledgeAnalysis, retained_means_in_the_other_profile, ()) {
  const World world = some_world();
  const std::size_t k = *rc::gen::elementOf(std::vector<std::size_t>{all_of_them, 1, 3});
  std::vector<FeatureProfile> later(world.profiles.rbegin(), world.profiles.rend());
  std::multiset<double> expected;
  for (const UserIndex user : world.lists.users) {
    std::vector<std::uint32_t> best = ranked(world.gains[user.value]);
    const std::vector<std::uint32_t> then = ranked(world.gains[world_users - 1 - user.value]);
    if (best.empty()) continue;
    if (k != all_of_them) best.resize(std::min(k, best.size()));
    std::size_t kept = 0;
    for (const std::uint32_t feature : best)
      for (const std::uint32_t other : then) kept += feature == other ? 1 : 0;
    expected.insert(static_cast<double>(kept) / static_cast<double>(best.size()));
  }
  RC_ASSERT(retained_shares(world.profiles, later, world.lists, k) ==
            std::vector<double>(expected.begin(), expected.end()));
}

RC_GTEST_PROP(KnowledgeAnalysis, weights_are_summed_gains_the_heaviest_first, ()) {
  const World world = some_world();
  std::map<std::uint32_t, double> sums;
  for (const auto& gains : world.gains)
    for (const auto& [feature, gain] : gains) sums[feature] += static_cast<double>(gain);
  const auto all = weighed_features(world.profiles, world_features, world_features);
  RC_ASSERT(all.size() == sums.size());
  for (std::size_t n = 0; n < all.size(); ++n) {
    RC_ASSERT(all[n].weight == sums.at(all[n].feature.value));  // eighths: exact
    if (n > 0)
      RC_ASSERT(all[n - 1].weight > all[n].weight ||
                (all[n - 1].weight == all[n].weight && all[n - 1].feature < all[n].feature));
  }
  const auto few = weighed_features(world.profiles, world_features, 3);
  RC_ASSERT(few.size() == std::min<std::size_t>(3, all.size()));
  if (!all.empty()) RC_ASSERT(common_share(few, all) == 1.0);
}

RC_GTEST_PROP(KnowledgeAnalysis, recommended_means_in_a_list, ()) {
  const World world = some_world();
  const auto all = weighed_features(world.profiles, world_features, world_features);
  std::set<std::uint32_t> shown;
  for (std::size_t row = 0; row < world.lists.users.size(); ++row)
    for (std::size_t n = 0; n < world.lists.lengths[row]; ++n)
      shown.merge(std::set(world.rows[world.lists.items[row * 3 + n].value]));
  std::size_t kept = 0;
  for (const WeighedFeature& one : all) kept += shown.contains(one.feature.value) ? 1 : 0;
  const double expected = all.empty() ? 0.0 : static_cast<double>(kept) / static_cast<double>(all.size());
  RC_ASSERT(recommended_share(all, world.lists, 3, world.features) == expected);
}

RC_GTEST_PROP(KnowledgeAnalysis, lists_become_histories, ()) {
  const World world = some_world();
  const Histories histories = lists_as_histories(world.lists, 2, world_users);
  RC_ASSERT(histories.users() == world_users);
  RC_ASSERT(histories.of(UserIndex{2}).empty());
  for (std::size_t row = 0; row < world.lists.users.size(); ++row) {
    const auto list = world.lists.of(row, 2);
    const std::set<ItemIndex> expected(list.begin(), list.end());
    const auto got = histories.of(world.lists.users[row]);
    RC_ASSERT(std::vector<ItemIndex>(got.begin(), got.end()) ==
              std::vector<ItemIndex>(expected.begin(), expected.end()));
  }
}

// By hand: five features, a list of two items.
TEST(KnowledgeAnalysis, an_example) {
  const ItemFeatures features = features_of({{0, 1}, {2}, {3, 4}});
  const OwnedProfile profile{{FeatureIndex{0}, FeatureIndex{2}, FeatureIndex{3}, FeatureIndex{4}},
                             {0.1f, 0.9f, 0.5f, 0.5f}};
  const std::vector<ItemIndex> list{ItemIndex{1}, ItemIndex{0}};
  EXPECT_EQ(most_informative(profile.view(), 2),
            (std::vector<FeatureIndex>{FeatureIndex{2}, FeatureIndex{3}}));
  EXPECT_DOUBLE_EQ(preserved_share(profile.view(), list, features, 1).value(), 1.0);
  EXPECT_DOUBLE_EQ(preserved_share(profile.view(), list, features, 2).value(), 0.5);
  EXPECT_DOUBLE_EQ(preserved_share(profile.view(), list, features, all_of_them).value(), 0.5);
  EXPECT_FALSE(preserved_share({}, list, features, 5).has_value());
}

}  // namespace
}  // namespace sotto::lab
