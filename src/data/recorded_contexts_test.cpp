#include "data/recorded_contexts.h"

#include <gtest/gtest.h>

#include "data/loader.h"
#include "data/split.h"

namespace sotto::data::recorded_contexts_test {

constexpr std::string_view world =
    "user,item,rating,time,sky\n"
    "u1,a,4,1300000000,rain\n"
    "u1,b,2,1300000000,sun\n"
    "u1,c,5,1300300500,NA\n"
    "u2,a,3,1300000001,fog\n"
    "u2,d,1,1310000000,sun\n"
    "u2,b,2,1310030000,rain\n";

Split split_of() {
  const TextSource source{"t.csv", world};
  const auto data = load_interactions(
      std::span(&source, 1), {.columns = "user=user,item=item,rating=rating,time=time,context.weather=sky"});
  return split_dataset(data.value(), {.rule = FixedTimestamp{1'310'020'000}, .keep_records = true}).value();
}

// By a vocabulary without anybody's records a device finds for its own what the simulator found.
TEST(RecordedContexts, AreTheTrainingParts) {
  const Split split = split_of();
  for (const bool interval : {false, true})
    for (const bool daypart : {false, true})
      for (const bool columns : {false, true}) {
        if (!interval && !daypart && !columns) continue;
        const ContextSchema schema{.interval = interval, .daypart = daypart, .columns = columns};
        const Contexts made = derive_contexts(split, schema).value();
        Contexts vocabulary;
        vocabulary.dimensions = made.dimensions;
        ASSERT_TRUE(belong_together(vocabulary, schema));
        const PartContexts own =
            recorded_contexts(vocabulary, schema, *split.records, split.train.interactions());
        EXPECT_EQ(own.width, made.train.width);
        EXPECT_EQ(own.values, made.train.values);
      }
}

// A vocabulary that was written before anybody's records were seen has every value.
TEST(RecordedContexts, AVocabularyHasAllThereCanBe) {
  const Split split = split_of();
  const ContextSchema schema{.interval = true, .daypart = true, .columns = true, .recency = true, .bins = 3};
  RecordColumn weather{"weather", {}};
  for (const char* word : {"sun", "rain", "snow"}) weather.values.intern(word);
  const Contexts vocabulary = context_vocabulary(schema, {weather}, nullptr).value();
  ASSERT_EQ(vocabulary.dimensions.size(), 4u);
  EXPECT_EQ(vocabulary.dimensions[0].values,
            (std::vector<std::string>{"first", "0 days", "1 day", "2 days or more"}));
  EXPECT_EQ(vocabulary.dimensions[1].values.size(), 4u);
  EXPECT_EQ(vocabulary.dimensions[2].values, (std::vector<std::string>{"rain", "snow", "sun"}));
  EXPECT_EQ(vocabulary.dimensions[2].first, 8u);
  EXPECT_EQ(vocabulary.dimensions[3].name, "recency");
  const PartContexts own = recorded_contexts(vocabulary, schema, *split.records, split.train.interactions());
  const auto name = [&](std::size_t user_first, std::size_t dimension) -> std::string {
    const std::uint32_t value = own.of(user_first)[dimension];
    return value == no_context
               ? "-"
               : vocabulary.dimensions[dimension].values[value - vocabulary.dimensions[dimension].first];
  };
  // u1's items a, b, c; of equal times the smaller one is the newer.
  EXPECT_EQ(name(0, 0), "0 days");
  EXPECT_EQ(name(1, 0), "first");
  EXPECT_EQ(name(2, 0), "2 days or more");
  EXPECT_EQ(name(0, 2), "rain");
  EXPECT_EQ(name(2, 2), "-");
  EXPECT_EQ(name(3, 2), "-");  // fog is none of its words
}

// A person who says what a file says of them has the values that the simulator found.
TEST(RecordedContexts, OfWhatAPersonSaysAreTheSplits) {
  const Split split = split_of();
  const TextSource source{"p.csv", "user,job,age\nu2,cook,20-29\nu1,NA,30-39\nu9,pilot,60-69\n"};
  const PersonAttributes people = load_person_attributes(source).value();
  const Contexts made =
      derive_contexts(split, {.daypart = true, .person = true, .recency = true}, &people).value();
  const auto said = [&](std::vector<std::pair<std::string, std::string>> attributes) {
    return person_contexts(made, attributes);
  };
  const auto of_split = [&](std::uint32_t user) {
    const auto row = made.people.of(user);
    return std::vector<std::uint32_t>(row.begin(), row.end());
  };
  EXPECT_EQ(of_split(1).size(), 2u);
  EXPECT_EQ(said({{"age", "20-29"}, {"job", "cook"}}), of_split(1)) << "in whatever order";
  EXPECT_EQ(said({{"age", "30-39"}}), of_split(0));
  EXPECT_TRUE(
      said({{"age", "60-69"}, {"job", "Cook"}, {"shoe", "44"}, {"recency", "x"}, {"daypart", "x"}}).empty());
  // Before anybody is known, all that is named is a value.
  const Contexts vocabulary =
      context_vocabulary({.person = true, .recency = true}, {}, nullptr, people.columns).value();
  ASSERT_EQ(vocabulary.dimensions.size(), 3u);
  EXPECT_EQ(vocabulary.dimensions[0].values, (std::vector<std::string>{"cook", "pilot"}));
  EXPECT_TRUE(vocabulary.dimensions[1].is_attribute());
  EXPECT_FALSE(vocabulary.dimensions[2].is_attribute());
  EXPECT_FALSE(context_vocabulary({.person = true, .recency = true}, {}, nullptr, {{"recency", {}}}).ok());
}

TEST(RecordedContexts, WithoutDatesThereAreNone) {
  const ContextSchema schema{.interval = true, .daypart = true};
  const Contexts vocabulary = context_vocabulary(schema, {}, nullptr).value();
  Records records;
  EXPECT_EQ(recorded_contexts(vocabulary, schema, records, 2).values,
            std::vector<std::uint32_t>(4, no_context));
  records.time_kind = TimeKind::unix_seconds;
  records.train.times = {no_time, 1'300'000'000};
  records.train.previous = {no_time, no_time};
  const PartContexts own = recorded_contexts(vocabulary, schema, records, 2);
  EXPECT_EQ(own.of(0)[1], no_context);
  EXPECT_EQ(own.of(1)[0], 0u);
  EXPECT_NE(own.of(1)[1], no_context);
  EXPECT_FALSE(belong_together(vocabulary, {.daypart = true}));
  EXPECT_FALSE(belong_together(vocabulary, {.interval = true}));
}

}  // namespace sotto::data::recorded_contexts_test
