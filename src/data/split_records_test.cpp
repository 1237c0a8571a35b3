#include "data/split_records.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/forget_user.h"
#include "data/loader.h"

namespace sotto::data::split_records_test {

Dataset load(std::string_view text) {
  const TextSource source{"t", text};
  return load_interactions(std::span(&source, 1)).value();
}

constexpr std::int64_t start = 900'000'000;

// Lines in any order: a user has rated some of the items at some times, many at once.
std::string some_ratings(std::uint32_t users, std::uint32_t items) {
  std::string text;
  for (std::uint32_t user = 0; user < users; ++user)
    for (std::uint32_t item = 0; item < items; ++item)
      if (*rc::gen::arbitrary<bool>())
        text += fmt::format("u{},i{},{},{}\n", user, item, *rc::gen::inRange(1, 6),
                            start + 40'000 * *rc::gen::inRange(0, 12));
  return text;
}

// Of a part: user and item to rating, time and time before.
using Told = std::map<std::pair<std::string, std::string>, std::tuple<float, std::int64_t, std::int64_t>>;
Told told(const Split& split, const Histories& rows, const PartRecords& part) {
  Told all;
  for (std::uint32_t user = 0; user < rows.users(); ++user)
    for (std::uint64_t k = rows.offsets()[user]; k < rows.offsets()[user + 1]; ++k)
      all[{std::string(split.users.name(user)), std::string(split.items.name(rows.items()[k].value))}] = {
          part.ratings[k], part.times[k], part.previous[k]};
  return all;
}

Told told(const Split& split) {
  Told all = told(split, split.train, split.records->train);
  all.merge(told(split, split.validation, split.records->validation));
  all.merge(told(split, split.test, split.records->test));
  return all;
}

// The same, slowly, from the dataset alone.
Told expected(const Dataset& data) {
  Told all;
  for (const Interaction& row : data.interactions) {
    std::int64_t before = no_time;
    for (const Interaction& other : data.interactions) {
      const bool older =
          other.time < row.time ||
          (other.time == row.time && data.items.name(other.item.value) > data.items.name(row.item.value));
      if (other.user == row.user && older) before = std::max(before, other.time);
    }
    all[{std::string(data.users.name(row.user.value)), std::string(data.items.name(row.item.value))}] = {
        row.rating, row.time, before};
  }
  return all;
}

RC_GTEST_PROP(SplitRecords, SayOfEachPairWhatTheFileSaid, ()) {
  const std::string text = some_ratings(4, 9);
  RC_PRE(!text.empty());
  const Dataset data = load(text);
  SplitOptions options{.validation_share = 0.3, .keep_records = true};
  options.rule =
      parse_split_rule(*rc::gen::element<std::string>("temporal:0.6", "random:0.5", "leave-one-out")).value();
  const auto split = split_dataset(data, options);
  RC_PRE(split.ok());
  RC_ASSERT(told(*split) == expected(data));
  RC_ASSERT(split->records->train.ratings.size() == split->train.interactions());
  options.keep_records = false;
  const Split bare = split_dataset(data, options).value();
  RC_ASSERT(bare.hash == split->hash && !bare.records);
}

RC_GTEST_PROP(SplitRecords, GivenPartsSayTheSameAsOneFile, ()) {
  const std::string text = some_ratings(4, 9);
  RC_PRE(!text.empty());
  std::array<std::string, 3> parts;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin) + 1;
    parts[begin == 0 ? 0 : *rc::gen::element<std::size_t>(0, 1, 2)] += text.substr(begin, end - begin);
    begin = end;
  }
  const auto part = [&](std::size_t n) { return parts[n].empty() ? Dataset{} : load(parts[n]); };
  const auto joined = join_given_parts(part(0), part(1), part(2), {.keep_records = true});
  RC_ASSERT(joined.ok());
  RC_ASSERT(told(*joined) == expected(load(text)));
}

TEST(SplitRecords, TheScaleIsThatOfTheDataOrTheGivenOne) {
  const Dataset data = load("u,a,2,900000001\nu,b,4.5,900000002\nv,a,3,900000003\n");
  const Split split = split_dataset(data, {.keep_records = true}).value();
  EXPECT_TRUE(split.records->has_ratings);
  EXPECT_EQ(split.records->time_kind, TimeKind::unix_seconds);
  EXPECT_FLOAT_EQ(split.records->scale.lowest, 2.0f);
  EXPECT_FLOAT_EQ(split.records->scale.highest, 4.5f);
  SplitOptions options{.keep_records = true};
  options.scale = parse_rating_scale("0.5:5").value();
  EXPECT_FLOAT_EQ(split_dataset(data, options)->records->scale.lowest, 0.5f);
  options.scale = parse_rating_scale("1:4").value();
  const auto refused = split_dataset(data, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("--rating-scale"), std::string::npos);
  for (const char* bad : {"", "1", "5:1", "1:1", "a:b", "1:nan", "1:5:6", ":5"})
    EXPECT_FALSE(parse_rating_scale(bad).ok()) << bad;
}

