#include <gtest/gtest.h>

#include "device/testing/kill_at_write.h"
#include "device/testing/moving_vault.h"
#include "device/vault_move.h"

namespace sotto::device::vault_move_kill_test {
namespace {

namespace fs = std::filesystem;

class VaultMoveKills : public MovingVault {};

TEST_F(VaultMoveKills, AKillAtAnyWriteOfMovingOutLosesNothing) {
  shrink();
  const std::string original = bytes_of_file(old_);
  int still_here = 0, gone = 0;
  for (unsigned n = 1;; ++n) {
    ASSERT_LT(n, 1000u);
    for (const char* name : {"old.db", "old.db-wal", "old.db-shm", "file", "file.part", "new.db"})
      fs::remove(at(name));
    fs::remove_all(at("taken"));
    put_file(old_, original);
    const WorkEnd end = killed_at_write(n, [&] { return out().ok(); });
    ASSERT_NE(end, WorkEnd::failed) << n;
    const bool whole = fs::exists(at("file"));
    const bool here = Vault::open(old_, old_key_, Making::never).ok();
    EXPECT_FALSE(whole && here) << n;
    if (here) {
      // What was written of it is taken in by nobody.
      if (fs::exists(at("file.part"))) {
        EXPECT_FALSE(in("file.part").ok()) << n;
      }
      EXPECT_EQ(all_in(old_, old_key_).value(), all_) << n;
    }
    (here ? still_here : gone) += 1;
    if (!whole) {
      const Status again = out();
      ASSERT_TRUE(again.ok()) << n << again.error().message;
    }
    EXPECT_FALSE(Vault::open(old_, old_key_, Making::never).ok()) << n;
    const Status arrived = in();
    ASSERT_TRUE(arrived.ok()) << n << arrived.error().message;
    ASSERT_EQ(all_in(at("new.db"), new_key_).value(), all_) << n;
    if (end == WorkEnd::done) break;
  }
  EXPECT_GT(still_here, 5);
  EXPECT_GT(gone, 3);
}

TEST_F(VaultMoveKills, AKillAtAnyWriteOfMovingInCanBeRunAgain) {
  shrink();
  ASSERT_TRUE(out().ok());
  const std::string left = bytes_of_file(old_);
  // Into an empty place, and back where it came from.
  for (const std::string target : {"new.db", "old.db"}) {
    int answering = 0;
    for (unsigned n = 1;; ++n) {
      ASSERT_LT(n, 1000u);
      for (const char* ending : {"", "-wal", "-shm"})
        for (const char* name : {"old.db", "new.db"}) fs::remove(at(name) + ending);
      fs::remove_all(at("taken"));
      put_file(old_, left);
      const WorkEnd end = killed_at_write(n, [&] { return in("file", target).ok(); });
      ASSERT_NE(end, WorkEnd::failed) << n;
      const auto there = all_in(at(target), new_key_);
      if (there.ok()) {
        ++answering;
        EXPECT_EQ(*there, all_) << n;
        EXPECT_FALSE(in("file", target).ok());
      } else {
        const Status again = in("file", target);
        ASSERT_TRUE(again.ok()) << target << n << again.error().message;
        ASSERT_EQ(all_in(at(target), new_key_).value(), all_) << n;
      }
      EXPECT_FALSE(in("file", "third.db").ok()) << n;
      if (end == WorkEnd::done) break;
    }
    EXPECT_GT(answering, 0);
  }
}

}  // namespace
}  // namespace sotto::device::vault_move_kill_test
