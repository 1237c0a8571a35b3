#include "base/codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace sotto::base::codec_test {

enum class Colour : std::uint8_t { red = 1, green = 2 };

struct Cell {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  auto operator<=>(const Cell&) const = default;
};

}  // namespace sotto::base::codec_test

template <>
inline constexpr bool sotto::base::codec_plain<sotto::base::codec_test::Cell> = true;

namespace sotto::base::codec_test {

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(Codec, WritesLittleEndianWithLengths) {
  Writer out;
  out.number(std::uint16_t{0x0102}).number(true).text("hi").array(std::span<const std::uint16_t>({{3, 4}}));
  EXPECT_EQ(out.size(), 21u);
  EXPECT_EQ(std::move(out).take(),
            bytes_of({2, 1, 1, 2, 0, 0, 0, 'h', 'i', 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0}));
}

TEST(Codec, KeepsEveryBitOfAFloat) {
  const float values[] = {0.0f,
                          -0.0f,
                          1.5f,
                          std::numeric_limits<float>::denorm_min(),
                          std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()};
  Writer out;
  for (const float value : values) out.number(value);
  Reader in(out.view());
  for (const float value : values)
    EXPECT_EQ(std::bit_cast<std::uint32_t>(in.number<float>()), std::bit_cast<std::uint32_t>(value));
  EXPECT_TRUE(in.finished());
}

TEST(Codec, TakesEnumsAndTypesThatDeclareThemselvesPlain) {
  const std::vector<Colour> colours{Colour::green, Colour::red};
  const std::vector<Cell> cells{{1, 2}, {3, 4}};
  Writer out;
  out.array(std::span<const Colour>(colours)).array(std::span<const Cell>(cells));
  Reader in(out.view());
  EXPECT_EQ(in.array<Colour>(), colours);
  EXPECT_EQ(in.array<Cell>(), cells);
  EXPECT_TRUE(in.finished());
}

struct Message {
  std::uint8_t small = 0;
  std::int64_t large = 0;
  double real = 0.0;
  bool flag = false;
  std::string name;
  std::vector<std::uint32_t> list;

  [[nodiscard]] Bytes encode() const {
    Writer out;
    out.number(small).number(large).number(real).number(flag).text(name);
    out.array(std::span<const std::uint32_t>(list));
    return std::move(out).take();
  }
  static Message decode(Reader& in) {
    Message m;
    m.small = in.number<std::uint8_t>();
    m.large = in.number<std::int64_t>();
    m.real = in.number<double>();
    m.flag = in.number<bool>();
    m.name = in.text();
    m.list = in.array<std::uint32_t>();
    return m;
  }
  auto operator<=>(const Message&) const = default;
};

Message any_message() {
  return {*rc::gen::arbitrary<std::uint8_t>(), *rc::gen::arbitrary<std::int64_t>(),
          *rc::gen::arbitrary<double>(),       *rc::gen::arbitrary<bool>(),
          *rc::gen::arbitrary<std::string>(),  *rc::gen::arbitrary<std::vector<std::uint32_t>>()};
}

RC_GTEST_PROP(CodecLaw, DecodeUndoesEncode, ()) {
  const Message message = any_message();
  const Bytes bytes = message.encode();
  Reader in(bytes);
  RC_ASSERT(Message::decode(in) == message);
  RC_ASSERT(in.finished());
}

RC_GTEST_PROP(CodecLaw, TruncationAtAnyByteIsSeen, ()) {
  const Bytes bytes = any_message().encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Reader in{std::span<const std::byte>(bytes).first(size)};
    static_cast<void>(Message::decode(in));
    RC_ASSERT(in.spoiled());
    RC_ASSERT(!in.finished());
  }
}

RC_GTEST_PROP(CodecLaw, BytesLeftOverAreSeen, ()) {
  Bytes bytes = any_message().encode();
  bytes.push_back(std::byte{0});
  Reader in(bytes);
  static_cast<void>(Message::decode(in));
  RC_ASSERT(!in.spoiled());
  RC_ASSERT(!in.finished());
  RC_ASSERT(in.remaining() == 1u);
}

TEST(Codec, AFailedReadFailsAllThatFollow) {
  const Bytes bytes = bytes_of({1, 2, 3, 4, 5});
  Reader in(bytes);
  EXPECT_EQ(in.number<std::uint64_t>(), 0u);
  EXPECT_TRUE(in.spoiled());
  EXPECT_EQ(in.number<std::uint8_t>(), 0u);
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.array<std::uint8_t>().empty());
  EXPECT_TRUE(in.raw(0).empty());
  EXPECT_FALSE(in.finished());
}

TEST(Codec, ALengthThatTheInputCannotHoldAllocatesNothing) {
  for (const std::uint64_t length : {std::uint64_t{2}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    Writer out;
    out.number(length).number(std::uint64_t{7});
    Reader in(out.view());
    EXPECT_TRUE(in.array<std::uint64_t>().empty());
    EXPECT_TRUE(in.spoiled());
  }
}

TEST(Codec, TextOverTheReadersLimitIsRefused) {
  Writer out;
  out.text("four");
  Reader strict(out.view());
  EXPECT_EQ(strict.text(3), "");
  EXPECT_TRUE(strict.spoiled());
  Reader exact(out.view());
  EXPECT_EQ(exact.text(4), "four");
  EXPECT_TRUE(exact.finished());
}

TEST(Codec, AByteThatIsNoBoolIsRefused) {
  const Bytes bytes = bytes_of({2});
  Reader in(bytes);
  EXPECT_FALSE(in.number<bool>());
  EXPECT_TRUE(in.spoiled());
}

}  // namespace sotto::base::codec_test
