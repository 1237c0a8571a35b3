#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/context_schema.h"
#include "data/forget_user.h"
#include "data/loader.h"

namespace sotto::data::derive_contexts_test {

constexpr std::int64_t hour = 3600;
constexpr std::int64_t monday = 899'078'400;  // 1998-06-29 00:00 UTC

Dataset load(std::string_view text) {
  const TextSource source{"t", text};
  return load_interactions(std::span(&source, 1)).value();
}

Split split_of(const Dataset& data, const std::string& rule = "temporal:0.6") {
  SplitOptions options{.keep_records = true};
  options.rule = parse_split_rule(rule).value();
  return split_dataset(data, options).value();
}

std::string name_of(const Contexts& contexts, std::uint32_t value) {
  if (value == no_context) return "-";
  const ContextDimension& dimension = contexts.dimensions[contexts.dimension_of(value)];
  return dimension.values[value - dimension.first];
}

// Of each pair of a part the names of its values.
using Told = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;
Told told(const Split& split, const Contexts& contexts, const Histories& rows, const PartContexts& part) {
  Told all;
  for (std::uint32_t user = 0; user < rows.users(); ++user)
    for (std::uint64_t k = rows.offsets()[user]; k < rows.offsets()[user + 1]; ++k) {
      auto& names =
          all[{std::string(split.users.name(user)), std::string(split.items.name(rows.items()[k].value))}];
      for (const std::uint32_t value : part.of(k)) names.push_back(name_of(contexts, value));
    }
  return all;
}
Told told(const Split& split, const Contexts& contexts) {
  Told all = told(split, contexts, split.train, contexts.train);
  all.merge(told(split, contexts, split.validation, contexts.validation));
  all.merge(told(split, contexts, split.test, contexts.test));
  return all;
}

const ContextSchema times{.interval = true, .daypart = true};

TEST(DeriveContexts, IntervalsAreCountedInDaysThatDouble) {
  const ContextSchema schema;
  const std::map<std::int64_t, std::string> expected{{0, "0 days"},
                                                     {23, "0 days"},
                                                     {24, "1 day"},
                                                     {47, "1 day"},
                                                     {48, "2 days"},
                                                     {72, "3-4 days"},
                                                     {24 * 5 - 1, "3-4 days"},
                                                     {24 * 5, "5-8 days"},
                                                     {24 * 9, "9-16 days"},
                                                     {24 * 17, "17-32 days"},
                                                     {24 * 33, "33 days or more"},
                                                     {24 * 3000, "33 days or more"}};
  for (const auto& [hours, name] : expected)
    EXPECT_EQ(interval_name(interval_bin(hours * hour, schema), schema), name) << hours;
  const ContextSchema exact{.bin_hours = 6, .bins = 4, .exact_bins = true};
  EXPECT_EQ(interval_name(interval_bin(6 * hour, exact), exact), "6-12 hours");
  EXPECT_EQ(interval_name(interval_bin(17 * hour, exact), exact), "12-18 hours");
  EXPECT_EQ(interval_name(interval_bin(400 * hour, exact), exact), "18 hours or more");
}

TEST(DeriveContexts, WeekendsAndNightsFollowTheClock) {
  ContextSchema schema;
  EXPECT_EQ(daypart_of(monday + 5 * hour, schema), 1u);
  EXPECT_EQ(daypart_of(monday + 6 * hour, schema), 0u);
  EXPECT_EQ(daypart_of(monday + 18 * hour - 1, schema), 0u);
  EXPECT_EQ(daypart_of(monday + 18 * hour, schema), 1u);
  EXPECT_EQ(daypart_of(monday - 1, schema), 3u);                  // Sunday night
  EXPECT_EQ(daypart_of(monday + 5 * 24 * hour - 1, schema), 1u);  // Friday night
  EXPECT_EQ(daypart_of(monday + (5 * 24 + 12) * hour, schema), 2u);
  EXPECT_EQ(daypart_of(-12 * hour, schema), 0u);  // Wednesday noon, 1969-12-31
  schema.utc_offset_hours = -6.0;
  EXPECT_EQ(daypart_of(monday, schema), 3u);  // Sunday evening in Minnesota
  schema.utc_offset_hours = 5.5;
  EXPECT_EQ(daypart_of(monday, schema), 1u);
  EXPECT_EQ(daypart_of(monday + hour, schema), 0u);
}

TEST(DeriveContexts, OnlyWhatWasTrainedOnIsAValue) {
  // u: a on Monday by day, b a day later by night (test). v alone rates at a weekend, in the test part.
  const Split split = split_of(load(fmt::format("u,a,1,{}\nu,b,2,{}\nv,a,3,{}\nv,c,4,{}\n", monday + 8 * hour,
                                                monday + 44 * hour, monday + 9 * hour, monday + 130 * hour)),
                               "leave-one-out");
  const Contexts contexts = derive_contexts(split, times).value();
  ASSERT_EQ(contexts.dimensions.size(), 2u);
  EXPECT_EQ(contexts.dimensions[0].name, "interval");
  EXPECT_EQ(contexts.dimensions[0].side, ContextSide::user);
  EXPECT_EQ(contexts.dimensions[0].values, std::vector<std::string>{"first"});
  EXPECT_EQ(contexts.dimensions[1].side, ContextSide::item);
  EXPECT_EQ(contexts.dimensions[1].values, std::vector<std::string>{"working day, day"});
  EXPECT_EQ(contexts.dimensions[1].first, 1u);
  EXPECT_EQ(contexts.values(), 2u);
  const Told all = told(split, contexts);
  EXPECT_EQ(all.at({"u", "a"}), (std::vector<std::string>{"first", "working day, day"}));
  EXPECT_EQ(all.at({"u", "b"}), (std::vector<std::string>{"-", "-"}));
}

// What a person would say, who has the whole file before them.
Told expected(const Dataset& data, const Split& split, const ContextSchema& schema) {
  const std::array<std::string, 4> parts{"working day, day", "working day, night", "weekend, day",
                                         "weekend, night"};
  Told all;
  for (const Interaction& row : data.interactions) {
    std::int64_t before = no_time;
    for (const Interaction& other : data.interactions)
      if (other.user == row.user &&
          (other.time < row.time ||
           (other.time == row.time && data.items.name(other.item.value) > data.items.name(row.item.value))))
        before = std::max(before, other.time);
    std::string interval = "first";
    if (before != no_time) {
      const std::int64_t days = (row.time - before) / (24 * hour);
      interval = days >= 33   ? "33 days or more"
                 : days >= 17 ? "17-32 days"
                 : days >= 9  ? "9-16 days"
                 : days >= 5  ? "5-8 days"
                 : days >= 3  ? "3-4 days"
                 : days == 1  ? "1 day"
                              : fmt::format("{} days", days);
    }
    all[{std::string(data.users.name(row.user.value)), std::string(data.items.name(row.item.value))}] = {
        interval, parts[daypart_of(row.time, schema)]};
  }
  std::array<std::set<std::string>, 2> seen;
  for (auto& [pair, names] : all) {
    const auto user = *split.users.find(pair.first), item = *split.items.find(pair.second);
    if (!split.train.contains({user}, {item})) continue;
    for (std::size_t d = 0; d < 2; ++d) seen[d].insert(names[d]);
  }
  for (auto& [pair, names] : all)
    for (std::size_t d = 0; d < 2; ++d)
      if (!seen[d].contains(names[d])) names[d] = "-";
  return all;
}

std::vector<std::string> some_lines(std::uint32_t users, std::uint32_t items) {
  std::vector<std::string> lines;
  for (std::uint32_t user = 0; user < users; ++user)
    for (std::uint32_t item = 0; item < items; ++item)
      if (*rc::gen::arbitrary<bool>())
        lines.push_back(fmt::format("u{},i{},{},{}\n", user, item, *rc::gen::inRange(1, 6),
                                    monday + 11 * hour * *rc::gen::inRange(0, 90)));
  return lines;
}
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

RC_GTEST_PROP(DeriveContexts, AreWhatOneWouldSayLookingAtTheFile, ()) {
  const auto lines = some_lines(4, 12);
  RC_PRE(!lines.empty());
  const Dataset data = load(joined(lines));
  const Split split = split_of(data);
  const Contexts contexts = derive_contexts(split, times).value();
  RC_ASSERT(told(split, contexts) == expected(data, split, times));
}

RC_GTEST_PROP(DeriveContexts, DoNotDependOnTheOrderOfTheLines, ()) {
  auto lines = some_lines(4, 12);
  RC_PRE(!lines.empty());
  const Split split = split_of(load(joined(lines)));
  const Contexts contexts = derive_contexts(split, times).value();
  const auto keys = *rc::gen::container<std::vector<int>>(lines.size(), rc::gen::arbitrary<int>());
  std::vector<std::pair<int, std::string>> keyed;
  for (std::size_t k = 0; k < lines.size(); ++k) keyed.emplace_back(keys[k], lines[k]);
  std::sort(keyed.begin(), keyed.end());
  for (std::size_t k = 0; k < lines.size(); ++k) lines[k] = keyed[k].second;
  const Split other = split_of(load(joined(lines)));
  const Contexts again = derive_contexts(other, times).value();
  RC_ASSERT(told(split, contexts) == told(other, again));
  for (std::size_t d = 0; d < 2; ++d) RC_ASSERT(contexts.dimensions[d].values == again.dimensions[d].values);
}

RC_GTEST_PROP(DeriveContexts, DoNotDependOnOtherPeople, ()) {
  const auto lines = some_lines(4, 12);
  const auto is_mine = [](const std::string& line) { return line.starts_with("u0,"); };
  std::vector<std::string> mine;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(mine), is_mine);
  RC_PRE(!mine.empty());
  const Split all = split_of(load(joined(lines))), alone = split_of(load(joined(mine)));
  const Told among = told(all, derive_contexts(all, times).value());
  // (That others train on a value makes it one: alone, it may be missing.)
  for (const auto& [pair, names] : told(alone, derive_contexts(alone, times).value()))
    for (std::size_t d = 0; d < 2; ++d) RC_ASSERT(names[d] == "-" || names[d] == among.at(pair)[d]);
}

