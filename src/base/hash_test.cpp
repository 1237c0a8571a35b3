#include "base/hash.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace sotto::base::hash_test {

std::string hash_of(const std::string& text) {
  Hasher hasher;
  hasher.bytes(std::as_bytes(std::span(text)));
  return std::move(hasher).hex();
}

// BLAKE2b with 32 bytes of digest, as in RFC 7693's reference code and every `b2sum -l 256`.
TEST(Hasher, IsBlake2b256) {
  EXPECT_EQ(hash_of(""), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(hash_of("abc"), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(Hasher, PiecesAddUpToTheWhole) {
  const std::string text(1000, 'x');
  Hasher pieces;
  for (std::size_t begin = 0; begin < text.size(); begin += 7)
    pieces.bytes(
        std::as_bytes(std::span(text).subspan(begin, std::min<std::size_t>(7, text.size() - begin))));
  EXPECT_EQ(std::move(pieces).hex(), hash_of(text));
}

TEST(Hasher, NumbersAreEightLittleEndianBytes) {
  Hasher hasher;
  hasher.u64(0x0807060504030201ull);
  EXPECT_EQ(std::move(hasher).hex(), hash_of("\x01\x02\x03\x04\x05\x06\x07\x08"));
}

TEST(Hasher, TextsKeepTheirBorders) {
  Hasher one;
  one.text("ab").text("c");
  Hasher other;
  other.text("a").text("bc");
  EXPECT_NE(std::move(one).hex(), std::move(other).hex());
}

TEST(Hasher, ArraysAreTheirBytes) {
  const std::array<std::uint16_t, 2> values{0x6261, 0x6463};
  Hasher hasher;
  hasher.array(std::span<const std::uint16_t>(values));
  EXPECT_EQ(std::move(hasher).hex(), hash_of("abcd"));
}

}  // namespace sotto::base::hash_test
