// A sum under Paillier's cryptosystem: devices encrypt, the server multiplies what it cannot read, and
// whoever has the primes (the devices among themselves, never the server) opens the product alone. For small
// cohorts: it costs a device a power of 4096 bits for every few dozen values, and holds against a server
// that is curious but honest alone: who opens trusts that the product is that of all who sent, so that a
// server that lies has one device's ciphertext opened, as one does that a holder of the primes helps.
//
// Several values share a ciphertext, each in a slot wide enough for the whole sum of numbers that are shifted
// by the limit to be positive. Laws: refused ciphertexts leave no trace; a device is added once; fewer
// survivors than the plan allows open nothing.
#pragma once

#include <span>
#include <vector>

#include "fed/messages.h"
#include "fed/secure/sum_protocol.h"
#include "privacy/secure/paillier.h"
#include "privacy/secure/ring_values.h"

namespace sotto::fed {

struct CiphertextsMessage {
  static constexpr MessageKind kind = MessageKind::sum_ciphertexts;
  std::uint64_t session = 0;
  std::uint32_t each = 0;  // bytes of one
  Bytes ciphertexts;
  void write(Writer& out) const;
  [[nodiscard]] static Result<CiphertextsMessage> read(Reader& in);
};

struct PaillierShape {
  std::uint64_t session = 0;
  std::uint32_t devices = 0;
  std::uint32_t least_survivors = 2;
  std::uint32_t entries = 0;
  SumRange range;
  [[nodiscard]] std::uint32_t slots(const PaillierKey& key) const;  // values of a ciphertext
  [[nodiscard]] std::uint32_t ciphertexts(const PaillierKey& key) const;
};

// The device's half.
[[nodiscard]] Result<CiphertextsMessage> encrypt_input(const PaillierShape& shape, const PaillierKey& key,
                                                       std::span<const std::int32_t> input,
                                                       const Secret& entropy);

// The server's half.
class PaillierServer {
 public:
  PaillierServer(const PaillierShape& shape, const PaillierKey& key);
  [[nodiscard]] Status receive(std::uint32_t from, const CiphertextsMessage& message);
  [[nodiscard]] const DeviceSet& heard() const { return heard_; }
  // The product, for who can open it; once.
  [[nodiscard]] Result<CiphertextsMessage> release() &&;

 private:
  PaillierShape shape_;
  const PaillierKey& key_;
  bool released_ = false;
  DeviceSet heard_;
  std::vector<BigBytes> product_;
};

// The half of who has the primes.
[[nodiscard]] Result<std::vector<std::int64_t>> open_total(const PaillierShape& shape,
                                                           const PaillierOpener& opener,
                                                           const CiphertextsMessage& product,
                                                           std::uint32_t survivors);

class PaillierSum final : public SumProtocol {
 public:
  PaillierSum(std::uint32_t key_bits, std::uint32_t least, std::uint64_t seed, Executor& executor);
  [[nodiscard]] Result<SumOutcome> sum(const SumTask& task) override;

 private:
  PaillierOpener opener_;
  std::uint32_t least_;
  std::uint64_t seed_;
  Executor& executor_;
};

}  // namespace sotto::fed
