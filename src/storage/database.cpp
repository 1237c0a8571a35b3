#include "storage/database.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <limits>

namespace sotto::storage {

namespace {

constexpr int patience_ms = 10'000;  // another program may be writing, or a person looking

template <class... Cases>
struct Visitor : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Visitor(Cases...) -> Visitor<Cases...>;

Error not_ours(const SqlConnection& of, const char* why) {
  return fail(Code::bad_input,
              fmt::format("'{}' is no {} of Sotto ({}): give another one", of.path, of.form.what, why));
}

Error damaged(const SqlConnection& of, std::string_view why) {
  return fail(Code::bad_input,
              fmt::format("'{}' is a damaged {} ({}): put back its last copy", of.path, of.form.what, why));
}

}  // namespace

int SqlValue::bind(sqlite3_stmt* statement, int place) const {
  // A null pointer would bind NULL.
  const auto data = [](std::string_view of) { return of.data() == nullptr ? "" : of.data(); };
  return std::visit(Visitor{
                        [&](std::monostate) { return sqlite3_bind_null(statement, place); },
                        [&](std::int64_t number) { return sqlite3_bind_int64(statement, place, number); },
                        [&](double number) { return sqlite3_bind_double(statement, place, number); },
                        [&](std::string_view text) {
                          return sqlite3_bind_text64(statement, place, data(text), text.size(),
                                                     SQLITE_TRANSIENT, SQLITE_UTF8);
                        },
                        [&](Octets octets) {
                          return sqlite3_bind_blob64(statement, place, data(octets.bytes),
                                                     octets.bytes.size(), SQLITE_TRANSIENT);
                        },
                    },
                    value_);
}

void CloseSqlite::operator()(sqlite3* connection) const { sqlite3_close(connection); }
void CloseSqlite::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Error SqlConnection::refused(int code) const {
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return fail(Code::io,
                  fmt::format("cannot write '{}': the disk is full; make room, it goes on then", path));
    case SQLITE_NOTADB:
      return not_ours(*this, "the file is no database");
    case SQLITE_CORRUPT:
      return damaged(*this, sqlite3_errmsg(handle.get()));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(Code::io, fmt::format("another program keeps '{}' locked: close it and try again", path));
    default:
      return fail(Code::io, fmt::format("cannot use '{}': {}", path, sqlite3_errmsg(handle.get())));
  }
}

Query::~Query() {
  if (statement_.empty()) return;
  sqlite3_reset(statement_.mapped().get());
  sqlite3_clear_bindings(statement_.mapped().get());
  connection_.statements.insert(std::move(statement_));
}

Result<bool> Query::step() {
  const int code = sqlite3_step(statement_.mapped().get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_.refused(code);
}

bool Query::is_null(int column) const {
  return sqlite3_column_type(statement_.mapped().get(), column) == SQLITE_NULL;
}

std::int64_t Query::integer(int column) const {
  return sqlite3_column_int64(statement_.mapped().get(), column);
}

double Query::real(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN()
                         : sqlite3_column_double(statement_.mapped().get(), column);
}

std::string_view Query::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.mapped().get(), column);
  return {static_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.mapped().get(), column))};
}

Result<Database> Database::open(const std::string& path, const DatabaseForm& form, Access access,
                                const std::function<Status(Database&)>& begin, const char* files) {
  auto connection = std::make_unique<SqlConnection>(SqlConnection{path, form, nullptr, {}});
  const auto connect = [&](int flags) {
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, files);
    connection->handle.reset(handle);
    return code;
  };
  int code = connect(SQLITE_OPEN_READWRITE | (access == Access::write ? SQLITE_OPEN_CREATE : 0));
  // A file that may only be read is good enough.
  if (code != SQLITE_OK && access == Access::read) code = connect(SQLITE_OPEN_READONLY);
  if (connection->handle == nullptr) return fail(Code::io, path + ": there is not enough memory");
  if (code != SQLITE_OK) return connection->refused(code);
  sqlite3_extended_result_codes(connection->handle.get(), 1);
  sqlite3_busy_timeout(connection->handle.get(), patience_ms);
  Database database(std::move(connection));
  if (form.alone) SOTTO_TRY_DONE(database.execute("PRAGMA locking_mode = EXCLUSIVE"));
  SOTTO_TRY(const std::uint64_t found, database.version(access));
  if (found == 0 && access == Access::read) return not_ours(*database.connection_, "it is empty");
  SOTTO_TRY_DONE(database.execute(form.settings));
  if (found == form.version) return database;
  const Status begun = database.transaction([&]() -> Status {
    // Another process may have been faster.
    SOTTO_TRY(const std::uint64_t still, database.version(access));
    if (still == form.version) return Done{};
    SOTTO_TRY_DONE(database.execute(fmt::format("{}; PRAGMA application_id = {}; PRAGMA user_version = {}",
                                                still == 0 ? form.tables : form.upgrade, form.application,
                                                form.version)));
    return still == 0 && begin ? begin(database) : Done{};
  });
  if (!begun.ok()) return begun.error();
  return database;
}

