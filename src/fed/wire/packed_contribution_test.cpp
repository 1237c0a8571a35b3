#include "fed/wire/packed_contribution.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace sotto::fed::packed_contribution_test {

// Rows with values as the test likes them, by the only door there is: the plain message's bytes.
ContributionMessage message_of(std::vector<std::uint32_t> rows, std::size_t width, auto value) {
  std::sort(rows.begin(), rows.end());
  Writer out;
  write_header(out, MessageKind::contribution);
  out.number(std::uint32_t{7})
      .number(static_cast<std::uint32_t>(rows.size()))
      .number(static_cast<std::uint32_t>(width));
  for (const std::uint32_t row : rows) {
    out.number(row);
    for (std::size_t k = 0; k < width; ++k) out.number(static_cast<std::int32_t>(value()));
  }
  return decode<ContributionMessage>(out.view()).value();
}

bool same(const ContributionMessage& a, const ContributionMessage& b) { return encode(a) == encode(b); }

RC_GTEST_PROP(PackedContributionLaw, ComesBackAsItWas, ()) {
  const auto width = *rc::gen::inRange<std::size_t>(1, 40);
  const auto rows = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1000));
  const auto message = message_of(rows, width, [] {
    const int size = *rc::gen::inRange(0, 31);
    const std::int64_t most = std::min<std::int64_t>(std::int64_t{1} << size, fixed_limit);
    return *rc::gen::inRange<std::int64_t>(-most, most + 1);
  });
  const std::string packed = pack_contribution(message);
  const ContributionLimits limits{.catalogue = 1000, .width = width, .most_rows = rows.size()};
  const auto back = unpack_contribution(packed, limits);
  RC_ASSERT(back.ok());
  RC_ASSERT(same(*back, message));
}

// A statistic that stands in many rows is told once.
RC_GTEST_PROP(PackedContributionLaw, RowsThatAreAlikeComeBackToo, ()) {
  const auto width = *rc::gen::inRange<std::size_t>(1, 40);
  const auto rows = *rc::gen::unique<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1000));
  const auto row = *rc::gen::container<std::vector<std::int32_t>>(
      width, rc::gen::inRange<std::int32_t>(-fixed_limit, fixed_limit + 1));
  std::size_t next = 0;
  const auto message = message_of(rows, width, [&] { return row[next++ % width]; });
  const std::string packed = pack_contribution(message, true);
  ContributionLimits limits{.catalogue = 1000, .width = width, .most_rows = rows.size(), .alike = true};
  const auto back = unpack_contribution(packed, limits);
  RC_ASSERT(back.ok());
  RC_ASSERT(same(*back, message));
  RC_ASSERT(packed.size() <= 20 + 1 + 4 * rows.size() + 5 * (width + 1));
  // Neither form is taken for the other.
  RC_PRE(rows.size() > 1);
  RC_ASSERT(!unpack_contribution(pack_contribution(message), limits).ok());
  limits.alike = false;
  RC_ASSERT(!unpack_contribution(packed, limits).ok());
}

// A bit each would lay out rows without end.
TEST(PackedContribution, RowsThatAreAlikeStandOnceEach) {
  const ContributionLimits limits{.catalogue = 10, .width = 5, .most_rows = 10, .alike = true};
  const auto said = [&](const std::vector<std::uint32_t>& rows) {
    const auto read =
        unpack_contribution(pack_contribution(message_of(rows, 5, [] { return 1000; }), true), limits);
    return read.ok() ? std::string() : read.error().message;
  };
  EXPECT_EQ(said({0, 4, 9}), "");
  EXPECT_NE(said({0, 4, 4, 9}).find("twice"), std::string::npos);
  EXPECT_NE(said({0, 0}).find("twice"), std::string::npos);
  EXPECT_NE(said({0, 10}).find("beyond the last"), std::string::npos);
}

TEST(PackedContribution, BitsOfAWorkedExample) {
  std::vector<int> values{0, -1, 1, 2};
  std::size_t next = 0;
  const auto message = message_of({1, 3}, 2, [&] { return values[next++]; });
  // Gaps 1 and 2: with 0 plain bits 5 bits, with 1 also 5; the first wins: 00000, 01, 001.
  // Row 1, folded 0 and 1: 0 plain bits: 00000, 1, 01. Row 3, folded 2 and 4: sums 4 bits or more: with 0
  // plain bits 8, with 1 7, with 2 7: 1 plain bit: 10000, 01 0, 001 0.
  std::string bits =
      "00000"
      "01"
      "001"
      "00000"
      "1"
      "01"
      "10000"
      "010"
      "0010";
  bits.resize((bits.size() + 7) / 8 * 8, '0');
  std::string expected;
  for (std::size_t n = 0; n < bits.size(); n += 8) {
    unsigned byte = 0;
    for (std::size_t k = 0; k < 8; ++k) byte |= (bits[n + k] == '1' ? 1u : 0u) << k;
    expected += static_cast<char>(byte);
  }
  EXPECT_EQ(pack_contribution(message).substr(20), expected);
}

TEST(PackedContribution, AUsualOneTakesItsEntropyAndLittleMore) {
  // Normal values of standard deviation 2^17 have log2(2^17·√(2πe)) = 19.05 bits each.
  Stream draws(3, Purpose::generate_world);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < 200; ++row) rows.push_back(row * 18);
  const auto message = message_of(rows, 20, [&] { return std::lround(131072.0 * draws.normal()); });
  const double bits = 8.0 * static_cast<double>(pack_contribution(message).size() - 20) / (200.0 * 20.0);
  EXPECT_GT(bits, 19.05);
  EXPECT_LT(bits, 20.3);
}

TEST(PackedContribution, EveryCutIsRefusedAndEveryFlipIsRefusedOrWithinTheLimits) {
  int value = 0;
  const auto message = message_of({0, 5, 5, 90}, 3, [&] { return value = (value * 37 + 11) % 100'000; });
  const std::string packed = pack_contribution(message);
  const ContributionLimits limits{.catalogue = 91, .width = 3, .most_rows = 4};
  ASSERT_TRUE(unpack_contribution(packed, limits).ok());
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_FALSE(unpack_contribution(packed.substr(0, size), limits).ok()) << size;
  EXPECT_FALSE(unpack_contribution(packed + '\0', limits).ok());
  for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
    std::string bad = packed;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    const auto read = unpack_contribution(bad, limits);
    if (!read.ok()) continue;
    for (std::size_t n = 0; n < read->contribution.size(); ++n) {
      EXPECT_LT(read->contribution.row(n), 91u);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_LE(std::abs(read->contribution.values(n)[k]), fixed_limit);
    }
  }
}

TEST(PackedContribution, WhatATaskDoesNotLetInIsRefused) {
  const auto message = message_of({2, 4, 9}, 5, [] { return 1000; });
  const std::string packed = pack_contribution(message);
  EXPECT_TRUE(unpack_contribution(packed, {10, 5, 3}).ok());
  EXPECT_FALSE(unpack_contribution(packed, {9, 5, 3}).ok());
  EXPECT_FALSE(unpack_contribution(packed, {10, 4, 3}).ok());
  EXPECT_FALSE(unpack_contribution(packed, {10, 5, 2}).ok());
  std::string promise = packed;
  promise[12] = promise[13] = promise[14] = '\x7F';  // millions of rows in a few bytes
  EXPECT_FALSE(unpack_contribution(promise, {10, 5, std::size_t{1} << 30}).ok());
  EXPECT_FALSE(unpack_contribution(std::string(packed).replace(0, 1, "X"), {10, 5, 3}).ok());
}

}  // namespace sotto::fed::packed_contribution_test
