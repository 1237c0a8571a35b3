#include "fed/robust_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace sotto::fed::robust_sum_test {

constexpr std::size_t test_rows = 8;
using Entries =
    std::vector<std::pair<std::uint32_t, std::int32_t>>;  // row, value; the second number is −value
using Sums = std::map<std::uint32_t, std::vector<std::int64_t>>;

Contribution contribution_of(const Entries& entries, bool canonical = true) {
  Contribution contribution(2);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}), {}, contribution);
  for (const auto& [row, value] : entries) {
    std::int32_t* out = pipeline.open(Evidence::positive, row);
    out[0] = value, out[1] = -value;
  }
  if (canonical) contribution.make_canonical();
  return contribution;
}

std::unique_ptr<Collector> plain_sum(std::size_t /*group*/) {
  return std::make_unique<PlainCollector>(SumShape{test_rows, 2});
}

std::vector<UserIndex> users_up_to(std::uint32_t count) {
  std::vector<UserIndex> users(count);
  for (std::uint32_t n = 0; n < count; ++n) users[n] = UserIndex{n};
  return users;
}

Sums released(Aggregator&& sum) {
  Sums sums;
  std::move(sum).release([&](std::uint32_t row, const auto* values) {
    sums[row] = {std::int64_t{values[0]}, std::int64_t{values[1]}};
  });
  return sums;
}

// One round in which cohort[n] sends sent[n].
Sums sum_of(Collector& collector, const std::vector<UserIndex>& cohort, std::vector<Contribution> sent,
            std::uint32_t round = 0) {
  EXPECT_TRUE(collector.begin({round, cohort, nullptr}).ok());
  for (std::size_t n = 0; n < cohort.size(); ++n) EXPECT_TRUE(collector.accept(cohort[n], sent[n]).ok());
  SumSpace space(test_rows, 2);
  Aggregator total(space);
  EXPECT_TRUE(collector.finish(total).ok());
  return released(std::move(total));
}

Sums robust_sum(const RobustOptions& options, const std::vector<Contribution>& sent, std::uint64_t seed = 1) {
  EXPECT_TRUE(check(options).ok());
  RobustSum robust({test_rows, 2}, options, {}, seed, plain_sum);
  return sum_of(robust, users_up_to(static_cast<std::uint32_t>(sent.size())), sent);
}

Sums plain(const std::vector<Contribution>& sent) {
  PlainCollector collector({test_rows, 2});
  return sum_of(collector, users_up_to(static_cast<std::uint32_t>(sent.size())), sent);
}

std::vector<Contribution> drawn_contributions(std::size_t least) {
  const auto count = *rc::gen::inRange<std::size_t>(least, 24);
  std::vector<Contribution> sent;
  for (std::size_t n = 0; n < count; ++n) {
    const auto row = rc::gen::inRange(0u, static_cast<std::uint32_t>(test_rows));
    sent.push_back(contribution_of(
        *rc::gen::container<Entries>(rc::gen::pair(row, rc::gen::inRange(-(1 << 24), 1 << 24)))));
  }
  return sent;
}

// Rows of nothing but zeros say nothing: they are not released.
Sums without_silent_rows(Sums sums, const std::vector<Contribution>& sent) {
  for (std::uint32_t row = 0; row < test_rows; ++row) {
    bool speaks = false;
    for (const Contribution& one : sent)
      for (std::size_t n = 0; n < one.size(); ++n) speaks |= one.row(n) == row && one.values(n)[0] != 0;
    if (!speaks) sums.erase(row);
  }
  return sums;
}

TEST(Across, NamesReadBack) {
  for (const char* text : {"mean", "median", "trimmed:0.2", "trimmed:0.45"})
    EXPECT_EQ(to_string(parse_across(text).value()), text);
  for (const char* text : {"", "Mean", "trimmed", "trimmed:", "trimmed:0.5", "trimmed:-1", "trimmed:0.1x"})
    EXPECT_FALSE(parse_across(text).ok()) << text;
}

