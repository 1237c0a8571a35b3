#include "data/split.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/loader.h"
#include "data/split_parts.h"

namespace sotto::data::split_test {

using Names = std::vector<std::string>;

Dataset load(std::string_view text) {
  const TextSource source{"t", text};
  return load_interactions(std::span(&source, 1)).value();
}

SplitOptions options_of(const std::string& rule, double validation = 0.0, std::uint64_t seed = 1) {
  SplitOptions options;
  options.rule = parse_split_rule(rule).value();
  options.validation_share = validation;
  options.seed = seed;
  return options;
}

Names items_of(const Split& split, const Histories& part, std::uint32_t user) {
  Names names;
  for (const ItemIndex item : part.of({user})) names.emplace_back(split.items.name(item.value));
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Split, SharesAreThoseThatWereMeant) {
  for (std::uint64_t n = 0; n <= 3000; ++n) {
    EXPECT_EQ(share_of(1.0 - 0.8, n), n / 5) << n;
    EXPECT_EQ(share_of(1.0 - 0.9, n), n / 10) << n;
    EXPECT_EQ(share_of(1.0 - 0.7, n), n * 3 / 10) << n;
    EXPECT_EQ(share_of(1.0 / 3.0, n), n / 3) << n;
    EXPECT_EQ(share_of(0.2, n), n / 5) << n;
  }
}

TEST(Split, TemporalTakesTheNewest) {
  const Split split =
      split_dataset(load("u,a,1,300000005\nu,b,1,300000001\nu,c,1,300000004\nu,d,1,300000002\n"
                         "u,e,1,300000003\nv,f,1,300000009\n"),
                    options_of("temporal:0.6"))
          .value();
  EXPECT_EQ(items_of(split, split.train, 0), (Names{"b", "d", "e"}));
  EXPECT_EQ(items_of(split, split.test, 0), (Names{"a", "c"}));
  EXPECT_EQ(items_of(split, split.train, 1), (Names{"f"}));
  EXPECT_EQ(split.users_without_training(), 0u);
  EXPECT_EQ(split.users_without_test(), 1u);
  // Training items first, in their old order; then a and c, which nobody trains on.
  Names order;
  for (std::uint32_t item = 0; item < split.items.size(); ++item) order.emplace_back(split.items.name(item));
  EXPECT_EQ(order, (Names{"b", "d", "e", "f", "a", "c"}));
  EXPECT_EQ(split.catalogue, 4u);
}

TEST(Split, EqualTimesGoByItemIdLetterByLetter) {
  // "10" < "2" < "9"; the smaller counts as newer.
  const Split split =
      split_dataset(load("u,9,1,300000000\nu,10,1,300000000\nu,2,1,300000000\n"), options_of("leave-one-out"))
          .value();
  EXPECT_EQ(items_of(split, split.test, 0), (Names{"10"}));
}

TEST(Split, LeaveOneOutKeepsTheOnlyInteraction) {
  const Split split = split_dataset(load("u,a,1,300000001\nv,a,1,300000001\nv,b,1,300000002\n"),
                                    options_of("leave-one-out", 0.1))
                          .value();
  EXPECT_EQ(items_of(split, split.train, 0), (Names{"a"}));
  EXPECT_EQ(items_of(split, split.test, 1), (Names{"b"}));
  EXPECT_EQ(split.validation.interactions(), 0u);
}

TEST(Split, FixedTimestampCutsAtTheTime) {
  const Split split =
      split_dataset(load("u,a,1,2012-04-01\nu,b,1,2012-04-02\nv,c,1,2012-04-03\nw,a,1,2012-03-01\n"),
                    options_of("at:2012-04-02"))
          .value();
  EXPECT_EQ(items_of(split, split.train, 0), (Names{"a"}));
  EXPECT_EQ(items_of(split, split.test, 0), (Names{"b"}));
  EXPECT_EQ(split.users_without_training(), 1u);  // v came later, and stays with an empty history
  EXPECT_EQ(split.users.size(), 3u);
}

TEST(Split, RanksOrderLikeTimes) {
  const Split split =
      split_dataset(load("1\t5\t4\t2\n1\t6\t4\t0\n1\t7\t4\t1\n"), options_of("leave-one-out")).value();
  EXPECT_EQ(items_of(split, split.test, 0), (Names{"5"}));
}

TEST(Split, WithoutTimesOnlyRandomRulesWork) {
  const Dataset dataset = load("u,a\nu,b\nv,a\n");
  for (const char* rule : {"temporal:0.8", "at:1609459200"}) {
    const auto split = split_dataset(dataset, options_of(rule));
    ASSERT_FALSE(split.ok());
    EXPECT_EQ(split.error().code, Code::bad_input);
    EXPECT_NE(split.error().message.find("random:0.8"), std::string::npos) << split.error().message;
  }
  EXPECT_TRUE(split_dataset(dataset, options_of("random:0.5")).ok());
  EXPECT_TRUE(split_dataset(dataset, options_of("leave-one-out")).ok());
  const auto ranked = split_dataset(load("1\t5\t4\t2\n1\t6\t4\t0\n"), options_of("at:1609459200"));
  EXPECT_NE(ranked.error().message.find("ranks only"), std::string::npos);
  const auto before = split_dataset(load("u,a,1,2012-04-01\n"), options_of("at:2000-01-01"));
  EXPECT_NE(before.error().message.find("no interaction to train on"), std::string::npos);
  SplitOptions outside;
  for (const double share : {0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    outside.rule = RandomHoldout{share};
    EXPECT_EQ(split_dataset(dataset, outside).error().code, Code::usage);
  }
  EXPECT_EQ(split_dataset(dataset, options_of("random:0.5", 1.5)).error().code, Code::usage);
}

TEST(Split, LabelsFollowTheirItems) {
  Dataset dataset = load("u,a,1,300000002\nu,b,1,300000001\n");
  dataset.item_names = {"name a", "name b"};
  const Split split = split_dataset(dataset, options_of("leave-one-out")).value();
  EXPECT_EQ(split.item_names, (Names{"name b", "name a"}));
}

TEST(Split, RulesReadAndWrite) {
  for (const char* text : {"temporal:0.8", "random:0.75", "leave-one-out", "at:1609459200"})
    EXPECT_EQ(to_string(parse_split_rule(text).value()), text);
  EXPECT_EQ(to_string(parse_split_rule("at:2021-01-01").value()), "at:1609459200");
  EXPECT_EQ(to_string(parse_split_rule("temporal").value()), "temporal:0.8");
  for (const char* bad : {"", "temporal:", "temporal:0", "temporal:1", "random:nan", "leave-one-out:1",
                          "at:", "at:x", "at:1.5", "folds:5"})
    EXPECT_EQ(parse_split_rule(bad).error().code, Code::usage) << bad;
}

// Any small world with times, any rule: against a slow cut by hand.
struct Scene {
  Dataset dataset;
  std::map<std::string, std::vector<std::pair<std::int64_t, std::string>>> lines;  // user → (time, item)
};

Scene any_scene() {
  const auto pairs = *rc::gen::nonEmpty(rc::gen::container<std::map<std::pair<int, int>, int>>(
      rc::gen::pair(rc::gen::inRange(0, 5), rc::gen::inRange(0, 15)), rc::gen::inRange(0, 6)));
  Scene scene;
  std::string text;
  for (const auto& [pair, time] : pairs) {
    const std::string user = fmt::format("u{}", pair.first), item = fmt::format("i{}", pair.second);
    text += fmt::format("{},{},1,{}\n", user, item, 300000000 + time);
    scene.lines[user].emplace_back(300000000 + time, item);
  }
  scene.dataset = load(text);
  return scene;
}

RC_GTEST_PROP(Split, NeverLeaksAndLosesNothing, ()) {
  const Scene scene = any_scene();
  const auto rule = *rc::gen::element<std::string>("temporal:0.8", "temporal:0.5", "random:0.7",
                                                   "leave-one-out", "at:300000005");
  const auto validation = *rc::gen::element(0.0, 0.2, 0.5);
  const auto split =
      split_dataset(scene.dataset, options_of(rule, validation, *rc::gen::arbitrary<std::uint64_t>()));
  if (!split.ok()) {
    RC_ASSERT(rule == "at:300000005");  // everything may lie at or after that time
    return;
  }
  RC_ASSERT(check_laws(*split).ok());
  std::set<std::uint32_t> trained;
  for (const ItemIndex item : split->train.items()) trained.insert(item.value);
  RC_ASSERT(trained.size() == split->catalogue);
  for (std::uint32_t user = 0; user < split->users.size(); ++user) {
    Names all, expected;
    for (const Histories* part : {&split->train, &split->validation, &split->test})
      for (const std::string& item : items_of(*split, *part, user)) all.push_back(item);
    for (const auto& [time, item] : scene.lines.at(std::string(split->users.name(user))))
      expected.push_back(item);
    std::sort(all.begin(), all.end());
    std::sort(expected.begin(), expected.end());
    RC_ASSERT(all == expected);  // each pair once: none lost, none in two parts
  }
}

RC_GTEST_PROP(Split, TemporalEqualsSlowCut, ()) {
  const Scene scene = any_scene();
  const auto split = split_dataset(scene.dataset, options_of("temporal:0.8", 0.25));
  RC_ASSERT(split.ok());
  for (std::uint32_t user = 0; user < split->users.size(); ++user) {
    auto line = scene.lines.at(std::string(split->users.name(user)));
    // Newest first; among equals the smaller id first.
    std::sort(line.begin(), line.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    const std::size_t test = line.size() / 5, validation = (line.size() - test) / 4;
    std::array<Names, 3> expected;
    for (std::size_t k = 0; k < line.size(); ++k)
      expected[k < test ? 0 : k < test + validation ? 1 : 2].push_back(line[k].second);
    const Names newest_first = expected[2];
    for (Names& names : expected) std::sort(names.begin(), names.end());
    RC_ASSERT(items_of(*split, split->test, user) == expected[0]);
    RC_ASSERT(items_of(*split, split->validation, user) == expected[1]);
    RC_ASSERT(items_of(*split, split->train, user) == expected[2]);
    const auto ages = split->train.ages_of({user});
    const auto items = split->train.of({user});
    RC_ASSERT(ages.size() == items.size());
    for (std::size_t k = 0; k < items.size(); ++k)
      RC_ASSERT(newest_first.at(ages[k]) == split->items.name(items[k].value));
  }
}

TEST(Split, RandomDependsOnTheSeedAlone) {
  std::string text;
  for (int k = 0; k < 200; ++k) text += fmt::format("u{},i{}\n", k % 5, k);
  const Dataset dataset = load(text);
  const auto first = split_dataset(dataset, options_of("random:0.8", 0.1, 7)).value();
  EXPECT_EQ(first.hash, split_dataset(dataset, options_of("random:0.8", 0.1, 7)).value().hash);
  EXPECT_NE(first.hash, split_dataset(dataset, options_of("random:0.8", 0.1, 8)).value().hash);
  EXPECT_EQ(first.test.interactions(), 40u);
  EXPECT_EQ(first.validation.interactions(), 15u);  // ⌊0.1·32⌋ = 3 for each of five users
}

// As the papers that split at random: the training part is rounded down, but never to nothing.
TEST(Split, RandomRoundsTheTrainingPartDown) {
  for (const auto& [all, train] : {std::pair{1, 1}, {2, 1}, {4, 3}, {5, 4}, {6, 4}, {9, 7}, {10, 8}}) {
    std::string text;
    for (int k = 0; k < all; ++k) text += fmt::format("u,i{}\n", k);
    const Split split = split_dataset(load(text), options_of("random:0.8")).value();
    EXPECT_EQ(split.train.interactions(), static_cast<std::size_t>(train)) << all;
    EXPECT_EQ(split.test.interactions(), static_cast<std::size_t>(all - train)) << all;
  }
}

// Each interaction of a user is as likely to be held out as any other.
TEST(Split, RandomIsFair) {
  std::string text;
  for (int k = 0; k < 10; ++k) text += fmt::format("u,i{}\n", k);
  const Dataset dataset = load(text);
  std::map<std::string, int> held_out;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Split split = split_dataset(dataset, options_of("random:0.8", 0.0, seed)).value();
    for (const std::string& item : items_of(split, split.test, 0)) ++held_out[item];
  }
  for (const auto& [item, count] : held_out) EXPECT_NEAR(count, 400, 90) << item;  // 5 standard deviations
}

TEST(Split, JoinsGivenParts) {
  const Dataset train = load("u,a\nu,b\nv,b\n");
  const Dataset validation = load("v,c\n");
  const Dataset test = load("w,a\nu,d\nv,a\n");
  const auto split = join_given_parts(train, validation, test);
  ASSERT_TRUE(split.ok()) << split.error().message;
  EXPECT_EQ(split->users.size(), 3u);
  EXPECT_EQ(split->catalogue, 2u);
  EXPECT_EQ(split->items.size(), 4u);
  EXPECT_EQ(items_of(*split, split->test, 0), (Names{"d"}));
  EXPECT_EQ(items_of(*split, split->test, 1), (Names{"a"}));
  EXPECT_EQ(items_of(*split, split->validation, 1), (Names{"c"}));
  EXPECT_EQ(items_of(*split, split->test, 2), (Names{"a"}));
  EXPECT_EQ(split->users_without_training(), 1u);
  EXPECT_TRUE(join_given_parts(train, Dataset{}, test).ok());
  const auto leaking = join_given_parts(train, Dataset{}, load("u,a\n"));
  ASSERT_FALSE(leaking.ok());
  EXPECT_NE(leaking.error().message.find("no pair is in two parts"), std::string::npos);
  EXPECT_FALSE(join_given_parts(Dataset{}, Dataset{}, test).ok());
}

TEST(Split, OrderInTimeIsKnownWhereTimesAre) {
  const Dataset timed = load("u,a,1,300000002\nu,b,1,300000001\nu,c,1,300000003\n");
  const Dataset test = load("u,d\n");
  const Split joined = join_given_parts(timed, Dataset{}, test).value();
  ASSERT_TRUE(joined.train.has_ages());
  EXPECT_EQ(std::vector(joined.train.ages().begin(), joined.train.ages().end()),
            (std::vector<std::uint16_t>{1, 2, 0}));
  EXPECT_FALSE(join_given_parts(load("u,a\nu,b\n"), Dataset{}, test).value().train.has_ages());
  EXPECT_FALSE(split_dataset(timed, options_of("random:0.8")).value().train.has_ages());
}

TEST(Split, HashSeesIdsAndParts) {
  const auto hash = [](std::string_view train, std::string_view test) {
    return join_given_parts(load(train), Dataset{}, load(test)).value().hash;
  };
  const std::string base = hash("u,a\nu,b\n", "u,c\n");
  EXPECT_EQ(base.size(), 64u);
  EXPECT_EQ(base, hash("u,a\nu,b\n", "u,c\n"));
  EXPECT_NE(base, hash("u,a\nu,b\n", "u,d\n"));
  EXPECT_NE(base, hash("x,a\nx,b\n", "x,c\n"));
  EXPECT_NE(base, hash("u,a\n", "u,b\nu,c\n"));
}

}  // namespace sotto::data::split_test
