#include "server/store_database.h"

#include <fmt/format.h>

#include "server/gated_files.h"
#include "server/store_schema.h"

namespace sotto {

namespace fs = std::filesystem;

namespace {

constexpr int patience_ms = 5'000;  // a person may be looking at the file with another program

Error damaged(const std::string& path, const std::string& what) {
  return fail(Code::bad_input,
              fmt::format("'{}' is damaged ({}): stop, and put back the folder's last copy", path, what));
}

Error refused(sqlite3* database, int code, const std::string& path) {
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return fail(Code::io,
                  fmt::format("cannot write '{}': the disk is full; make room, it goes on then", path));
    case SQLITE_NOTADB:
      return fail(Code::incompatible,
                  fmt::format("'{}' is no database of a coordinator: give another folder", path));
    case SQLITE_CORRUPT:
      return damaged(path, sqlite3_errmsg(database));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(Code::io, fmt::format("another program keeps '{}' locked: close it and try again", path));
    default:
      return fail(Code::io, fmt::format("cannot use '{}': {}", path, sqlite3_errmsg(database)));
  }
}

// Held exclusively from the first statement on; without a shared index beside the file.
constexpr const char* before_looking = "PRAGMA locking_mode = EXCLUSIVE";
constexpr const char* settings =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;"
    "PRAGMA foreign_keys = ON;"
    "PRAGMA temp_store = MEMORY;"
    "PRAGMA cell_size_check = ON;"
    "PRAGMA trusted_schema = OFF";

}  // namespace

StoreQuery::~StoreQuery() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

StoreQuery& StoreQuery::bind(std::int64_t number) {
  bind_code_ |= sqlite3_bind_int64(statement_, ++bound_, number);
  return *this;
}

// The caller's bytes outlive the query: nothing is copied. A null pointer would bind NULL.
StoreQuery& StoreQuery::bind(std::string_view text) {
  const char* data = text.data() == nullptr ? "" : text.data();
  bind_code_ |= sqlite3_bind_text64(statement_, ++bound_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

StoreQuery& StoreQuery::bind(Octets octets) {
  const char* data = octets.bytes.data() == nullptr ? "" : octets.bytes.data();
  bind_code_ |= sqlite3_bind_blob64(statement_, ++bound_, data, octets.bytes.size(), SQLITE_STATIC);
  return *this;
}

Result<bool> StoreQuery::step() {
  if (bind_code_ != SQLITE_OK) return refused(database_, sqlite3_errcode(database_), path_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return refused(database_, code, path_);
}

Result<int> StoreQuery::run() {
  SOTTO_TRY(bool row, step());
  while (row) {
    SOTTO_TRY(row, step());
  }
  return sqlite3_changes(database_);
}

std::int64_t StoreQuery::number(int column) const { return sqlite3_column_int64(statement_, column); }

std::string StoreQuery::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  if (data == nullptr) return "";
  return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

StoreDatabase::StoreDatabase(std::string path, WriteGate* gate) : path_(std::move(path)) {
  if (gate != nullptr) vfs_ = std::make_unique<GatedVfs>(*gate);
}

StoreDatabase::~StoreDatabase() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(connection_);
}

Result<std::unique_ptr<StoreDatabase>> StoreDatabase::open(const fs::path& path, WriteGate* gate) {
  // Made here and not by SQLite, so that nobody else may ever read it; what SQLite puts beside it follows.
  const GatedFiles files(gate);
  SOTTO_TRY_DONE(files.make_file(path));
  SOTTO_TRY_DONE(files.sync_folder(path.parent_path()));
  std::unique_ptr<StoreDatabase> made(new StoreDatabase(path.string(), gate));
  SOTTO_TRY_DONE(made->connect());
  SOTTO_TRY_DONE(made->recognise());
  SOTTO_TRY_DONE(made->check_whole());
  return made;
}

Status StoreDatabase::connect() {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path_.c_str(), &connection_, flags, vfs_ ? vfs_->name() : nullptr);
  if (connection_ == nullptr) return fail(Code::io, "there is not enough memory for a database");
  if (code != SQLITE_OK) return refused(connection_, code, path_);
  sqlite3_extended_result_codes(connection_, 1);
  sqlite3_busy_timeout(connection_, patience_ms);
  return execute(before_looking);
}

// Looks before it writes: a file that is not ours stays as it is.
Status StoreDatabase::recognise() {
  SOTTO_TRY(const std::int64_t application, number("PRAGMA application_id"));
  SOTTO_TRY(const std::int64_t edition, number("PRAGMA user_version"));
  SOTTO_TRY(const std::int64_t things, number("SELECT count(*) FROM sqlite_master"));
  const bool is_new = application == 0 && edition == 0 && things == 0;
  if (!is_new && application != store_application)
    return fail(Code::incompatible,
                fmt::format("'{}' belongs to another program: give another folder", path_));
  if (!is_new && edition != schema_edition)
    return fail(
        Code::incompatible,
        fmt::format("'{}' has edition {} of the tables and this program knows {}: use the program that "
                    "made it, or give another folder",
                    path_, edition, schema_edition));
  SOTTO_TRY_DONE(execute(settings));
  if (!is_new) return Done{};
  return transaction([&]() -> Status {
    SOTTO_TRY_DONE(execute(store_schema));
    return execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", store_application, schema_edition)
            .c_str());
  });
}

Status StoreDatabase::check_whole() {
  SOTTO_TRY(const auto check, query("PRAGMA quick_check(1)"));
  SOTTO_TRY(const bool row, check->step());
  const std::string answer = row ? check->bytes(0) : "it says nothing";
  if (answer != "ok") return damaged(path_, answer);
  return Done{};
}

Status StoreDatabase::execute(const char* sql) {
  const int code = sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return refused(connection_, code, path_);
  return Done{};
}

Result<std::int64_t> StoreDatabase::number(const char* sql) {
  SOTTO_TRY(const auto made, query(sql));
  SOTTO_TRY(const bool row, made->step());
  return row ? made->number(0) : 0;
}

Result<sqlite3_stmt*> StoreDatabase::kept(const char* sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second;
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return refused(connection_, code, path_);
  statements_.emplace(sql, statement);
  return statement;
}

Status StoreDatabase::transaction(const std::function<Status()>& work) {
  SOTTO_TRY_DONE(execute("BEGIN IMMEDIATE"));
  Status done = work();
  if (done.ok()) done = execute("COMMIT");
  // The first failure is the one to tell; some failures have ended the transaction already.
  if (!done.ok() && sqlite3_get_autocommit(connection_) == 0) static_cast<void>(execute("ROLLBACK"));
  return done;
}

}  // namespace sotto