TEST(Across, WorkedExamples) {
  const auto of = [](const char* rule, std::vector<std::int64_t> values) {
    return combined(parse_across(rule).value(), values);
  };
  EXPECT_EQ(of("mean", {5, -2, 9}), 12);
  EXPECT_EQ(of("median", {5, -2, 9}), 15);                    // 5 · 3
  EXPECT_EQ(of("median", {5, -2, 9, 6}), 22);                 // 5.5 · 4
  EXPECT_EQ(of("trimmed:0.2", {1, 2, 3, 4, 1000}), 15);       // 3 · 5
  EXPECT_EQ(of("trimmed:0.25", {-1000, 1, 2, 1000}), 6);      // 1.5 · 4
  EXPECT_EQ(of("trimmed:0.34", {-7, -2, -1, -1, 0, 9}), -6);  // −1 · 6
  EXPECT_EQ(of("trimmed:0.1", {1, 1, 2}), 4);                 // nothing to leave out: the plain sum
}

RC_GTEST_PROP(Across, AMedianIsTheSortedMiddle, ()) {
  auto values =
      *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-1000000, 1000000));
  RC_PRE(!values.empty());
  std::vector<std::int64_t> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  const double middle = static_cast<double>(sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
  RC_ASSERT(combined({AcrossKind::median}, values) ==
            static_cast<std::int64_t>(std::llround(middle * static_cast<double>(n))));
}

// A minority of groups, whatever they say, does not push the result out of what the others say.
RC_GTEST_PROP(Across, AMinorityOfGroupsDoesNotDecide, ()) {
  const auto honest =
      *rc::gen::container<std::vector<std::int64_t>>(9, rc::gen::inRange<std::int64_t>(-1000, 1000));
  const auto lies = *rc::gen::container<std::vector<std::int64_t>>(
      3, rc::gen::inRange<std::int64_t>(-(1ll << 40), 1ll << 40));
  for (const char* rule : {"median", "trimmed:0.25"}) {
    std::vector<std::int64_t> values = honest;
    values.insert(values.end(), lies.begin(), lies.end());
    const std::int64_t result = combined(parse_across(rule).value(), values);
    RC_ASSERT(result >= 12 * *std::min_element(honest.begin(), honest.end()));
    RC_ASSERT(result <= 12 * *std::max_element(honest.begin(), honest.end()));
  }
}

RC_GTEST_PROP(RobustSum, TheMeanOverGroupsIsThePlainSum, ()) {
  const std::vector<Contribution> sent = drawn_contributions(5);
  const Sums expected = without_silent_rows(plain(sent), sent);
  RC_ASSERT(robust_sum({.groups = 5}, sent) == expected);
  RC_ASSERT(robust_sum({.min_contributors = 1}, sent) == expected);
}

TEST(RobustSum, EqualGroupsGiveThePlainSum) {
  const std::vector<Contribution> sent(12, contribution_of({{1, 500}, {4, -7}}));
  for (const char* rule : {"median", "trimmed:0.3"})
    EXPECT_EQ(robust_sum({.groups = 4, .across = parse_across(rule).value()}, sent), plain(sent)) << rule;
}

TEST(RobustSum, OneLoudDeviceDoesNotMoveTheMedian) {
  std::vector<Contribution> sent(9, contribution_of({{2, 100}}));
  sent[4] = contribution_of({{2, 1 << 25}});
  const RobustOptions options{.groups = 9, .across = Across{AcrossKind::median}};
  EXPECT_EQ(robust_sum(options, sent), (Sums{{2, {900, -900}}}));
}

RC_GTEST_PROP(RobustSum, ClipsHold, ()) {
  const std::vector<Contribution> sent = drawn_contributions(1);
  const double row_clip = *rc::gen::inRange(1, 50) / 10.0, clip = *rc::gen::inRange(1, 50) / 10.0;
  for (const Contribution& one : sent) {
    const Sums sums = robust_sum({.row_clip = row_clip, .clip = clip}, {one});
    double whole = 0.0;
    for (const auto& [row, values] : sums) {
      const double squares = static_cast<double>(values[0] * values[0] + values[1] * values[1]) / 0x1p40;
      RC_ASSERT(std::sqrt(squares) <= row_clip);
      whole += squares;
    }
    RC_ASSERT(std::sqrt(whole) <= clip);
  }
}

TEST(RobustSum, ManyEntriesOfARowAreClippedAsOne) {
  const Entries entries(5000, {3, 1 << 24});
  const Sums sums = robust_sum({.row_clip = 1.0}, {contribution_of(entries, false)});
  const std::vector<std::int64_t>& values = sums.at(3);
  EXPECT_LE(std::hypot(static_cast<double>(values[0]), static_cast<double>(values[1])), 0x1p20);
  EXPECT_GT(values[0], 700000);  // 2^20 / √2, less what rounding towards zero takes
}

