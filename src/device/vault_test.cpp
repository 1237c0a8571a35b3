#include "device/vault.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/codec.h"
#include "device/testing/vault_world.h"

namespace sotto::device::vault_test {
namespace {

namespace fs = std::filesystem;

class Vaults : public ::testing::Test {
 protected:
  Vaults() : folder_(fs::temp_directory_path() / ("sotto-vault-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  ~Vaults() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path() const { return (folder_ / "vault.db").string(); }
  [[nodiscard]] std::unique_ptr<Vault> open() const {
    auto vault = Vault::open(path(), key_, Making::if_missing);
    EXPECT_TRUE(vault.ok()) << vault.error().message;
    return std::move(*vault);
  }
  // All bytes of the vault on the disk.
  [[nodiscard]] std::string bytes() const {
    std::string all;
    for (const char* ending : {"", "-wal"}) {
      std::ifstream in(path() + ending, std::ios::binary);
      all.append(std::istreambuf_iterator<char>(in), {});
    }
    return all;
  }
  // What somebody with the file and SQLite does to it.
  void tamper(const std::string& sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  fs::path folder_;
  Secret key_{simulated_key(1, "vault test")};
};

TEST_F(Vaults, HoldsEverythingOverSessions) {
  const VaultWorld world;
  const Enrolment enrolment{.identity_seed = Secret(simulated_key(2, "id")), .index = 7, .own_seed = 99};
  PersonalPolicy policy;
  ASSERT_TRUE(set_level(policy, "balanced").ok());
  {
    const auto vault = open();
    EXPECT_FALSE(vault->policy()->takes_part());
    EXPECT_FALSE(vault->enrolment()->has_value());
    EXPECT_FALSE(vault->own_row("t")->has_value());
    EXPECT_EQ(*vault->model("t"), nullptr);
    EXPECT_FALSE(vault->last_round("t")->has_value());
    ASSERT_TRUE(vault->keep_enrolment(enrolment).ok());
    ASSERT_TRUE(vault->set_policy(policy).ok());
    ASSERT_TRUE(vault->set_note("server", "somewhere").ok());
    ASSERT_TRUE(world.fill(*vault, "t", 3).ok());
    EXPECT_FALSE(vault->keep_catalogue(std::string(32, 'x'), world.packed_names()).ok());
  }
  const auto vault = open();
  const auto again = vault->enrolment();
  ASSERT_TRUE(again.ok() && again->has_value());
  EXPECT_TRUE(same_bytes((*again)->identity_seed.on_device(), enrolment.identity_seed.on_device()));
  EXPECT_EQ((*again)->index, 7u);
  EXPECT_EQ((*again)->own_seed, 99u);
  EXPECT_STREQ(level_of(*vault->policy()), "balanced");
  EXPECT_EQ(**vault->note("server"), "somewhere");
  EXPECT_EQ(*vault->items(), world.had());
  EXPECT_EQ(*vault->examples("digits"), world.examples());
  EXPECT_EQ(*vault->attributes(), world.says());
  EXPECT_EQ(**vault->last_round("t"), 3u);
  EXPECT_EQ(*vault->held_tasks(), std::vector<std::string>{"t"});
  const auto model = *vault->model("t");
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->version, world.model()->version);
  EXPECT_EQ(model->encoded, world.model()->encoded);
  for (std::size_t r = 0; r < model->rows.rows(); ++r)
    EXPECT_TRUE(std::ranges::equal(model->rows.values(r), world.model()->rows.values(r))) << r;
  EXPECT_EQ((*vault->catalogue(model->catalogue))->names.name(2), "item 2");
  EXPECT_TRUE(std::ranges::equal((*vault->own_row("t"))->on_device().values(0), world.own().values(0)));
  const auto ledger = vault->ledger();
  ASSERT_TRUE(ledger.ok());
  const auto reading = read_ledger(ledger->lines, ledger->head, ledger->public_key);
  ASSERT_TRUE(reading.ok()) << reading.error().message;
  EXPECT_EQ(reading->entries.size(), 1u);
}

TEST_F(Vaults, ModelsOfEveryPrecisionComeBack) {
  for (const auto precision : {v1::PRECISION_F32, v1::PRECISION_F16, v1::PRECISION_I8}) {
    const VaultWorld world(precision);
    ASSERT_TRUE(open()->keep_model("t", world.model()).ok());
    const auto held = *open()->model("t");
    ASSERT_NE(held, nullptr);
    EXPECT_TRUE(std::ranges::equal(held->rows.values(5), world.model()->rows.values(5)));
  }
}

TEST_F(Vaults, InteractionsComeAndGo) {
  const auto vault = open();
  const std::vector<KeptInteraction> some{{"b", 4.5, 10}, {"a", 1.0, 20}, {"b", 2.0, 30}};
  ASSERT_TRUE(vault->add(some).ok());
  EXPECT_EQ(*vault->interactions(), (std::vector<KeptInteraction>{{"a", 1.0, 20}, {"b", 2.0, 30}}));
  EXPECT_TRUE(*vault->remove("a"));
  EXPECT_FALSE(*vault->remove("a"));
  EXPECT_EQ(*open()->items(), std::vector<std::string>{"b"});
  // All or nothing: the second has no name.
  const std::vector<KeptInteraction> wrong{{"c", 1.0, 0}, {"", 1.0, 0}};
  EXPECT_FALSE(vault->add(wrong).ok());
  EXPECT_EQ(vault->items()->size(), 1u);
}

TEST_F(Vaults, WhatWasRecordedStaysBesideTheItem) {
  const KeptInteraction all{"b", 1.0, 0, {{"weather", "rain"}, {"device", "phone"}}};
  const KeptInteraction none{"a"};
  const std::vector<KeptInteraction> some{all, none};
  ASSERT_TRUE(open()->add(some).ok());
  EXPECT_EQ(*open()->interactions(), (std::vector{none, all}));
  // What is added again is what is said now.
  const std::vector<KeptInteraction> again{{"b", 2.0}};
  ASSERT_TRUE(open()->add(again).ok());
  EXPECT_EQ(open()->interactions()->back(), again[0]);
  ASSERT_TRUE(*open()->remove("b"));
  EXPECT_EQ(open()->interactions()->size(), 1u);
}

TEST_F(Vaults, WhatCannotBeKeptIsRefused) {
  const auto vault = open();
  const auto takes = [&](const KeptInteraction& one) { return vault->add(std::span(&one, 1)).ok(); };
  EXPECT_FALSE(takes({"a", std::nan("")}));
  EXPECT_FALSE(takes({"a", {}, {}, {{"", "rain"}}}));
  EXPECT_FALSE(takes({"a", {}, {}, {{"weather", ""}}}));
  EXPECT_FALSE(takes({"a", {}, {}, {{"weather", "rain"}, {"weather", "sun"}}}));
  EXPECT_FALSE(takes({"a", {}, {}, {{"weather", std::string(1025, 'r')}}}));
  EXPECT_FALSE(takes({"a", {}, {}, std::vector(65, std::pair<std::string, std::string>("n", "v"))}));
  EXPECT_TRUE(vault->interactions()->empty());
}

// Version 0.1.0 wrote a value and a time, 1 and 0 where it knew none.
TEST_F(Vaults, RecordsOfTheFirstVersionAreRead) {
  ASSERT_NE(open(), nullptr);
  {
    auto records = SealedRecords::open(path(), key_, Making::never);
    const auto put = [&](const char* item, double value, std::int64_t time_ms) {
      Writer out;
      out.number(value).number(time_ms);
      const std::string text(reinterpret_cast<const char*>(out.view().data()), out.size());
      ASSERT_TRUE(records->put(RecordKind::item, item, text).ok());
    };
    put("alone", 1.0, 0);
    put("rated", 4.5, 0);
    put("timed", 1.0, 1000);
  }
  EXPECT_EQ(*open()->interactions(),
            (std::vector<KeptInteraction>{{"alone"}, {"rated", 4.5}, {"timed", {}, 1000}}));
  auto records = SealedRecords::open(path(), key_, Making::never);
  ASSERT_TRUE(records->put(RecordKind::item, "short", "seventeen letters").ok());
  EXPECT_FALSE(open()->interactions().ok());
}

TEST_F(Vaults, NothingIsInTheOpen) {
  const VaultWorld world;
  {
    const auto vault = open();
    ASSERT_TRUE(world.fill(*vault, "taskname", 3).ok());
    const std::vector<KeptInteraction> one{{"a very private thing", 1.0, 0}};
    ASSERT_TRUE(vault->add(one).ok());
    ASSERT_TRUE(vault->keep_enrolment({.identity_seed = key_, .index = 1, .own_seed = 1}).ok());
    const std::string all = bytes();
    for (const std::string& secret :
         {std::string("private thing"), std::string("taskname"), std::string("item 2"),
          std::string(reinterpret_cast<const char*>(key_.on_device().data()), 32),
          std::string(reinterpret_cast<const char*>(world.own().row(0)), 16)})
      EXPECT_EQ(all.find(secret), std::string::npos) << secret.size();
  }
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Vaults, ItemsOfDifferentNamesTakeTheSameRoom) {
  const auto vault = open();
  const std::vector<KeptInteraction> some{{"x", 1.0, 1}, {std::string(180, 'y'), 5.0, 1'700'000'000'000}};
  ASSERT_TRUE(vault->add(some).ok());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &database), SQLITE_OK);
  sqlite3_stmt* asked = nullptr;
  // The kind with two records is the items'.
  const char* sql =
      "SELECT count(DISTINCT length(sealed)) FROM record WHERE kind IN "
      "(SELECT kind FROM record GROUP BY kind HAVING count(*) = 2)";
  ASSERT_EQ(sqlite3_prepare_v2(database, sql, -1, &asked, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_step(asked), SQLITE_ROW);
  EXPECT_EQ(sqlite3_column_int(asked, 0), 1);
  sqlite3_finalize(asked);
  sqlite3_close(database);
}

TEST_F(Vaults, AWrongKeyIsRefused) {
  ASSERT_NE(open(), nullptr);
  const auto wrong = Vault::open(path(), Secret(simulated_key(9, "other")), Making::never);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("does not open with this key"), std::string::npos);
  EXPECT_FALSE(Vault::open(path(), Passphrase("words"), Making::never).ok());
  EXPECT_EQ(Vault::open(path() + "x", key_, Making::never).error().code, Code::not_found);
  std::ofstream(path() + "y") << "this is not a database, whatever it is, and long enough to have a header";
  EXPECT_EQ(Vault::open(path() + "y", key_, Making::never).error().code, Code::bad_input);
}

TEST_F(Vaults, APassphraseOpensWhatItMade) {
  ASSERT_TRUE(Vault::open(path(), Passphrase("four plain words here"), Making::if_missing).ok());
  EXPECT_TRUE(Vault::open(path(), Passphrase("four plain words here"), Making::never).ok());
  const auto wrong = Vault::open(path(), Passphrase("four plain words"), Making::never);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("passphrase"), std::string::npos);
  EXPECT_FALSE(Vault::open(path(), key_, Making::never).ok());
  // What the file asks for is bounded: 4 TiB of memory are not tried.
  tamper("UPDATE opening SET value = zeroblob(16) || x'03000000ffffffff' WHERE name = CAST('salt' AS BLOB)");
  EXPECT_FALSE(Vault::open(path(), Passphrase("four plain words here"), Making::never).ok());
}

TEST_F(Vaults, AChangedByteIsRefusedAndNamed) {
  PersonalPolicy policy;
  ASSERT_TRUE(open()->set_policy(policy).ok());
  // The last byte of each record.
  tamper(
      "UPDATE record SET sealed = substr(sealed, 1, length(sealed) - 1) || "
      "CASE substr(sealed, -1) WHEN x'00' THEN x'01' ELSE x'00' END");
  const auto vault = Vault::open(path(), key_, Making::never);
  ASSERT_FALSE(vault.ok());
  EXPECT_NE(vault.error().message.find("the ledger's key"), std::string::npos) << vault.error().message;
}

TEST_F(Vaults, ARecordUnderAnothersNameIsRefused) {
  const std::vector<KeptInteraction> two{{"a", 1.0, 0}, {"b", 5.0, 0}};
  ASSERT_TRUE(open()->add(two).ok());
  tamper(
      "CREATE TEMP TABLE pair AS SELECT name, sealed FROM record WHERE kind IN "
      "(SELECT kind FROM record GROUP BY kind HAVING count(*) = 2);"
      "UPDATE record SET sealed = (SELECT sealed FROM pair WHERE pair.name <> record.name) "
      "WHERE name IN (SELECT name FROM pair)");
  const auto vault = Vault::open(path(), key_, Making::never);
  ASSERT_TRUE(vault.ok());
  const auto items = (*vault)->items();
  ASSERT_FALSE(items.ok());
  EXPECT_NE(items.error().message.find("an item"), std::string::npos) << items.error().message;
}

TEST_F(Vaults, ARecordUnderAnothersKindIsRefused) {
  const std::vector<KeptInteraction> two{{"a", 1.0, 0}, {"b", 5.0, 0}};
  const auto made = open();
  ASSERT_TRUE(made->add(two).ok());
  ASSERT_TRUE(made->set_note("n", "x").ok());
  tamper(
      "UPDATE record SET kind = (SELECT kind FROM record GROUP BY kind HAVING count(*) = 2) "
      "WHERE kind NOT IN (SELECT kind FROM record GROUP BY kind HAVING count(*) = 2)");
  EXPECT_FALSE((*Vault::open(path(), key_, Making::never))->items().ok());
}

TEST_F(Vaults, ALedgerLineThatIsGoneIsMissed) {
  const auto vault = open();
  for (std::uint32_t n = 0; n < 2; ++n) ASSERT_TRUE(vault->append({.round = n, .task = "t"}).ok());
  tamper(
      "DELETE FROM record WHERE name IN (SELECT name FROM record WHERE kind IN "
      "(SELECT kind FROM record GROUP BY kind HAVING count(*) = 2) LIMIT 1)");
  const auto ledger = vault->ledger();
  ASSERT_FALSE(ledger.ok());
  EXPECT_NE(ledger.error().message.find("is gone"), std::string::npos);
}

TEST_F(Vaults, NoncesOnlyRise) {
  std::uint64_t last = 0;
  for (int session = 0; session < 3; ++session) {
    const auto vault = open();
    for (int n = 0; n < 1500; ++n) {
      const auto nonce = vault->next_nonce(n == 700 ? last + 5000 : 0);
      ASSERT_TRUE(nonce.ok());
      ASSERT_GT(*nonce, last);
      if (n == 700) {
        ASSERT_GT(*nonce, last + 5000);
      }
      last = *nonce;
    }
  }
  EXPECT_FALSE(open()->next_nonce(UINT64_MAX).ok());
}

TEST_F(Vaults, EnrolmentIsMadeOfTheSameUntilItIsKept) {
  const auto first = open()->enrolment_entropy();
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(same_bytes(first->on_device(), open()->enrolment_entropy()->on_device()));
  ASSERT_TRUE(open()->keep_enrolment({.identity_seed = *first, .index = 0, .own_seed = 1}).ok());
  EXPECT_FALSE(same_bytes(first->on_device(), open()->enrolment_entropy()->on_device()));
  ASSERT_TRUE(open()->drop_enrolment().ok());
  EXPECT_FALSE(open()->enrolment()->has_value());
}

TEST_F(Vaults, DestroyedOpensForNobody) {
  auto vault = open();
  const std::vector<KeptInteraction> one{{"a", 1.0, 0}};
  ASSERT_TRUE(vault->add(one).ok());
  ASSERT_TRUE(Vault::destroy(std::move(vault)).ok());
  EXPECT_TRUE(fs::is_empty(folder_));
}

// A child that answers rounds until it is killed, some while after an answer: what is there afterwards is a
// whole number of answers, each with its line, its round and its row, and none that it was told of is lost.
TEST_F(Vaults, AKillLeavesTheStateBeforeOrAfter) {
  const VaultWorld world;
  ASSERT_TRUE(world.fill(*open(), "t", 0).ok());
  std::uint32_t before = 0;
  for (int n = 0; n < 8; ++n) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto vault = open();
      for (std::uint32_t round = before + 1;; ++round)
        if (!world.answer(*vault, "t", round).ok() || ::write(told[1], &round, sizeof round) < 0) ::_exit(1);
    }
    ::close(told[1]);
    std::uint32_t heard = 0;
    for (int k = 0; k <= n; ++k) ASSERT_EQ(::read(told[0], &heard, sizeof heard), ssize_t{sizeof heard});
    ::usleep(static_cast<useconds_t>(271 * n));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ::close(told[0]);
    const auto vault = open();
    const std::uint32_t round = **vault->last_round("t");
    EXPECT_GE(round, heard);
    const auto ledger = vault->ledger();
    ASSERT_TRUE(ledger.ok()) << ledger.error().message;
    const auto reading = read_ledger(ledger->lines, ledger->head, ledger->public_key);
    ASSERT_TRUE(reading.ok()) << reading.error().message;
    EXPECT_EQ(reading->entries.back().round, round);
    EXPECT_EQ(reading->entries.size(), round + 1u);
    EXPECT_EQ((*vault->own_row("t"))->on_device().row(0)[0], static_cast<float>(round));
    before = round;
  }
}

}  // namespace
}  // namespace sotto::device::vault_test