TEST(SplitRecords, WhatTheFileDoesNotSayNobodyKnows) {
  const Split split =
      split_dataset(load("user,item\nu,a\nu,b\nv,a\n"), {.rule = RandomHoldout{}, .keep_records = true})
          .value();
  EXPECT_FALSE(split.records->has_ratings);
  EXPECT_EQ(split.records->time_kind, TimeKind::none);
  EXPECT_TRUE(split.records->train.ratings.empty() && split.records->train.times.empty());
}

TEST(SplitRecords, SomebodyWithOneRatingTrainsOnIt) {
  for (const char* rule : {"temporal:0.8", "random:0.8", "leave-one-out"}) {
    SplitOptions options{.keep_records = true};
    options.rule = parse_split_rule(rule).value();
    const Split split =
        split_dataset(load("u,a,5,900000001\nv,a,1,900000001\nv,b,2,900000002\n"), options).value();
    EXPECT_EQ(split.train.of({0}).size(), 1u) << rule;
    EXPECT_TRUE(split.test.of({0}).empty()) << rule;
    EXPECT_FLOAT_EQ(split.records->train.ratings[0], 5.0f);
    EXPECT_EQ(split.records->train.previous[0], no_time);
  }
}

TEST(SplitRecords, AFewOfTheTestItemsAreJudgedAndTheOthersAreTrainedOn) {
  std::string text;
  for (int user = 0; user < 30; ++user)
    for (int item = 0; item < 40; ++item)
      text += fmt::format("u{},i{},{},{}\n", user, item, 1 + item % 5, start + item * 100'000);
  const Dataset data = load(text);
  SplitOptions options{.rule = TemporalHoldout{0.5}, .validation_share = 0.2, .keep_records = true};
  const Split all = split_dataset(data, options).value();
  options.most_test = 6;
  const Split some = split_dataset(data, options).value();
  const Split again = split_dataset(data, options).value();
  options.seed = 2;
  const Split other = split_dataset(data, options).value();
  EXPECT_EQ(some.hash, again.hash);
  EXPECT_NE(some.hash, other.hash);
  const Told whole = told(all, all.test, all.records->test);
  std::set<std::string> drawn;
  for (std::uint32_t user = 0; user < 30; ++user) EXPECT_EQ(some.test.of({user}).size(), 6u);
  for (const auto& [pair, said] : told(some, some.test, some.records->test)) {
    EXPECT_EQ(whole.at(pair), said);
    drawn.insert(pair.second);
  }
  EXPECT_EQ(drawn.size(), 20u) << "not always the same items (misses one of 20 in 30 draws of 6: 2e-5 each)";
  Told rest = whole;
  for (const auto& [pair, said] : told(some, some.test, some.records->test)) rest.erase(pair);
  rest.merge(told(all, all.train, all.records->train));
  EXPECT_EQ(told(some, some.train, some.records->train), rest);
  EXPECT_TRUE(some.train.has_ages());
  EXPECT_EQ(told(all, all.validation, all.records->validation),
            told(some, some.validation, some.records->validation));
  options.most_test = 100;
  EXPECT_EQ(split_dataset(data, options)->test.interactions(), all.test.interactions());
}

TEST(SplitRecords, WhoIsForgottenHasNoneAndOthersKeepTheirs) {
  const Split split =
      split_dataset(load("u,a,1,900000001\nv,a,2,900000002\nv,b,3,900000003\nv,c,4,900000004\n"
                         "w,b,5,900000005\nw,c,1,900000006\n"),
                    {.rule = TemporalHoldout{0.5}, .keep_records = true})
          .value();
  const Split rest = without_user(split, {1});
  Told left = told(split);
  std::erase_if(left, [](const auto& entry) { return entry.first.first == "v"; });
  EXPECT_EQ(told(rest), left);
  EXPECT_EQ(rest.records->train.ratings.size(), rest.train.interactions());
  EXPECT_NE(rest.records->hash(), split.records->hash());
}

}  // namespace sotto::data::split_records_test
