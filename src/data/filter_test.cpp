#include "data/filter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace sotto::data::filter_test {

using Pairs = std::set<std::pair<std::string, std::string>>;

Dataset dataset_of(const std::set<std::pair<int, int>>& pairs) {
  Dataset dataset;
  for (int k = 0; k < 12; ++k) {
    dataset.users.intern(fmt::format("u{}", k));
    dataset.items.intern(fmt::format("i{}", k));
    dataset.item_names.push_back(fmt::format("name of i{}", k));
  }
  for (const auto& [user, item] : pairs)
    dataset.interactions.push_back({{static_cast<std::uint32_t>(user)}, {static_cast<std::uint32_t>(item)}});
  return dataset;
}

Pairs named(const Dataset& dataset) {
  Pairs pairs;
  for (const Interaction& row : dataset.interactions)
    pairs.emplace(dataset.users.name(row.user.value), dataset.items.name(row.item.value));
  return pairs;
}

// The k-core, one removal at a time.
Pairs slow_core(Pairs pairs, std::size_t least) {
  while (true) {
    std::map<std::string, std::size_t> users, items;
    for (const auto& [user, item] : pairs) ++users[user], ++items[item];
    const auto before = pairs.size();
    for (auto at = pairs.begin(); at != pairs.end(); ++at) {
      if (users[at->first] >= least && items[at->second] >= least) continue;
      pairs.erase(at);
      break;
    }
    if (pairs.size() == before) return pairs;
  }
}

RC_GTEST_PROP(Filter, CoreEqualsSlowOracle, ()) {
  const auto pairs = *rc::gen::container<std::set<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 12), rc::gen::inRange(0, 12)));
  const auto least = *rc::gen::inRange<std::uint32_t>(1, 5);
  const Dataset dataset = dataset_of(pairs);
  const Pairs expected = slow_core(named(dataset), least);
  FilterOptions options;
  options.core = least;
  const auto filtered = filter_dataset(dataset, options);
  RC_ASSERT(filtered.ok() == !expected.empty());
  if (!filtered.ok()) return;
  const Dataset& left = filtered->dataset;
  RC_ASSERT(named(left) == expected);
  // No id without an interaction, ids and rows in the old order, names beside their ids.
  std::set<std::string> users, items;
  for (const auto& [user, item] : expected) users.insert(user), items.insert(item);
  RC_ASSERT(left.users.size() == users.size());
  RC_ASSERT(left.items.size() == items.size());
  RC_ASSERT(left.item_names.size() == items.size());
  for (std::uint32_t item = 0; item < left.items.size(); ++item) {
    RC_ASSERT(left.item_names[item] == fmt::format("name of {}", left.items.name(item)));
    if (item == 0) continue;
    const auto before = dataset.items.find(left.items.name(item - 1));
    const auto here = dataset.items.find(left.items.name(item));
    RC_ASSERT(before.value() < here.value());
  }
  const FilterStep& step = filtered->steps.at(0);
  RC_ASSERT(step.interactions == pairs.size() - expected.size());
  RC_ASSERT(step.users == 12 - users.size());
  RC_ASSERT(step.items == 12 - items.size());
}

TEST(Filter, KeepsUsersWithEnoughItems) {
  FilterOptions options;
  options.min_user = 2;
  const auto filtered = filter_dataset(dataset_of({{0, 1}, {0, 2}, {1, 1}, {2, 5}, {2, 6}, {2, 7}}), options);
  ASSERT_TRUE(filtered.ok());
  EXPECT_EQ(named(filtered->dataset),
            (Pairs{{"u0", "i1"}, {"u0", "i2"}, {"u2", "i5"}, {"u2", "i6"}, {"u2", "i7"}}));
  EXPECT_EQ(filtered->steps.at(0).filter, "at least 2 items a user");
  EXPECT_EQ(filtered->steps.at(0).interactions, 1u);
}

TEST(Filter, RatingsFirstThenUsers) {
  Dataset dataset = dataset_of({{0, 1}, {0, 2}, {1, 1}, {1, 2}});
  dataset.has_ratings = true;
  dataset.interactions[1].rating = 2.5f;
  FilterOptions options;
  options.min_rating = 3.0f;
  options.min_user = 2;
  for (Interaction& row : dataset.interactions)
    if (row.rating == 1.0f) row.rating = 3.0f;
  const auto filtered = filter_dataset(dataset, options);
  ASSERT_TRUE(filtered.ok());
  EXPECT_EQ(named(filtered->dataset), (Pairs{{"u1", "i1"}, {"u1", "i2"}}));
  EXPECT_EQ(filtered->steps.size(), 2u);
}

TEST(Filter, WithoutFiltersNothingChanges) {
  const auto filtered = filter_dataset(dataset_of({{0, 1}}), {});
  ASSERT_TRUE(filtered.ok());
  EXPECT_EQ(filtered->dataset.users.size(), 12u);
  EXPECT_TRUE(filtered->steps.empty());
}

TEST(Filter, SaysWhichFilterLeftNothing) {
  FilterOptions options;
  options.min_user = 1;
  options.core = 3;
  const auto filtered = filter_dataset(dataset_of({{0, 1}, {0, 2}}), options);
  ASSERT_FALSE(filtered.ok());
  EXPECT_EQ(filtered.error().code, Code::bad_input);
  EXPECT_NE(filtered.error().message.find("3-core"), std::string::npos) << filtered.error().message;
  options.min_rating = 1.0f;
  EXPECT_NE(filter_dataset(dataset_of({{0, 1}}), options).error().message.find("no ratings"),
            std::string::npos);
}

}  // namespace sotto::data::filter_test
