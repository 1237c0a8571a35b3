// Database: one SQLite file of Sotto, with Results in place of return codes. The vault, the coordinator's
// store and the results of studies are kept in such files.
//
// Laws: a file of another program or version is refused before anything is written to it (one of the version
// before is brought up to date where its form says how); what a transaction did is durable when it returns,
// or has not happened, also when the process is killed; a failure names file, cause and remedy, and no value.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace sotto::storage {

// What a kind of file is: its own marks, which tell it from others, and what it begins with.
struct DatabaseForm {
  const char* what;               // "vault", for messages
  std::uint32_t application = 0;  // whose file it is
  std::uint32_t version = 0;      // of its tables
  const char* settings = "";      // SQL for each connection
  const char* tables = "";        // SQL for a new file
  bool alone = false;             // one process at a time has the file, from the first look on
  const char* upgrade = "";       // SQL for a file of the version before; "": it is refused
};

// Bytes to keep as they are; other text is kept as UTF-8.
struct Octets {
  std::string_view bytes;
  explicit Octets(std::string_view of) : bytes(of) {}
  explicit Octets(std::span<const std::byte> of)
      : bytes(reinterpret_cast<const char*>(of.data()), of.size()) {}
};

// What stands for a `?`. It refers to texts and bytes, which SQLite copies.
class SqlValue {
 public:
  template <class Number>
  requires std::integral<Number> || std::is_enum_v<Number> SqlValue(Number number)
      : value_(static_cast<std::int64_t>(number)) {}
  SqlValue(double number) : value_(number) {}  // SQLite keeps what is no number as NULL
  template <std::convertible_to<std::string_view> Text>
  SqlValue(const Text& text) : value_(std::string_view(text)) {}
  SqlValue(Octets octets) : value_(octets) {}
  template <class Value>
  SqlValue(const std::optional<Value>& value) {  // none: NULL
    if (value) *this = SqlValue(*value);
  }

  [[nodiscard]] int bind(sqlite3_stmt* statement, int place) const;

 private:
  std::variant<std::monostate, std::int64_t, double, std::string_view, Octets> value_;
};
using SqlValues = std::initializer_list<SqlValue>;

struct CloseSqlite {
  void operator()(sqlite3* connection) const;
  void operator()(sqlite3_stmt* statement) const;
};

// A connection, and its statements for the next who asks the same.
struct SqlConnection {
  using Statements = std::map<std::string, std::unique_ptr<sqlite3_stmt, CloseSqlite>, std::less<>>;

  [[nodiscard]] Error refused(int code) const;

  std::string path;
  DatabaseForm form;
  std::unique_ptr<sqlite3, CloseSqlite> handle;
  Statements statements;
};

// The rows of one question. Columns are counted from 0. The database outlives it.
class Query {
 public:
  Query(SqlConnection& connection, SqlConnection::Statements::node_type statement)
      : connection_(connection), statement_(std::move(statement)) {}
  Query(Query&&) = default;
  Query& operator=(Query&&) = delete;
  ~Query();

  // True while there is a row to look at.
  [[nodiscard]] Result<bool> step();

  [[nodiscard]] bool is_null(int column) const;
  template <class Number = std::uint64_t>
  [[nodiscard]] Number number(int column) const {
    return static_cast<Number>(integer(column));
  }
  [[nodiscard]] double real(int column) const;             // NULL is not a number
  [[nodiscard]] std::string_view bytes(int column) const;  // text too; until the next step
  [[nodiscard]] std::string text(int column) const { return std::string(bytes(column)); }

 private:
  [[nodiscard]] std::int64_t integer(int column) const;

  SqlConnection& connection_;
  SqlConnection::Statements::node_type statement_;
};

enum class Access : std::uint8_t { read, write };  // write: the file is made if there is none

class Database {  // one thread at a time
 public:
  // `begin` fills a new file in one transaction with its tables. `files`: the name of SQLite's way to the
  // disk.
  [[nodiscard]] static Result<Database> open(const std::string& path, const DatabaseForm& form, Access access,
                                             const std::function<Status(Database&)>& begin = {},
                                             const char* files = nullptr);

  [[nodiscard]] const std::string& path() const { return connection_->path; }
  // Statements without parameters and rows, separated by semicolons.
  [[nodiscard]] Status execute(const std::string& sql) const;
  // The values stand for the question marks, in their order.
  [[nodiscard]] Result<Query> query(std::string_view sql, SqlValues values = {}) const;
  // A statement that gives no rows.
  [[nodiscard]] Status run(std::string_view sql, SqlValues values = {}) const;
  // How many rows the last one changed.
  [[nodiscard]] int changed() const;
  // The number in the first row, such as a pragma's; 0 where there is no row.
  [[nodiscard]] Result<std::uint64_t> number(std::string_view sql, SqlValues values = {}) const;
  // All that `work` does, or nothing. Inside another transaction it is part of that one.
  [[nodiscard]] Status transaction(const std::function<Status()>& work);
  // Reads every page: a damaged file is refused.
  [[nodiscard]] Status check_whole() const;

 private:
  explicit Database(std::unique_ptr<SqlConnection> connection) : connection_(std::move(connection)) {}
  // The version of the file's tables; 0: nothing is in it yet.
  [[nodiscard]] Result<std::uint64_t> version(Access access) const;

  std::unique_ptr<SqlConnection> connection_;
};

}  // namespace sotto::storage
