// What opens a vault: 32 bytes that the host keeps (a phone's key store), a passphrase, or a key file.
//
// Laws: a key file is for its owner's eyes (0600) and refused where others may read it; one that is there is
// never written over; a key is wiped from memory when it goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "privacy/secure/secret.h"

namespace sotto::device {

struct Passphrase {
  explicit Passphrase(std::string words) : text(std::move(words)) {}
  Passphrase(const Passphrase&) = default;
  Passphrase& operator=(const Passphrase&) = default;
  ~Passphrase();

  std::string text;
};
using VaultKey = std::variant<Secret, Passphrase>;

// How a passphrase becomes a key (Argon2id). Kept in the file, so that it may cost more in later versions.
struct Stretching {
  static constexpr std::size_t salt_bytes = 16;
  std::array<std::uint8_t, salt_bytes> salt{};
  std::uint32_t passes = 3;
  std::uint32_t memory_kib = 32 * 1024;
};
// Fails where the numbers are out of range (a changed file) or the memory is not there.
[[nodiscard]] Result<Secret> stretched(const Passphrase& passphrase, const Stretching& how);

// A secret of 32 bytes, and back; none where they are not so many.
[[nodiscard]] std::optional<Secret> secret_in(std::string_view bytes);
[[nodiscard]] std::string_view bytes_in(const Secret& secret);

[[nodiscard]] Result<Secret> read_key_file(const std::string& path);
// A new key from the system's generator, on the disk when this returns.
[[nodiscard]] Result<Secret> make_key_file(const std::string& path);
// The file `by` takes its place at once, and what it held is overwritten.
[[nodiscard]] Status replace_key_file(const std::string& path, const std::string& by);
// Overwritten, then removed: without it the vault is noise. (A disk may keep old copies of what was
// overwritten; nothing at this height can know.) Fine if there is none.
[[nodiscard]] Status remove_key_file(const std::string& path);

}  // namespace sotto::device
