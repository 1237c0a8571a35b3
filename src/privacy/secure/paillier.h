// Paillier's cryptosystem (1999): ciphertexts whose product opens to the sum of what is in them. For small
// cohorts and for comparison: a ciphertext costs a power modulo n² of 4096 bits.
//
// g = n + 1, so c = (1 + m·n) · r^n mod n². Laws: who has the open key encrypts and adds; who has the primes
// opens; equal plaintexts have unequal ciphertexts; what is no ciphertext is refused. Keys below 2048 bits
// are for tests. Secret numbers are cleared when they go.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/secret_stream.h"
#include "privacy/secure/secret.h"

namespace sotto::privacy {

// Numbers travel as bytes, the high ones first.
using BigBytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t paillier_bits = 2048;

class PaillierKey {  // the open one
 public:
  explicit PaillierKey(const BigBytes& modulus);
  PaillierKey(PaillierKey&&) noexcept;
  ~PaillierKey();

  [[nodiscard]] std::size_t plain_bits() const;        // of what fits surely
  [[nodiscard]] std::size_t ciphertext_bytes() const;  // each
  [[nodiscard]] BigBytes modulus() const;
  // `plain` is below n. `random` gives r.
  [[nodiscard]] BigBytes encrypt(std::span<const std::uint8_t> plain, SecretStream& random) const;
  // With r given; for known vectors.
  [[nodiscard]] BigBytes encrypt_with(std::span<const std::uint8_t> plain,
                                      std::span<const std::uint8_t> r) const;
  // Below n², of full length and without a common factor with n: one that has it spoils every product.
  [[nodiscard]] bool is_ciphertext(std::span<const std::uint8_t> bytes) const;
  // The ciphertext of the sum of both.
  [[nodiscard]] BigBytes add(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) const;

 private:
  struct Numbers;
  std::unique_ptr<Numbers> numbers_;
};

class PaillierOpener {  // who has the primes
 public:
  PaillierOpener(const BigBytes& p, const BigBytes& q);
  // Two primes of bits/2 each, from the entropy.
  [[nodiscard]] static PaillierOpener make(std::uint32_t bits, const Secret& entropy);
  PaillierOpener(PaillierOpener&&) noexcept;
  ~PaillierOpener();

  [[nodiscard]] const PaillierKey& key() const;
  [[nodiscard]] Result<BigBytes> open(std::span<const std::uint8_t> ciphertext) const;

 private:
  struct Numbers;
  std::unique_ptr<Numbers> numbers_;
};

}  // namespace sotto::privacy
