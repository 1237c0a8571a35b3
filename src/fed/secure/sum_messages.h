// What travels in a secure sum with pairwise masks, in the order of its phases. Server → device: offer, keys
// of the neighbours, letters, survivors, certificate. Device → server: keys, letters, masked input,
// agreement, reveal.
//
// Laws: those of fed/messages.h; lists ascend by device, each once; each value has one form.
#pragma once

#include <cstdint>
#include <vector>

#include "fed/messages.h"
#include "privacy/secure/device_set.h"
#include "privacy/secure/keys.h"
#include "privacy/secure/ring_values.h"
#include "privacy/secure/shamir.h"
#include "privacy/secure/sum_terms.h"

namespace sotto::fed {

// What is summed and on what terms. Everything that is signed in the sum is signed for one offer.
struct SumOffer {
  static constexpr MessageKind kind = MessageKind::sum_offer;
  std::uint64_t session = 0;  // round and part of it; never used twice
  SumTerms terms;
  SumRange range;
  std::uint32_t entries = 0;
  Bytes32 beacon{};  // public randomness: who neighbours whom

  [[nodiscard]] Bytes32 digest() const;
  void write(Writer& out) const;
  [[nodiscard]] static Result<SumOffer> read(Reader& in);
};

// The beacon of a sum over a network: everybody's key is in it and nothing else, so that nobody draws it, and
// every device can check it.
[[nodiscard]] Bytes32 sum_beacon(std::uint64_t session, std::span<const PublicKey> directory);

// A device's open keys of one sum.
struct DeviceKeys {
  std::uint32_t device = 0;
  PublicKey letter_key{};
  PublicKey mask_key{};
  Bytes32 seed_commitment{};
  Signature signature{};
  // What the signature is over.
  [[nodiscard]] Bytes32 digest(const Bytes32& offer) const;
};
struct KeysMessage {
  static constexpr MessageKind kind = MessageKind::sum_keys;
  std::uint64_t session = 0;
  DeviceKeys keys;
  void write(Writer& out) const;
  [[nodiscard]] static Result<KeysMessage> read(Reader& in);
};
struct NeighbourKeysMessage {
  static constexpr MessageKind kind = MessageKind::sum_neighbour_keys;
  std::uint64_t session = 0;
  std::vector<DeviceKeys> keys;
  void write(Writer& out) const;
  [[nodiscard]] static Result<NeighbourKeysMessage> read(Reader& in);
};

// What a dealer commits to for one share: it says nothing about the share, and no other share fits it.
using ShareMark = std::array<std::uint8_t, 16>;
// Two shares, sealed for one neighbour, and their marks in the open. Up, `device` is the one it goes to;
// down, the one it comes from.
struct Letter {
  static constexpr std::size_t sealed_bytes = 2 * share_bytes + seal_bytes;
  static constexpr std::size_t bytes = sealed_bytes + 2 * sizeof(ShareMark);
  std::uint32_t device = 0;
  std::array<std::uint8_t, sealed_bytes> sealed{};
  ShareMark seed_mark{};
  ShareMark key_mark{};
};
struct LettersMessage {
  static constexpr MessageKind kind = MessageKind::sum_letters;
  std::uint64_t session = 0;
  std::vector<Letter> letters;
  void write(Writer& out) const;
  [[nodiscard]] static Result<LettersMessage> read(Reader& in);
};

// A device's word to one neighbour that its input is masked with both their keys. Only the two can make it,
// so that a server cannot have a device mask with few and others believe it masked with them. Up, `device` is
// the one it goes to; down, the one it comes from.
struct MaskTag {
  std::uint32_t device = 0;
  std::array<std::uint8_t, 16> tag{};
};
struct MaskedMessage {
  static constexpr MessageKind kind = MessageKind::sum_masked;
  std::uint64_t session = 0;
  std::vector<MaskTag> tags;
  Bytes values;  // RingValues::packed()
  void write(Writer& out) const;
  [[nodiscard]] static Result<MaskedMessage> read(Reader& in);
};

// Whose input is in the sum, and whose masks must be taken out because it is not.
struct SurvivorsMessage {
  static constexpr MessageKind kind = MessageKind::sum_survivors;
  std::uint64_t session = 0;
  DeviceSet survivors;
  DeviceSet dropped;
  [[nodiscard]] Bytes32 digest(const Bytes32& offer) const;
  void write(Writer& out) const;
  [[nodiscard]] static Result<SurvivorsMessage> read(Reader& in);
};

// A member of the committee saw these survivors, and signs no others.
struct SignedBy {
  std::uint32_t device = 0;
  Signature signature{};
};
struct AgreementMessage {
  static constexpr MessageKind kind = MessageKind::sum_agreement;
  std::uint64_t session = 0;
  Signature signature{};
  void write(Writer& out) const;
  [[nodiscard]] static Result<AgreementMessage> read(Reader& in);
};
struct CertificateMessage {
  static constexpr MessageKind kind = MessageKind::sum_certificate;
  std::uint64_t session = 0;
  std::vector<SignedBy> signatures;
  std::vector<MaskTag> tags;  // of the receiver's neighbours among the survivors
  void write(Writer& out) const;
  [[nodiscard]] static Result<CertificateMessage> read(Reader& in);
};

enum class Revealed : std::uint8_t { seed = 1, key = 2 };
// A share of one neighbour's self-mask seed or of its mask key; never of both.
struct RevealedShare {
  std::uint32_t device = 0;
  Revealed what = Revealed::seed;
  Share share;
};
// A neighbour that is missing gave this device no share that fits its marks, or no word that it masked with
// it.
struct RevealMessage {
  static constexpr MessageKind kind = MessageKind::sum_reveal;
  std::uint64_t session = 0;
  std::vector<RevealedShare> shares;
  void write(Writer& out) const;
  [[nodiscard]] static Result<RevealMessage> read(Reader& in);
};

}  // namespace sotto::fed
