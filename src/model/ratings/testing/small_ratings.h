// For tests: a few people's ratings, written by hand or drawn at random.
#pragma once

#include <cmath>
#include <vector>

#include "model/central/testing/small_worlds.h"
#include "model/ratings/rating_model.h"

namespace sotto::model {

struct RatedWorld {
  Histories train;
  std::vector<float> ratings;
  std::size_t catalogue = 0;

  [[nodiscard]] RatingData data() const { return {&train, ratings, {1.0f, 5.0f}, catalogue}; }
};

// A row a user, a number an item: 0 for what was not rated.
inline RatedWorld rated_world(const std::vector<std::vector<float>>& table) {
  RatedWorld world;
  Rows rows;
  for (const auto& line : table) {
    rows.emplace_back();
    for (std::uint32_t item = 0; item < line.size(); ++item) {
      if (line[item] == 0.0f) continue;
      rows.back().push_back(item);
      world.ratings.push_back(line[item]);
    }
  }
  world.train = histories_of(rows);
  world.catalogue = table.front().size();
  return world;
}

// People of two tastes and items of two kinds: somebody likes what is of their kind. Some are more generous.
inline std::vector<std::vector<float>> planted_ratings(std::uint32_t users, std::uint32_t items,
                                                       double share) {
  std::vector<std::vector<float>> table(users, std::vector<float>(items, 0.0f));
  for (std::uint32_t user = 0; user < users; ++user) {
    Stream draws(11, Purpose::generate_world, 1, user);
    for (std::uint32_t item = 0; item < items; ++item) {
      const double value =
          (user % 2 == item % 2 ? 4.0 : 2.0) + 0.5 * draws.normal() + (user % 3 == 0 ? 0.5 : 0.0);
      if (draws.chance(share))
        table[user][item] = std::round(static_cast<float>(std::min(std::max(value, 1.0), 5.0)));
    }
  }
  return table;
}

inline std::vector<float> predictions_of(const RatingModel& model, std::uint32_t user, std::uint32_t items) {
  std::vector<Occasion> occasions;
  for (std::uint32_t item = 0; item < items; ++item) occasions.push_back({ItemIndex{item}});
  std::vector<float> out(items);
  model.predict(UserIndex{user}, occasions, out);
  return out;
}

// Before they are cut to the scale.
inline std::vector<float> scores_of(const Recommender& model, std::uint32_t user) {
  std::vector<float> out(model.catalogue());
  const UserIndex index{user};
  model.score(std::span(&index, 1), {0, static_cast<std::uint32_t>(out.size())}, out);
  return out;
}

inline std::vector<float> all_scores(const Recommender& model, std::uint32_t users) {
  std::vector<float> all;
  for (std::uint32_t user = 0; user < users; ++user) {
    const auto own = scores_of(model, user);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace sotto::model
