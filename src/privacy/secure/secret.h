// Secret: 32 bytes that nobody else may see, and the ways to make others of them.
//
// Laws: wiped when it goes; compared by same_bytes alone; it has no encoder, printer or hash (not Plain), and
// what must travel, a share or a public key, is made of it by name. Derivation is keyed BLAKE2b-256: what is
// made for one label and context says nothing about what is made for another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/secret_stream.h"

namespace sotto::privacy {

using Bytes32 = std::array<std::uint8_t, 32>;

class Secret {
 public:
  Secret() = default;
  explicit Secret(const Bytes32& bytes) : bytes_(bytes) {}
  // Wipes the key that it is made of.
  explicit Secret(SecretKey&& key);
  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;
  ~Secret();

  [[nodiscard]] const Bytes32& on_device() const { return bytes_; }
  [[nodiscard]] Bytes32& on_device() { return bytes_; }
  // A secret of its own for each label and context.
  [[nodiscard]] Secret derive(std::string_view label,
                              std::initializer_list<std::span<const std::uint8_t>> context = {}) const;
  [[nodiscard]] Secret derive(std::string_view label, std::uint64_t number) const;
  // The stream that has this as its key.
  [[nodiscard]] SecretStream stream() const;

 private:
  Bytes32 bytes_{};
};

// The stream of a key that everybody may know.
[[nodiscard]] SecretStream open_stream(const Bytes32& key, std::uint64_t number);

// Overwrites memory that held something secret; the compiler may not leave it out.
void wipe(std::span<std::uint8_t> bytes);
void wipe(std::span<std::byte> bytes);

// BLAKE2b-256 over parts, each with its length in front.
[[nodiscard]] Bytes32 digest_of(std::string_view label,
                                std::initializer_list<std::span<const std::uint8_t>> parts);
// The same? In constant time, so that nobody has to think whether it must be.
[[nodiscard]] bool same_bytes(const Bytes32& a, const Bytes32& b);
// A number as eight bytes, little-endian.
[[nodiscard]] std::array<std::uint8_t, 8> bytes_of(std::uint64_t number);

}  // namespace sotto::privacy
