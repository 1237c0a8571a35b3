#include "device/vault_opening.h"

#include <fmt/core.h>
#include <sodium.h>

#include <algorithm>

#include "base/codec.h"
#include "device/seal.h"

namespace sotto::device {

namespace {

constexpr const char* outer_name = "sotto vault key";
constexpr const char* salt_row = "salt";
constexpr const char* move_row = "move";

const char* key_row(Residence where) {
  switch (where) {
    case Residence::here:
      return "key";
    case Residence::moved_out:
      return "moved key";
    case Residence::moving_in:
      return "coming key";
  }
  SOTTO_ASSERT(false, "a vault lives somewhere");
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

}  // namespace

Result<std::optional<std::string>> VaultOpening::row(std::string_view name) const {
  SOTTO_TRY(Query query, database_.query("SELECT value FROM opening WHERE name = ?", {Octets(name)}));
  SOTTO_TRY(const bool found, query.step());
  if (!found) return std::optional<std::string>();
  return std::optional(query.text(0));
}

Status VaultOpening::set_row(std::string_view name, std::string_view value) const {
  return database_.run("INSERT OR REPLACE INTO opening VALUES (?, ?)", {Octets(name), Octets(value)});
}

Result<std::optional<Residence>> VaultOpening::residence() const {
  for (const Residence one : {Residence::here, Residence::moved_out, Residence::moving_in}) {
    SOTTO_TRY(const auto key, sealed_key(one));
    if (key) return std::optional(one);
  }
  return std::optional<Residence>();
}

Result<std::optional<std::string>> VaultOpening::sealed_key(Residence where) const {
  return row(key_row(where));
}

Result<Secret> VaultOpening::file_key(const VaultKey& outer, Residence where) const {
  const std::string& path = database_.path();
  SOTTO_TRY(const std::optional<std::string> salt, row(salt_row));
  std::optional<Stretching> how;
  if (salt) {
    how = read_stretching(*salt);
    if (!how) return fail(Code::bad_input, fmt::format("{}: the vault's salt was changed", path));
  }
  SOTTO_TRY(const std::optional<std::string> kept, sealed_key(where));
  if (!kept) return fail(Code::not_found, fmt::format("{}: this vault was destroyed", path));
  SOTTO_TRY(const Secret opens, outer_key(outer, how, path));
  std::optional<std::string> plain = unsealed(opens, *kept, outer_name);
  const std::optional<Secret> own = plain ? secret_in(*plain) : std::nullopt;
  if (!own)
    return fail(Code::bad_input,
                fmt::format("{}: the vault does not open with this {}", path, how ? "passphrase" : "key"));
  sodium_memzero(plain->data(), plain->size());
  return *own;
}

Status VaultOpening::put(const VaultKey& outer, const Secret& file_key, Residence where) const {
  SOTTO_TRY_DONE(database_.run("DELETE FROM opening WHERE name <> ?", {Octets(std::string_view(move_row))}));
  std::optional<Stretching> how;
  if (std::holds_alternative<Passphrase>(outer)) {
    how.emplace();
    randombytes_buf(how->salt.data(), how->salt.size());
    SOTTO_TRY_DONE(set_row(salt_row, encoded(*how)));
  }
  SOTTO_TRY(const Secret opens, outer_key(outer, how, database_.path()));
  return set_row(key_row(where), sealed(opens, bytes_in(file_key), outer_name));
}

Status VaultOpening::move(Residence from, Residence to) const {
  SOTTO_TRY_DONE(
      database_.run("UPDATE opening SET name = ? WHERE name = ?",
                    {Octets(std::string_view(key_row(to))), Octets(std::string_view(key_row(from)))}));
  SOTTO_TRY_DONE(database_.execute("DROP TRIGGER IF EXISTS moved_out"));
  if (to != Residence::moved_out) return Done{};
  // For processes that opened it before, of earlier versions too: an answer is written down before it leaves.
  return database_.execute(
      "CREATE TRIGGER moved_out BEFORE INSERT ON record "
      "BEGIN SELECT RAISE(ABORT, 'this device has moved to another machine'); END");
}

Result<std::optional<MoveId>> VaultOpening::move_id() const {
  SOTTO_TRY(const std::optional<std::string> kept, row(move_row));
  MoveId id{};
  if (!kept) return std::optional<MoveId>();
  if (kept->size() != id.size())
    return fail(Code::bad_input, fmt::format("{}: the number of its move was changed", database_.path()));
  std::copy(kept->begin(), kept->end(), id.begin());
  return std::optional(id);
}

Status VaultOpening::set_move_id(const MoveId& id) const {
  return set_row(move_row, {reinterpret_cast<const char*>(id.data()), id.size()});
}

}  // namespace sotto::device
