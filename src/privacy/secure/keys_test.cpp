#include "privacy/secure/keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace sotto::privacy::keys_test {

bool same(const Secret& a, const Secret& b) { return same_bytes(a.on_device(), b.on_device()); }

Bytes32 from_hex(const std::string& text) {
  Bytes32 out{};
  for (std::size_t n = 0; n < out.size(); ++n)
    out[n] = static_cast<std::uint8_t>(std::stoul(text.substr(2 * n, 2), nullptr, 16));
  return out;
}
Secret secret(std::uint8_t first) {
  Bytes32 bytes{};
  bytes[5] = first;
  bytes[31] = 7;
  return Secret(bytes);
}

TEST(Secret, WipesTheKeyThatItIsMadeOf) {
  SecretKey key = simulated_key(1, "key"), kept = key;
  const Secret made(std::move(key));
  EXPECT_EQ(std::memcmp(made.on_device().data(), kept.data(), kept.size()), 0);
  EXPECT_EQ(key, SecretKey{});  // NOLINT(bugprone-use-after-move): that is what is tested
}

TEST(Secret, IsWipedWhenItGoes) {
  alignas(Secret) std::array<std::uint8_t, sizeof(Secret)> memory{};
  Bytes32 bytes;
  bytes.fill(0xAB);
  auto* one = new (memory.data()) Secret(bytes);
  EXPECT_NE(std::count(memory.begin(), memory.end(), 0xAB), 0);
  std::destroy_at(one);
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 0), static_cast<std::ptrdiff_t>(memory.size()));
}

TEST(Secret, EachLabelAndContextHasItsOwn) {
  const Secret root = secret(1);
  EXPECT_TRUE(same(root.derive("a", 1), root.derive("a", 1)));
  EXPECT_FALSE(same(root.derive("a", 1), root.derive("a", 2)));
  EXPECT_FALSE(same(root.derive("a", 1), root.derive("b", 1)));
  EXPECT_FALSE(same(root.derive("a", 1), secret(2).derive("a", 1)));
  // Lengths stand in front: what ends one part does not begin the next.
  const std::array<std::uint8_t, 2> two{1, 2};
  const std::array<std::uint8_t, 1> first{1}, second{2};
  EXPECT_FALSE(same(root.derive("a", {two}), root.derive("a", {first, second})));
}

// RFC 7748, section 6.1.
TEST(Keys, AgreementKeysAreX25519) {
  const AgreementKey bob =
      agreement_key(Secret(from_hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")));
  EXPECT_EQ(bob.open, from_hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"));
}

TEST(Keys, BothSidesAgreeAndNobodyElse) {
  const AgreementKey a = agreement_key(secret(1)), b = agreement_key(secret(2)), c = agreement_key(secret(3));
  const auto ab = agree(a, b.open, {5, 1, 2}, "mask"), ba = agree(b, a.open, {5, 2, 1}, "mask");
  ASSERT_TRUE(ab && ba);
  EXPECT_TRUE(same(*ab, *ba));
  EXPECT_FALSE(same(*ab, *agree(a, b.open, {6, 1, 2}, "mask")));    // another round
  EXPECT_FALSE(same(*ab, *agree(a, b.open, {5, 1, 3}, "mask")));    // another pair
  EXPECT_FALSE(same(*ab, *agree(a, b.open, {5, 1, 2}, "letter")));  // another use
  EXPECT_FALSE(same(*ab, *agree(a, c.open, {5, 1, 2}, "mask")));
}

TEST(Keys, APointOfSmallOrderIsRefused) {
  EXPECT_FALSE(agree(agreement_key(secret(1)), PublicKey{}, {1, 1, 2}, "mask").has_value());
  PublicKey one{};
  one[0] = 1;
  EXPECT_FALSE(agree(agreement_key(secret(1)), one, {1, 1, 2}, "mask").has_value());
}

// RFC 8032, section 7.1, test 1: the public key of the seed.
TEST(Keys, IdentitiesAreEd25519) {
  const Identity identity(
      Secret(from_hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")));
  EXPECT_EQ(identity.open(), from_hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"));
}

TEST(Keys, ASignatureIsOverOneDigestByOneIdentity) {
  const Identity identity(secret(1)), other(secret(2));
  Bytes32 digest = digest_of("test", {});
  Signature signature = identity.sign(digest);
  EXPECT_TRUE(is_signed(digest, signature, identity.open()));
  EXPECT_FALSE(is_signed(digest, signature, other.open()));
  signature[10] ^= 1;
  EXPECT_FALSE(is_signed(digest, signature, identity.open()));
  signature[10] ^= 1;
  digest[0] ^= 1;
  EXPECT_FALSE(is_signed(digest, signature, identity.open()));
}

TEST(Keys, ALetterOpensUnchangedForItsKeyAlone) {
  const std::array<std::uint8_t, 5> letter{1, 2, 3, 4, 5};
  auto sealed = seal(secret(1), letter);
  ASSERT_EQ(sealed.size(), letter.size() + seal_bytes);
  std::array<std::uint8_t, 5> opened{};
  EXPECT_TRUE(unseal(secret(1), sealed, opened));
  EXPECT_EQ(opened, letter);
  EXPECT_FALSE(unseal(secret(2), sealed, opened));
  for (std::uint8_t& byte : sealed) {
    byte ^= 0x40;
    EXPECT_FALSE(unseal(secret(1), sealed, opened));
    byte ^= 0x40;
  }
  sealed.pop_back();
  EXPECT_FALSE(unseal(secret(1), sealed, opened));
}

}  // namespace sotto::privacy::keys_test