TEST(DeriveContexts, ItemsAndPeopleHaveRowsOfTheirOwn) {
  Split split =
      split_of(load("u,a,1,900000001\nu,b,2,900000002\nv,a,3,900000003\nv,c,4,900000004\n"), "leave-one-out");
  FeatureList list;
  const auto fact = [&list](const char* item, const char* predicate, const char* object) {
    list.facts.push_back(
        {list.items.intern(item), list.intern_predicate(predicate, 1), list.objects.intern(object)});
  };
  fact("a", "genre", "Drama");
  fact("a", "genre", "Comedy");
  fact("a", "year", "1995");
  fact("c", "genre", "Drama");
  fact("c", "genre", "Horror");  // of an item that nobody trains on
  list.settle();
  split.features = std::make_shared<const ItemFeatures>(list, split.items, FeatureFilter{.min_items = 1});
  PersonAttributes people;
  people.columns = {{"job", {}}, {"age", {}}};
  people.people.intern("stranger");
  people.people.intern("v");
  people.columns[0].values.intern("pilot");
  people.columns[0].values.intern("cook");
  people.columns[1].values.intern("20-29");
  people.values = {{0, 1}, {no_value, 0}};
  const Contexts contexts =
      derive_contexts(split, {.interval = true, .item = true, .person = true}, &people).value();
  std::vector<std::string> dimensions;
  for (const ContextDimension& dimension : contexts.dimensions) dimensions.push_back(dimension.name);
  EXPECT_EQ(dimensions, (std::vector<std::string>{"interval", "genre", "year", "job", "age"}));
  EXPECT_EQ(contexts.dimensions[1].values, (std::vector<std::string>{"Comedy", "Drama"}));
  EXPECT_EQ(contexts.dimensions[3].values, (std::vector<std::string>{"cook"})) << "strangers teach nothing";
  const auto names = [&](const ContextRows& rows, std::uint32_t thing) {
    std::vector<std::string> all;
    for (const std::uint32_t value : rows.of(thing)) all.push_back(name_of(contexts, value));
    return all;
  };
  EXPECT_EQ(names(contexts.items, *split.items.find("a")),
            (std::vector<std::string>{"Comedy", "Drama", "1995"}));
  EXPECT_EQ(names(contexts.items, *split.items.find("c")), (std::vector<std::string>{"Drama"}));
  EXPECT_TRUE(contexts.items.of(*split.items.find("b")).empty());
  EXPECT_EQ(names(contexts.people, 1), (std::vector<std::string>{"cook", "20-29"}));
  EXPECT_TRUE(contexts.people.of(0).empty());

  split.contexts = std::make_shared<const Contexts>(contexts);
  const Split rest = without_user(split, {1});
  EXPECT_TRUE(rest.contexts->people.of(1).empty());
  EXPECT_EQ(rest.contexts->train.values.size(), rest.train.interactions() * rest.contexts->train.width);
}

