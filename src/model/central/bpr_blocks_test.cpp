#include "model/central/bpr_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "model/central/testing/small_worlds.h"

namespace sotto::model::bpr_blocks_test {

constexpr std::size_t catalogue = 60;

std::vector<BprTriple> all_draws(const BprBlocks& blocks, const BprJob& job, const Membership& consumed) {
  std::vector<BprTriple> triples;
  BprTriple batch[BprBlocks::most_draws];
  for (std::uint32_t first = 0; first < job.interactions.size(); first += BprBlocks::most_draws) {
    const std::size_t drawn = blocks.draw(job, first, consumed, batch);
    triples.insert(triples.end(), batch, batch + drawn);
  }
  return triples;
}

TEST(BprBlocks, JobsOfAPartShareNothingAndTogetherHoldEveryInteractionOnce) {
  const Histories train = histories_of(planted_rows(90, catalogue, 4, 12));
  const Membership consumed(train, catalogue);
  BprBlocks blocks(train, catalogue, 4, 1);
  SerialExecutor serial;
  std::set<std::set<std::uint32_t>> sets_seen;
  for (const std::uint32_t epoch : {0u, 7u, 40u}) {
    blocks.cut(epoch, serial);
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> held;
    for (std::uint32_t part = 0; part < 4; ++part) {
      std::set<std::uint32_t> users;
      std::set<std::uint32_t> items;
      for (std::uint32_t a = 0; a < 4; ++a) {
        const BprJob job = blocks.job(part, a);
        std::set<std::uint32_t> own_users;
        std::set<std::uint32_t> own_items;
        for (const ItemIndex item : job.items) own_items.insert(item.value);
        for (const UserItem& interaction : job.interactions) {
          ++held[{interaction.user.value, interaction.item.value}];
          own_users.insert(interaction.user.value);
          EXPECT_TRUE(own_items.contains(interaction.item.value));
        }
        for (const BprTriple& triple : all_draws(blocks, job, consumed)) {
          EXPECT_TRUE(own_users.contains(triple.user.value));
          EXPECT_TRUE(own_items.contains(triple.negative.value));
          EXPECT_TRUE(train.contains(triple.user, triple.positive));
          EXPECT_FALSE(train.contains(triple.user, triple.negative));
        }
        sets_seen.insert(own_items);
        for (const std::uint32_t user : own_users) EXPECT_TRUE(users.insert(user).second);
        for (const std::uint32_t item : own_items) EXPECT_TRUE(items.insert(item).second);
      }
    }
    EXPECT_EQ(held.size(), train.interactions());
    for (const auto& [pair, count] : held) EXPECT_EQ(count, 1);
  }
  EXPECT_EQ(sets_seen.size(), 12u);  // dealt anew every few epochs
}

// With one block: the interaction uniform, the negative item uniform over those the user does not have, also
// for a user who has nearly all.
TEST(BprBlocks, DrawsAreUniform) {
  std::vector<std::uint32_t> nearly_all;
  for (std::uint32_t item = 0; item < 18; ++item) nearly_all.push_back(item);
  const Histories train = histories_of({nearly_all, {3, 7}});
  const Membership consumed(train, 20);
  BprBlocks blocks(train, 20, 1, 1);
  SerialExecutor serial;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> positives;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> negatives;
  constexpr std::uint32_t epochs = 4000;
  for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
    blocks.cut(epoch, serial);
    for (const BprTriple& triple : all_draws(blocks, blocks.job(0, 0), consumed)) {
      ++positives[{triple.user.value, triple.positive.value}];
      ++negatives[{triple.user.value, triple.negative.value}];
    }
  }
  EXPECT_EQ(positives.size(), 20u);
  EXPECT_EQ(negatives.size(), 2u + 18u);
  for (const auto& [pair, count] : positives) EXPECT_NEAR(count, epochs, 5 * std::sqrt(epochs));
  for (const auto& [pair, count] : negatives) {
    const double expected = pair.first == 0 ? epochs * 18 / 2.0 : epochs * 2 / 18.0;
    EXPECT_NEAR(count, expected, 5 * std::sqrt(expected)) << pair.first << ' ' << pair.second;
  }
}

TEST(BprBlocks, AsManyBlocksAsTheDataIsLargeEnoughFor) {
  const Histories small = histories_of({{0, 1}, {2}});
  EXPECT_EQ(BprBlocks(small, 100'000, 0, 1).blocks(), 1u);
  EXPECT_EQ(BprBlocks(small, 2, 7, 1).blocks(), 2u);  // never more sets than items
}

}  // namespace sotto::model::bpr_blocks_test
