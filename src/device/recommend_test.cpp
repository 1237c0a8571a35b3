#include "device/recommend.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "device/testing/vault_world.h"

namespace sotto::device::recommend_test {
namespace {

namespace fs = std::filesystem;

class LocalRecommenders : public ::testing::Test {
 protected:
  LocalRecommenders()
      : path_(fs::temp_directory_path() / ("sotto-rec-" + std::to_string(::getpid()) + ".db")) {
    remove();
    vault_ = Vault::open(path_, Secret(simulated_key(1, "t")), Making::if_missing).value();
    EXPECT_TRUE(world_.fill(*vault_, "t", 1).ok());
  }
  ~LocalRecommenders() override {
    vault_.reset();
    remove();
  }
  void remove() const {
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path_ + ending);
  }
  // The slow and obvious score: p·q + b.
  [[nodiscard]] double score(std::size_t row) const {
    const auto q = world_.model()->rows.values(row);
    const auto p = world_.own().values(0);
    double sum = q.back();
    for (std::size_t k = 0; k + 1 < q.size(); ++k) sum += double{p[k]} * double{q[k]};
    return sum;
  }

  std::string path_;
  VaultWorld world_;
  std::unique_ptr<Vault> vault_;
};

TEST_F(LocalRecommenders, TheBestOfWhatThePersonLacks) {
  const auto recommender = LocalRecommender::load(*vault_, "t");
  ASSERT_TRUE(recommender.ok()) << recommender.error().message;
  std::vector<std::pair<double, std::size_t>> expected;
  const auto had = world_.had();
  for (std::size_t r = 0; r < VaultWorld::items; ++r)
    if (std::ranges::find(had, "item " + std::to_string(r)) == had.end()) expected.push_back({-score(r), r});
  std::ranges::sort(expected);
  const auto best = recommender->top(5);
  ASSERT_EQ(best.size(), 5u);
  for (std::size_t n = 0; n < best.size(); ++n) {
    EXPECT_EQ(best[n].item, "item " + std::to_string(expected[n].second));
    EXPECT_NEAR(best[n].score, -expected[n].first, 1e-5);
  }
  EXPECT_EQ(recommender->top(1000).size(), VaultWorld::items - had.size());
  EXPECT_TRUE(recommender->top(0).empty());
}

TEST_F(LocalRecommenders, AnExplanationAddsUpAndNamesWhatThePersonHas) {
  const auto recommender = LocalRecommender::load(*vault_, "t");
  const auto best = recommender->top(1);
  const auto why = recommender->explain(best[0].item, 3);
  ASSERT_TRUE(why.ok());
  EXPECT_NEAR(why->score, why->bias + why->personal, 1e-5);
  EXPECT_FALSE(why->has_it);
  const auto had = world_.had();
  float before = INFINITY;
  for (const NearItem& near : why->because) {
    EXPECT_NE(std::ranges::find(had, near.item), had.end());
    EXPECT_GT(near.likeness, 0.0f);
    EXPECT_LE(near.likeness, 1.0f + 1e-6f);
    EXPECT_LE(near.weight, before);
    before = near.weight;
  }
  EXPECT_TRUE(recommender->explain("item 3", 3)->has_it);
  EXPECT_NE(in_words(*recommender->explain("item 3", 3)).find("You have it already"), std::string::npos);
  EXPECT_EQ(recommender->explain("no such thing", 3).error().code, Code::not_found);
}

TEST_F(LocalRecommenders, ATwinIsTheFirstReason) {
  // Two rows alike: whoever has one of them hears of it when the other is explained.
  auto held = std::make_shared<HeldModel>(*world_.model());
  RowMatrix master = held->rows;
  for (std::size_t k = 0; k + 1 < master.width(); ++k) {
    master.row(3)[k] = world_.own().row(0)[k];
    master.row(20)[k] = world_.own().row(0)[k];
  }
  held->encoded = publish(master, v1::PRECISION_F32);
  held->rows = master;
  ASSERT_TRUE(vault_->keep_model("t", held).ok());
  const auto why = LocalRecommender::load(*vault_, "t")->explain("item 20", 5);
  ASSERT_FALSE(why->because.empty());
  EXPECT_EQ(why->because[0].item, "item 3");
  EXPECT_NEAR(why->because[0].likeness, 1.0f, 1e-6f);
}

TEST_F(LocalRecommenders, WithoutNamesNumbersAreTheNames) {
  auto held = std::make_shared<HeldModel>(*world_.model());
  held->catalogue.clear();
  ASSERT_TRUE(vault_->keep_model("t", held).ok());
  const std::vector<KeptInteraction> own{{"0", 1.0, 0}, {"39", 1.0, 0}, {"40", 1.0, 0}, {"x", 1.0, 0}};
  ASSERT_TRUE(vault_->add(own).ok());
  const auto all = LocalRecommender::load(*vault_, "t")->top(100);
  EXPECT_EQ(all.size(), VaultWorld::items - 2);
}

TEST_F(LocalRecommenders, WhatIsMissingIsSaid) {
  EXPECT_EQ(LocalRecommender::load(*vault_, "other").error().code, Code::not_found);
  ASSERT_TRUE(vault_->keep_model("new", world_.model()).ok());
  EXPECT_NE(LocalRecommender::load(*vault_, "new").error().message.find("has not trained"),
            std::string::npos);
}

}  // namespace
}  // namespace sotto::device::recommend_test
