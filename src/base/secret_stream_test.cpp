#include "base/secret_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace sotto::base::secret_stream_test {

SecretKey key_of(std::initializer_list<unsigned> bytes) {
  SecretKey key{};
  std::size_t n = 0;
  for (const unsigned byte : bytes) key[n++] = static_cast<std::byte>(byte);
  return key;
}

std::vector<std::byte> bytes_of(SecretStream stream, std::size_t count) {
  std::vector<std::byte> bytes(count);
  stream.fill(bytes);
  return bytes;
}

// NIST's known answer for AES-256 with a key of zeros and a block of zeros: the first block of our stream 0.
TEST(SecretStream, StartsWithThePublishedBlock) {
  const std::vector<std::byte> block = bytes_of(SecretStream(SecretKey{}), 16);
  const unsigned char expected[16] = {0xdc, 0x95, 0xc0, 0x78, 0xa2, 0x40, 0x89, 0x89,
                                      0xad, 0x48, 0xa2, 0x14, 0x92, 0x84, 0x20, 0x87};
  for (std::size_t n = 0; n < 16; ++n) EXPECT_EQ(static_cast<unsigned>(block[n]), expected[n]) << n;
}

TEST(SecretStream, KeysAndNumbersGiveOtherBytes) {
  const auto first = bytes_of(SecretStream(key_of({1}), 0), 64);
  EXPECT_EQ(first, bytes_of(SecretStream(key_of({1}), 0), 64));
  EXPECT_NE(first, bytes_of(SecretStream(key_of({2}), 0), 64));
  EXPECT_NE(first, bytes_of(SecretStream(key_of({1}), 1), 64));
}

TEST(SecretStream, SimulatedKeysDependOnEveryPart) {
  const SecretKey key = simulated_key(1, "noise", 2, 3);
  EXPECT_EQ(key, simulated_key(1, "noise", 2, 3));
  EXPECT_NE(key, simulated_key(2, "noise", 2, 3));
  EXPECT_NE(key, simulated_key(1, "masks", 2, 3));
  EXPECT_NE(key, simulated_key(1, "noise", 3, 3));
  EXPECT_NE(key, simulated_key(1, "noise", 2, 4));
  EXPECT_NE(system_key(), system_key());
}

TEST(SecretStream, AKeyThatIsGivenAwayIsWiped) {
  SecretKey key = simulated_key(1, "noise"), given = key;
  SecretStream one(key), other(std::move(given));
  EXPECT_EQ(one.next_u64(), other.next_u64());
  EXPECT_EQ(given, SecretKey{});  // NOLINT(bugprone-use-after-move): that is what is tested
}

RC_GTEST_PROP(SecretStream, HowItIsAskedDoesNotChangeTheBytes, (std::vector<std::uint8_t> steps)) {
  std::size_t total = 0;
  for (const std::uint8_t step : steps) total += step * std::size_t{17};
  const auto whole = bytes_of(SecretStream(key_of({7})), total);
  SecretStream stream(key_of({7}));
  std::vector<std::byte> parts(total);
  std::size_t done = 0;
  for (const std::uint8_t step : steps) {
    stream.fill(std::span(parts).subspan(done, step * std::size_t{17}));
    done += step * std::size_t{17};
  }
  RC_ASSERT(parts == whole);
}

template <class Number>
void check_add(std::size_t count, std::size_t offset) {
  SecretStream plain(key_of({9})), added(key_of({9})), taken(key_of({9}));
  std::vector<std::byte> skipped(offset);
  plain.fill(skipped), added.fill(skipped), taken.fill(skipped);
  std::vector<Number> words(count), numbers(count);
  plain.fill(std::as_writable_bytes(std::span(words)));
  for (std::size_t n = 0; n < count; ++n) numbers[n] = static_cast<Number>(n * 77);
  const std::vector<Number> before = numbers;
  added.add_to(std::span(numbers));
  for (std::size_t n = 0; n < count; ++n) RC_ASSERT(numbers[n] == static_cast<Number>(before[n] + words[n]));
  taken.subtract_from(std::span(numbers));
  RC_ASSERT(numbers == before);
  RC_ASSERT(plain.next_u64() == added.next_u64());
}

RC_GTEST_PROP(SecretStream, AddsItsOwnBytesAndTakesThemAway, ()) {
  const std::size_t count = *rc::gen::inRange<std::size_t>(0, 5000);
  const std::size_t offset = *rc::gen::inRange<std::size_t>(0, 40);
  check_add<std::uint32_t>(count, offset);
  check_add<std::uint64_t>(count, offset);
}

}  // namespace sotto::base::secret_stream_test
