#include "device/vault_move.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "device/own_file.h"
#include "device/testing/moving_vault.h"

namespace sotto::device::vault_move_test {
namespace {

namespace fs = std::filesystem;

class VaultMoves : public MovingVault {};

TEST_F(VaultMoves, EverythingGoesAlong) {
  ASSERT_TRUE(out().ok());
  ASSERT_TRUE(in().ok());
  EXPECT_EQ(all_in(at("new.db"), new_key_).value(), all_);
  const auto vault = Vault::open(at("new.db"), new_key_, Making::never).value();
  const auto enrolment = vault->enrolment().value();
  ASSERT_TRUE(enrolment.has_value());
  EXPECT_TRUE(same_bytes(enrolment->identity_seed.on_device(), Secret(simulated_key(2, "id")).on_device()));
  EXPECT_STREQ(level_of(*vault->policy()), "balanced");
  EXPECT_EQ(*vault->items(), world_.had());
  EXPECT_EQ(*vault->examples("digits"), world_.examples());
  EXPECT_EQ(*vault->attributes(), world_.says());
  EXPECT_EQ(**vault->last_round("t"), 3u);
  EXPECT_TRUE(std::ranges::equal((*vault->own_row("t"))->on_device().values(0), world_.own().values(0)));
  EXPECT_GT(vault->next_nonce(0).value(), nonce_);
  ASSERT_TRUE(world_.answer(*vault, "t", 4).ok());
  const KeptLedger ledger = vault->ledger().value();
  EXPECT_EQ(read_ledger(ledger.lines, ledger.head, ledger.public_key).value().entries.size(), 2u);
  EXPECT_EQ(fs::status(at("new.db")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(at("file")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(fs::exists(at("file.part")));
}

// Its homes are how a coordinator tells it from a second one that came of the same file.
TEST_F(VaultMoves, EachArrivalIsAnotherHome) {
  EXPECT_EQ(*Vault::open(old_, old_key_, Making::never).value()->homes(), "");
  ASSERT_TRUE(out().ok());
  fs::copy(at("file"), at("copy"));
  ASSERT_TRUE(in().ok());
  // Another machine remembers nothing of this one.
  ASSERT_TRUE(move_in(at("copy"), words_, at("second.db"), new_key_, at("elsewhere")).ok());
  const std::string first = *Vault::open(at("new.db"), new_key_, Making::never).value()->homes();
  const std::string second = *Vault::open(at("second.db"), new_key_, Making::never).value()->homes();
  EXPECT_EQ(first.size(), sizeof(HomeId));
  EXPECT_EQ(second.size(), sizeof(HomeId));
  EXPECT_NE(first, second);
  // The next move has both behind each other, and so has who takes the device back.
  ASSERT_TRUE(move_out(at("new.db"), new_key_, at("again"), words_, cheap).ok());
  ASSERT_TRUE(move_in(at("again"), words_, at("new.db"), new_key_, at("taken")).ok());
  const std::string back = *Vault::open(at("new.db"), new_key_, Making::never).value()->homes();
  EXPECT_EQ(back.size(), 2 * sizeof(HomeId));
  EXPECT_TRUE(back.starts_with(first));
}

// Two at once would each make the other's vault one that can never arrive.
TEST_F(VaultMoves, OneAtATimeIsTakenIn) {
  ASSERT_TRUE(out().ok());
  std::vector<Status> ends(2, Done{});
  {
    const OwnFile held(fs::path(at("new.db")).parent_path(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(::flock(held.number(), LOCK_EX), 0);
    std::vector<std::jthread> both;
    for (Status& end : ends)
      both.emplace_back([&] { end = move_in(at("file"), words_, at("new.db"), new_key_, at("taken")); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_FALSE(fs::exists(at("new.db"))) << "it waits";
    ::flock(held.number(), LOCK_UN);
  }
  EXPECT_NE(ends[0].ok(), ends[1].ok());
  const Status& late = ends[0].ok() ? ends[1] : ends[0];
  EXPECT_TRUE(has(late.error().message, "was taken in here already")) << late.error().message;
  EXPECT_TRUE(Vault::open(at("new.db"), new_key_, Making::never).ok());
}

TEST_F(VaultMoves, NothingOfItIsInTheOpen) {
  ASSERT_TRUE(out().ok());
  const std::string file = bytes_of_file(at("file"));
  for (const char* secret : {"item 3", "somewhere", "student", "carry these", "yyyyyyyy"})
    EXPECT_EQ(file.find(secret), std::string::npos) << secret;
  EXPECT_EQ((file.size() - 17) % (65536 + 17), 140u);
}

TEST_F(VaultMoves, TheNewVaultHasAKeyOfItsOwn) {
  ASSERT_TRUE(out().ok());
  ASSERT_TRUE(in().ok());
  EXPECT_FALSE(Vault::open(at("new.db"), old_key_, Making::never).ok());
  // And its records have other names: whoever opens the file or the old vault finds none of them.
  const auto names = [](const std::string& path) {
    std::vector<std::string> all;
    const auto add = [](void* to, int, char** columns, char**) {
      static_cast<std::vector<std::string>*>(to)->emplace_back(columns[0]);
      return 0;
    };
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, "SELECT hex(name) FROM record ORDER BY 1", add, &all, nullptr),
              SQLITE_OK);
    sqlite3_close(database);
    return all;
  };
  const auto before = names(old_);
  const auto after = names(at("new.db"));
  EXPECT_EQ(before.size() + 1, after.size());  // and where it lives now
  for (const std::string& name : after) EXPECT_EQ(std::ranges::count(before, name), 0);
}

TEST_F(VaultMoves, TheOldDeviceAnswersNoMore) {
  const auto running = Vault::open(old_, old_key_, Making::never).value();
  ASSERT_TRUE(running->next_nonce(0).ok());
  ASSERT_TRUE(out().ok());
  // A process that has it open signs nothing, reads nothing and writes nothing.
  EXPECT_FALSE(running->next_nonce(0).ok());
  EXPECT_FALSE(running->policy().ok());
  EXPECT_FALSE(running->items().ok());
  EXPECT_FALSE(world_.answer(*running, "t", 4).ok());
  EXPECT_TRUE(has(why_not(running->set_note("a", "b")), "has moved to another machine"));
  const auto opened = Vault::open(old_, old_key_, Making::if_missing);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Code::not_found);
  EXPECT_TRUE(has(opened.error().message, "has moved to another machine and answers no more"));
  EXPECT_TRUE(has(opened.error().message, "'sotto device move-out'"));
}

// What version 0.1.0 does: it looks for the row "key", and writes an answer into `record` before it sends it.
TEST_F(VaultMoves, AProgramOfVersion010AnswersNoMoreEither) {
  ASSERT_TRUE(out().ok());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(old_.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, "INSERT OR REPLACE INTO record VALUES (x'01', x'02', x'03')", nullptr,
                         nullptr, nullptr),
            SQLITE_CONSTRAINT);
  EXPECT_STREQ(sqlite3_errmsg(database), "this device has moved to another machine");
  sqlite3_stmt* asked = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(database, "SELECT count(*) FROM opening WHERE name = CAST('key' AS BLOB)", -1,
                               &asked, nullptr),
            SQLITE_OK);
  ASSERT_EQ(sqlite3_step(asked), SQLITE_ROW);
  EXPECT_EQ(sqlite3_column_int(asked, 0), 0);
  sqlite3_finalize(asked);
  sqlite3_close(database);
}

TEST_F(VaultMoves, ALostFileIsWrittenAgainAndIsTheSameMove) {
  ASSERT_TRUE(out().ok());
  fs::rename(at("file"), at("lost"));
  ASSERT_TRUE(out().ok());
  EXPECT_NE(bytes_of_file(at("file")), bytes_of_file(at("lost")));
  ASSERT_TRUE(in().ok());
  EXPECT_EQ(all_in(at("new.db"), new_key_).value(), all_);
  EXPECT_TRUE(has(why_not(in("lost", "other.db")), "was taken in on this machine already"));
  EXPECT_FALSE(fs::exists(at("other.db")));
}

TEST_F(VaultMoves, AFileIsTakenInOnce) {
  ASSERT_TRUE(out().ok());
  fs::copy(at("file"), at("copy"));
  ASSERT_TRUE(in().ok());
  EXPECT_TRUE(has(why_not(in()), "was taken in here already: there is nothing to do"));
  EXPECT_TRUE(has(why_not(in("copy", "other.db")), "was taken in on this machine already"));
  // Nor after the vault is gone, nor back where it came from.
  fs::remove(at("new.db"));
  EXPECT_TRUE(has(why_not(in()), "was taken in on this machine already"));
  EXPECT_TRUE(has(why_not(in("copy", "old.db")), "was taken in on this machine already"));
  EXPECT_FALSE(Vault::open(old_, old_key_, Making::never).ok());
}

TEST_F(VaultMoves, TwoAtATimeTakeItInOnce) {
  ASSERT_TRUE(out().ok());
  for (int round = 0; round < 4; ++round) {
    const std::string machine = "machine" + std::to_string(round);
    std::vector<pid_t> children;
    for (int n = 0; n < 3; ++n) {
      children.push_back(::fork());
      if (children.back() == 0)
        ::_exit(in("file", machine + "-" + std::to_string(n) + ".db", machine).ok() ? 0 : 1);
    }
    int taken = 0;
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      taken += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
    }
    EXPECT_EQ(taken, 1);
    int answering = 0;
    for (int n = 0; n < 3; ++n)
      answering +=
          Vault::open(at(machine + "-" + std::to_string(n) + ".db"), new_key_, Making::never).ok() ? 1 : 0;
    EXPECT_EQ(answering, 1);
  }
}

TEST_F(VaultMoves, ADeviceIsTakenBackWhereItCameFrom) {
  ASSERT_TRUE(out().ok());
  ASSERT_TRUE(in("file", "old.db").ok());
  EXPECT_EQ(all_in(old_, new_key_).value(), all_);
  const auto vault = Vault::open(old_, new_key_, Making::never).value();
  ASSERT_TRUE(world_.answer(*vault, "t", 4).ok());  // it may write again
  // Its next move is another one.
  ASSERT_TRUE(move_out(old_, new_key_, at("second"), words_, cheap).ok());
  EXPECT_TRUE(in("second").ok());
}

TEST_F(VaultMoves, OtherDevicesStayWhatTheyAre) {
  ASSERT_TRUE(out().ok());
  const VaultKey other = Secret(simulated_key(5, "another"));
  ASSERT_TRUE(Vault::open(at("other.db"), other, Making::if_missing).ok());
  EXPECT_TRUE(has(why_not(in("file", "other.db")), "there is a device already, and nothing was changed"));
  EXPECT_TRUE(Vault::open(at("other.db"), other, Making::never).ok());
  ASSERT_TRUE(move_out(at("other.db"), other, at("others"), words_, cheap).ok());
  EXPECT_TRUE(has(why_not(in("file", "other.db")), "what is left of another device that moved"));
  EXPECT_TRUE(
      has(why_not(move_in(at("absent"), words_, at("new.db"), new_key_, at("taken"))), "cannot read"));
  put_file(at("text"), "this is something else, whatever it is");
  EXPECT_TRUE(has(why_not(in("text")), "no file of a device that moved"));
  std::string later = bytes_of_file(at("file"));
  later[8] = 2;
  put_file(at("later"), later);
  const Status newer = in("later");
  EXPECT_TRUE(has(why_not(newer), "a file of version 2, and this program knows 1: update"));
  EXPECT_EQ(newer.error().code, Code::incompatible);
  EXPECT_FALSE(fs::exists(at("new.db")));
}

TEST_F(VaultMoves, WhatCannotBeWrittenLeavesTheDeviceHere) {
  put_file(at("there"), "mine");
  EXPECT_TRUE(has(why_not(out("there")), "this file exists"));
  EXPECT_EQ(bytes_of_file(at("there")), "mine");
  EXPECT_TRUE(has(why_not(out("nowhere/file")), "cannot make"));
  EXPECT_TRUE(
      has(why_not(move_out(old_, old_key_, at("file"), Passphrase("short"), cheap)), "at least 12 letters"));
  EXPECT_FALSE(move_out(old_, new_key_, at("file"), words_, cheap).ok());
  EXPECT_FALSE(move_out(at("absent.db"), old_key_, at("file"), words_, cheap).ok());
  EXPECT_EQ(all_in(old_, old_key_).value(), all_);
  EXPECT_FALSE(fs::exists(at("file")));
  EXPECT_FALSE(fs::exists(at("file.part")));
}

TEST_F(VaultMoves, AWrongPassphraseChangesNothing) {
  ASSERT_TRUE(out().ok());
  const Passphrase wrong("carry these five word");
  const Status refused = move_in(at("file"), wrong, at("new.db"), new_key_, at("taken"));
  EXPECT_TRUE(has(why_not(refused), "does not open with this passphrase"));
  EXPECT_FALSE(fs::exists(at("new.db")));
  EXPECT_FALSE(move_in(at("file"), wrong, old_, old_key_, at("taken")).ok());  // nor the one it came from
  EXPECT_TRUE(in().ok());
}

TEST_F(VaultMoves, ACutOrChangedFileIsRefusedAndChangesNothing) {
  ASSERT_TRUE(out().ok());
  const std::string whole = bytes_of_file(at("file"));
  const auto refused = [&](const std::string& bytes) {
    put_file(at("bad"), bytes);
    const Status status = in("bad");
    EXPECT_FALSE(fs::exists(at("new.db")) || fs::exists(at("taken")));
    return why_not(status);
  };
  std::vector<std::size_t> cuts{
      0, 1, 8, 139, 140, 141, 157, whole.size() - 18, whole.size() - 17, whole.size() - 1};
  for (std::size_t piece = 140; piece < whole.size(); piece += 65536 + 17) cuts.push_back(piece);
  for (const std::size_t cut : cuts) {
    const std::string why = refused(whole.substr(0, cut));
    EXPECT_TRUE(has(why, cut < 8 ? "no file of a device" : cut == 157 ? "damaged" : "is not whole")) << cut;
  }
  EXPECT_TRUE(has(refused(whole + "x"), "is not whole"));
  EXPECT_TRUE(has(refused(whole + whole), "damaged"));
  std::vector<std::size_t> places{
      9, 12, 30, 50, 70, 100, 139, 140, 70'000, whole.size() - 17, whole.size() - 1};
  for (std::size_t place : places) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    const std::string why = refused(changed);
    EXPECT_TRUE(has(why, "damaged") || has(why, "of version")) << place << why;
  }
  // Pieces that change places, that are missing and that come twice.
  const std::size_t piece = 65536 + 17;
  ASSERT_GT(whole.size(), 140 + 3 * piece);
  const std::string first = whole.substr(140, piece);
  const std::string second = whole.substr(140 + piece, piece);
  const std::string head = whole.substr(0, 140);
  const std::string rest = whole.substr(140 + 2 * piece);
  EXPECT_TRUE(has(refused(head + second + first + rest), "damaged"));
  EXPECT_TRUE(has(refused(head + first + rest), "damaged"));
  EXPECT_TRUE(has(refused(head + first + first + second + rest), "damaged"));
  EXPECT_TRUE(in().ok());
}

// What somebody else's file would do that asks for 4 TiB of memory.
TEST_F(VaultMoves, WhatAFileAsksForIsBounded) {
  EXPECT_FALSE(
      move_out(old_, old_key_, at("file"), words_, {.salt = {}, .passes = 1, .memory_kib = 1u << 31}).ok());
  EXPECT_EQ(all_in(old_, old_key_).value(), all_);
}

}  // namespace
}  // namespace sotto::device::vault_move_test
