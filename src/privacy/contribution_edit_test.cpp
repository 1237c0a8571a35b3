#include "privacy/contribution_edit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <vector>

namespace sotto::privacy::contribution_edit_test {

using Rows = std::map<std::uint32_t, std::vector<std::int32_t>>;

Contribution contribution_of(const Rows& rows, std::size_t width) {
  Contribution contribution(width);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}), {}, contribution);
  for (const auto& [row, values] : rows)
    std::copy(values.begin(), values.end(), pipeline.open(Evidence::positive, row));
  contribution.make_canonical();
  return contribution;
}

Rows rows_of(const Contribution& contribution) {
  Rows rows;
  for (std::size_t n = 0; n < contribution.size(); ++n)
    rows[contribution.row(n)].assign(contribution.values(n), contribution.values(n) + contribution.width());
  return rows;
}

Rows some_rows(std::size_t width) {
  Rows rows;
  for (int n = *rc::gen::inRange(0, 12); n > 0; --n) {
    auto& values = rows[*rc::gen::inRange(0u, 40u)];
    values.clear();
    for (std::size_t k = 0; k < width; ++k)
      values.push_back(*rc::gen::inRange(-fixed_limit, fixed_limit + 1));
  }
  return rows;
}

// Lengths in long double: 64 bits of mantissa hold a row's squares; a hair is left for the sum of many.
long double length_of(const Rows& rows) {
  long double squares = 0;
  for (const auto& [row, values] : rows)
    for (const std::int32_t value : values) squares += static_cast<long double>(value) * value;
  return std::sqrt(squares);
}

RC_GTEST_PROP(ContributionEdit, ClipKeepsTheLimitsAndTheDirection, ()) {
  const std::size_t width = *rc::gen::inRange<std::size_t>(1, 20);
  const Rows before = some_rows(width);
  const double row_limit = *rc::gen::inRange(1, 1 << 30), limit = *rc::gen::inRange(1, 1 << 30);
  Contribution contribution = contribution_of(before, width);
  ContributionEdit(contribution).clip({.row = row_limit, .whole = limit});
  const Rows after = rows_of(contribution);
  RC_ASSERT(after.size() == before.size());
  RC_ASSERT(length_of(after) <= static_cast<long double>(limit) * (1 + 1e-17L));
  for (const auto& [row, values] : after) {
    RC_ASSERT(length_of({{row, values}}) <= static_cast<long double>(row_limit) * (1 + 1e-17L));
    for (std::size_t k = 0; k < width; ++k) {
      const std::int64_t was = before.at(row)[k], is = values[k];
      RC_ASSERT((was >= 0 ? is >= 0 && is <= was : is <= 0 && is >= was));
    }
  }
}

std::uint64_t absolutes_of(const Rows& rows) {
  std::uint64_t sum = 0;
  for (const auto& [row, values] : rows)
    for (const std::int64_t value : values) sum += static_cast<std::uint64_t>(std::abs(value));
  return sum;
}

RC_GTEST_PROP(ContributionEdit, ClipByAbsoluteValuesKeepsTheLimitsAndTheDirection, ()) {
  const std::size_t width = *rc::gen::inRange<std::size_t>(1, 20);
  const Rows before = some_rows(width);
  const auto row_limit = *rc::gen::inRange<std::uint64_t>(1, 1 << 30),
             limit = *rc::gen::inRange<std::uint64_t>(1, 1 << 30);
  Contribution contribution = contribution_of(before, width);
  ContributionEdit(contribution)
      .clip({.row = static_cast<double>(row_limit),
             .whole = static_cast<double>(limit),
             .length = ClipLength::absolute});
  const Rows after = rows_of(contribution);
  RC_ASSERT(after.size() == before.size());
  RC_ASSERT(absolutes_of(after) <= limit);
  bool within = absolutes_of(before) <= limit;
  for (const auto& [row, values] : after) {
    RC_ASSERT(absolutes_of({{row, values}}) <= row_limit);
    within &= absolutes_of({{row, before.at(row)}}) <= row_limit;
    for (std::size_t k = 0; k < width; ++k) {
      const std::int64_t was = before.at(row)[k], is = values[k];
      RC_ASSERT((was >= 0 ? is >= 0 && is <= was : is <= 0 && is >= was));
    }
  }
  if (within) RC_ASSERT(after == before);
}

TEST(ContributionEdit, ClipByAbsoluteValuesScalesRowsFirstThenAll) {
  Contribution contribution = contribution_of({{1, {300, -400}}, {5, {0, 30}}}, 2);
  ContributionEdit(contribution).clip({.row = 70, .length = ClipLength::absolute});
  EXPECT_EQ(rows_of(contribution), (Rows{{1, {29, -39}}, {5, {0, 30}}})) << "700 → 70, towards zero";
  Contribution whole = contribution_of({{1, {30, 0}}, {5, {0, -70}}}, 2);
  ContributionEdit(whole).clip({.whole = 100, .length = ClipLength::absolute});
  EXPECT_EQ(rows_of(whole), (Rows{{1, {30, 0}}, {5, {0, -70}}})) << "just within: nothing changes";
  ContributionEdit(whole).clip({.whole = 20, .length = ClipLength::absolute});
  EXPECT_EQ(rows_of(whole), (Rows{{1, {5, 0}}, {5, {0, -13}}}));
}