Result<std::uint64_t> Database::version(Access access) const {
  SOTTO_TRY(const std::uint64_t application, number("PRAGMA application_id"));
  SOTTO_TRY(const std::uint64_t version, number("PRAGMA user_version"));
  SOTTO_TRY(const std::uint64_t things, number("SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && version == 0 && things == 0) return version;
  const DatabaseForm& form = connection_->form;
  if (application != form.application) return not_ours(*connection_, "it belongs to another program");
  const bool can_upgrade = access == Access::write && *form.upgrade != '\0';
  if (version == form.version || (can_upgrade && version + 1 == form.version)) return version;
  return fail(Code::incompatible,
              fmt::format("'{}' is a {} of version {} and this program knows {}: use the program "
                          "that made it, or give another one",
                          path(), form.what, version, form.version));
}

Status Database::execute(const std::string& sql) const {
  const int code = sqlite3_exec(connection_->handle.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return connection_->refused(code);
  return Done{};
}

Result<Query> Database::query(std::string_view sql, SqlValues values) const {
  SqlConnection::Statements& kept = connection_->statements;
  const auto found = kept.find(sql);
  // Taken out while it is used: whoever asks the same in between gets another statement.
  SqlConnection::Statements::node_type statement;
  if (found != kept.end()) {
    statement = kept.extract(found);
  } else {
    sqlite3_stmt* made = nullptr;
    const int code = sqlite3_prepare_v3(connection_->handle.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    if (code != SQLITE_OK) return connection_->refused(code);
    SqlConnection::Statements one;
    one.emplace(sql, made);
    statement = one.extract(one.begin());
  }
  int place = 0;
  for (const SqlValue& value : values)
    if (const int code = value.bind(statement.mapped().get(), ++place); code != SQLITE_OK)
      return connection_->refused(code);
  return Query(*connection_, std::move(statement));
}

Status Database::run(std::string_view sql, SqlValues values) const {
  SOTTO_TRY(Query query, this->query(sql, values));
  SOTTO_TRY(bool row, query.step());
  while (row) {
    SOTTO_TRY(row, query.step());
  }
  return Done{};
}

int Database::changed() const { return sqlite3_changes(connection_->handle.get()); }

Result<std::uint64_t> Database::number(std::string_view sql, SqlValues values) const {
  SOTTO_TRY(Query query, this->query(sql, values));
  SOTTO_TRY(const bool row, query.step());
  return row ? query.number(0) : 0;
}

Status Database::transaction(const std::function<Status()>& work) {
  sqlite3* handle = connection_->handle.get();
  if (sqlite3_get_autocommit(handle) == 0) return work();
  SOTTO_TRY_DONE(execute("BEGIN IMMEDIATE"));
  Status done = work();
  if (done.ok()) done = execute("COMMIT");
  // The first failure is the one to report; some failures have ended the transaction already.
  if (!done.ok() && sqlite3_get_autocommit(handle) == 0) static_cast<void>(execute("ROLLBACK"));
  return done;
}

Status Database::check_whole() const {
  SOTTO_TRY(Query check, query("PRAGMA quick_check(1)"));
  SOTTO_TRY(const bool row, check.step());
  const std::string answer = row ? check.text(0) : "it says nothing";
  if (answer != "ok") return damaged(*connection_, answer);
  return Done{};
}

}  // namespace sotto::storage
