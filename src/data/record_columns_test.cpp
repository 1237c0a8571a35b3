// Further columns of a file, from the loader through filters and splits to contexts; and ratings on a scale.
#include <gtest/gtest.h>

#include <map>

#include "data/context_schema.h"
#include "data/filter.h"
#include "data/loader.h"

namespace sotto::data::record_columns_test {

Result<Dataset> read(std::string_view text, const LoadOptions& options = {}) {
  const TextSource source{"t.csv", text};
  return load_interactions(std::span(&source, 1), options);
}

constexpr std::string_view weather_file =
    "user,item,rating,time,weather,device\n"
    "u,a,5,900000001,rain,phone\n"
    "v,b,4,900000002,sun,\n"
    "u,b,3,900000003,?,laptop\n"
    "u,c,2,900000004,sun,phone\n"
    "v,c,1,900000005,snow,NA\n"
    "u,a,1,900000000,fog,tablet\n";  // an older record of a pair that is there: it goes
constexpr const char* named =
    "user=user,item=item,rating=rating,time=time,context.sky=weather,context.device=6";

using Values = std::map<std::pair<std::string, std::string>, std::string>;
Values values_of(const Dataset& data, std::size_t column) {
  Values all;
  for (std::size_t k = 0; k < data.interactions.size(); ++k) {
    const std::uint32_t value = data.column_values[column][k];
    all[{std::string(data.users.name(data.interactions[k].user.value)),
         std::string(data.items.name(data.interactions[k].item.value))}] =
        value == no_value ? "-" : std::string(data.columns[column].values.name(value));
  }
  return all;
}

TEST(RecordColumns, AreReadByNameOrPositionAndTheLatestRecordCounts) {
  const Dataset data = read(weather_file, {.columns = named}).value();
  ASSERT_EQ(data.columns.size(), 2u);
  EXPECT_EQ(data.columns[0].name, "sky");
  EXPECT_EQ(data.repeated, 1u);
  EXPECT_EQ(values_of(data, 0), (Values{{{"u", "a"}, "rain"},
                                        {{"u", "b"}, "-"},
                                        {{"u", "c"}, "sun"},
                                        {{"v", "b"}, "sun"},
                                        {{"v", "c"}, "snow"}}));
  EXPECT_EQ(values_of(data, 1), (Values{{{"u", "a"}, "phone"},
                                        {{"u", "b"}, "laptop"},
                                        {{"u", "c"}, "phone"},
                                        {{"v", "b"}, "-"},
                                        {{"v", "c"}, "-"}}));
}

TEST(RecordColumns, StayWithTheirRecordsThroughAFilter) {
  const Filtered rest =
      filter_dataset(read(weather_file, {.columns = named}).value(), {.min_rating = 2.5f}).value();
  EXPECT_EQ(values_of(rest.dataset, 0),
            (Values{{{"u", "a"}, "rain"}, {{"u", "b"}, "-"}, {{"v", "b"}, "sun"}}));
}

TEST(RecordColumns, AreContextsOfTheirRecords) {
  SplitOptions options{.rule = LeaveOneOut{}, .keep_records = true};
  const Split split = split_dataset(read(weather_file, {.columns = named}).value(), options).value();
  const Contexts contexts = derive_contexts(split, {.columns = true}).value();
  ASSERT_EQ(contexts.dimensions.size(), 2u);
  EXPECT_EQ(contexts.dimensions[0].name, "sky");
  EXPECT_EQ(contexts.dimensions[0].values, (std::vector<std::string>{"rain", "sun"}))
      << "fog and snow are not trained on";
  EXPECT_EQ(contexts.dimensions[1].values, (std::vector<std::string>{"laptop", "phone"}));
  // Tested on: u's c (sun, phone) and v's c (snow, nothing).
  EXPECT_EQ(contexts.test.values, (std::vector<std::uint32_t>{1, 3, no_context, no_context}));
}

TEST(RecordColumns, WrongChoicesAreRefused) {
  for (const char* wrong : {"user=1,item=2,context.=5", "user=1,item=2,context.sky=5,context.sky=6",
                            "user=1,item=2,context.sky=0", "user=1,item=2,context.sky=", "context.sky=5",
                            "user=1,item=2,contexts=5"})
    EXPECT_EQ(parse_columns(wrong).error().code, Code::usage) << wrong;
  EXPECT_NE(read(weather_file, {.columns = "user=1,item=2,context.sky=wind"}).error().message.find("t.csv"),
            std::string::npos);
  EXPECT_FALSE(read(weather_file, {.columns = "user=1,item=2,context.sky=7"}).ok());
  const TextFormat format = detect_format("t", weather_file, named).value();
  EXPECT_NE(describe(format).find("context.sky=5 context.device=6"), std::string::npos) << describe(format);
}

TEST(RecordColumns, RatingsLieOnTheGivenScale) {
  constexpr std::string_view stars = "u,a,0.5,900000001\nu,b,5,900000002\nv,a,3.5,900000003\n";
  EXPECT_TRUE(read(stars, {.columns = "", .scale = RatingScale{0.5f, 5.0f}}).ok());
  const auto refused = read(stars, {.columns = "", .scale = RatingScale{1.0f, 5.0f}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message.substr(0, 13), "t.csv, line 1") << refused.error().message;
  EXPECT_NE(refused.error().message.find("--rating-scale"), std::string::npos);
  EXPECT_NE(read("u,a,4,900000001\nu,b,nan,900000002\n").error().message.find("line 2"), std::string::npos);
}

}  // namespace sotto::data::record_columns_test
