#include "data/pair_sampler.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace sotto::data::pair_sampler_test {

// One user a row; items given as numbers.
Histories histories_of(const std::vector<std::vector<std::uint32_t>>& users) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (const auto& user : users) {
    for (const std::uint32_t item : user) items.push_back(ItemIndex{item});
    offsets.push_back(items.size());
  }
  return {offsets, items};
}

// Chi-square of counts against the uniform distribution over their keys.
double chi_square(const std::map<std::uint32_t, int>& counts, double draws) {
  const double expected = draws / static_cast<double>(counts.size());
  double sum = 0.0;
  for (const auto& [key, count] : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(PairSampler, UniformOverTheHistoryAndOverTheRest) {
  // The second user has nearly everything: most negatives come by rank.
  std::vector<std::uint32_t> nearly_all;
  for (std::uint32_t item = 0; item < 20; ++item)
    if (item != 3 && item != 4 && item != 19) nearly_all.push_back(item);
  const Histories histories = histories_of({{1, 5, 9, 12}, nearly_all});
  for (const std::size_t budget : {std::size_t{0}, Membership::default_budget_bytes}) {
    const Membership consumed(histories, 20, budget);
    EXPECT_EQ(consumed.uses_bitmap(), budget != 0);
    const PairSampler sampler(histories, consumed, 20, 42);
    for (const std::uint32_t user : {0u, 1u}) {
      std::map<std::uint32_t, int> positives;
      std::map<std::uint32_t, int> negatives;
      constexpr int draws = 60000;
      for (std::uint32_t t = 0; t < draws; ++t) {
        const Pair pair = sampler.draw(t % 7, UserIndex{user}, t / 7);
        ASSERT_TRUE(histories.contains(UserIndex{user}, pair.positive));
        ASSERT_FALSE(histories.contains(UserIndex{user}, pair.negative));
        ++positives[pair.positive.value];
        ++negatives[pair.negative.value];
      }
      EXPECT_EQ(positives.size(), histories.of(UserIndex{user}).size());
      EXPECT_EQ(negatives.size(), 20 - positives.size());
      EXPECT_LT(chi_square(positives, draws), 39.3);  // ≤ 16 degrees of freedom, p = .001
      EXPECT_LT(chi_square(negatives, draws), 37.7);  // ≤ 15
    }
  }
}

TEST(PairSampler, APairIsAFunctionOfItsPlace) {
  const Histories histories = histories_of({{0, 2, 4, 6}, {1, 3}});
  const Membership consumed(histories, 50);
  const PairSampler sampler(histories, consumed, 50, 1);
  // Many at once: more visits than random blocks in a run, few pairs a visit and more than fit one run.
  std::vector<VisitPlace> visits;
  for (std::uint32_t n = 0; n < 70; ++n) visits.push_back({n / 2, UserIndex{n % 3 % 2}});
  for (const std::size_t each : {1u, 2u, 7u, 8u, 16u, 17u, 33u, 64u, 65u, 150u}) {
    std::vector<Pair> pairs(visits.size() * each);
    sampler.draw(visits, pairs);
    for (std::size_t n = pairs.size(); n-- > 0;) {
      const VisitPlace& place = visits[n / each];
      const Pair alone = sampler.draw(place.round, place.user, static_cast<std::uint32_t>(n % each));
      ASSERT_EQ(alone.positive, pairs[n].positive) << each << ' ' << n;
      ASSERT_EQ(alone.negative, pairs[n].negative) << each << ' ' << n;
    }
  }
}

}  // namespace sotto::data::pair_sampler_test
