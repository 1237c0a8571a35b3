#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "metrics/evaluate.h"
#include "model/central/random_scores.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::metrics::evaluate_lists_test {

Split world_of(const Rows& train, const Rows& validation, const Rows& test, std::size_t catalogue) {
  Split split;
  split.catalogue = catalogue;
  split.train = histories_of(train);
  split.validation = histories_of(validation);
  split.test = histories_of(test);
  for (std::size_t user = 0; user < train.size(); ++user) split.users.intern(std::to_string(user));
  return split;
}

// A model's lists as if they came from a file.
GivenLists given(const TopLists& lists, std::size_t users) {
  GivenLists result;
  std::vector<std::vector<ItemIndex>> rows(users);
  for (std::size_t row = 0; row < lists.users.size(); ++row) {
    const auto list = lists.of(row, lists.depth);
    rows[lists.users[row].value].assign(list.begin(), list.end());
  }
  result.offsets = {0};
  for (const auto& row : rows) {
    result.items.insert(result.items.end(), row.begin(), row.end());
    result.offsets.push_back(result.items.size());
  }
  return result;
}

RC_GTEST_PROP(EvaluateLists, AModelsListsHaveItsMetricsBitForBit, ()) {
  const auto users = *rc::gen::inRange<std::size_t>(1, 8);
  const auto catalogue = *rc::gen::inRange<std::uint32_t>(2, 30);
  Rows train(users), validation(users), test(users);
  for (std::size_t user = 0; user < users; ++user)
    for (std::uint32_t item = 0; item < catalogue + 2; ++item) {
      const int part = *rc::gen::inRange(0, 6);
      if (item == 0) train[user].push_back(item);
      if (item == 0 || part > 2) continue;
      if (item >= catalogue || part == 2)
        test[user].push_back(item);
      else
        (part == 0 ? train : validation)[user].push_back(item);
    }
  test[0].push_back(catalogue + 2);
  const Split split = world_of(train, validation, test, catalogue);
  const RandomScores model(catalogue, 3);
  SerialExecutor serial;
  EvaluateOptions options;
  options.cutoffs = {2, 7};
  options.keep_lists = true;
  const auto own = evaluate(model, split, options, serial);
  RC_ASSERT(own.ok());
  const auto judged = evaluate_lists(given(own->lists, users), split, options, ShortLists::refuse);
  RC_ASSERT(judged.ok());
  RC_ASSERT(judged->metrics.size() + 1 == own->metrics.size());  // no AUC
  for (const Metric& metric : judged->metrics) {
    const double value = *own->find(metric.name);
    RC_ASSERT(value == metric.value || (std::isnan(value) && std::isnan(metric.value)));
  }
  RC_ASSERT(judged->recommended == own->recommended);
  RC_ASSERT(judged->short_lists == own->short_lists);
  RC_ASSERT(judged->users_without_test == own->users_without_test);
  RC_ASSERT(judged->lists.items == own->lists.items);
}

TEST(EvaluateLists, MissingPlacesAreRefusedOrMisses) {
  // Three users with ten candidates; the last has one item left in the world.
  Rows train{{0}, {0}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const Split split = world_of(train, Rows(3), {{1, 2}, {3}, {10}}, 11);
  GivenLists lists{.offsets = {0, 2, 2, 3}, .items = {{1}, {5}, {10}}, .lists = 2, .reordered = 0};
  EvaluateOptions options;
  options.cutoffs = {4};
  const auto refused = evaluate_lists(lists, split, options, ShortLists::refuse);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::bad_input);
  EXPECT_NE(refused.error().message.find("2 of 3 judged users have fewer than 4 items"), std::string::npos);
  EXPECT_NE(refused.error().message.find("(1 have none)"), std::string::npos);
  const auto allowed = evaluate_lists(lists, split, options, ShortLists::allow);
  ASSERT_TRUE(allowed.ok());
  EXPECT_EQ(allowed->users, 3u);
  EXPECT_EQ(allowed->short_lists, (std::vector<std::uint64_t>{3}));
  EXPECT_DOUBLE_EQ(*allowed->find("P@4"), (0.25 + 0.0 + 0.25) / 3);
  EXPECT_DOUBLE_EQ(*allowed->find("R@4"), (0.5 + 0.0 + 1.0) / 3);
  EXPECT_FALSE(allowed->find("AUC").has_value());
  options.cutoffs = {1};
  lists = {.offsets = {0, 2, 3, 4}, .items = {{1}, {5}, {3}, {10}}, .lists = 3, .reordered = 0};
  EXPECT_DOUBLE_EQ(*evaluate_lists(lists, split, options, ShortLists::refuse)->find("P@1"), 1.0);
}

TEST(EvaluateLists, RefusesWhatCannotBe) {
  const Split split = world_of({{0}}, Rows(1), {{1}}, 2);
  const GivenLists lists{.offsets = {0, 1}, .items = {{1}}, .lists = 1, .reordered = 0};
  EvaluateOptions options;
  options.cutoffs = {0};
  EXPECT_EQ(evaluate_lists(lists, split, options, ShortLists::allow).error().code, Code::usage);
  options.cutoffs = {1};
  options.part = Part::validation;
  EXPECT_EQ(evaluate_lists(lists, split, options, ShortLists::allow).error().code, Code::bad_input);
}

}  // namespace sotto::metrics::evaluate_lists_test
