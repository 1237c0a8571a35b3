// Keys of a secure sum: X25519 pairs that live for one round, Ed25519 identities that outlive it, and sealed
// letters between two devices.
//
// Laws: what two devices agree on is bound to the round, to both and to both public keys; a point of small
// order is refused; a letter opens only for the one it was written to, in its round, unchanged.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "privacy/secure/secret.h"

namespace sotto::privacy {

using PublicKey = Bytes32;
using Signature = std::array<std::uint8_t, 64>;

// X25519.
struct AgreementKey {
  Secret secret;
  PublicKey open{};
};
[[nodiscard]] AgreementKey agreement_key(const Secret& secret);

// Who agrees with whom, and when.
struct Pairing {
  std::uint64_t round = 0;
  std::uint32_t self = 0;
  std::uint32_t other = 0;
};
// The secret of both; the same on either side. None where the other's key is no proper point.
[[nodiscard]] std::optional<Secret> agree(const AgreementKey& own, const PublicKey& other,
                                          const Pairing& pairing, std::string_view label);

// Ed25519: who a device is, over all rounds.
class Identity {
 public:
  explicit Identity(const Secret& seed);
  Identity(const Identity&) = default;
  Identity& operator=(const Identity&) = default;
  ~Identity();
  [[nodiscard]] const PublicKey& open() const { return open_; }
  [[nodiscard]] Signature sign(const Bytes32& digest) const;

 private:
  PublicKey open_{};
  std::array<std::uint8_t, 64> secret_{};
};
[[nodiscard]] bool is_signed(const Bytes32& digest, const Signature& signature, const PublicKey& by);

// ChaCha20-Poly1305 under a key that is used for one letter.
inline constexpr std::size_t seal_bytes = 16;
[[nodiscard]] std::vector<std::uint8_t> seal(const Secret& key, std::span<const std::uint8_t> letter);
[[nodiscard]] bool unseal(const Secret& key, std::span<const std::uint8_t> sealed,
                          std::span<std::uint8_t> letter);

}  // namespace sotto::privacy
