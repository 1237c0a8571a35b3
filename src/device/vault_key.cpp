#include "device/vault_key.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "device/own_file.h"

namespace sotto::device {

namespace {

constexpr std::uint32_t most_passes = 100;
constexpr std::uint32_t least_memory_kib = 8 * 1024;
constexpr std::uint32_t most_memory_kib = 1024 * 1024;
constexpr std::size_t key_bytes = sizeof(Bytes32);
constexpr std::size_t hex_letters = 2 * key_bytes;

Error refused(const char* what, const std::string& path, int number) {
  return fail(
      number == ENOENT ? Code::not_found : Code::io,
      fmt::format("cannot {} the key file '{}': {}", what, path, std::generic_category().message(number)));
}

}  // namespace

Passphrase::~Passphrase() { sodium_memzero(text.data(), text.size()); }

Result<Secret> stretched(const Passphrase& passphrase, const Stretching& how) {
  static_assert(Stretching::salt_bytes == crypto_pwhash_SALTBYTES);
  if (passphrase.text.empty()) return fail(Code::usage, "an empty passphrase protects nothing: give one");
  if (how.passes == 0 || how.passes > most_passes || how.memory_kib < least_memory_kib ||
      how.memory_kib > most_memory_kib)
    return fail(Code::bad_input,
                "the vault says that its passphrase is stretched in a way that cannot be: "
                "the file was changed");
  Bytes32 key{};
  const int code =
      crypto_pwhash(key.data(), key.size(), passphrase.text.data(), passphrase.text.size(), how.salt.data(),
                    how.passes, std::size_t{how.memory_kib} * 1024, crypto_pwhash_ALG_ARGON2ID13);
  if (code != 0) return fail(Code::io, "there is not enough memory to open a vault by passphrase");
  Secret secret(key);
  wipe(std::span(key));
  return secret;
}

std::optional<Secret> secret_in(std::string_view bytes) {
  Secret secret;
  if (bytes.size() != secret.on_device().size()) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), secret.on_device().begin());
  return secret;
}

std::string_view bytes_in(const Secret& secret) {
  return {reinterpret_cast<const char*>(secret.on_device().data()), secret.on_device().size()};
}

Result<Secret> read_key_file(const std::string& path) {
  const OwnFile file(path, O_RDONLY);
  if (!file.is_open()) return refused("read", path, errno);
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0) return refused("read", path, errno);
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return fail(Code::bad_input, fmt::format("{}: others may read this key: close it with 'chmod 600', and "
                                             "make a new vault if somebody did",
                                             path));
  std::array<char, hex_letters + 2> text{};
  const ssize_t got = ::read(file.number(), text.data(), text.size());
  if (got < 0) return refused("read", path, errno);
  Bytes32 key{};
  std::size_t found = 0;
  const bool read = sodium_hex2bin(key.data(), key.size(), text.data(), static_cast<std::size_t>(got), "\r\n",
                                   &found, nullptr) == 0;
  sodium_memzero(text.data(), text.size());
  if (!read || found != key.size()) return fail(Code::bad_input, fmt::format("{}: no key of a vault", path));
  Secret secret(key);
  wipe(std::span(key));
  return secret;
}

Result<Secret> make_key_file(const std::string& path) {
  if (sodium_init() < 0) return fail(Code::io, "the system gives no random numbers: no key can be made");
  const OwnFile file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open()) return refused("make", path, errno);
  Secret secret(system_key());
  std::array<char, hex_letters + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), secret.on_device().data(), key_bytes);
  const bool written = file.write_all({hex.data(), hex_letters});
  sodium_memzero(hex.data(), hex.size());
  if (!written) {
    const int number = errno;
    ::unlink(path.c_str());
    return refused("write", path, number);
  }
  sync_folder_of(path);
  return secret;
}

Status replace_key_file(const std::string& path, const std::string& by) {
  const OwnFile old(path, O_WRONLY);
  if (::rename(by.c_str(), path.c_str()) != 0) return refused("replace", path, errno);
  sync_folder_of(path);
  if (old.is_open() && !old.write_all(std::string(hex_letters, '0')))
    return refused("overwrite", path, errno);
  return Done{};
}

Status remove_key_file(const std::string& path) {
  {
    const OwnFile file(path, O_WRONLY);
    if (!file.is_open() && errno == ENOENT) return Done{};
    if (!file.is_open() || !file.write_all(std::string(hex_letters, '0')))
      return refused("overwrite", path, errno);
  }
  if (::unlink(path.c_str()) != 0) return refused("remove", path, errno);
  return Done{};
}

}  // namespace sotto::device
