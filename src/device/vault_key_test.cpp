#include <gtest/gtest.h>
#include <sqlite3.h>

#include "device/testing/kill_at_write.h"
#include "device/testing/moving_vault.h"
#include "device/vault_move.h"

namespace sotto::device::vault_key_test {
namespace {

namespace fs = std::filesystem;

class VaultKeys : public MovingVault {};

TEST_F(VaultKeys, AnotherKeyOpensItAndTheOldOneDoesNot) {
  const auto running = Vault::open(old_, old_key_, Making::never).value();
  const std::string copy = bytes_of_file(old_);
  const VaultKey next = Passphrase("other words");
  {
    const auto vault = Vault::open(old_, old_key_, Making::never).value();
    ASSERT_TRUE(vault->change_key([&]() -> Result<VaultKey> { return next; }).ok());
    EXPECT_EQ(*vault->items(), world_.had());  // it goes on with the new one
    ASSERT_TRUE(vault->set_note("after", "wards").ok());
  }
  EXPECT_FALSE(Vault::open(old_, old_key_, Making::never).ok());
  EXPECT_EQ(all_in(old_, next).value().size(), all_.size() + 1);
  // One that had it open does not mix two keys.
  EXPECT_TRUE(has(why_not(running->set_note("x", "y")), "has changed the key of this vault: open it again"));
  EXPECT_FALSE(running->enrolment().ok());
  // What the old key opens in an old copy, the key of the records, opens none of the new.
  put_file(at("copy.db"), copy);
  EXPECT_TRUE(Vault::open(at("copy.db"), old_key_, Making::never).ok());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(old_.c_str(), &database), SQLITE_OK);
  const std::string graft = "ATTACH '" + at("copy.db") +
                            "' AS copy; DELETE FROM opening; INSERT INTO opening SELECT * FROM copy.opening";
  ASSERT_EQ(sqlite3_exec(database, graft.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
  const SealedRecords grafted = SealedRecords::open(old_, old_key_, Making::never).value();
  EXPECT_FALSE(grafted.get(RecordKind::identity, "").value().has_value());
  EXPECT_FALSE(
      grafted.each([](RecordKind, std::string_view, std::string_view) -> Status { return Done{}; }).ok());
}

TEST_F(VaultKeys, AKillAtAnyWriteOfAChangeOfKeyLeavesTheOldOrTheNew) {
  shrink();
  const std::string original = bytes_of_file(old_);
  const VaultKey next = new_key_;
  int with_old = 0, with_new = 0;
  for (unsigned n = 1;; ++n) {
    ASSERT_LT(n, 1000u);
    for (const char* name : {"old.db", "old.db-wal", "old.db-shm"}) fs::remove(at(name));
    put_file(old_, original);
    const WorkEnd end = killed_at_write(n, [&] {
      const auto vault = Vault::open(old_, old_key_, Making::never);
      return vault.ok() && (*vault)->change_key([&]() -> Result<VaultKey> { return next; }).ok();
    });
    ASSERT_NE(end, WorkEnd::failed) << n;
    const auto before = all_in(old_, old_key_);
    const auto after = all_in(old_, next);
    EXPECT_NE(before.ok(), after.ok()) << n;
    EXPECT_EQ(before.ok() ? *before : *after, all_) << n;
    (before.ok() ? with_old : with_new) += 1;
    if (end == WorkEnd::done) break;
  }
  EXPECT_GT(with_old, 3);
  EXPECT_GT(with_new, 1);
}

// Two vaults of version 0.1.0, made by its programs: the first that had vaults, with FPL alone, and the last.
TEST_F(VaultKeys, VaultsOfVersion010Open) {
  Bytes32 sevens;
  sevens.fill(7);
  Bytes32 nines;
  nines.fill(9);
  const std::pair<const char*, VaultKey> made[]{{"first", Secret(sevens)},
                                                {"last", Passphrase("four plain words here")}};
  for (const auto& [which, key] : made) {
    SCOPED_TRACE(which);
    const std::string path = at(which);
    fs::copy(SOTTO_SOURCE_DIR "/src/device/testing/vault-0.1.0-" + std::string(which) + ".db", path);
    {
      const auto vault = Vault::open(path, key, Making::never).value();
      const auto enrolment = vault->enrolment().value();
      ASSERT_TRUE(enrolment.has_value());
      EXPECT_TRUE(same_bytes(enrolment->identity_seed.on_device(), nines));
      EXPECT_EQ(enrolment->index, 7u);
      EXPECT_EQ(enrolment->own_seed, 99u);
      const PersonalPolicy policy = vault->policy().value();
      EXPECT_EQ(policy.items.at("item 7").answer, ConsentAnswer::never);
      EXPECT_EQ(**vault->note("server"), "example.org:7443");
      EXPECT_EQ(*vault->items(), world_.had());
      EXPECT_EQ(**vault->last_round("t"), 3u);
      EXPECT_GT(vault->next_nonce(0).value(), 1000u);
      const auto model = vault->model("t").value();
      ASSERT_NE(model, nullptr);
      EXPECT_EQ(model->encoded, world_.model()->encoded);
      EXPECT_EQ(model->task, "");
      EXPECT_EQ((*vault->catalogue(model->catalogue))->names.name(2), "item 2");
      EXPECT_TRUE(std::ranges::equal((*vault->own_row("t"))->on_device().values(0), world_.own().values(0)));
      const KeptLedger ledger = vault->ledger().value();
      EXPECT_EQ(read_ledger(ledger.lines, ledger.head, ledger.public_key).value().entries.size(), 1u);
      ASSERT_TRUE(world_.answer(*vault, "t", 4).ok());
      EXPECT_TRUE(vault->attributes()->empty());
      ASSERT_TRUE(vault->say(world_.says()).ok());
      ASSERT_TRUE(vault->change_key([&]() -> Result<VaultKey> { return VaultKey(old_key_); }).ok());
    }
    ASSERT_TRUE(move_out(path, old_key_, at(which + std::string(".move")), words_, cheap).ok());
    const std::string arrived = which + std::string("-new.db");
    ASSERT_TRUE(in(which + std::string(".move"), arrived).ok());
    const auto here = Vault::open(at(arrived), new_key_, Making::never).value();
    EXPECT_EQ(**here->last_round("t"), 4u);
    EXPECT_EQ(*here->attributes(), world_.says());
  }
}

}  // namespace
}  // namespace sotto::device::vault_key_test
