#include "storage/database.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "storage/testing/scratch_folder.h"

namespace sotto::storage::database_test {
namespace {

constexpr DatabaseForm form{
    .what = "drawer",
    .application = 0x534F7474,
    .version = 2,
    .tables = "CREATE TABLE t(x INTEGER PRIMARY KEY, text TEXT, bytes BLOB, real REAL)"};

DatabaseForm other_version() {
  DatabaseForm other = form;
  other.version = 3;
  return other;
}

TEST(Database, WhatWasPutComesBack) {
  const ScratchFolder folder;
  const Database database = Database::open(folder.file("d"), form, Access::write).value();
  const std::string bytes("a\0b", 3);
  const std::uint64_t large = std::numeric_limits<std::uint64_t>::max() - 1;
  ASSERT_TRUE(database.run("INSERT INTO t VALUES(?,?,?,?)", {large, "text", Octets(bytes), 0.1}).ok());
  ASSERT_TRUE(
      database
          .run("INSERT INTO t VALUES(?,?,?,?)", {-1, std::string(), std::optional<Octets>(), std::nan("")})
          .ok());
  Query query = database.query("SELECT x, text, bytes, real FROM t ORDER BY x").value();
  ASSERT_TRUE(query.step().value());
  EXPECT_EQ(query.number(0), large);
  EXPECT_EQ(query.text(1), "text");
  EXPECT_EQ(query.bytes(2), bytes);
  EXPECT_EQ(query.real(3), 0.1);
  ASSERT_TRUE(query.step().value());
  EXPECT_EQ(query.number<std::int64_t>(0), -1);
  EXPECT_FALSE(query.is_null(1));
  EXPECT_TRUE(query.is_null(2));
  EXPECT_TRUE(std::isnan(query.real(3)));
  EXPECT_FALSE(query.step().value());
}

TEST(Database, TheSameQuestionMayBeAskedWhileItIsBeingAnswered) {
  const ScratchFolder folder;
  const Database database = Database::open(folder.file("d"), form, Access::write).value();
  for (const int x : {1, 2, 3}) ASSERT_TRUE(database.run("INSERT INTO t(x) VALUES(?)", {x}).ok());
  const char* const larger = "SELECT x FROM t WHERE x > ? ORDER BY x";
  Query outer = database.query(larger, {0}).value();
  std::vector<std::uint64_t> seen;
  while (outer.step().value()) {
    Query inner = database.query(larger, {outer.number(0)}).value();
    while (inner.step().value()) seen.push_back(outer.number(0) * 10 + inner.number(0));
  }
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{12, 13, 23}));
}

TEST(Database, ATransactionThatFailsLeavesNoTrace) {
  const ScratchFolder folder;
  Database database = Database::open(folder.file("d"), form, Access::write).value();
  const auto add = [&](int x) { return database.run("INSERT INTO t(x) VALUES(?)", {x}); };
  const Status failed = database.transaction([&]() -> Status {
    SOTTO_TRY_DONE(database.transaction([&] { return add(1); }));
    return add(1);
  });
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(database.number("SELECT count(*) FROM t").value(), 0u);
  ASSERT_TRUE(database.transaction([&] { return add(2); }).ok());
  EXPECT_EQ(database.changed(), 1);
  EXPECT_EQ(database.number("SELECT x FROM t").value(), 2u);
}

TEST(Database, AFileThatCannotBeBegunStaysEmpty) {
  const ScratchFolder folder;
  const auto refuse = [](const Database&) -> Status { return fail(Code::not_found, "no"); };
  EXPECT_EQ(Database::open(folder.file("d"), form, Access::write, refuse).error().message, "no");
  const auto empty = Database::open(folder.file("d"), form, Access::read);
  EXPECT_NE(empty.error().message.find("is no drawer of Sotto (it is empty)"), std::string::npos);
  EXPECT_TRUE(Database::open(folder.file("d"), form, Access::write).ok());
  EXPECT_TRUE(Database::open(folder.file("d"), form, Access::read).ok());
}

TEST(Database, AFileOfTheVersionBeforeIsBroughtUpToDateByWhoMayWrite) {
  const ScratchFolder folder;
  ASSERT_TRUE(Database::open(folder.file("d"), form, Access::write)->run("INSERT INTO t(x) VALUES(7)").ok());
  DatabaseForm next = other_version();
  next.upgrade = "ALTER TABLE t ADD COLUMN y INTEGER; CREATE TABLE t(x)";  // the second cannot be
  EXPECT_FALSE(Database::open(folder.file("d"), next, Access::write).ok());
  EXPECT_TRUE(Database::open(folder.file("d"), form, Access::write).ok());  // wholly or not at all
  next.upgrade = "ALTER TABLE t ADD COLUMN y INTEGER";
  EXPECT_EQ(Database::open(folder.file("d"), next, Access::read).error().code, Code::incompatible);
  const Database database = Database::open(folder.file("d"), next, Access::write).value();
  EXPECT_EQ(database.number("SELECT x FROM t WHERE y IS NULL").value(), 7u);
  EXPECT_TRUE(Database::open(folder.file("d"), next, Access::read).ok());
  EXPECT_EQ(Database::open(folder.file("d"), form, Access::write).error().code, Code::incompatible);
}

TEST(Database, FilesOfOthersAreRefusedAndStayAsTheyAre) {
  const ScratchFolder folder;
  const auto refused = [&](const DatabaseForm& as) {
    const auto database = Database::open(folder.file("d"), as, Access::write);
    return database.ok() ? Error{} : database.error();
  };
  ASSERT_TRUE(Database::open(folder.file("d"), form, Access::write).ok());
  EXPECT_EQ(refused(other_version()).code, Code::incompatible);
  EXPECT_NE(refused(other_version()).message.find("is a drawer of version 2 and this program knows 3"),
            std::string::npos);
  DatabaseForm stranger = form;
  stranger.application = 5;
  stranger.settings = "PRAGMA journal_mode = WAL";
  EXPECT_EQ(refused(stranger).code, Code::bad_input);
  EXPECT_NE(refused(stranger).message.find("it belongs to another program"), std::string::npos);
  std::ofstream(folder.file("d")) << "certainly not a database, whatever its name says";
  EXPECT_NE(refused(form).message.find("the file is no database"), std::string::npos);
}

}  // namespace
}  // namespace sotto::storage::database_test
