#include "base/compression.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "base/rng.h"

namespace sotto::base::compression_test {

Bytes bytes_of(const std::string& text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

Bytes noise(std::size_t size) {
  Stream stream(1, Purpose::generate_world);
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(stream.below(256));
  return bytes;
}

Bytes joined(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// What the `zstd` program (1.5.4) wrote for "hello\n": the format, not only our own round trip.
TEST(Compression, ReadsWhatTheZstdProgramWrote) {
  const unsigned char file[] = {0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x58, 0x31, 0x00, 0x00, 0x68,
                                0x65, 0x6C, 0x6C, 0x6F, 0x0A, 0x53, 0x88, 0xBD, 0x91};
  const auto result = decompress(std::as_bytes(std::span(file)));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(*result, bytes_of("hello\n"));
}

RC_GTEST_PROP(CompressionLaw, DecompressUndoesCompress, ()) {
  const auto text = *rc::gen::arbitrary<std::string>();
  const auto repeats = *rc::gen::inRange(1, 200);
  std::string whole;
  for (int n = 0; n < repeats; ++n) whole += text;
  const Bytes packed = compress(bytes_of(whole));
  RC_ASSERT(looks_like_zstd(packed));
  const auto result = decompress(packed);
  RC_ASSERT(result.ok());
  RC_ASSERT(*result == bytes_of(whole));
}

TEST(Compression, BuffersLargerThanOneBlockComeBack) {
  for (const std::size_t size :
       {std::size_t{128} << 10, (std::size_t{128} << 10) + 1, std::size_t{3'000'000}}) {
    const Bytes plain = noise(size);
    const auto result = decompress(compress(plain));
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(*result, plain);
  }
  const Bytes zeros(10'000'000);
  EXPECT_EQ(*decompress(compress(zeros)), zeros);
}

TEST(Compression, FramesOneAfterAnotherAreOneStream) {
  const Bytes empty = compress({});
  const Bytes packed = joined(joined(compress(bytes_of("one,")), empty), compress(bytes_of("two")));
  EXPECT_EQ(*decompress(packed), bytes_of("one,two"));
  EXPECT_TRUE(decompress(empty)->empty());
}

TEST(Compression, TruncationAtAnyByteIsSaid) {
  const Bytes packed = compress(noise(3000));
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const auto result = decompress(std::span(packed).first(size));
    ASSERT_FALSE(result.ok()) << size;
    EXPECT_EQ(result.error().code, Code::bad_input);
    EXPECT_NE(result.error().message.find("truncated"), std::string::npos) << result.error().message;
  }
}

TEST(Compression, TruncationOfTheSecondFrameIsSaid) {
  const Bytes first = compress(bytes_of("one"));
  const Bytes both = joined(first, compress(bytes_of("two")));
  for (std::size_t size = first.size() + 1; size < both.size(); ++size)
    EXPECT_FALSE(decompress(std::span(both).first(size)).ok()) << size;
}

TEST(Compression, ACorruptStreamIsSaid) {
  Bytes packed = compress(bytes_of(std::string(500, 'a') + std::string(500, 'b')));
  packed[0] = std::byte{0};
  const auto result = decompress(packed);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::bad_input);
  EXPECT_NE(result.error().message.find("corrupt"), std::string::npos) << result.error().message;
  const Bytes trailing = joined(compress(bytes_of("whole")), bytes_of("and then some"));
  EXPECT_NE(decompress(trailing).error().message.find("corrupt"), std::string::npos);
}

TEST(Compression, TheLimitIsOnWhatComesOut) {
  const Bytes bomb = compress(Bytes(1'000'000));
  ASSERT_LT(bomb.size(), 1000u);
  EXPECT_TRUE(decompress(bomb, {.max_bytes = 1'000'000}).ok());
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{999'999}}) {
    const auto result = decompress(bomb, {.max_bytes = limit});
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find("more than"), std::string::npos) << result.error().message;
  }
}

TEST(Compression, AWindowOverTheLimitIsRefusedWithTheRemedy) {
  // A frame header that asks for a window of 2^30 bytes: descriptor 0, window exponent 20.
  const unsigned char header[] = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 20 << 3, 0x01, 0x00, 0x00};
  const auto result = decompress(std::as_bytes(std::span(header)));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("--long"), std::string::npos) << result.error().message;
  EXPECT_TRUE(decompress(std::as_bytes(std::span(header)), {.window_log = 30}).ok());
}

TEST(Compression, PlainTextDoesNotLookLikeZstd) {
  EXPECT_FALSE(looks_like_zstd(bytes_of("user\titem\n")));
  EXPECT_FALSE(looks_like_zstd({}));
  const Bytes packed = compress({});
  EXPECT_FALSE(looks_like_zstd(std::span(packed).first(3)));
}

}  // namespace sotto::base::compression_test