TEST(DeriveContexts, WhatIsNotThereIsSaidWithWhatToDo) {
  const auto refusal = [](const Split& split, const ContextSchema& schema) {
    const auto derived = derive_contexts(split, schema);
    return derived.ok() ? std::string("(none)") : derived.error().message;
  };
  const Split bare = split_of(load("user,item,rating\nu,a,1\nu,b,2\nv,a,3\n"), "random:0.5");
  EXPECT_NE(refusal(bare, {.interval = true}).find("--columns"), std::string::npos);
  EXPECT_NE(refusal(bare, {.daypart = true}).find("'daypart'"), std::string::npos);
  EXPECT_NE(refusal(bare, {.item = true}).find("--kg"), std::string::npos);
  EXPECT_NE(refusal(bare, {.person = true}).find("--people"), std::string::npos);
  EXPECT_NE(refusal(bare, {.columns = true}).find("context."), std::string::npos);
  const Split ranked = split_of(load("1\t5\t4\t2\n1\t6\t4\t0\n1\t7\t4\t1\n"));
  EXPECT_NE(refusal(ranked, {.interval = true}).find("ranks only"), std::string::npos);
  Split saved = bare;
  saved.records = nullptr;
  EXPECT_NE(refusal(saved, {.interval = true}).find("--data"), std::string::npos);
  for (const ContextSchema& wrong :
       {ContextSchema{.bin_hours = 0}, ContextSchema{.bins = 0}, ContextSchema{.bins = 33},
        ContextSchema{.day_from = 18, .night_from = 6}, ContextSchema{.night_from = 25},
        ContextSchema{.utc_offset_hours = 15.0}})
    EXPECT_EQ(check(wrong).error().code, Code::usage);
}

}  // namespace sotto::data::derive_contexts_test
