#include "data/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "data/split_parts.h"
#include "data/venues.h"

namespace sotto::data::generate_test {

TEST(Generate, IsAFunctionOfItsOptions) {
  WorldOptions options;
  options.users = 120;
  options.items = 150;
  const Split first = generate_split(options).value();
  EXPECT_EQ(first.hash, generate_split(options).value().hash);
  options.seed = 2;
  EXPECT_NE(first.hash, generate_split(options).value().hash);
}

TEST(Generate, KeepsItsBytesForEver) {
  WorldOptions options;
  options.users = 50;
  options.items = 80;
  EXPECT_EQ(generate_split(options).value().hash,
            "0ffd9df6f6121c2ad49e7a48db363d759e3c86ce7f5541d68c1cb40d83162c1f");
}

TEST(Generate, DirectSplitEqualsTheSplitWorld) {
  for (const std::uint32_t users : {1u, 7u, 300u}) {
    for (const double share : {0.8, 0.5}) {
      WorldOptions options;
      options.users = users;
      options.items = 333;
      options.seed = users;
      const Dataset world = generate_world(options).value();
      SplitOptions temporal;
      temporal.rule = TemporalHoldout{share};
      EXPECT_EQ(generate_split(options, share).value().hash, split_dataset(world, temporal).value().hash);
    }
  }
}

// Several shards at once, as far as the data can tell, and the last one first.
class Backwards final : public Executor {
 public:
  explicit Backwards(std::size_t threads) : threads_(threads) {}
  [[nodiscard]] std::size_t threads() const override { return threads_; }
  void run(std::size_t shards, const std::function<void(std::size_t)>& work) override {
    for (std::size_t shard = shards; shard-- > 0;) work(shard);
  }

