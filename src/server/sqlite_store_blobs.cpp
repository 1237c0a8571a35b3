// The blobs of a durable store: beside the database, which says which of them are masters of versions.
#include <set>

#include "server/sqlite_store.h"

namespace sotto::server {

Result<std::string> SqliteStore::put_blob(std::string_view bytes) { return blobs_.put(bytes); }

Result<std::string> SqliteStore::blob(const std::string& hash) { return blobs_.get(hash); }

Status SqliteStore::keep_blobs(std::span<const std::string> hashes) {
  const std::set<std::string> wanted(hashes.begin(), hashes.end());
  std::set<std::string> masters;
  {
    const std::lock_guard<std::mutex> guard(one_at_a_time_);
    SOTTO_TRY(Query rows, database_->query("SELECT DISTINCT master FROM version"));
    while (true) {
      SOTTO_TRY(const bool row, rows.step());
      if (!row) break;
      masters.insert(rows.text(0));
    }
  }
  return blobs_.sweep(
      [&](const std::string& hash) { return wanted.contains(hash) || masters.contains(hash); });
}

}  // namespace sotto::server
