#include "device/sealed_records.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <system_error>

#include "base/codec.h"

namespace sotto::device {

namespace {

constexpr std::size_t nonce_bytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_bytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t least_step = 256;
constexpr std::size_t most_name = 4096;

std::span<const std::uint8_t> octets(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
const unsigned char* letters(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
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

// A value of the table of what opens the file; none where there is no such row.
Result<std::optional<std::string>> opening(const Database& database, std::string_view name) {
  SOTTO_TRY(Query query, database.query("SELECT value FROM opening WHERE name = ?", {Octets(name)}));
  SOTTO_TRY(const bool row, query.step());
  if (!row) return std::optional<std::string>();
  return std::optional(query.text(0));
}
Status set_opening(const Database& database, std::string_view name, const std::string& value) {
  return database.run("INSERT OR REPLACE INTO opening VALUES (?, ?)", {Octets(name), Octets(value)});
}

std::string sealed(const Secret& key, std::string_view plain, std::string_view name) {
  std::string out(nonce_bytes + plain.size() + tag_bytes, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  randombytes_buf(bytes, nonce_bytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(bytes + nonce_bytes, nullptr, letters(plain), plain.size(),
                                             letters(name), name.size(), nullptr, bytes,
                                             key.on_device().data());
  return out;
}

std::optional<std::string> unsealed(const Secret& key, std::string_view sealed, std::string_view name) {
  if (sealed.size() < nonce_bytes + tag_bytes) return std::nullopt;
  std::string plain(sealed.size() - nonce_bytes - tag_bytes, '\0');
  const int code = crypto_aead_xchacha20poly1305_ietf_decrypt(
      reinterpret_cast<unsigned char*>(plain.data()), nullptr, nullptr, letters(sealed) + nonce_bytes,
      sealed.size() - nonce_bytes, letters(name), name.size(), letters(sealed), key.on_device().data());
  if (code != 0) return std::nullopt;
  return plain;
}

// Name, value and zeros, so that the length says little.
std::string padded(std::string_view name, std::string_view value) {
  Writer out;
  out.text(name).number(static_cast<std::uint64_t>(value.size())).raw(std::as_bytes(std::span(value)));
  const std::size_t step = std::max(least_step, std::bit_floor(out.size()) / 8);
  std::string text((out.size() + step - 1) / step * step, '\0');
  std::copy_n(reinterpret_cast<const char*>(out.view().data()), out.size(), text.data());
  return text;
}

std::string encoded(const Stretching& how) {
  Writer out;
  out.raw(std::as_bytes(std::span(how.salt))).number(how.passes).number(how.memory_kib);
  return {reinterpret_cast<const char*>(out.view().data()), out.size()};
}

std::optional<Stretching> read_stretching(std::string_view text) {
  Reader in(std::as_bytes(std::span(text)));
  Stretching how;
  const auto salt = in.raw(Stretching::salt_bytes);
  if (salt.empty()) return std::nullopt;
  std::transform(salt.begin(), salt.end(), how.salt.begin(),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  how.passes = in.number<std::uint32_t>();
  how.memory_kib = in.number<std::uint32_t>();
  return in.finished() ? std::optional(how) : std::nullopt;
}

// The key that opens the file's own.
Result<Secret> outer_key(const VaultKey& key, const std::optional<Stretching>& how, const std::string& path) {
  if (const auto* given = std::get_if<Secret>(&key)) {
    if (how) return fail(Code::usage, fmt::format("{}: this vault opens with a passphrase", path));
    return *given;
  }
  if (!how) return fail(Code::usage, fmt::format("{}: this vault opens with a key, not a passphrase", path));
  return stretched(*std::get_if<Passphrase>(&key), *how);
}

constexpr const char* outer_name = "sotto vault key";

// A new file's own key, for those who have the outer one.
Status put_key(const Database& database, const VaultKey& key) {
  std::optional<Stretching> how;
  if (std::holds_alternative<Passphrase>(key)) {
    how.emplace();
    randombytes_buf(how->salt.data(), how->salt.size());
    SOTTO_TRY_DONE(set_opening(database, "salt", encoded(*how)));
  }
  SOTTO_TRY(const Secret outer, outer_key(key, how, database.path()));
  return set_opening(database, "key", sealed(outer, bytes_in(Secret(system_key())), outer_name));
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
  }
  SOTTO_ASSERT(false, "every kind of record has a name");
}

Result<SealedRecords> SealedRecords::open(const std::string& path, const VaultKey& key, Making making) {
  if (sodium_init() < 0) return fail(Code::io, "the system gives no random numbers: no vault can be opened");
  if (making == Making::if_missing) SOTTO_TRY_DONE(make_file(path));
  if (::access(path.c_str(), F_OK) != 0)
    return fail(Code::not_found,
                fmt::format("{}: there is no vault; make one with 'sotto device init'", path));
  const auto begin = [&](const Database& database) -> Status {
    if (making == Making::if_missing) return put_key(database, key);
    return fail(Code::not_found,
                fmt::format("{}: the vault is empty; make one with 'sotto device init'", path));
  };
  SOTTO_TRY(Database database, Database::open(path, vault_form, Access::write, begin));
  SealedRecords records(std::move(database));
  SOTTO_TRY_DONE(records.unlock(key));
  return records;
}

Status SealedRecords::unlock(const VaultKey& key) {
  SOTTO_TRY(const std::optional<std::string> salt, opening(database_, "salt"));
  std::optional<Stretching> how;
  if (salt) {
    how = read_stretching(*salt);
    if (!how) return fail(Code::bad_input, fmt::format("{}: the vault's salt was changed", path()));
  }
  SOTTO_TRY(const std::optional<std::string> kept, opening(database_, "key"));
  if (!kept) return fail(Code::not_found, fmt::format("{}: this vault was destroyed", path()));
  SOTTO_TRY(const Secret outer, outer_key(key, how, path()));
  std::optional<std::string> plain = unsealed(outer, *kept, outer_name);
  const std::optional<Secret> own = plain ? secret_in(*plain) : std::nullopt;
  if (!own)
    return fail(Code::bad_input,
                fmt::format("{}: the vault does not open with this {}", path(), how ? "passphrase" : "key"));
  sodium_memzero(plain->data(), plain->size());
  use(*own);
  return Done{};
}

void SealedRecords::use(const Secret& file_key) {
  keys_ = std::make_unique<const Keys>(
      Keys{.names = file_key.derive("sotto vault names"), .values = file_key.derive("sotto vault values")});
}

Bytes32 SealedRecords::hashed(RecordKind kind, std::string_view name) const {
  const auto number = static_cast<std::uint8_t>(kind);
  return keys_->names.derive("record", {std::span(&number, 1), octets(name)}).on_device();
}

// Kinds are hashed too: a vault does not say which of its records are items.
Bytes32 SealedRecords::hashed(RecordKind kind) const {
  return keys_->names.derive("kind", static_cast<std::uint64_t>(kind)).on_device();
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
  const Bytes32 hash = hashed(kind, name);
  SOTTO_TRY(Query query, database_.query("SELECT sealed FROM record WHERE name = ?", {bytes_of(hash)}));
  SOTTO_TRY(const bool row, query.step());
  if (!row) return std::optional<std::string>();
  SOTTO_TRY(std::string plain, opened(kind, hash, query.bytes(0)));
  Reader in(std::as_bytes(std::span(plain)));
  static_cast<void>(in.text(most_name));
  const auto value = in.raw(in.number<std::uint64_t>());
  std::optional<std::string> out(std::in_place, reinterpret_cast<const char*>(value.data()), value.size());
  sodium_memzero(plain.data(), plain.size());
  return out;
}

Status SealedRecords::put(RecordKind kind, std::string_view name, std::string_view value) {
  if (name.size() > most_name)
    return fail(Code::usage, fmt::format("a name has up to {} letters", most_name));
  const Bytes32 hash = hashed(kind, name);
  std::string plain = padded(name, value);
  const std::string closed = sealed(keys_->values, plain, text_in(hash));
  sodium_memzero(plain.data(), plain.size());
  return database_.run("INSERT OR REPLACE INTO record VALUES (?, ?, ?)",
                       {bytes_of(hash), bytes_of(hashed(kind)), Octets(closed)});
}

Status SealedRecords::remove(RecordKind kind, std::string_view name) {
  return database_.run("DELETE FROM record WHERE name = ?", {bytes_of(hashed(kind, name))});
}

Status SealedRecords::each(RecordKind kind, const Each& each) const {
  SOTTO_TRY(Query query,
            database_.query("SELECT name, sealed FROM record WHERE kind = ?", {bytes_of(hashed(kind))}));
  while (true) {
    SOTTO_TRY(const bool row, query.step());
    if (!row) return Done{};
    Bytes32 hash{};
    const std::string_view kept = query.bytes(0);
    if (kept.size() == hash.size()) std::copy(kept.begin(), kept.end(), hash.begin());
    SOTTO_TRY(std::string plain, opened(kind, hash, query.bytes(1)));
    Reader in(std::as_bytes(std::span(plain)));
    const std::string name = in.text(most_name);
    const auto value = in.raw(in.number<std::uint64_t>());
    // A record of another kind under this one's mark would have another name.
    if (hashed(kind, name) != hash)
      return fail(Code::bad_input,
                  fmt::format("{}: a record of the vault stands among others' kind", path()));
    SOTTO_TRY_DONE(each(name, {reinterpret_cast<const char*>(value.data()), value.size()}));
    sodium_memzero(plain.data(), plain.size());
  }
}

Status SealedRecords::destroy() {
  SOTTO_TRY_DONE(transaction([&] { return database_.execute("DELETE FROM opening; DELETE FROM record;"); }));
  // Out of the log too, which is emptied: old pages are overwritten by those that hold zeros.
  return database_.execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace sotto::device
