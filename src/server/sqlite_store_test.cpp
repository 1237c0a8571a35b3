#include "server/sqlite_store.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "server/testing/plain_store.h"
#include "server/testing/store_snapshot.h"

namespace sotto::server::sqlite_store_test {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    // In memory where there is such a place: what is tested here is not the disk.
    std::string name = fs::is_directory("/dev/shm") ? "/dev/shm/sotto_XXXXXX" : "/tmp/sotto_XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code unknown;
    fs::remove_all(path_, unknown);
  }
  [[nodiscard]] fs::path state() const { return path_ / "state"; }

 private:
  fs::path path_;
};

std::unique_ptr<SqliteStore> opened(const fs::path& folder) {
  auto store = SqliteStore::open(folder);
  EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.error().message);
  return store.ok() ? std::move(*store) : nullptr;
}

std::string refusal_of(const fs::path& folder) {
  const auto store = SqliteStore::open(folder);
  return store.ok() ? "" : store.error().message;
}

PublicKey key_of(int number) {
  PublicKey key{};
  key[0] = static_cast<std::uint8_t>(number + 1);
  return key;
}

std::string bytes_of_blob(int number) { return "blob " + std::to_string(number); }

// One call of a store, from small numbers so that calls meet each other.
struct Call {
  int what = 0, first = 0, second = 0, third = 0;
};

std::string outcome(const Status& status) {
  return status.ok() ? "done" : "error " + std::to_string(static_cast<int>(status.error().code));
}

VersionRecord version_of(const Call& call) {
  return {"task " + std::to_string(call.first),
          static_cast<std::uint32_t>(call.third),
          static_cast<std::uint32_t>(call.second),
          7,
          "hash",
          blob_hash(bytes_of_blob(call.second)),
          call.third};
}

std::string make_call(Store& store, const Call& call) {
  const std::string task = "task " + std::to_string(call.first);
  const std::string token = blob_hash("token " + std::to_string(call.first));
  const DeviceId id = device_id(key_of(call.second));
  RoundRecord round;
  round.task = task;
  round.round = static_cast<std::uint32_t>(call.second);
  round.opened_ms = call.third;
  round.why = std::string("a \0 b", 5);
  switch (call.what) {
    case 0:
      return outcome(
          store.add_task({task, std::string("\0spec", 5), TaskState::running, 0, "0"}, version_of(call)));
    case 1:
      return outcome(store.set_task_state(task, static_cast<TaskState>(call.second % 3)));
    case 2:
      return outcome(store.open_round(round));
    case 3: {
      round.closed_ms = 9;
      const std::string budget = "spent " + std::to_string(call.third);
      return outcome(store.commit_round(round, version_of(call), budget));
    }
    case 4:
      return outcome(
          store.abandon_round(round, call.third % 2 == 0 ? "" : "charged " + std::to_string(call.third)));
    case 5:
      return outcome(store.add_tokens(std::vector<std::string>{token, blob_hash("token 9")}));
    case 6: {
      const auto device = store.enrol(token, key_of(call.second), call.third);
      return device.ok() ? "index " + std::to_string(device->index) : outcome(device.error());
    }
    case 7:
      return outcome(store.set_revoked(id, call.third % 2 == 0));
    case 8:
      return outcome(store.forget(id));
    case 9:
      return outcome(store.note_seen(std::vector<Store::Seen>{{id, call.third}}));
    case 10:
      return store.put_blob(bytes_of_blob(call.second)).value();
    case 11:
      return outcome(store.keep_blobs(std::vector<std::string>{blob_hash(bytes_of_blob(call.second))}));
    case 13: {
      VersionRecord version = version_of(call);
      version.again = static_cast<std::uint32_t>(call.second);
      return outcome(store.release_again(version));
    }
    case 15:
      return outcome(store.set_home(id, {{static_cast<std::uint8_t>(call.second)}, 1, call.third}));
    case 14:
      return outcome(store.add_evaluation({task, static_cast<std::uint32_t>(call.second), 7, "figures", 9}));
    default: {
      const auto blob = store.blob(blob_hash(bytes_of_blob(call.second)));
      return blob.ok() ? *blob : outcome(blob.error());
    }
  }
}

constexpr int kinds_of_calls = 16;  // and one more: close and open again

