// SumDevice: a device's half of one secure sum. It is asked with the server's messages and answers with its
// own; it moves no bytes itself.
//
//   offered ──join──▶ keys sent ──neighbours' keys──▶ letters sent ──letters──▶ input sent ──survivors──▶
//   agreed ──certificate──▶ revealed
//
// Laws: a phase happens once and in this order; whatever is out of order, repeated, forged or against the
// terms is refused by name and ends the part of this device: its secrets are wiped and it says nothing more.
// It reveals, of each neighbour, a share of the seed (if its input is in the sum) or of the key (if it is
// not), never both, only under survivors that a quorum of the committee signed, and a seed's only if its
// owner says that it masked with this device: a server that showed the owner fewer neighbours gets nothing.
// What one neighbour does wrong (a letter that does not open or does not fit its marks, no word about its
// masks) costs that neighbour's share alone: it is left out of what is revealed, which says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fed/secure/sum_messages.h"
#include "privacy/secure/neighbour_graph.h"

namespace sotto::fed {

class SumDevice {
 public:
  // `directory` has the identity of every device of the cohort and outlives this; `entropy` is for this
  // session alone. `terms` are those the device reckons itself: an offer with others is refused.
  SumDevice(std::uint32_t device, const Identity& identity, std::span<const PublicKey> directory,
            const SumTerms& terms, const Secret& entropy);

  [[nodiscard]] Result<KeysMessage> join(const SumOffer& offer);
  [[nodiscard]] Result<LettersMessage> receive(const NeighbourKeysMessage& message);
  // `input` is what this device gives to the sum, one value an entry.
  [[nodiscard]] Result<MaskedMessage> receive(const LettersMessage& message,
                                              std::span<const std::int32_t> input);
  // An agreement from members of the committee alone.
  [[nodiscard]] Result<std::optional<AgreementMessage>> receive(const SurvivorsMessage& message);
  [[nodiscard]] Result<RevealMessage> receive(const CertificateMessage& message);

 private:
  enum class Phase : std::uint8_t { offered, keys_sent, letters_sent, input_sent, agreed, ended };
  struct Neighbour {
    std::uint32_t device = 0;
    bool wrote = false;  // its letter came: both mask with each other
    bool holds = false;  // and had shares that fit their marks
    PublicKey mask_key{};
    Secret letters;  // of both directions
    Share seed;      // its, for us
    Share key;
  };

  [[nodiscard]] Status expect(Phase phase, std::uint64_t session);
  [[nodiscard]] Error refuse(const char* why);
  [[nodiscard]] Neighbour* find(std::uint32_t device);
  [[nodiscard]] Status take_neighbours(const NeighbourKeysMessage& message);
  [[nodiscard]] Status open_letters(const LettersMessage& message);
  [[nodiscard]] bool open_letter(Neighbour& from, const Letter& letter) const;
  [[nodiscard]] Status check_survivors(const SurvivorsMessage& message) const;
  [[nodiscard]] Status check_certificate(const CertificateMessage& message) const;
  [[nodiscard]] Result<RingValues> mask(std::span<const std::int32_t> input) const;
  void forget();

  std::uint32_t device_;
  Identity identity_;
  std::span<const PublicKey> directory_;
  SumTerms terms_;
  Secret entropy_;
  Phase phase_ = Phase::offered;
  SumOffer offer_;
  Bytes32 offer_digest_{};
  std::vector<std::uint32_t> around_;     // neighbours by the graph
  std::vector<std::uint32_t> committee_;  // ascending
  AgreementKey letter_key_;
  AgreementKey mask_key_;
  Secret seed_;
  std::vector<Neighbour> neighbours_;  // those that sent keys, ascending
  DeviceSet survivors_;
  Bytes32 survivors_digest_{};
};

// What a device commits to before it shares its seed.
[[nodiscard]] Bytes32 seed_commitment(const Secret& seed, std::uint64_t session, std::uint32_t device);
// What the dealer of a share commits to. `offer` is the offer's digest.
[[nodiscard]] ShareMark share_mark(const Bytes32& offer, std::uint32_t dealer, std::uint32_t holder,
                                   Revealed what, const Share& share);
// The names under which two devices derive what they share.
inline constexpr const char* mask_label = "sotto sum mask";
inline constexpr const char* letter_label = "sotto sum letter";

}  // namespace sotto::fed
