// The half of the store that is about devices and their tokens.
#include <algorithm>

#include "server/sqlite_store.h"

namespace sotto::server {

namespace {

using Guard = std::lock_guard<std::mutex>;

template <std::size_t size>
Octets octets(const std::array<std::uint8_t, size>& bytes) {
  return Octets(std::as_bytes(std::span(bytes)));
}

Error no_device() { return fail(Code::not_found, "there is no such device"); }

// Columns are listed once, beside what reads them.
#define DEVICE_COLUMNS "number, id, key, revoked, enrolled_ms, last_seen_ms, home, moves, since_ms"
#define DEVICE_TABLES "device LEFT JOIN home ON home.device = device.id"
DeviceRecord read_device(const Query& row) {
  DeviceRecord device;
  const std::string id = row.text(1), key = row.text(2);
  std::copy_n(id.begin(), std::min(id.size(), device.id.size()), device.id.begin());
  std::copy_n(key.begin(), std::min(key.size(), device.key.size()), device.key.begin());
  device.index = static_cast<std::uint32_t>(row.number(0) - 1);
  device.revoked = row.number(3) != 0;
  device.enrolled_ms = row.number<std::int64_t>(4);
  device.last_seen_ms = row.number<std::int64_t>(5);
  if (row.is_null(6)) return device;
  DeviceHome& home = device.home.emplace();
  const std::string_view last = row.bytes(6);
  std::copy_n(last.begin(), std::min(last.size(), home.home.size()), home.home.begin());
  home.moves = row.number<std::uint32_t>(7);
  home.since_ms = row.number<std::int64_t>(8);
  return device;
}

}  // namespace

Status SqliteStore::add_tokens(std::span<const std::string> hashes) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    for (const std::string& hash : hashes) {
      SOTTO_TRY_DONE(database_->run("INSERT OR IGNORE INTO token (hash) VALUES (?)", {Octets(hash)}));
    }
    return Done{};
  });
}

Status SqliteStore::use_token(const std::string& token_hash, const DeviceId& id) {
  SOTTO_TRY(Query token, database_->query("SELECT used_by IS NULL, used_by FROM token WHERE hash = ?",
                                          {Octets(token_hash)}));
  SOTTO_TRY(const bool is_known, token.step());
  if (!is_known) return fail(Code::not_found, "there is no such token: ask the operator for one");
  if (token.number(0) == 0) {
    if (token.bytes(1) == octets(id).bytes) return Done{};
    return fail(Code::not_found, "the token was used by another device: ask the operator for a new one");
  }
  SOTTO_TRY_DONE(
      database_->run("UPDATE token SET used_by = ? WHERE hash = ?", {octets(id), Octets(token_hash)}));
  return Done{};
}

Result<DeviceRecord> SqliteStore::device_of(const DeviceId& id) {
  SOTTO_TRY(Query row,
            database_->query("SELECT " DEVICE_COLUMNS " FROM " DEVICE_TABLES " WHERE id = ?", {octets(id)}));
  SOTTO_TRY(const bool is_there, row.step());
  if (!is_there) return no_device();
  return read_device(row);
}

Result<DeviceRecord> SqliteStore::enrol(const std::string& token_hash, const PublicKey& key,
                                        std::int64_t now_ms) {
  const DeviceId id = device_id(key);
  DeviceRecord record;
  const Guard guard(one_at_a_time_);
  const Status done = database_->transaction([&]() -> Status {
    SOTTO_TRY_DONE(use_token(token_hash, id));
    SOTTO_TRY_DONE(
        database_->run("INSERT INTO device (id, key, revoked, enrolled_ms, last_seen_ms) "
                       "SELECT ?1, ?2, 0, ?3, ?3 WHERE NOT EXISTS (SELECT 1 FROM device WHERE id = ?1)",
                       {octets(id), octets(key), now_ms}));
    SOTTO_TRY(record, device_of(id));
    return Done{};
  });
  if (!done.ok()) return done.error();
  return record;
}

Status SqliteStore::each_device(const std::function<void(const DeviceRecord&)>& each) {
  const Guard guard(one_at_a_time_);
  SOTTO_TRY(Query rows, database_->query("SELECT " DEVICE_COLUMNS " FROM " DEVICE_TABLES " ORDER BY number"));
  while (true) {
    SOTTO_TRY(const bool row, rows.step());
    if (!row) return Done{};
    each(read_device(rows));
  }
}

Status SqliteStore::set_revoked(const DeviceId& id, bool revoked) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY_DONE(database_->run("UPDATE device SET revoked = ? WHERE id = ?", {revoked, octets(id)}));
    if (database_->changed() == 0) return no_device();
    return Done{};
  });
}

Status SqliteStore::set_home(const DeviceId& id, const DeviceHome& home) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY_DONE(
        database_->run("INSERT OR REPLACE INTO home (device, home, moves, since_ms) SELECT ?1, ?2, ?3, ?4 "
                       "WHERE EXISTS (SELECT 1 FROM device WHERE id = ?1)",
                       {octets(id), octets(home.home), home.moves, home.since_ms}));
    return database_->changed() == 0 ? Status(no_device()) : Status(Done{});
  });
}

Status SqliteStore::forget(const DeviceId& id) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    SOTTO_TRY_DONE(database_->run("DELETE FROM device WHERE id = ?", {octets(id)}));
    if (database_->changed() == 0) return no_device();
    SOTTO_TRY_DONE(database_->run("UPDATE token SET used_by = x'' WHERE used_by = ?", {octets(id)}));
    return Done{};
  });
}

Status SqliteStore::note_seen(std::span<const Seen> seen) {
  const Guard guard(one_at_a_time_);
  return database_->transaction([&]() -> Status {
    for (const Seen& one : seen) {
      SOTTO_TRY_DONE(database_->run("UPDATE device SET last_seen_ms = ? WHERE id = ? AND last_seen_ms < ?1",
                                    {one.time_ms, octets(one.id)}));
    }
    return Done{};
  });
}

}  // namespace sotto::server