RC_GTEST_PROP(SqliteStore, DoesWhatThePlainOneDoes, ()) {
  const TemporaryFolder folder;
  auto store = opened(folder.state());
  PlainStore plain;
  const auto calls = *rc::gen::container<std::vector<Call>>(
      rc::gen::construct<Call>(rc::gen::inRange(0, kinds_of_calls + 1), rc::gen::inRange(0, 2),
                               rc::gen::inRange(0, 4), rc::gen::inRange(0, 4)));
  for (const Call& call : calls) {
    if (call.what == kinds_of_calls) {
      store.reset();
      store = opened(folder.state());
    } else {
      RC_ASSERT(make_call(*store, call) == make_call(plain, call));
    }
    RC_ASSERT(snapshot(*store) == snapshot(plain));
  }
}

// Random calls seldom reach far into a task; here they all follow from one.
RC_GTEST_PROP(SqliteStore, AgreesOnAlongTask, ()) {
  const TemporaryFolder folder;
  auto store = opened(folder.state());
  PlainStore plain;
  for (int number = 0; number < 4; ++number)
    for (Store* one : {static_cast<Store*>(store.get()), static_cast<Store*>(&plain)})
      static_cast<void>(make_call(*one, {10, 0, number, 0}));
  for (Store* one : {static_cast<Store*>(store.get()), static_cast<Store*>(&plain)})
    RC_ASSERT(make_call(*one, {0, 0, 0, 0}) == "done");
  const auto kinds = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 8));
  constexpr int again = 6, judged = 7;  // the start once more; the newest
  int round = 0, version = 1;
  for (const int kind : kinds) {
    const Call call = kind == again    ? Call{13, 0, 0, version}
                      : kind == judged ? Call{14, 0, version - 1, 0}
                                       : Call{kind, 0, round, version};
    const std::string told = make_call(*store, call);
    RC_ASSERT(told == make_call(plain, call));
    if (told == "done" && (kind == 3 || kind == 4)) ++round;
    if (told == "done" && (kind == 3 || kind == again)) ++version;
  }
  store.reset();
  store = opened(folder.state());
  RC_ASSERT(snapshot(*store) == snapshot(plain));
}

TEST(SqliteStore, KeepsItsFilesForTheOwnerAlone) {
  const TemporaryFolder folder;
  const auto store = opened(folder.state());
  ASSERT_TRUE(store->put_blob("bytes").ok());
  ASSERT_TRUE(store->add_tokens(std::vector<std::string>{"x"}).ok());  // so that the WAL is there
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.state())) {
    struct stat facts {};
    ASSERT_EQ(::stat(entry.path().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, entry.is_directory() ? 0700u : 0600u) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 6);  // the database, its log, the lock, blobs, its part, the blob
  EXPECT_EQ(fs::status(folder.state()).permissions(), fs::perms::owner_all);
}

TEST(SqliteStore, TwoAtOnceAreRefused) {
  const TemporaryFolder folder;
  auto store = opened(folder.state());
  EXPECT_NE(refusal_of(folder.state()).find("another coordinator works in"), std::string::npos);
  store.reset();
  EXPECT_EQ(refusal_of(folder.state()), "");
}

TEST(SqliteStore, AFolderWithoutAParentIsRefused) {
  const TemporaryFolder folder;
  EXPECT_NE(refusal_of(folder.state() / "deep" / "deeper").find("No such file"), std::string::npos);
}

void run_sql(const fs::path& path, const char* sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  sqlite3_close(database);
}

TEST(SqliteStore, AnotherEditionIsRefused) {
  const TemporaryFolder folder;
  opened(folder.state()).reset();
  run_sql(folder.state() / "coordinator.db", "PRAGMA user_version = 77");
  const std::string refusal = refusal_of(folder.state());
  EXPECT_NE(
      refusal.find("is a coordinator's database of version 77 and this program knows 2: use the program"),
      std::string::npos)
      << refusal;
}

TEST(SqliteStore, OneOfTheEditionBeforeGoesOn) {
  const TemporaryFolder folder;
  auto store = opened(folder.state());
  for (const int number : {0, 1}) ASSERT_TRUE(store->put_blob(bytes_of_blob(number)).ok());
  for (const Call& call : {Call{0, 0, 0, 0}, Call{2, 0, 1, 0}, Call{3, 0, 1, 1}})
    ASSERT_EQ(make_call(*store, call), "done");
  const std::string before = snapshot(*store);
  store.reset();
  run_sql(
      folder.state() / "coordinator.db",
      "DROP TABLE evaluation; DROP TABLE home; DROP TABLE promotion; ALTER TABLE version DROP COLUMN again; "
      "ALTER TABLE version DROP COLUMN stable; ALTER TABLE version DROP COLUMN share; "
      "ALTER TABLE version DROP COLUMN salt; PRAGMA user_version = 1");
  store = opened(folder.state());
  EXPECT_EQ(snapshot(*store), before);
  EXPECT_EQ(make_call(*store, {13, 0, 0, 2}), "done");
  store.reset();
  EXPECT_NE(snapshot(*opened(folder.state())), before);
}

