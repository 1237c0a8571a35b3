#include "device/sealed_records.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <map>
#include <system_error>
#include <vector>

#include "base/codec.h"
#include "device/seal.h"

namespace sotto::device {

namespace {

constexpr std::size_t least_step = 256;
constexpr std::size_t most_name = 4096;

std::span<const std::uint8_t> octets(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
std::string_view text_in(const Bytes32& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Octets bytes_of(const Bytes32& hash) { return Octets(text_in(hash)); }

// What was removed is overwritten, here and in what is written back from the log.
constexpr DatabaseForm vault_form{
    .what = "vault",
    .application = 0x534F5456,
    .version = 1,
    .settings =
        "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;"
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;",
    // In the order of hashed names: where a record lies says nothing about when it was written.
    .tables =
        "CREATE TABLE opening (name BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID;"
        "CREATE TABLE record (name BLOB PRIMARY KEY, kind BLOB, sealed BLOB) WITHOUT ROWID",
};

// Name, value and zeros, so that the length says little.
std::string padded(std::string_view name, std::string_view value) {
  Writer out;
  out.text(name).number(static_cast<std::uint64_t>(value.size())).raw(std::as_bytes(std::span(value)));
  const std::size_t step = std::max(least_step, std::bit_floor(out.size()) / 8);
  std::string text((out.size() + step - 1) / step * step, '\0');
  std::copy_n(reinterpret_cast<const char*>(out.view().data()), out.size(), text.data());
  return text;
}

struct Parts {
  std::string name;
  std::string_view value;
};
Parts parts_of(std::string_view plain) {
  Reader in(std::as_bytes(std::span(plain)));
  Parts parts{.name = in.text(most_name), .value = {}};
  const auto value = in.raw(in.number<std::uint64_t>());
  parts.value = {reinterpret_cast<const char*>(value.data()), value.size()};
  return parts;
}

// The file is there and its owner's alone before anything is in it.
Status make_file(const std::string& path) {
  const int number = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (number < 0)
    return fail(Code::io,
                fmt::format("cannot make the vault '{}': {}", path, std::generic_category().message(errno)));
  ::close(number);
  return Done{};
}

}  // namespace

const char* to_string(RecordKind kind) {
  switch (kind) {
    case RecordKind::identity:
      return "the device's identity";
    case RecordKind::policy:
      return "the policy";
    case RecordKind::item:
      return "an item";
    case RecordKind::model:
      return "a model";
    case RecordKind::catalogue:
      return "a catalogue";
    case RecordKind::own_row:
      return "the private row";
    case RecordKind::last_round:
      return "the last round";
    case RecordKind::nonce:
      return "the nonces";
    case RecordKind::ledger_key:
      return "the ledger's key";
    case RecordKind::ledger_line:
      return "a line of the ledger";
    case RecordKind::ledger_head:
      return "the ledger's head";
    case RecordKind::note:
      return "a note";
    case RecordKind::task:
      return "a task";
    case RecordKind::homes:
      return "where it lived";
    case RecordKind::example:
      return "an example";
    case RecordKind::attributes:
      return "the attributes";
  }
  return "a record of a later version";
}

Result<SealedRecords> SealedRecords::open(const std::string& path, const VaultKey& key, Making making,
                                          OpenFor purpose) {
  if (sodium_init() < 0) return fail(Code::io, "the system gives no random numbers: no vault can be opened");
  if (making == Making::if_missing) SOTTO_TRY_DONE(make_file(path));
  if (::access(path.c_str(), F_OK) != 0)
    return fail(Code::not_found,
                fmt::format("{}: there is no vault; make one with 'sotto device init'", path));
  const auto begin = [&](const Database& database) -> Status {
    if (making == Making::if_missing)
      return VaultOpening(database).put(key, Secret(system_key()), Residence::here);
    return fail(Code::not_found,
                fmt::format("{}: the vault is empty; make one with 'sotto device init'", path));
  };
  SOTTO_TRY(Database database, Database::open(path, vault_form, Access::write, begin));
  SealedRecords records(std::move(database));
  SOTTO_TRY(const std::optional<Residence> there, records.opening().residence());
  const bool fits = there == Residence::here        ? purpose != OpenFor::arrival
                    : there == Residence::moved_out ? purpose == OpenFor::move_out
                    : there == Residence::moving_in ? purpose == OpenFor::arrival
                                                    : false;
  if (!fits) return records.not_here(there);
  SOTTO_TRY_DONE(records.unlock(key, *there));
  return records;
}

Result<VaultState> SealedRecords::look(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return VaultState();
  const auto empty = [&](const Database&) -> Status { return fail(Code::not_found, path + ": it is empty"); };
  auto database = Database::open(path, vault_form, Access::write, empty);
  if (!database.ok() && database.error().code == Code::not_found) return VaultState();
  if (!database.ok()) return database.error();
  return SealedRecords(std::move(*database)).state();
}

Result<SealedRecords> SealedRecords::refill(const std::string& path, const VaultKey& key, const MoveId& move,
                                            const std::function<Status(SealedRecords&)>& fill) {
  if (sodium_init() < 0) return fail(Code::io, "the system gives no random numbers: no vault can be made");
  SOTTO_TRY_DONE(make_file(path));
  SOTTO_TRY(Database database, Database::open(path, vault_form, Access::write));
  SealedRecords records(std::move(database));
  const Status filled = records.database_.transaction([&]() -> Status {
    SOTTO_TRY(const std::optional<Residence> there, records.opening().residence());
    if (there == Residence::here) return records.not_here(there);
    const Secret file_key(system_key());
    // The trigger goes with the row that it belongs to.
    SOTTO_TRY_DONE(records.opening().move(Residence::moved_out, Residence::moving_in));
    SOTTO_TRY_DONE(records.database_.execute("DELETE FROM record"));
    SOTTO_TRY_DONE(records.opening().put(key, file_key, Residence::moving_in));
    SOTTO_TRY_DONE(records.opening().set_move_id(move));
    SOTTO_TRY(const std::optional<std::string> kept, records.opening().sealed_key(Residence::moving_in));
    records.use(file_key, Residence::moving_in, kept.value_or(""));
    return fill(records);
  });
  SOTTO_TRY_DONE(filled);
  return records;
}

Status SealedRecords::unlock(const VaultKey& key, Residence residence) {
  // Before it is opened: if it changes in between, that shows.
  SOTTO_TRY(const std::optional<std::string> kept, opening().sealed_key(residence));
  SOTTO_TRY(const Secret file_key, opening().file_key(key, residence));
  use(file_key, residence, kept.value_or(""));
  return Done{};
}

void SealedRecords::use(const Secret& file_key, Residence residence, const std::string& sealed_key) {
  keys_ = std::make_unique<const Keys>(
      Keys{.names = file_key.derive("sotto vault names"), .values = file_key.derive("sotto vault values")});
  residence_ = residence;
  sealed_key_ = sealed_key;
}

Error SealedRecords::not_here(std::optional<Residence> residence) const {
  if (residence == Residence::moved_out)
    return fail(
        Code::not_found,
        fmt::format("{}: this device has moved to another machine and answers no more here; if its "
                    "file is lost and was never taken in, write it again with 'sotto device move-out'; "
                    "'sotto device move-in' of that file in this folder takes the device back",
                    path()));
  if (residence == Residence::moving_in)
    return fail(Code::not_found,
                fmt::format("{}: this device has not arrived yet: run 'sotto device move-in' "
                            "again with the same file",
                            path()));
  if (residence) return fail(Code::usage, fmt::format("{}: this device is here already", path()));
  return fail(Code::not_found, fmt::format("{}: this vault was destroyed", path()));
}

Status SealedRecords::check_current() const {
  SOTTO_TRY(const std::optional<std::string> kept, opening().sealed_key(residence_));
  if (kept == sealed_key_) return Done{};
  SOTTO_TRY(const std::optional<Residence> residence, opening().residence());
  if (residence != residence_) return not_here(residence);
  return fail(Code::io,
              fmt::format("{}: another program has changed the key of this vault: open it again", path()));
}

Status SealedRecords::transaction(const std::function<Status()>& work) {
  return database_.transaction([&]() -> Status {
    SOTTO_TRY_DONE(check_current());
    return work();
  });
}

Bytes32 SealedRecords::Keys::hashed(RecordKind kind, std::string_view name) const {
  const auto number = static_cast<std::uint8_t>(kind);
  return names.derive("record", {std::span(&number, 1), octets(name)}).on_device();
}

// Kinds are hashed too: a vault does not say which of its records are items.
Bytes32 SealedRecords::Keys::hashed(RecordKind kind) const {
  return names.derive("kind", static_cast<std::uint64_t>(kind)).on_device();
}

Result<std::string> SealedRecords::opened(RecordKind kind, const Bytes32& hash,
                                          std::string_view sealed_text) const {
  std::optional<std::string> plain = unsealed(keys_->values, sealed_text, text_in(hash));
  if (!plain)
    return fail(Code::bad_input,
                fmt::format("{}: {} in the vault was changed, or stands under another's name: nothing of it "
                            "is used",
                            path(), to_string(kind)));
  return std::move(*plain);
}

Result<std::optional<std::string>> SealedRecords::get(RecordKind kind, std::string_view name) const {
  const Bytes32 hash = keys_->hashed(kind, name);
  SOTTO_TRY(Query query, database_.query("SELECT sealed FROM record WHERE name = ?", {bytes_of(hash)}));
  SOTTO_TRY(const bool row, query.step());
  // After it was read: what another process did before shows here.
  SOTTO_TRY_DONE(check_current());
  if (!row) return std::optional<std::string>();
  SOTTO_TRY(std::string plain, opened(kind, hash, query.bytes(0)));
  const Parts parts = parts_of(plain);
  std::optional<std::string> out(parts.value);
  sodium_memzero(plain.data(), plain.size());
  return out;
}

Status SealedRecords::put(RecordKind kind, std::string_view name, std::string_view value) {
  return transaction([&] { return put_under(*keys_, kind, name, value); });
}

Status SealedRecords::put_under(const Keys& keys, RecordKind kind, std::string_view name,
                                std::string_view value) {
  if (name.size() > most_name)
    return fail(Code::usage, fmt::format("a name has up to {} letters", most_name));
  const Bytes32 hash = keys.hashed(kind, name);
  std::string plain = padded(name, value);
  const std::string closed = sealed(keys.values, plain, text_in(hash));
  sodium_memzero(plain.data(), plain.size());
  return database_.run("INSERT OR REPLACE INTO record VALUES (?, ?, ?)",
                       {bytes_of(hash), bytes_of(keys.hashed(kind)), Octets(closed)});
}

Status SealedRecords::remove(RecordKind kind, std::string_view name) {
  return transaction([&] {
    return database_.run("DELETE FROM record WHERE name = ?", {bytes_of(keys_->hashed(kind, name))});
  });
}

Status SealedRecords::each(RecordKind kind, const Each& each) const {
  SOTTO_TRY(Query query, database_.query("SELECT name, sealed FROM record WHERE kind = ?",
                                         {bytes_of(keys_->hashed(kind))}));
  while (true) {
    SOTTO_TRY(const bool row, query.step());
    if (!row) return check_current();
    SOTTO_TRY_DONE(visit(kind, query.bytes(0), query.bytes(1), each));
  }
}

Status SealedRecords::visit(RecordKind kind, std::string_view kept_name, std::string_view sealed_text,
                            const Each& each) const {
  Bytes32 hash{};
  if (kept_name.size() == hash.size()) std::copy(kept_name.begin(), kept_name.end(), hash.begin());
  SOTTO_TRY(std::string plain, opened(kind, hash, sealed_text));
  const Parts parts = parts_of(plain);
  // A record of another kind under this one's mark would have another name.
  if (keys_->hashed(kind, parts.name) != hash)
    return fail(Code::bad_input, fmt::format("{}: a record of the vault stands among others' kind", path()));
  SOTTO_TRY_DONE(each(parts.name, parts.value));
  sodium_memzero(plain.data(), plain.size());
  return Done{};
}

Status SealedRecords::each(const EachOfAll& each) const {
  std::map<std::string, RecordKind, std::less<>> kinds;
  for (unsigned n = 0; n <= UINT8_MAX; ++n) {
    const auto kind = static_cast<RecordKind>(n);
    kinds.emplace(text_in(keys_->hashed(kind)), kind);
  }
  // Their names first: `each` may take a record away.
  std::vector<std::string> names;
  {
    SOTTO_TRY(Query query, database_.query("SELECT name FROM record"));
    SOTTO_TRY(bool row, query.step());
    while (row) {
      names.push_back(query.text(0));
      SOTTO_TRY(row, query.step());
    }
  }
  for (const std::string& name : names) {
    SOTTO_TRY(Query query, database_.query("SELECT kind, sealed FROM record WHERE name = ?",
                                           {Octets(std::string_view(name))}));
    SOTTO_TRY(const bool row, query.step());
    const auto kind = row ? kinds.find(query.bytes(0)) : kinds.end();
    if (kind == kinds.end())
      return fail(Code::bad_input, fmt::format("{}: a record of the vault is of no kind", path()));
    SOTTO_TRY_DONE(
        visit(kind->second, name, query.bytes(1),
              [&](std::string_view own, std::string_view value) { return each(kind->second, own, value); }));
  }
  return check_current();
}

Status SealedRecords::change_key(const std::function<Result<VaultKey>()>& make) {
  const Secret file_key(system_key());
  const Keys next{.names = file_key.derive("sotto vault names"),
                  .values = file_key.derive("sotto vault values")};
  std::optional<std::string> kept;
  const auto reseal = [&](RecordKind kind, std::string_view name, std::string_view value) -> Status {
    SOTTO_TRY_DONE(remove(kind, name));
    return put_under(next, kind, name, value);
  };
  const Status changed = transaction([&]() -> Status {
    SOTTO_TRY(const VaultKey key, make());
    SOTTO_TRY_DONE(each(reseal));
    SOTTO_TRY_DONE(opening().put(key, file_key, residence_));
    SOTTO_TRY(kept, opening().sealed_key(residence_));
    return Done{};
  });
  SOTTO_TRY_DONE(changed);
  use(file_key, residence_, kept.value_or(""));
  return overwrite_removed();
}

Result<VaultState> SealedRecords::state() const {
  VaultState state;
  SOTTO_TRY(state.residence, opening().residence());
  if (!state.residence) return state;
  SOTTO_TRY(state.move, opening().move_id());
  SOTTO_TRY(const std::optional<std::string> kept, opening().sealed_key(*state.residence));
  state.mark = digest_of("sotto vault mark", {octets(kept.value_or(""))});
  return state;
}

Status SealedRecords::move_out(const MoveId& move) {
  if (residence_ == Residence::moved_out) return Done{};
  const Status left = transaction([&]() -> Status {
    SOTTO_TRY_DONE(opening().set_move_id(move));
    return opening().move(residence_, Residence::moved_out);
  });
  SOTTO_TRY_DONE(left);
  residence_ = Residence::moved_out;
  return Done{};
}

Status SealedRecords::arrive() {
  SOTTO_TRY_DONE(transaction([&] { return opening().move(residence_, Residence::here); }));
  residence_ = Residence::here;
  return Done{};
}

Status SealedRecords::destroy() {
  SOTTO_TRY_DONE(transaction([&] { return database_.execute("DELETE FROM opening; DELETE FROM record;"); }));
  return overwrite_removed();
}

Status SealedRecords::overwrite_removed() const {
  return database_.execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace sotto::device
