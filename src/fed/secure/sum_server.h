// SumServer: the server's half of one secure sum. It is given the devices' messages, phase by phase, and
// learns the sum of those that stayed; it moves no bytes itself.
//
//   keys ──close──▶ letters ──close──▶ inputs ──close──▶ agreement ──close──▶ reveal ──release──▶ done
//
// Laws: a refused message leaves no trace but what it proves, and its sender counts as silent; who sent a
// message is what the transport has proved, never what the message says. A phase that closes with too few
// fails the sum, and a failed sum releases nothing. A share is held against what its dealer committed to,
// what shares bring back against what its owner did, and the total against its range: masks that do not
// cancel release nothing. What a member did wrong is found out as far as messages show it (sum_findings.h),
// whether the sum fails or not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fed/secure/sum_findings.h"
#include "fed/secure/sum_messages.h"
#include "privacy/secure/neighbour_graph.h"

namespace sotto::fed {

struct SumTotal {
  std::vector<std::int64_t> values;
  DeviceSet survivors;  // whose inputs are in it
};

class SumServer {
 public:
  // `directory` has the identity of every device of the cohort and outlives this.
  SumServer(const SumOffer& offer, std::span<const PublicKey> directory);

  [[nodiscard]] const SumOffer& offer() const { return offer_; }
  [[nodiscard]] Status receive(std::uint32_t from, const KeysMessage& message);
  [[nodiscard]] Status close_keys();
  [[nodiscard]] NeighbourKeysMessage keys_for(std::uint32_t device) const;

  [[nodiscard]] Status receive(std::uint32_t from, const LettersMessage& message);
  [[nodiscard]] Status close_letters();
  [[nodiscard]] LettersMessage letters_for(std::uint32_t device) const;

  [[nodiscard]] Status receive(std::uint32_t from, const MaskedMessage& message);
  [[nodiscard]] Status close_inputs();
  [[nodiscard]] SurvivorsMessage survivors() const;

  [[nodiscard]] Status receive(std::uint32_t from, const AgreementMessage& message);
  [[nodiscard]] Status close_agreement();
  [[nodiscard]] CertificateMessage certificate_for(std::uint32_t device) const;

  [[nodiscard]] Status receive(std::uint32_t from, const RevealMessage& message);
  // The server is used up but for what it found out.
  [[nodiscard]] Result<SumTotal> release() &&;
  [[nodiscard]] const SumFindings& findings() const { return findings_; }

 private:
  enum class Phase : std::uint8_t { keys, letters, inputs, agreement, reveal, ended };
  struct Device {
    DeviceKeys keys;
    std::vector<std::uint32_t> around;  // by the graph, ascending
    std::vector<Letter> inbox;          // from each neighbour that wrote; ascending once all have
    std::vector<MaskTag> tags;          // from each neighbour that gave its input
    std::vector<std::uint32_t> points;  // of the shares that came back
    std::vector<Share> shares;
  };

  [[nodiscard]] Status expect(Phase phase, std::uint32_t from, std::uint64_t session, const DeviceSet& known,
                              const DeviceSet& heard) const;
  [[nodiscard]] Status close(Phase phase, Phase next, std::uint32_t heard, std::uint32_t needed,
                             const char* what);
  [[nodiscard]] bool is_proper_point(const PublicKey& key) const;
  [[nodiscard]] const Letter* letter_to(std::uint32_t holder, std::uint32_t dealer) const;
  [[nodiscard]] Status check_reveal(std::uint32_t from, const RevealMessage& message) const;
  [[nodiscard]] bool fits_marks(std::uint32_t from, const RevealMessage& message) const;
  [[nodiscard]] Status enough_shares(const Device& device) const;
  [[nodiscard]] Result<Secret> rebuild(const Device& device) const;
  [[nodiscard]] Status unmask(const Device& device);
  [[nodiscard]] Status unmask_survivor(const Device& device);
  [[nodiscard]] Status unmask_dropped(const Device& device);

  SumOffer offer_;
  Bytes32 offer_digest_{};
  std::span<const PublicKey> directory_;
  std::vector<std::uint32_t> committee_;
  Phase phase_ = Phase::keys;
  std::vector<Device> devices_;
  DeviceSet everyone_, keyed_, wrote_, gave_, signed_, revealed_;  // who was heard in each phase
  RingValues sum_;
  Bytes32 survivors_digest_{};
  CertificateMessage certificate_;
  AgreementKey probe_;  // tells proper points from others
  SumFindings findings_;
};

}  // namespace sotto::fed
