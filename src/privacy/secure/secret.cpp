#include "privacy/secure/secret.h"

#include <sodium.h>

#include <cstring>

namespace sotto::privacy {

namespace {

void absorb(crypto_generichash_state& state, std::span<const std::uint8_t> part) {
  const auto size = bytes_of(part.size());
  crypto_generichash_update(&state, size.data(), size.size());
  crypto_generichash_update(&state, part.data(), part.size());
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Bytes32 hash(std::span<const std::uint8_t> key, std::string_view label,
             std::initializer_list<std::span<const std::uint8_t>> parts) {
  crypto_generichash_state state;
  Bytes32 out{};
  crypto_generichash_init(&state, key.data(), key.size(), out.size());
  absorb(state, bytes_of(label));
  for (const auto part : parts) absorb(state, part);
  crypto_generichash_final(&state, out.data(), out.size());
  sodium_memzero(&state, sizeof(state));
  return out;
}

}  // namespace

Secret::Secret(SecretKey&& key) {
  std::memcpy(bytes_.data(), key.data(), key.size());
  sodium_memzero(key.data(), key.size());
}

Secret::~Secret() { sodium_memzero(bytes_.data(), bytes_.size()); }

Secret Secret::derive(std::string_view label,
                      std::initializer_list<std::span<const std::uint8_t>> context) const {
  return Secret(hash(bytes_, label, context));
}

Secret Secret::derive(std::string_view label, std::uint64_t number) const {
  const auto context = privacy::bytes_of(number);
  return derive(label, {context});
}

SecretStream Secret::stream() const { return open_stream(bytes_, 0); }

SecretStream open_stream(const Bytes32& key, std::uint64_t number) {
  SecretKey copy;
  std::memcpy(copy.data(), key.data(), key.size());
  SecretStream stream(copy, number);
  sodium_memzero(copy.data(), copy.size());
  return stream;
}

void wipe(std::span<std::uint8_t> bytes) { sodium_memzero(bytes.data(), bytes.size()); }
void wipe(std::span<std::byte> bytes) { sodium_memzero(bytes.data(), bytes.size()); }

Bytes32 digest_of(std::string_view label, std::initializer_list<std::span<const std::uint8_t>> parts) {
  return hash({}, label, parts);
}

bool same_bytes(const Bytes32& a, const Bytes32& b) {
  return sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::array<std::uint8_t, 8> bytes_of(std::uint64_t number) {
  std::array<std::uint8_t, 8> out{};
  for (std::size_t n = 0; n < out.size(); ++n) out[n] = static_cast<std::uint8_t>(number >> (8 * n));
  return out;
}

}  // namespace sotto::privacy
