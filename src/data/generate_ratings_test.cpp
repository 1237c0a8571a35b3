#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "data/context_schema.h"
#include "data/generate.h"

namespace sotto::data::generate_ratings_test {

const WorldOptions small{.users = 400, .items = 300, .mean_interactions = 30.0, .seed = 11};

TEST(GenerateRatings, TheWorldIsTheSameButForTheRatings) {
  const Dataset plain = generate_world(small).value(), rated = generate_rated_world(small).value();
  const Dataset again = generate_rated_world(small).value();
  EXPECT_TRUE(rated.has_ratings && !plain.has_ratings);
  ASSERT_EQ(plain.interactions.size(), rated.interactions.size());
  std::map<float, std::size_t> counts;
  for (std::size_t k = 0; k < plain.interactions.size(); ++k) {
    EXPECT_EQ(plain.interactions[k].time, rated.interactions[k].time);
    EXPECT_EQ(rated.interactions[k].rating, again.interactions[k].rating);
    ++counts[rated.interactions[k].rating];
  }
  EXPECT_EQ(counts.size(), 5u);
  EXPECT_EQ(counts.begin()->first, 1.0f);
  EXPECT_EQ(counts.rbegin()->first, 5.0f);
}

// The mean rating of each category at weekends and on working days: it differs by category, as it would not
// if ratings did not look at the day.
TEST(GenerateRatings, WeekendsMatter) {
  const Dataset rated = generate_rated_world(small).value();
  const auto spread_by = [&](std::uint32_t bit) {
    std::map<std::string, std::array<std::pair<double, double>, 2>> sums;
    for (const Interaction& row : rated.interactions) {
      auto& [sum, count] = sums[rated.item_categories[row.item.value]][daypart_of(row.time, {}) / bit % 2];
      sum += row.rating;
      count += 1.0;
    }
    double spread = 0.0, categories = 0.0;
    for (const auto& [category, two] : sums) {
      if (two[0].second < 50.0 || two[1].second < 50.0) continue;
      spread += std::abs(two[0].first / two[0].second - two[1].first / two[1].second);
      categories += 1.0;
    }
    EXPECT_GT(categories, 4.0);
    return spread / categories;
  };
  const double weekends = spread_by(2), nights = spread_by(1);
  EXPECT_GT(weekends, 0.25);
  EXPECT_LT(nights, weekends / 2.0) << "which ratings do not look at";
}

TEST(GenerateRatings, APersonDoesNotChangeWhenMoreAreAdded) {
  WorldOptions more = small;
  more.users = 600;
  const Dataset few = generate_rated_world(small).value(), many = generate_rated_world(more).value();
  for (std::size_t k = 0; k < few.interactions.size(); ++k)
    ASSERT_EQ(few.interactions[k].rating, many.interactions[k].rating) << k;
  const PersonAttributes people = generate_people(small), crowd = generate_people(more);
  EXPECT_EQ(people.people.size(), small.users);
  EXPECT_EQ(people.columns.size(), 2u);
  for (std::uint32_t user = 0; user < small.users; ++user) {
    EXPECT_TRUE(few.users.find(people.people.name(user)));
    for (std::size_t column = 0; column < 2; ++column)
      EXPECT_EQ(people.columns[column].values.name(people.values[column][user]),
                crowd.columns[column].values.name(crowd.values[column][user]));
  }
}

}  // namespace sotto::data::generate_ratings_test
