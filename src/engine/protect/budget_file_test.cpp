#include "engine/protect/budget_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/files/files.h"

namespace sotto::engine {
namespace {

class BudgetFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("sotto-budget-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    ASSERT_TRUE(make_folder(folder_).ok());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "budget.json"; }

 private:
  std::filesystem::path folder_;
};

const BudgetCharge one_sum{.what = "a sum", .releases = {8.0, 1.0, 1}};

TEST_F(BudgetFiles, AChargeIsOnTheDiskAndIsReadAgain) {
  auto file = BudgetFile::create(path(), {2.0, 1e-6});
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->charge(one_sum).ok());
  ASSERT_TRUE(
      file->charge({.what = "a vote", .by = ChargeBy::epsilon, .releases = {}, .epsilon = .125}).ok());
  const BudgetCharge laplace{.what = "a sum", .releases = {8.0, 1.0, 1, NoiseKind::laplace}};
  ASSERT_TRUE(file->charge(laplace).ok());
  const BudgetCharge chosen{.what = "a choice", .releases = {8.0, 1.0, 1, NoiseKind::choice}};
  ASSERT_TRUE(file->charge(chosen).ok());
  const auto again = BudgetFile::open(path());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->budget().spent(), file->budget().spent());
  ASSERT_EQ(again->budget().charges().size(), 4u);
  EXPECT_EQ(again->budget().charges()[3].releases.kind, NoiseKind::choice);
  EXPECT_EQ(again->budget().charges()[2].releases.kind, NoiseKind::laplace);
  EXPECT_EQ(again->budget().charges()[0].what, "a sum");
  EXPECT_EQ(again->budget().charges()[0].releases.noise, 8.0);
  EXPECT_EQ(again->budget().charges()[1].epsilon, .125);
}

TEST_F(BudgetFiles, WhatWouldPassItIsRefusedAndNotWritten) {
  auto file = BudgetFile::create(path(), {1.0, 1e-6});
  ASSERT_TRUE(file.ok());
  int paid = 0;
  while (file->charge(one_sum).ok()) ++paid;
  EXPECT_GE(paid, 1);
  // Another program that opens the file finds it as spent.
  auto again = BudgetFile::open(path());
  ASSERT_TRUE(again.ok());
  ASSERT_EQ(again->budget().charges().size(), 1u);
  EXPECT_EQ(again->budget().charges()[0].releases.times, static_cast<std::uint32_t>(paid));
  const Status refused = again->charge(one_sum);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("budget is spent"), std::string::npos);
}

TEST_F(BudgetFiles, TwoThatHoldItSeeEachOthersCharges) {
  auto first = BudgetFile::create(path(), {2.0, 1e-6});
  auto second = BudgetFile::open(path());
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(first->charge(one_sum).ok());
  ASSERT_TRUE(second->charge(one_sum).ok());
  EXPECT_EQ(second->budget().charges().at(0).releases.times, 2u);
}

TEST_F(BudgetFiles, AnExistingOneIsNotStartedAnew) {
  ASSERT_TRUE(BudgetFile::create(path(), {1.0, 1e-6}).ok());
  EXPECT_FALSE(BudgetFile::create(path(), {100.0, 1e-6}).ok());
  EXPECT_FALSE(BudgetFile::create(path().string() + "2", {-1.0, 1e-6}).ok());
}

TEST_F(BudgetFiles, ADamagedFileIsRefused) {
  const char* const bad[] = {
      "", "{}", "[1]", R"({"sotto_budget":9,"epsilon":1,"delta":1e-6,"charges":[]})",
      R"({"sotto_budget":1,"epsilon":-1,"delta":1e-6,"charges":[]})",
      R"({"sotto_budget":1,"epsilon":1,"delta":1e-6,"charges":[{"what":"x","times":1,"mechanism":"magic","sampling":1}]})",
      R"({"sotto_budget":1,"epsilon":9,"delta":1e-6,"charges":[{"what":"x","times":1,"mechanism":"choice","noise":9,"sampling":0.5}]})",
      // More often than is counted.
      R"({"sotto_budget":1,"epsilon":1,"delta":1e-6,"charges":[{"what":"x","times":4294967297,"mechanism":"gaussian","noise":9,"sampling":1}]})",
      R"({"sotto_budget":1,"epsilon":1,"delta":1e-6,"charges":[{"what":"x","times":-1,"mechanism":"gaussian","noise":9,"sampling":1}]})",
      // More was spent than there is.
      R"({"sotto_budget":1,"epsilon":1,"delta":1e-6,"charges":[{"what":"x","times":1,"mechanism":"gaussian","noise":0.1,"sampling":1}]})"};
  for (const char* text : bad) {
    ASSERT_TRUE(write_file(path(), std::string_view(text)).ok());
    EXPECT_FALSE(BudgetFile::open(path()).ok()) << text;
  }
}

}  // namespace
}  // namespace sotto::engine