 private:
  std::size_t threads_;
};

TEST(Generate, ThreadsDoNotChangeTheSplit) {
  const WorldOptions options{.users = 13000, .items = 60, .cities = 3, .mean_interactions = 3.0, .seed = 4};
  const std::string alone = generate_split(options).value().hash;
  for (const std::size_t threads : {2u, 3u, 5u}) {
    Backwards executor(threads);
    EXPECT_EQ(generate_split(options, 0.8, executor).value().hash, alone) << threads;
  }
}

TEST(Generate, APersonDoesNotChangeWhenMoreAreAdded) {
  WorldOptions options;
  options.users = 10;
  const Dataset few = generate_world(options).value();
  options.users = 400;
  const Dataset many = generate_world(options).value();
  for (std::size_t k = 0; k < few.interactions.size(); ++k) {
    const Interaction &a = few.interactions[k], &b = many.interactions[k];
    ASSERT_EQ(few.users.name(a.user.value), many.users.name(b.user.value));
    ASSERT_EQ(few.items.name(a.item.value), many.items.name(b.item.value));
    ASSERT_EQ(a.time, b.time);
  }
}

TEST(Generate, WorldIsLawfulAndReadsWell) {
  WorldOptions options;
  options.users = 800;
  options.items = 1500;
  const Dataset world = generate_world(options).value();
  EXPECT_EQ(world.users.name(42), "person-00042");
  EXPECT_EQ(world.users.size(), 800u);
  ASSERT_EQ(world.item_names.size(), world.items.size());
  ASSERT_EQ(world.item_categories.size(), world.items.size());
  const double mean = static_cast<double>(world.interactions.size()) / 800.0;
  EXPECT_NEAR(mean, 40.0, 4.0);
  std::map<std::string, std::size_t> categories;
  for (const std::string& category : world.item_categories) ++categories[category];
  EXPECT_EQ(categories.size(), venue_kinds().size());
  EXPECT_GT(categories["Restaurant"], categories["Library"]);
  std::vector<std::uint32_t> popularity(world.items.size(), 0), by_hour(24, 0);
  for (std::size_t k = 0; k < world.interactions.size(); ++k) {
    const Interaction& row = world.interactions[k];
    if (k > 0) {
      const Interaction& before = world.interactions[k - 1];
      ASSERT_TRUE(before.user < row.user || (before.user == row.user && before.item < row.item));
    }
    ASSERT_GE(row.time, 1672531200);                // 2023-01-01
    ASSERT_LT(row.time, 1672531200 + 365 * 86400);  // 2024-01-01
    ++popularity[row.item.value];
    if (world.item_categories[row.item.value] == "Nightclub")
      ++by_hour[static_cast<std::size_t>(row.time / 3600 % 24)];
  }
  EXPECT_EQ(by_hour[10], 0u);  // clubs are closed in the morning
  EXPECT_GT(by_hour[23], 0u);
  EXPECT_GT(*std::min_element(popularity.begin(), popularity.end()), 0u);  // nothing unvisited is listed
  std::sort(popularity.rbegin(), popularity.rend());
  const auto top = std::accumulate(popularity.begin(), popularity.begin() + 150, 0u);
  EXPECT_GT(top * 10, world.interactions.size() * 3);  // a tenth of the places has three tenths of the visits
}

TEST(Generate, NamesAreUnique) {
  std::set<std::string> names;
  for (std::uint32_t city = 0; city < 3; ++city)
    for (std::uint32_t kind = 0; kind < venue_kinds().size(); ++kind)
      for (std::uint32_t nth = 0; nth < 1500; ++nth)
        ASSERT_TRUE(names.insert(venue_name(city, kind, nth)).second) << venue_name(city, kind, nth);
  for (std::uint32_t nth = 0; nth < 600'000; nth += 1) {
    if (nth < 1500) continue;
    ASSERT_TRUE(names.insert(venue_name(0, 0, nth)).second) << venue_name(0, 0, nth);
  }
  std::set<std::string> cities;
  for (std::uint32_t city = 0; city < 5000; ++city)
    ASSERT_TRUE(cities.insert(city_name(city)).second) << city;
}

// Share of the top ten of `score` that the person visits later, over all people.
template <class Score>
double precision(const Split& split, Score score) {
  double hits = 0.0;
  std::vector<double> scores(split.catalogue);
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    score(user, scores);
    for (const ItemIndex item : split.train.of({user})) scores[item.value] = -1.0;
    std::vector<std::uint32_t> order(split.catalogue);
    std::iota(order.begin(), order.end(), 0u);
    std::partial_sort(order.begin(), order.begin() + 10, order.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
    for (int k = 0; k < 10; ++k)
      hits += split.test.contains({user}, {order[static_cast<std::size_t>(k)]}) ? 0.1 : 0.0;
  }
  return hits / static_cast<double>(split.users.size());
}

TEST(Generate, TastesCanBeLearnt) {
  WorldOptions options;
  options.users = 400;
  options.items = 500;
  options.cities = 4;
  const Split split = generate_split(options).value();
  const auto popular = split.train.popularity(split.catalogue);
  std::vector<std::vector<double>> together(split.catalogue, std::vector<double>(split.catalogue, 0.0));
  for (std::uint32_t user = 0; user < split.users.size(); ++user)
    for (const ItemIndex a : split.train.of({user}))
      for (const ItemIndex b : split.train.of({user}))
        together[a.value][b.value] += 1.0 / (5.0 + popular[a.value]);
  const double by_chance = static_cast<double>(split.test.interactions()) /
                           static_cast<double>(split.users.size() * split.catalogue);
  const double by_popularity = precision(split, [&](std::uint32_t, std::vector<double>& scores) {
    scores.assign(popular.begin(), popular.end());
  });
  const double by_taste = precision(split, [&](std::uint32_t user, std::vector<double>& scores) {
    std::fill(scores.begin(), scores.end(), 0.0);
    for (const ItemIndex held : split.train.of({user}))
      for (std::size_t item = 0; item < scores.size(); ++item) scores[item] += together[held.value][item];
  });
  EXPECT_GT(by_popularity, 2.0 * by_chance);
  EXPECT_GT(by_taste, 2.0 * by_popularity);
}

TEST(Generate, AnySizeWorks) {
  for (const std::uint32_t users : {1u, 3u}) {
    for (const std::uint32_t items : {1u, 2u, 30u}) {
      for (const std::uint32_t cities : {1u, 100u}) {
        WorldOptions options{users, items, cities, 50.0, 9};
        const auto split = generate_split(options, 0.8);
        ASSERT_TRUE(split.ok());
        EXPECT_TRUE(check_laws(*split).ok());
        EXPECT_LE(generate_world(options).value().interactions.size(), std::size_t{users} * items);
      }
    }
  }
  for (const WorldOptions& bad : {WorldOptions{0, 1, 1, 1.0, 1}, WorldOptions{1, 0, 1, 1.0, 1},
                                  WorldOptions{1, 1, 0, 1.0, 1}, WorldOptions{1, 1, 1, 0.0, 1}}) {
    EXPECT_EQ(generate_world(bad).error().code, Code::usage);
    EXPECT_EQ(generate_split(bad).error().code, Code::usage);
  }
  EXPECT_EQ(generate_split({}, 1.0).error().code, Code::usage);
}

}  // namespace sotto::data::generate_test
