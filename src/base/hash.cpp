#include "base/hash.h"

#include <sodium.h>

#include <array>

#include "base/assert.h"

namespace sotto::base {

struct Hasher::State {
  crypto_generichash_state blake{};
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  crypto_generichash_init(&state_->blake, nullptr, 0, crypto_generichash_BYTES);
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::bytes(std::span<const std::byte> data) {
  crypto_generichash_update(&state_->blake, reinterpret_cast<const unsigned char*>(data.data()), data.size());
  return *this;
}

Hasher& Hasher::u64(std::uint64_t value) {
  std::array<std::byte, 8> little{};
  for (auto& b : little) {
    b = static_cast<std::byte>(value & 0xFF);
    value >>= 8;
  }
  return bytes(little);
}

Hasher& Hasher::text(std::string_view value) {
  u64(value.size());
  return bytes(std::as_bytes(std::span(value)));
}

std::string Hasher::hex() && {
  std::array<unsigned char, crypto_generichash_BYTES> digest{};
  crypto_generichash_final(&state_->blake, digest.data(), digest.size());
  std::array<char, crypto_generichash_BYTES * 2 + 1> out{};
  sodium_bin2hex(out.data(), out.size(), digest.data(), digest.size());
  return std::string(out.data());
}

}  // namespace sotto::base