TEST(RobustSum, RowsWithTooFewContributorsStay) {
  const std::vector<Contribution> sent{contribution_of({{0, 1}, {1, 1}, {5, 0}}),
                                       contribution_of({{0, 2}, {5, 3}}), contribution_of({{0, -3}, {1, 4}})};
  EXPECT_EQ(robust_sum({.min_contributors = 2}, sent), (Sums{{0, {0, 0}}, {1, {5, -5}}}));
  EXPECT_EQ(robust_sum({.min_contributors = 3}, sent), (Sums{{0, {0, 0}}}));
}

// Groups belong to people, not to places: the cohort in another order gives the same sum.
RC_GTEST_PROP(RobustSum, TheOrderOfTheCohortDoesNotMatter, ()) {
  const std::vector<Contribution> sent = drawn_contributions(6);
  std::vector<UserIndex> cohort = users_up_to(static_cast<std::uint32_t>(sent.size()));
  const RobustOptions options{.row_clip = 2.0, .groups = 3, .across = Across{AcrossKind::median}};
  RobustSum first({test_rows, 2}, options, {}, 7, plain_sum),
      second({test_rows, 2}, options, {}, 7, plain_sum);
  const Sums expected = sum_of(first, cohort, sent, 3);
  const auto turn = *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(sent.size()));
  std::vector<Contribution> turned = sent;
  std::rotate(cohort.begin(), cohort.begin() + turn, cohort.end());
  std::rotate(turned.begin(), turned.begin() + turn, turned.end());
  RC_ASSERT(sum_of(second, cohort, turned, 3) == expected);
}

TEST(RobustSum, GroupsAreDrawnAnewEachRound) {
  std::vector<Contribution> sent;
  for (int n = 0; n < 12; ++n) sent.push_back(contribution_of({{0, 1 << n}}));
  const RobustOptions options{.groups = 4, .across = Across{AcrossKind::median}};
  RobustSum robust({test_rows, 2}, options, {}, 1, plain_sum);
  const std::vector<UserIndex> cohort = users_up_to(12);
  EXPECT_NE(sum_of(robust, cohort, sent, 0), sum_of(robust, cohort, sent, 1));
}

TEST(RobustSum, FailsClosed) {
  RobustSum robust({test_rows, 2}, {.groups = 4}, {}, 1, plain_sum);
  const std::vector<UserIndex> three = users_up_to(3), four = users_up_to(4);
  EXPECT_EQ(robust.begin({0, three, nullptr}).error().code, Code::usage);
  ASSERT_TRUE(robust.begin({0, four, nullptr}).ok());
  Contribution outside = contribution_of({{test_rows, 1}});
  EXPECT_EQ(robust.accept(four[0], outside).error().code, Code::bad_input);
}

TEST(RobustOptions, AreChecked) {
  EXPECT_TRUE(check(RobustOptions{}).ok());
  EXPECT_FALSE(check(RobustOptions{.row_clip = 0.0}).ok());
  const auto trimmed = [](std::uint32_t groups, double share) {
    return check(RobustOptions{.groups = groups, .across = Across{AcrossKind::trimmed, share}}).ok();
  };
  EXPECT_FALSE(trimmed(4, 0.2)) << "it would leave nothing out";
  EXPECT_FALSE(trimmed(100, 0.0));
  EXPECT_TRUE(trimmed(5, 0.2));
  EXPECT_TRUE(trimmed(4, 0.25));
  EXPECT_FALSE(check(RobustOptions{.clip = NAN}).ok());
  EXPECT_FALSE(check(RobustOptions{.groups = 0}).ok());
  EXPECT_FALSE(check(RobustOptions{.groups = 5000}).ok());
  EXPECT_FALSE(check(RobustOptions{.across = Across{AcrossKind::median}}).ok());
  EXPECT_TRUE(check(RobustOptions{.groups = 3, .across = Across{AcrossKind::median}}).ok());
}

TEST(RobustOptions, LeastContributorsIsTheWorkedExample) {
  EXPECT_EQ(least_contributors(47, 0.0), 47u);
  EXPECT_EQ(least_contributors(47, 49.0), 47u + 49u + 28u);
}

}  // namespace sotto::fed::robust_sum_test
