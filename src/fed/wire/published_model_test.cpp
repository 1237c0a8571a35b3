#include "fed/wire/published_model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/codec.h"
#include "base/compression.h"
#include "fed/wire/signed_request.h"

namespace sotto::fed::published_model_test {

constexpr v1::Precision precisions[] = {v1::PRECISION_F32, v1::PRECISION_F16, v1::PRECISION_I8};

// Any finite float: ordinary ones, and those made of any bits.
float any_float() {
  if (*rc::gen::inRange(0, 4) > 0) return static_cast<float>(*rc::gen::inRange(-5000, 5000)) / 997.0f;
  const auto value = std::bit_cast<float>(*rc::gen::arbitrary<std::uint32_t>());
  return std::isfinite(value) ? value : 0.0f;
}

RowMatrix any_model(std::size_t rows, std::size_t width) {
  RowMatrix model(rows, width);
  for (std::size_t r = 0; r < rows; ++r)
    for (float& value : model.values(r)) value = any_float();
  return model;
}

// A model that differs from the other in about half of its rows, a little or altogether.
RowMatrix moved(const RowMatrix& model) {
  RowMatrix next = model;
  for (std::size_t r = 0; r < model.rows(); ++r) {
    const int kind = *rc::gen::inRange(0, 4);
    for (float& value : next.values(r))
      if (kind == 2)
        value = any_float();
      else if (kind == 3)
        value *= 1.01f;
    for (float& value : next.values(r))
      if (!std::isfinite(value)) value = 1.0f;
  }
  return next;
}

ModelShape shape_of(const RowMatrix& model, v1::Precision precision) {
  return {model.rows(), model.width(), precision};
}

bool same(const RowMatrix& a, const RowMatrix& b) {
  if (a.rows() != b.rows() || a.width() != b.width()) return false;
  for (std::size_t r = 0; r < a.rows(); ++r)
    if (std::memcmp(a.row(r), b.row(r), a.stride() * sizeof(float)) != 0) return false;
  return true;
}

RowMatrix rows_of(std::initializer_list<std::initializer_list<float>> rows) {
  RowMatrix model(rows.size(), rows.begin()->size());
  std::size_t r = 0;
  for (const auto& row : rows) std::copy(row.begin(), row.end(), model.row(r++));
  return model;
}

TEST(PublishedModel, BytesOfAWorkedExample) {
  const RowMatrix model = rows_of({{1.0f, -2.0f}, {0.0f, 0.0f}});
  const auto header = [](char precision) {
    return (std::string("SOPM\1\0", 6) + precision).append("\0\2\0\0\0\2\0\0\0", 9);
  };
  EXPECT_EQ(publish(model, v1::PRECISION_F32),
            header(0) + std::string("\0\0\x80\x3F\0\0\0\xC0\0\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(publish(model, v1::PRECISION_F16), header(1) + std::string("\0\x3C\0\xC0\0\0\0\0", 8));
  // 2/127 is 0x3C810204; 1 is 63.5 steps of it, which rounds to the even 64.
  EXPECT_EQ(publish(model, v1::PRECISION_I8),
            header(2) + std::string("\4\2\x81\x3C\x40\x81\0\0\0\0\0\0", 12));
}

TEST(PublishedModel, RowsOfEightBitsAreWithinHalfAStep) {
  const RowMatrix model = rows_of({{0.5f, -0.25f, 0.013f, 0.0f}, {1e-3f, 2e-3f, -7e-3f, 1e-9f}});
  const RowMatrix read = as_published(model, v1::PRECISION_I8);
  EXPECT_EQ(read.row(0)[0], 0.5f);
  EXPECT_EQ(read.row(0)[3], 0.0f);
  for (std::size_t r = 0; r < 2; ++r) {
    const float step = (r == 0 ? 0.5f : 7e-3f) / 127.0f;
    for (std::size_t k = 0; k < 4; ++k) EXPECT_LE(std::abs(read.row(r)[k] - model.row(r)[k]), 0.5001f * step);
  }
}

TEST(PublishedModel, TheEndsOfTheFloatsStayFinite) {
  constexpr float most = std::numeric_limits<float>::max();
  constexpr float least = std::numeric_limits<float>::denorm_min();
  const RowMatrix model = rows_of({{most, -most, 1.0f}, {least, 0.0f, -least}, {190 * least, least, 0.0f}});
  for (const v1::Precision precision : precisions) {
    const auto read = read_published(publish(model, precision), shape_of(model, precision));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_TRUE(same(*read, as_published(model, precision)));
    EXPECT_GT(read->row(0)[0], 60000.0f);
  }
}

RC_GTEST_PROP(PublishedModelLaw, WhatIsReadIsTheRoundingAndPackingLosesNothing, ()) {
  const RowMatrix model =
      any_model(*rc::gen::inRange<std::size_t>(0, 40), *rc::gen::inRange<std::size_t>(1, 40));
  for (const v1::Precision precision : precisions) {
    const ModelShape shape = shape_of(model, precision);
    const std::string encoded = publish(model, precision);
    RC_ASSERT(encoded.size() == published_bytes(shape));
    RC_ASSERT(same(read_published(encoded, shape).value(), as_published(model, precision)));
    RC_ASSERT(unpack_model(pack_model(encoded), shape).value() == encoded);
    if (precision == v1::PRECISION_F32) RC_ASSERT(same(as_published(model, precision), model));
  }
}

RC_GTEST_PROP(PublishedModelLaw, ADeltaLeadsFromOneVersionToTheOther, ()) {
  const RowMatrix model =
      any_model(*rc::gen::inRange<std::size_t>(1, 70), *rc::gen::inRange<std::size_t>(1, 20));
  const RowMatrix next = moved(model);
  for (const v1::Precision precision : precisions) {
    const ModelShape shape = shape_of(model, precision);
    const std::string from = publish(model, precision);
    const std::string to = publish(next, precision);
    const std::string delta = make_delta(from, to, shape);
    RC_ASSERT(apply_delta(from, delta, shape).value() == to);
    if (from != to) RC_ASSERT(!apply_delta(to, delta, shape).ok());
  }
}

// What comes out of any bytes is a model of finite numbers, or nothing.
void expect_finite_or_refused(const Result<std::string>& encoded, const ModelShape& shape) {
  if (!encoded.ok()) return;
  const auto read = read_published(*encoded, shape);
  if (!read.ok()) return;
  for (std::size_t r = 0; r < read->rows(); ++r)
    for (const float value : read->values(r)) ASSERT_TRUE(std::isfinite(value));
}

RowMatrix wavy(std::size_t rows, std::size_t width, float phase) {
  RowMatrix model(rows, width);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < width; ++k)
      model.row(r)[k] = 0.3f * std::sin(phase + static_cast<float>(r * 7 + k * 3));
  return model;
}

TEST(PublishedModel, EveryCutAndEveryFlipIsRefusedOrFinite) {
  const RowMatrix model = wavy(9, 5, 0.0f);
  for (const v1::Precision precision : precisions) {
    const ModelShape shape = shape_of(model, precision);
    const std::string encoded = publish(model, precision);
    const std::string packed = pack_model(encoded);
    const std::string delta = make_delta(encoded, publish(wavy(9, 5, 0.1f), precision), shape);
    for (std::size_t size = 0; size < encoded.size(); ++size)
      EXPECT_FALSE(read_published(encoded.substr(0, size), shape).ok());
    EXPECT_FALSE(read_published(encoded + '\0', shape).ok());
    for (std::size_t size = 0; size < packed.size(); ++size)
      EXPECT_FALSE(unpack_model(packed.substr(0, size), shape).ok());
    for (std::size_t size = 0; size < delta.size(); ++size)
      EXPECT_FALSE(apply_delta(encoded, delta.substr(0, size), shape).ok());
    const auto flipped = [](std::string bytes, std::size_t bit) {
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      return bytes;
    };
    for (std::size_t bit = 0; bit < encoded.size() * 8; ++bit)
      expect_finite_or_refused(flipped(encoded, bit), shape);
    for (std::size_t bit = 0; bit < packed.size() * 8; ++bit)
      expect_finite_or_refused(unpack_model(flipped(packed, bit), shape), shape);
    for (std::size_t bit = 0; bit < delta.size() * 8; ++bit)
      expect_finite_or_refused(apply_delta(encoded, flipped(delta, bit), shape), shape);
  }
}

// `encoded` with other bytes at `place`.
template <class T>
std::string with(std::string encoded, std::size_t place, T value) {
  std::memcpy(encoded.data() + place, &value, sizeof(value));
  return encoded;
}

TEST(PublishedModel, WhatDivergedIsNotRead) {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    for (const v1::Precision precision : precisions) {
      RowMatrix model = wavy(3, 4, 0.0f);
      model.row(1)[2] = bad;
      EXPECT_FALSE(read_published(publish(model, precision), shape_of(model, precision)).ok());
      EXPECT_FALSE(std::isfinite(as_published(model, precision).row(1)[2]));
    }
}

TEST(PublishedModel, WhatNobodyPublishesIsRefused) {
  const RowMatrix model = wavy(2, 3, 0.0f);
  const auto refused = [&](v1::Precision precision, std::size_t place, auto value) {
    return !read_published(with(publish(model, precision), place, value), shape_of(model, precision)).ok();
  };
  constexpr float nothing = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinite = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(refused(v1::PRECISION_F32, 16, nothing));
  EXPECT_TRUE(refused(v1::PRECISION_F32, 16 + 5 * 4, -infinite));
  EXPECT_TRUE(refused(v1::PRECISION_F16, 16 + 3 * 2, std::uint16_t{0x7C00}));
  EXPECT_TRUE(refused(v1::PRECISION_F16, 16, std::uint16_t{0xFE00}));
  EXPECT_TRUE(refused(v1::PRECISION_I8, 16, nothing));
  EXPECT_TRUE(refused(v1::PRECISION_I8, 16, -0.5f));
  EXPECT_TRUE(refused(v1::PRECISION_I8, 16, 3e37f));  // times 127 it is no float
  EXPECT_TRUE(refused(v1::PRECISION_I8, 16, 0.0f));   // a zero row has no steps
  EXPECT_TRUE(refused(v1::PRECISION_I8, 16 + 4, std::int8_t{-128}));
}

TEST(PublishedModel, AnotherShapeOrLayoutIsRefusedByName) {
  const RowMatrix model = wavy(4, 3, 0.0f);
  const std::string encoded = publish(model, v1::PRECISION_F32);
  EXPECT_FALSE(read_published(encoded, {4, 3, v1::PRECISION_F16}).ok());
  EXPECT_FALSE(read_published(encoded, {3, 4, v1::PRECISION_F32}).ok());
  EXPECT_FALSE(unpack_model(pack_model(encoded), {4, 2, v1::PRECISION_F32}).ok());
  const auto newer = read_published(with(encoded, 4, std::uint16_t{2}), shape_of(model, v1::PRECISION_F32));
  ASSERT_FALSE(newer.ok());
  EXPECT_EQ(newer.error().code, Code::incompatible);
}

// A delta that somebody wrote by hand.
std::string forged_delta(const std::string& from, char bitmap, const std::string& rows) {
  const std::string bytes = "SOPD" + from.substr(4, 12) + blob_hash(from) + bitmap + rows;
  const Bytes packed = compress(std::as_bytes(std::span(bytes)));
  return {reinterpret_cast<const char*>(packed.data()), packed.size()};
}

TEST(PublishedModel, ADeltaKeepsToItsRows) {
  const RowMatrix model = rows_of({{1.0f}, {2.0f}, {3.0f}});
  const ModelShape shape = shape_of(model, v1::PRECISION_F32);
  const std::string from = publish(model, v1::PRECISION_F32);
  // 2.0f is 0x40000000; one more in its last place is the number 1, folded 2; high bytes come first.
  const std::string one_up("\0\0\0\2", 4);
  const auto to = apply_delta(from, forged_delta(from, 2, one_up), shape);
  ASSERT_TRUE(to.ok()) << to.error().message;
  EXPECT_EQ(read_published(*to, shape)->row(1)[0], std::nextafter(2.0f, 3.0f));
  EXPECT_EQ(apply_delta(from, forged_delta(from, 0, ""), shape).value(), from);
  EXPECT_FALSE(apply_delta(from, forged_delta(from, 8, one_up), shape).ok());           // a fourth row
  EXPECT_FALSE(apply_delta(from, forged_delta(from, 6, one_up), shape).ok());           // two rows, one given
  EXPECT_FALSE(apply_delta(from, forged_delta(from, 2, one_up + one_up), shape).ok());  // one row, two given
  EXPECT_FALSE(apply_delta(from, forged_delta(from, 2, std::string(4, '\0')), shape).ok());  // no difference
  // 0x7F800000 - 0x40000000 = 0x3F800000, folded 0x7F000000: two becomes infinite.
  EXPECT_FALSE(apply_delta(from, forged_delta(from, 2, std::string("\x7F\0\0\0", 4)), shape).ok());
}

TEST(PublishedModel, AStreamThatPromisesMoreThanTheShapeIsRefused) {
  const Bytes bomb = compress(Bytes(std::size_t{64} << 20));
  const std::string packed(reinterpret_cast<const char*>(bomb.data()), bomb.size());
  const RowMatrix model = wavy(4, 3, 0.0f);
  const ModelShape shape = shape_of(model, v1::PRECISION_F32);
  EXPECT_FALSE(unpack_model(packed, shape).ok());
  EXPECT_FALSE(apply_delta(publish(model, v1::PRECISION_F32), packed, shape).ok());
}

}  // namespace sotto::fed::published_model_test
