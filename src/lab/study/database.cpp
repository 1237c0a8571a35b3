#include "lab/study/database.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <cmath>
#include <limits>
#include <utility>

namespace sotto {

namespace {

constexpr int patience_ms = 60'000;  // another program may be writing its cell

Error refused(sqlite3* database, const std::string& path) {
  const int code = sqlite3_errcode(database) & 0xFF;
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
    return fail(Code::bad_input, fmt::format("{}: no results file of Sotto, or a damaged one", path));
  if (code == SQLITE_BUSY)
    return fail(Code::io, fmt::format("{}: another program keeps the file locked: try again later", path));
  return fail(Code::io, fmt::format("{}: {}", path, sqlite3_errmsg(database)));
}

}  // namespace

Query::Query(Query&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)),
      path_(std::move(other.path_)) {}

Query::~Query() { sqlite3_finalize(statement_); }

Query& Query::bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(statement_, parameter + 1, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Query& Query::bind(int parameter, std::uint64_t number) {
  sqlite3_bind_int64(statement_, parameter + 1, static_cast<sqlite3_int64>(number));
  return *this;
}

Query& Query::bind(int parameter, double number) {
  if (std::isnan(number)) return bind_null(parameter);
  sqlite3_bind_double(statement_, parameter + 1, number);
  return *this;
}

Query& Query::bind(int parameter, std::span<const std::byte> bytes) {
  sqlite3_bind_blob64(statement_, parameter + 1, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  return *this;
}

Query& Query::bind_null(int parameter) {
  sqlite3_bind_null(statement_, parameter + 1);
  return *this;
}

Result<bool> Query::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return refused(database_, path_);
}

Status Query::run() {
  SOTTO_TRY([[maybe_unused]] const bool row, step());
  sqlite3_reset(statement_);
  return Done{};
}

bool Query::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::string Query::text(int column) const {
  const unsigned char* letters = sqlite3_column_text(statement_, column);
  if (letters == nullptr) return "";
  return {reinterpret_cast<const char*>(letters),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::uint64_t Query::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
}

double Query::real(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN()
                         : sqlite3_column_double(statement_, column);
}

std::span<const std::byte> Query::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  return {static_cast<const std::byte*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<Database> Database::open(const std::string& path, Access access) {
  sqlite3* handle = nullptr;
  const int flags =
      access == Access::read ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  if (code != SQLITE_OK && access == Access::read) {  // a file that may only be read is good enough
    sqlite3_close(handle);
    code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr);
  }
  std::unique_ptr<sqlite3, Close> owned(handle);
  if (handle == nullptr) return fail(Code::io, fmt::format("{}: there is not enough memory", path));
  if (code != SQLITE_OK) return refused(handle, path);
  sqlite3_busy_timeout(handle, patience_ms);
  return Database(std::move(owned), path);
}

Status Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return refused(handle_.get(), path_);
  return Done{};
}

Result<Query> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return refused(handle_.get(), path_);
  return Query(handle_.get(), statement, path_);
}

Status Database::transaction(const std::function<Status()>& work) {
  if (inside_) return work();
  SOTTO_TRY_DONE(execute("BEGIN IMMEDIATE"));
  inside_ = true;
  Status done = work();
  inside_ = false;
  if (done.ok()) done = execute("COMMIT");
  if (!done.ok()) static_cast<void>(execute("ROLLBACK"));  // the first failure is the one to tell
  return done;
}

Result<std::uint64_t> Database::number(const std::string& sql) const {
  SOTTO_TRY(Query query, prepare(sql));
  SOTTO_TRY(const bool row, query.step());
  return row ? query.number(0) : 0;
}

}  // namespace sotto
