#include "engine/plan/device_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace sotto::engine {
namespace {

namespace fs = std::filesystem;

class DeviceFolders : public ::testing::Test {
 protected:
  DeviceFolders() : folder_(fs::temp_directory_path() / ("sotto-device-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_.path());
  }
  ~DeviceFolders() override { fs::remove_all(folder_.path()); }

  void append(std::uint32_t round) const {
    auto vault = folder_.open_or_make();
    ASSERT_TRUE(vault.ok()) << vault.error().message;
    ASSERT_TRUE((*vault)->append({.round = round, .task = "fpl", .mechanism = "plain", .bytes = 10}).ok());
  }
  [[nodiscard]] static fs::perms mode(const fs::path& path) { return fs::status(path).permissions(); }

  DeviceFolder folder_;
};

TEST_F(DeviceFolders, WhoHasNotChosenSharesNothing) {
  const auto none = folder_.policy();
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, Code::not_found);
  EXPECT_NE(none.error().message.find("sotto device init"), std::string::npos) << none.error().message;
  EXPECT_FALSE(fs::exists(folder_.path()));  // asking makes nothing
  ASSERT_TRUE(folder_.open_or_make().ok());
  EXPECT_FALSE(folder_.policy()->takes_part());
}

TEST_F(DeviceFolders, APolicyIsKept) {
  PersonalPolicy policy;
  ASSERT_TRUE(set_level(policy, "careful").ok());
  policy.items["7"] = {ConsentAnswer::never};
  ASSERT_TRUE(folder_.open_or_make().value()->set_policy(policy).ok());
  const auto again = folder_.policy();
  ASSERT_TRUE(again.ok());
  EXPECT_STREQ(level_of(*again), "careful");
  EXPECT_EQ(again->items.size(), 1u);
}

TEST_F(DeviceFolders, TheLedgerGrowsOverSessionsAndVerifies) {
  for (std::uint32_t round = 0; round < 3; ++round) append(round);
  const auto reading = folder_.ledger();
  ASSERT_TRUE(reading.ok()) << reading.error().message;
  ASSERT_EQ(reading->entries.size(), 3u);
  EXPECT_EQ(reading->entries[2].round, 2u);
  EXPECT_FALSE(folder_.ledger(std::string(64, 'a')).ok());
}

TEST_F(DeviceFolders, WhatIsPrivateIsForItsOwnersEyes) {
  append(0);
  for (const fs::path& path : {folder_.vault_path(), folder_.key_path()})
    EXPECT_EQ(mode(path), fs::perms::owner_read | fs::perms::owner_write) << path;
  fs::permissions(folder_.key_path(), fs::perms::group_read, fs::perm_options::add);
  const auto vault = folder_.open();
  ASSERT_FALSE(vault.ok());
  EXPECT_NE(vault.error().message.find("chmod 600"), std::string::npos);
}

TEST_F(DeviceFolders, AVaultWithoutItsKeyIsNotBegunAnew) {
  append(0);
  fs::remove(folder_.key_path());
  const auto vault = folder_.open_or_make();
  ASSERT_FALSE(vault.ok());
  EXPECT_NE(vault.error().message.find("vault.key"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_.key_path()));
}

TEST_F(DeviceFolders, DestroyedIsGone) {
  append(0);
  ASSERT_TRUE(folder_.destroy().ok());
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  EXPECT_EQ(folder_.open().error().code, Code::not_found);
  // Also where the vault does not open any more.
  append(0);
  std::ofstream(folder_.vault_path()) << "nonsense";
  ASSERT_TRUE(folder_.destroy().ok());
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace sotto::engine
