#include "privacy/secure/keys.h"

#include <sodium.h>

#include <utility>

#include "base/assert.h"

namespace sotto::privacy {

namespace {

// libsodium looks once which instructions this machine has; every choice gives the same bits.
void choose_instructions() {
  static const bool chosen = sodium_init() >= 0;
  SOTTO_ASSERT(chosen, "libsodium starts");
}

}  // namespace

AgreementKey agreement_key(const Secret& secret) {
  choose_instructions();
  AgreementKey key{secret, {}};
  crypto_scalarmult_base(key.open.data(), secret.on_device().data());
  return key;
}

std::optional<Secret> agree(const AgreementKey& own, const PublicKey& other, const Pairing& pairing,
                            std::string_view label) {
  Secret common;
  if (crypto_scalarmult(common.on_device().data(), own.secret.on_device().data(), other.data()) != 0)
    return std::nullopt;
  const PublicKey* keys[] = {&own.open, &other};
  std::uint32_t numbers[] = {pairing.self, pairing.other};
  if (pairing.other < pairing.self) {
    std::swap(keys[0], keys[1]);
    std::swap(numbers[0], numbers[1]);
  }
  const auto round = bytes_of(pairing.round);
  const auto pair = bytes_of(std::uint64_t{numbers[0]} << 32 | numbers[1]);
  return common.derive(label, {round, pair, *keys[0], *keys[1]});
}

Identity::Identity(const Secret& seed) {
  choose_instructions();
  crypto_sign_seed_keypair(open_.data(), secret_.data(), seed.on_device().data());
}

Identity::~Identity() { sodium_memzero(secret_.data(), secret_.size()); }

Signature Identity::sign(const Bytes32& digest) const {
  Signature signature{};
  crypto_sign_detached(signature.data(), nullptr, digest.data(), digest.size(), secret_.data());
  return signature;
}

bool is_signed(const Bytes32& digest, const Signature& signature, const PublicKey& by) {
  return crypto_sign_verify_detached(signature.data(), digest.data(), digest.size(), by.data()) == 0;
}

namespace {
// The key serves one letter, so the nonce may stand still.
constexpr std::array<std::uint8_t, crypto_aead_chacha20poly1305_ietf_NPUBBYTES> nonce{};
static_assert(crypto_aead_chacha20poly1305_ietf_ABYTES == seal_bytes);
}  // namespace

std::vector<std::uint8_t> seal(const Secret& key, std::span<const std::uint8_t> letter) {
  std::vector<std::uint8_t> sealed(letter.size() + seal_bytes);
  crypto_aead_chacha20poly1305_ietf_encrypt(sealed.data(), nullptr, letter.data(), letter.size(), nullptr, 0,
                                            nullptr, nonce.data(), key.on_device().data());
  return sealed;
}

bool unseal(const Secret& key, std::span<const std::uint8_t> sealed, std::span<std::uint8_t> letter) {
  if (sealed.size() != letter.size() + seal_bytes) return false;
  return crypto_aead_chacha20poly1305_ietf_decrypt(letter.data(), nullptr, nullptr, sealed.data(),
                                                   sealed.size(), nullptr, 0, nonce.data(),
                                                   key.on_device().data()) == 0;
}

}  // namespace sotto::privacy