TEST(SqliteStore, AnotherProgramsFileIsRefusedAndStaysAsItIs) {
  const TemporaryFolder folder;
  fs::create_directory(folder.state());
  run_sql(folder.state() / "coordinator.db", "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
  const std::string before = GatedFiles::read(folder.state() / "coordinator.db").value();
  EXPECT_NE(refusal_of(folder.state()).find("it belongs to another program"), std::string::npos);
  EXPECT_EQ(GatedFiles::read(folder.state() / "coordinator.db").value(), before);
}

TEST(SqliteStore, WhatIsNoDatabaseIsRefused) {
  const TemporaryFolder folder;
  fs::create_directory(folder.state());
  std::ofstream(folder.state() / "coordinator.db") << std::string(5000, 'x');
  EXPECT_NE(refusal_of(folder.state()).find("is no coordinator's database of Sotto"), std::string::npos);
}

TEST(SqliteStore, ADamagedFileIsRefused) {
  const TemporaryFolder folder;
  {
    const auto store = opened(folder.state());
    std::vector<std::string> tokens;
    for (int number = 0; number < 2000; ++number) tokens.push_back(blob_hash(std::to_string(number)));
    ASSERT_TRUE(store->add_tokens(tokens).ok());
  }
  const fs::path path = folder.state() / "coordinator.db";
  std::string bytes = GatedFiles::read(path).value();
  ASSERT_GT(bytes.size(), 100'000u);
  for (std::size_t page = 4096 * 4; page + 4096 <= bytes.size(); page += 4096)
    for (std::size_t at = 0; at < 64; ++at) bytes[page + at] = '\x5A';
  std::ofstream(path, std::ios::binary) << bytes;
  const std::string refusal = refusal_of(folder.state());
  EXPECT_NE(refusal.find("is a damaged coordinator's database"), std::string::npos) << refusal;
}

TEST(SqliteStore, ReleasedVersionsCannotBeChangedByAnyStatement) {
  const TemporaryFolder folder;
  {
    const auto store = opened(folder.state());
    ASSERT_TRUE(store->put_blob(bytes_of_blob(0)).ok());
    ASSERT_EQ(make_call(*store, {0, 0, 0, 0}), "done");
    ASSERT_EQ(make_call(*store, {14, 0, 0, 0}), "done");
  }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((folder.state() / "coordinator.db").c_str(), &database), SQLITE_OK);
  for (const char* sql : {"UPDATE version SET contributions = 1", "DELETE FROM version",
                          "UPDATE task SET next_round = next_round - 1", "UPDATE evaluation SET people = 1",
                          "DELETE FROM evaluation"})
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_CONSTRAINT) << sql;
  sqlite3_close(database);
}

TEST(SqliteStore, ABlobThatTheDiskChangedIsNotGivenAndIsHealedByPuttingIt) {
  const TemporaryFolder folder;
  const auto store = opened(folder.state());
  const std::string hash = store->put_blob("what it was").value();
  const fs::path path = folder.state() / "blobs" / hex(hash).substr(0, 2) / hex(hash);
  std::ofstream(path) << "what it is!";
  const auto read = store->blob(hash);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, Code::bad_input);
  EXPECT_EQ(store->put_blob("what it was").value(), hash);
  EXPECT_EQ(store->blob(hash).value(), "what it was");
}

TEST(SqliteStore, NamesFromOutsideMakeNoPaths) {
  const TemporaryFolder folder;
  const auto store = opened(folder.state());
  for (const std::string& name : {std::string("../coordinator.db"), std::string(), std::string(31, 'a'),
                                  std::string("../../../../../../../etc/passwd\0", 32)}) {
    const auto read = store->blob(name);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, Code::not_found);
  }
}

TEST(SqliteStore, WhatACrashLeftHalfMadeIsRemoved) {
  const TemporaryFolder folder;
  opened(folder.state()).reset();
  std::ofstream(folder.state() / "blobs" / "new-0") << "half";
  const auto store = opened(folder.state());
  EXPECT_FALSE(fs::exists(folder.state() / "blobs" / "new-0"));
}

}  // namespace
}  // namespace sotto::server::sqlite_store_test
