#include "lab/device_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace sotto {
namespace {

namespace fs = std::filesystem;

class DeviceFolders : public ::testing::Test {
 protected:
  DeviceFolders() : folder_(fs::temp_directory_path() / ("sotto-device-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_.path());
  }
  ~DeviceFolders() override { fs::remove_all(folder_.path()); }

  void append(std::uint32_t round) const {
    auto file = LedgerFile::open(folder_);
    ASSERT_TRUE(file.ok()) << file.error().message;
    ASSERT_TRUE(file->append({.round = round, .task = "fpl", .mechanism = "plain", .bytes = 10}).ok());
  }
  [[nodiscard]] static fs::perms mode(const fs::path& path) { return fs::status(path).permissions(); }

  DeviceFolder folder_;
};

TEST_F(DeviceFolders, WhoHasNotChosenSharesNothing) {
  const auto policy = folder_.policy();
  ASSERT_TRUE(policy.ok());
  EXPECT_FALSE(policy->takes_part());
}

TEST_F(DeviceFolders, APolicyIsKept) {
  PersonalPolicy policy;
  ASSERT_TRUE(set_level(policy, "careful").ok());
  policy.items["7"] = {ConsentAnswer::never};
  ASSERT_TRUE(folder_.set_policy(policy).ok());
  const auto again = folder_.policy();
  ASSERT_TRUE(again.ok());
  EXPECT_STREQ(level_of(*again), "careful");
  EXPECT_EQ(again->items.size(), 1u);
}

TEST_F(DeviceFolders, TheLedgerGrowsOverSessionsAndVerifies) {
  for (std::uint32_t round = 0; round < 3; ++round) append(round);
  const auto reading = folder_.ledger();
  ASSERT_TRUE(reading.ok()) << reading.error().message;
  EXPECT_EQ(reading->entries.size(), 3u);
  EXPECT_EQ(reading->entries[2].round, 2u);
}

TEST_F(DeviceFolders, WhatIsPrivateIsForItsOwnersEyes) {
  append(0);
  ASSERT_TRUE(folder_.set_policy({}).ok());
  for (const char* name : {"device.key", "ledger.tsv", "ledger.head", "consent.toml"})
    EXPECT_EQ(mode(folder_.path() / name), fs::perms::owner_read | fs::perms::owner_write) << name;
  fs::permissions(folder_.path() / "device.key", fs::perms::group_read, fs::perm_options::add);
  const auto key = folder_.key();
  ASSERT_FALSE(key.ok());
  EXPECT_NE(key.error().message.find("chmod 600"), std::string::npos);
}

TEST_F(DeviceFolders, ATornLineIsMendedAndSaid) {
  append(0);
  append(1);
  std::ofstream(folder_.path() / "ledger.tsv", std::ios::app) << "3\t9\tfpl";
  auto file = LedgerFile::open(folder_);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_NE(file->mended().find("removed"), std::string::npos);
  ASSERT_TRUE(file->append({.round = 2, .task = "fpl", .mechanism = "plain"}).ok());
  const auto reading = folder_.ledger();
  ASSERT_TRUE(reading.ok()) << reading.error().message;
  EXPECT_EQ(reading->entries.size(), 3u);
}

TEST_F(DeviceFolders, AHeadThatIsBehindIsBroughtUp) {
  append(0);
  const auto before = folder_.head_text();
  append(1);
  std::ofstream(folder_.path() / "ledger.head") << *before;
  {
    auto file = LedgerFile::open(folder_);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_NE(file->mended().find("brought up"), std::string::npos);
  }
  const auto reading = folder_.ledger();
  ASSERT_TRUE(reading.ok());
  EXPECT_FALSE(reading->head_behind);
}

TEST_F(DeviceFolders, AChangedLedgerIsNotWrittenTo) {
  append(0);
  auto text = *folder_.ledger_text();
  text[0] = '2';
  std::ofstream(folder_.path() / "ledger.tsv") << text;
  EXPECT_FALSE(LedgerFile::open(folder_).ok());
  EXPECT_FALSE(folder_.ledger().ok());
}

TEST_F(DeviceFolders, ALedgerThatWasRemovedIsNotBegunAnew) {
  ASSERT_TRUE(folder_.prepare().ok());
  fs::remove(folder_.path() / "ledger.tsv");  // an empty one: as a crash leaves it
  append(0);
  fs::remove(folder_.path() / "ledger.tsv");
  for (const bool with_key : {true, false}) {
    if (!with_key) fs::remove(folder_.path() / "device.key");
    const auto file = LedgerFile::open(folder_);
    ASSERT_FALSE(file.ok());
    EXPECT_NE(file.error().message.find(with_key ? "ledger.tsv" : "device.key"), std::string::npos)
        << file.error().message;
    EXPECT_FALSE(fs::exists(folder_.path() / "ledger.tsv"));
  }
}

TEST_F(DeviceFolders, AnEmptyPolicySharesNothing) {
  ASSERT_TRUE(folder_.prepare().ok());
  std::ofstream(folder_.policy_path()) << "";
  EXPECT_FALSE(folder_.policy()->takes_part());
}

TEST_F(DeviceFolders, ALedgerWithoutItsKeyIsNotBegunAnew) {
  append(0);
  fs::remove(folder_.path() / "device.key");
  const auto file = LedgerFile::open(folder_);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().message.find("device.key"), std::string::npos);
}

}  // namespace
}  // namespace sotto
