// Database: one SQLite file, with Results in place of return codes.
//
// Laws: a transaction that was not committed leaves no trace, also when the process is killed; every failure
// names the file. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/codec.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace sotto {

// One prepared statement. Parameters and columns are counted from 0.
class Query {
 public:
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  Query(Query&& other) noexcept;
  Query& operator=(Query&&) = delete;
  ~Query();

  Query& bind(int parameter, std::string_view text);
  Query& bind(int parameter, std::uint64_t number);
  Query& bind(int parameter, double number);  // what is no number is kept as NULL
  Query& bind(int parameter, std::span<const std::byte> bytes);
  Query& bind_null(int parameter);

  // True while there is a row to look at.
  [[nodiscard]] Result<bool> step();
  // Runs a statement that gives no rows, and makes it ready for other values.
  [[nodiscard]] Status run();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::uint64_t number(int column) const;
  [[nodiscard]] double real(int column) const;                       // NULL is not a number
  [[nodiscard]] std::span<const std::byte> bytes(int column) const;  // until the next step

 private:
  friend class Database;
  Query(sqlite3* database, sqlite3_stmt* statement, std::string path)
      : database_(database), statement_(statement), path_(std::move(path)) {}

  sqlite3* database_;
  sqlite3_stmt* statement_;
  std::string path_;
};

enum class Access : std::uint8_t { read, write };  // write: the file is made if there is none

class Database {
 public:
  [[nodiscard]] static Result<Database> open(const std::string& path, Access access);
  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;

  [[nodiscard]] const std::string& path() const { return path_; }
  // Statements without parameters and rows, separated by semicolons.
  [[nodiscard]] Status execute(const std::string& sql);
  [[nodiscard]] Result<Query> prepare(std::string_view sql) const;
  // All that `work` does, or nothing. Inside another transaction it is part of that one.
  [[nodiscard]] Status transaction(const std::function<Status()>& work);
  // A single number, such as a pragma's.
  [[nodiscard]] Result<std::uint64_t> number(const std::string& sql) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  Database(std::unique_ptr<sqlite3, Close> handle, std::string path)
      : handle_(std::move(handle)), path_(std::move(path)) {}

  std::unique_ptr<sqlite3, Close> handle_;
  std::string path_;
  bool inside_ = false;  // a transaction is open
};

}  // namespace sotto
