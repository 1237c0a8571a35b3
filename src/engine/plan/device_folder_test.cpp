#include "engine/plan/device_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "device/testing/kill_at_write.h"

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

  [[nodiscard]] static std::string text_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] static fs::path beside(const DeviceFolder& folder, const char* ending) {
    return folder.path().string() + ending;
  }

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

TEST_F(DeviceFolders, AnotherKeyTakesThePlaceOfTheOld) {
  append(0);
  const std::string old_key = text_of(folder_.key_path());
  const auto running = folder_.open();
  ASSERT_TRUE(folder_.change_key().ok());
  EXPECT_NE(text_of(folder_.key_path()), old_key);
  EXPECT_FALSE(fs::exists(folder_.next_key_path()));
  EXPECT_EQ(mode(folder_.key_path()), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(folder_.ledger()->entries.size(), 1u);
  EXPECT_FALSE((*running)->policy().ok());
  ASSERT_TRUE(folder_.change_key().ok());
  EXPECT_TRUE(folder_.open().ok());
}

TEST_F(DeviceFolders, AKeyThatLiesElsewhereStaysThere) {
  append(0);
  const fs::path elsewhere = beside(folder_, "-key");
  fs::rename(folder_.key_path(), elsewhere);
  fs::create_symlink(elsewhere, folder_.key_path());
  const std::string old_key = text_of(elsewhere);
  ASSERT_TRUE(folder_.change_key().ok());
  EXPECT_TRUE(fs::is_symlink(folder_.key_path()));
  EXPECT_NE(text_of(elsewhere), old_key);
  EXPECT_TRUE(folder_.open().ok());
  fs::remove(elsewhere);
}

TEST_F(DeviceFolders, AKillAtAnyWriteOfAChangeOfKeyLeavesAFolderThatOpens) {
  append(0);
  const fs::path copy = beside(folder_, "-copy");
  fs::remove_all(copy);
  fs::copy(folder_.path(), copy, fs::copy_options::recursive);
  int early = 0, late = 0;
  for (unsigned n = 1;; ++n) {
    ASSERT_LT(n, 1000u);
    fs::remove_all(folder_.path());
    fs::copy(copy, folder_.path(), fs::copy_options::recursive);
    const WorkEnd end = killed_at_write(n, [&] { return folder_.change_key().ok(); });
    ASSERT_NE(end, WorkEnd::failed) << n;
    const bool unsettled = fs::exists(folder_.next_key_path());
    const auto vault = folder_.open();
    ASSERT_TRUE(vault.ok()) << n << vault.error().message;
    ASSERT_EQ((*vault)->ledger()->lines.empty(), false) << n;
    if (unsettled) (fs::exists(folder_.next_key_path()) ? early : late) += 1;
    // And what the kill left is in no way of the next change.
    ASSERT_TRUE(folder_.change_key().ok()) << n;
    EXPECT_FALSE(fs::exists(folder_.next_key_path())) << n;
    ASSERT_TRUE(folder_.open().ok()) << n;
    if (end == WorkEnd::done) break;
  }
  EXPECT_GT(early, 2);
  EXPECT_GT(late, 0);
  fs::remove_all(copy);
}

TEST_F(DeviceFolders, ADeviceMovesWithItsKeyChangeCutOff) {
  append(0);
  // Killed between vault and key file: the next key opens it.
  unsigned n = 1;
  for (; n < 1000; ++n) {
    ASSERT_EQ(killed_at_write(n, [&] { return folder_.change_key().ok(); }), WorkEnd::killed);
    const auto key = read_key_file(folder_.key_path().string());
    if (!Vault::open(folder_.vault_path().string(), *key, Making::never).ok()) break;
  }
  ASSERT_LT(n, 1000u);
  const fs::path file = beside(folder_, "-file"), taken = beside(folder_, "-taken");
  const DeviceFolder other(beside(folder_, "-other"));
  for (const fs::path& path : {file, taken, other.path()}) fs::remove_all(path);
  const Passphrase words("carry these five words");
  ASSERT_TRUE(folder_.move_out(file, words).ok());
  EXPECT_FALSE(folder_.open().ok());
  EXPECT_FALSE(other.move_in(file, Passphrase("other words entirely"), taken).ok());
  EXPECT_FALSE(fs::exists(other.path()));
  ASSERT_TRUE(other.move_in(file, words, taken).ok());
  EXPECT_EQ(other.ledger()->entries.size(), 1u);
  EXPECT_TRUE(other.change_key().ok());
  EXPECT_TRUE(folder_.destroy().ok());  // what was left behind
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  for (const fs::path& path : {file, taken, other.path()}) fs::remove_all(path);
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
