#include "privacy/secure/paillier.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sotto::privacy::paillier_test {

using Wide = unsigned __int128;

BigBytes big_bytes(std::uint64_t value, std::size_t size = 8) {
  BigBytes bytes(size, 0);
  for (std::size_t n = 0; n < std::min<std::size_t>(size, 8); ++n)
    bytes[size - 1 - n] = static_cast<std::uint8_t>(value >> (8 * n));
  return bytes;
}
std::uint64_t small(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}
std::uint64_t power(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  Wide out = 1;
  for (std::uint64_t n = 0; n < exponent; ++n) out = out * base % modulus;
  return static_cast<std::uint64_t>(out);
}

// n = 7 · 11, m = 42, r = 23: (1 + 77)^42 · 23^77 mod 77² = 3840.
TEST(Paillier, KnownVector) {
  const PaillierOpener opener(big_bytes(7), big_bytes(11));
  const BigBytes ciphertext = opener.key().encrypt_with(big_bytes(42), big_bytes(23));
  EXPECT_EQ(small(ciphertext), 3840u);
  EXPECT_EQ(small(opener.open(ciphertext).value()), 42u);
}

// Against the definition, power by power, and the primes 1009 and 1013.
RC_GTEST_PROP(PaillierLaw, IsTheDefinition, ()) {
  constexpr std::uint64_t n = 1009 * 1013, square = n * n;
  static const PaillierOpener opener(big_bytes(1009), big_bytes(1013));
  const auto m = *rc::gen::inRange<std::uint64_t>(0, n), other = *rc::gen::inRange<std::uint64_t>(0, n);
  const auto r = *rc::gen::inRange<std::uint64_t>(1, 1009);
  const BigBytes ciphertext = opener.key().encrypt_with(big_bytes(m), big_bytes(r));
  const Wide expected =
      static_cast<Wide>((1 + static_cast<Wide>(m) * n) % square) * power(r, n, square) % square;
  RC_ASSERT(small(ciphertext) == static_cast<std::uint64_t>(expected));
  const BigBytes second = opener.key().encrypt_with(big_bytes(other), big_bytes(r));
  RC_ASSERT(small(opener.open(opener.key().add(ciphertext, second)).value()) == (m + other) % n);
}

TEST(Paillier, AKeyOfFullLengthAddsAndHides) {
  const PaillierOpener opener = PaillierOpener::make(paillier_bits, Secret(Bytes32{5}));
  const PaillierKey key(opener.key().modulus());
  EXPECT_EQ(key.plain_bits(), paillier_bits - 1u);
  EXPECT_EQ(key.ciphertext_bytes(), 512u);
  SecretStream random(simulated_key(1, "test"));
  const BigBytes a = key.encrypt(big_bytes(1000), random), b = key.encrypt(big_bytes(1000), random);
  EXPECT_NE(a, b);
  const BigBytes sum = opener.open(key.add(a, b)).value();
  EXPECT_EQ(small(std::span(sum).last(8)), 2000u);
  EXPECT_TRUE(std::all_of(sum.begin(), sum.end() - 8, [](std::uint8_t byte) { return byte == 0; }));
  // The key follows from the entropy.
  EXPECT_EQ(key.modulus(), PaillierOpener::make(paillier_bits, Secret(Bytes32{5})).key().modulus());
}

TEST(Paillier, WhatIsNoCiphertextIsRefused) {
  const PaillierOpener opener(big_bytes(1009), big_bytes(1013));
  const std::size_t size = opener.key().ciphertext_bytes();
  EXPECT_FALSE(opener.open(big_bytes(0, size)).ok());
  EXPECT_FALSE(opener.open(BigBytes(size, 0xFF)).ok());
  EXPECT_FALSE(opener.open(big_bytes(5, size + 1)).ok());
  EXPECT_TRUE(opener.open(big_bytes(5, size)).ok());
  // A common factor with n: the product with one is none of any sum.
  constexpr std::uint64_t n = 1009 * 1013;
  for (const std::uint64_t number : {n, 7 * n, std::uint64_t{1009}, std::uint64_t{1009 * 12}, n * 1013})
    EXPECT_FALSE(opener.key().is_ciphertext(big_bytes(number, size))) << number;
}

}  // namespace sotto::privacy::paillier_test