TEST(ContributionEdit, ClipScalesRowsFirstThenAll) {
  Contribution contribution = contribution_of({{1, {300, 400}}, {5, {0, 30}}}, 2);
  ContributionEdit(contribution).clip({.row = 50, .whole = ClipLimits::none});
  // 500 → 50: a tenth, towards zero.
  EXPECT_EQ(rows_of(contribution), (Rows{{1, {29, 39}}, {5, {0, 30}}}));
  Contribution whole = contribution_of({{1, {30, 0}}, {5, {0, 40}}}, 2);
  ContributionEdit(whole).clip({.whole = 50});
  EXPECT_EQ(rows_of(whole), (Rows{{1, {30, 0}}, {5, {0, 40}}})) << "just within: nothing changes";
  ContributionEdit(whole).clip({.whole = 10});
  EXPECT_EQ(rows_of(whole), (Rows{{1, {5, 0}}, {5, {0, 7}}}));
}

// A row too large for one entry stands in several: what counts is their sum.
RC_GTEST_PROP(ContributionEdit, EntriesOfOneRowAreClippedAsTheirSum, ()) {
  const std::size_t width = *rc::gen::inRange<std::size_t>(1, 4);
  Contribution contribution(width);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}), {}, contribution);
  for (int n = *rc::gen::inRange(1, 12); n > 0; --n) {
    std::int32_t* values = pipeline.open(Evidence::positive, *rc::gen::inRange(0u, 3u));
    for (std::size_t k = 0; k < width; ++k) values[k] = *rc::gen::inRange(-fixed_limit, fixed_limit + 1);
  }
  contribution.make_canonical();
  const auto sums = [&] {
    std::map<std::uint32_t, std::vector<std::int64_t>> rows;
    for (std::size_t n = 0; n < contribution.size(); ++n) {
      auto& row = rows.try_emplace(contribution.row(n), width, 0).first->second;
      for (std::size_t k = 0; k < width; ++k) row[k] += contribution.values(n)[k];
    }
    return rows;
  };
  const double row_limit = *rc::gen::inRange(1, 1 << 30), limit = *rc::gen::inRange(1, 1 << 30);
  const auto before = sums();
  ContributionEdit(contribution).clip({.row = row_limit, .whole = limit});
  long double whole = 0;
  for (const auto& [row, values] : sums()) {
    long double squares = 0;
    for (std::size_t k = 0; k < width; ++k) {
      squares += static_cast<long double>(values[k]) * static_cast<long double>(values[k]);
      const std::int64_t was = before.at(row)[k], is = values[k];
      RC_ASSERT((was >= 0 ? is >= 0 && is <= was : is <= 0 && is >= was));
    }
    RC_ASSERT(std::sqrt(squares) <= static_cast<long double>(row_limit) * (1 + 1e-17L));
    whole += squares;
  }
  RC_ASSERT(std::sqrt(whole) <= static_cast<long double>(limit) * (1 + 1e-17L));
}

TEST(ContributionEdit, ARowInTwoEntriesIsAsLongAsTheirSum) {
  Contribution contribution(1);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}), {}, contribution);
  for (int n = 0; n < 2; ++n) *pipeline.open(Evidence::positive, 4) = fixed_limit;
  contribution.make_canonical();
  ASSERT_EQ(contribution.size(), 2u);
  ContributionEdit(contribution).clip({.whole = double{fixed_limit}});
  std::int64_t sum = 0;
  for (std::size_t n = 0; n < contribution.size(); ++n) sum += *contribution.values(n);
  EXPECT_LE(sum, fixed_limit);
  EXPECT_GT(sum, fixed_limit - 10);
}

TEST(ContributionEdit, LimitsBelowAUnitAreRefused) {
  EXPECT_TRUE(check(ClipLimits{}).ok());
  EXPECT_FALSE(check(ClipLimits{.row = 0.5}).ok());
  EXPECT_FALSE(check(ClipLimits{.whole = std::nan("")}).ok());
}

RC_GTEST_PROP(ContributionEdit, FillAddsRowsOfZerosAlone, ()) {
  const Rows before = some_rows(3);
  const auto first = *rc::gen::inRange(0u, 40u), count = *rc::gen::inRange(0u, 20u);
  Rows expected = before;
  for (std::uint32_t row = first; row < first + count; ++row) expected.try_emplace(row, 3, 0);
  Contribution contribution = contribution_of(before, 3);
  ContributionEdit(contribution).fill(first, first + count);
  RC_ASSERT(rows_of(contribution) == expected);
  for (std::size_t n = 1; n < contribution.size(); ++n)
    RC_ASSERT(contribution.row(n - 1) < contribution.row(n));
}

}  // namespace sotto::privacy::contribution_edit_test
