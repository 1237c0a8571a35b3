// StoreDatabase: the coordinator's SQLite file. One connection, full sync, prepared statements that are kept.
//
// Laws: what a transaction did is on the disk when it returns, or has not happened; every failure names the
// file, the cause and the remedy, and no value of a row. One thread at a time, one process at a time.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "server/gated_vfs.h"

namespace sotto {

// Bytes to bind as they are; what is bound without it is text.
struct Octets {
  std::string_view bytes;
};

// One use of a kept statement: bind, walk, and it is ready for the next. Columns are counted from 0.
class StoreQuery {
 public:
  StoreQuery(sqlite3* database, sqlite3_stmt* statement, const std::string& path)
      : database_(database), statement_(statement), path_(path) {}
  StoreQuery(const StoreQuery&) = delete;
  StoreQuery& operator=(const StoreQuery&) = delete;
  ~StoreQuery();

  // The next parameter's value.
  StoreQuery& bind(std::int64_t number);
  StoreQuery& bind(std::string_view text);
  StoreQuery& bind(Octets octets);

  // True while there is a row to look at.
  [[nodiscard]] Result<bool> step();
  // Runs it to its end; the number of rows it changed.
  [[nodiscard]] Result<int> run();

  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] std::string bytes(int column) const;  // text too

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_;
  const std::string& path_;
  int bound_ = 0;
  int bind_code_ = SQLITE_OK;
};

class StoreDatabase {
 public:
  // The file is made, for its owner alone, if there is none; one of another program or version, or a damaged
  // one, is refused. `gate` may be none.
  [[nodiscard]] static Result<std::unique_ptr<StoreDatabase>> open(const std::filesystem::path& path,
                                                                   WriteGate* gate);
  StoreDatabase(const StoreDatabase&) = delete;
  StoreDatabase& operator=(const StoreDatabase&) = delete;
  ~StoreDatabase();

  // `sql` is a literal: its address names the kept statement. Values are bound in their order.
  template <class... Values>
  [[nodiscard]] Result<std::unique_ptr<StoreQuery>> query(const char* sql, const Values&... values) {
    SOTTO_TRY(sqlite3_stmt * statement, kept(sql));
    auto made = std::make_unique<StoreQuery>(connection_, statement, path_);
    (made->bind(values), ...);
    return made;
  }
  // A statement that gives no rows; the number of rows it changed.
  template <class... Values>
  [[nodiscard]] Result<int> run(const char* sql, const Values&... values) {
    SOTTO_TRY(auto made, query(sql, values...));
    return made->run();
  }
  // All that `work` does, or nothing.
  [[nodiscard]] Status transaction(const std::function<Status()>& work);

 private:
  StoreDatabase(std::string path, WriteGate* gate);
  [[nodiscard]] Status connect();
  [[nodiscard]] Status recognise();
  [[nodiscard]] Status check_whole();
  [[nodiscard]] Status execute(const char* sql);
  [[nodiscard]] Result<std::int64_t> number(const char* sql);
  [[nodiscard]] Result<sqlite3_stmt*> kept(const char* sql);

  std::string path_;
  std::unique_ptr<GatedVfs> vfs_;  // none: the system's
  sqlite3* connection_ = nullptr;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
};

}  // namespace sotto
