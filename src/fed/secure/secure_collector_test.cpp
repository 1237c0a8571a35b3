#include "fed/secure/secure_collector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "base/rng.h"
#include "fed/secure/testing/noting_sum.h"

namespace sotto::fed::secure_collector_test {

constexpr std::size_t catalogue = 23, width = 3;
using Sums = std::map<std::uint32_t, std::vector<std::int64_t>>;

struct Cohort {
  std::vector<UserIndex> users;
  std::vector<Contribution> contributions;

  explicit Cohort(std::uint32_t size, std::uint64_t seed = 1) {
    for (std::uint32_t n = 0; n < size; ++n) {
      users.push_back(UserIndex{n * 3});
      Stream numbers(seed, Purpose::random_scores, 0, n);
      Contribution& one = contributions.emplace_back(width);
      ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, users.back()), {}, one);
      for (int row = 0; row < 4; ++row) {
        std::int32_t* out = pipeline.open(Evidence::negative, numbers.below(catalogue));
        for (std::size_t k = 0; k < width; ++k)
          out[k] = static_cast<std::int32_t>(numbers.below(2001)) - 1000;
      }
      one.make_canonical();
    }
  }
};

Result<Sums> collect(Collector& collector, const Cohort& cohort, std::uint32_t round = 0,
                     Traffic* traffic = nullptr) {
  SOTTO_TRY_DONE(collector.begin({round, cohort.users, nullptr}));
  for (std::size_t n = 0; n < cohort.users.size(); ++n) {
    Contribution sent = cohort.contributions[n];
    SOTTO_TRY_DONE(collector.accept(cohort.users[n], sent));
  }
  SumSpace space(catalogue, width);
  Aggregator total(space);
  SOTTO_TRY(const Traffic spent, collector.finish(total));
  if (traffic != nullptr) *traffic = spent;
  Sums sums;
  std::move(total).release([&](std::uint32_t row, const auto* values) {
    std::vector<std::int64_t> kept(values, values + width);
    if (kept != std::vector<std::int64_t>(width, 0)) sums[row] = kept;
  });
  return sums;
}

SumOptions options(SumKind kind) {
  SumOptions chosen;
  chosen.kind = kind;
  chosen.assumed = {.corrupt = 0.05, .dropped = 0.3, .crowd = 4};
  return chosen;
}

RC_GTEST_PROP(SecureCollectorLaw, IsThePlainSumWhateverTheGroupsAndBlocks, ()) {
  SumOptions chosen = options(*rc::gen::element(SumKind::secure, SumKind::shares));
  chosen.group = *rc::gen::element(0u, 6u, 8u);
  chosen.block = *rc::gen::element(0u, 8u, 22u, 23u, 100u);
  chosen.bits = *rc::gen::element(0u, 32u, 64u);
  chosen.limit = 10000;
  const auto size = *rc::gen::inRange<std::uint32_t>(10, 17);
  const Cohort cohort(size, *rc::gen::arbitrary<std::uint32_t>());
  SerialExecutor executor;
  SecureCollector secure(chosen, {catalogue, width}, 3, executor);
  PlainCollector plain({catalogue, width});
  const auto round = *rc::gen::inRange<std::uint32_t>(0, 5);
  const auto got = collect(secure, cohort, round), expected = collect(plain, cohort, round);
  if (!got.ok()) RC_FAIL(got.error().message);
  RC_ASSERT(*got == *expected);
}

TEST(SecureCollector, SilentDevicesAreMissingFromTheSumAndNothingElseIs) {
  SumOptions chosen = options(SumKind::secure);
  chosen.silent = 0.25;
  const Cohort cohort(16);
  SerialExecutor executor;
  bool missed = false;
  for (std::uint32_t round = 0; round < 6; ++round) {
    SecureCollector secure(chosen, {catalogue, width}, 3, executor);
    const Sums got = collect(secure, cohort, round).value();
    EXPECT_EQ(got, collect(secure, cohort, round).value());  // the same seed, the same silence
    // Some subset of at most four is missing: the obvious search.
    bool found = false;
    for (std::uint32_t gone = 0; gone < 1u << 16 && !found; ++gone) {
      if (std::popcount(gone) > 4) continue;
      Sums sums;
      for (std::size_t n = 0; n < 16; ++n) {
        if ((gone >> n) & 1) continue;
        const Contribution& one = cohort.contributions[n];
        for (std::size_t entry = 0; entry < one.size(); ++entry) {
          auto& sum = sums[one.row(entry)];
          sum.resize(width);
          for (std::size_t k = 0; k < width; ++k) sum[k] += one.values(entry)[k];
        }
      }
      found = sums == got;
      missed |= found && gone != 0;
    }
    EXPECT_TRUE(found);
  }
  EXPECT_TRUE(missed);
}

// Under one session a device's masks are the same: whoever has two of its messages has their difference.
TEST(SecureCollector, ARoundThatIsBegunAgainHasSessionsOfItsOwn) {
  SerialExecutor executor;
  const Cohort cohort(14);
  for (const SumKind kind : {SumKind::secure, SumKind::shares}) {
    SumOptions chosen = options(kind);
    chosen.group = 6;
    std::vector<std::uint64_t> sessions;
    SecureCollector secure(chosen, {catalogue, width}, 3, executor,
                           std::make_unique<NotingSum>(make_protocol(chosen, 3, executor), sessions));
    PlainCollector plain({catalogue, width});
    const Sums expected = collect(plain, cohort).value();
    for (const std::uint32_t round : {0u, 1u, 1u, 2u, 1u, 1u, 3u})
      EXPECT_EQ(collect(secure, cohort, round).value(), expected);
    ASSERT_EQ(sessions.size(), 14u);  // two groups
    EXPECT_EQ(std::set(sessions.begin(), sessions.end()).size(), 14u);
    // Who begins rounds once has the round and its part.
    EXPECT_EQ(sessions[1], 1u);
    EXPECT_EQ(sessions[2], std::uint64_t{1} << 32);
    EXPECT_EQ(sessions[13], (std::uint64_t{3} << 32) + 1);
  }
}

TEST(SecureCollector, FailuresReleaseNothingAndTheNextRoundIsGood) {
  SerialExecutor executor;
  SumOptions chosen = options(SumKind::secure);
  chosen.limit = 500;  // some values are larger
  SecureCollector narrow(chosen, {catalogue, width}, 3, executor);
  const auto refused = collect(narrow, Cohort(12));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("out of range"), std::string::npos);
  SecureCollector small(options(SumKind::secure), {catalogue, width}, 3, executor);
  const auto few = collect(small, Cohort(3));
  ASSERT_FALSE(few.ok());
  EXPECT_NE(few.error().message.find("cohort of 3"), std::string::npos);
  EXPECT_TRUE(collect(small, Cohort(12)).ok());
  chosen = options(SumKind::secure);
  chosen.silent = 0.5;  // more than the terms allow
  SecureCollector silent(chosen, {catalogue, width}, 3, executor);
  EXPECT_FALSE(collect(silent, Cohort(20)).ok());
}

// Of a block's few devices a larger share may be silent than of the cohort: the terms are made for that.
TEST(SecureCollector, BlocksStandAsManySilentDevicesAsTheCohort) {
  SumOptions chosen = options(SumKind::secure);
  chosen.assumed.corrupt = 0.0;
  chosen.silent = 0.3;
  chosen.block = 8;
  SerialExecutor executor;
  for (const std::uint32_t group : {0u, 20u}) {
    chosen.group = group;
    SecureCollector secure(chosen, {catalogue, width}, 3, executor);
    const auto got = collect(secure, Cohort(40));
    ASSERT_TRUE(got.ok()) << got.error().message;
  }
}

// One device touches a row and 24 of 60 may be corrupt, any of which may say that they touch it: with four
// more to hide among, 28 sum.
TEST(SecureCollector, AllCorruptDevicesMayBeInABlock) {
  Cohort cohort(60);
  for (Contribution& one : cohort.contributions) one = Contribution(width);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}), {}, cohort.contributions[0]);
  pipeline.open(Evidence::negative, 2)[0] = 5;
  SumOptions chosen = options(SumKind::secure);
  chosen.assumed.corrupt = 0.4;
  chosen.assumed.dropped = 0.0;
  chosen.block = 1;
  SerialExecutor executor;
  SecureCollector secure(chosen, {catalogue, width}, 3, executor);
  Traffic traffic;
  EXPECT_EQ(collect(secure, cohort, 0, &traffic).value(), (Sums{{2, {5, 0, 0}}}));
  EXPECT_GE(traffic.devices, 28u);
  EXPECT_LT(traffic.devices, 60u);
}

// Everybody has row 0 and nobody anything else: with blocks of one row, the other 22 are not sent.
TEST(SecureCollector, SmallBlocksSendLess) {
  Cohort cohort(12);
  for (Contribution& one : cohort.contributions) {
    one = Contribution(width);
    ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}), {}, one);
    pipeline.open(Evidence::negative, 0)[0] = 5;
  }
  SerialExecutor executor;
  SumOptions chosen = options(SumKind::shares);
  chosen.bits = 32;
  chosen.limit = 100000000;
  Traffic whole, blocks;
  SecureCollector dense(chosen, {catalogue, width}, 3, executor);
  ASSERT_TRUE(collect(dense, cohort, 0, &whole).ok());
  chosen.block = 1;
  SecureCollector small(chosen, {catalogue, width}, 3, executor);
  EXPECT_EQ(collect(small, cohort, 0, &blocks).value(), (Sums{{0, {60, 0, 0}}}));
  EXPECT_EQ(whole.up - blocks.up, 12 * 22 * width * 4);
  EXPECT_EQ(blocks.devices, 12u);  // blocks that nobody touched do not count
}

TEST(SumOptions, WhatCannotBeIsRefused) {
  EXPECT_TRUE(check(SumOptions{}).ok());
  EXPECT_FALSE(parse_sum_kind("masked").ok());
  for (const char* name : {"plain", "secure", "shares", "paillier"})
    EXPECT_STREQ(to_string(parse_sum_kind(name).value()), name);
  SumOptions wrong = options(SumKind::paillier);
  wrong.key_bits = 1024;
  EXPECT_FALSE(check(wrong).ok());
  wrong = options(SumKind::paillier);
  wrong.bits = 40;  // there is no ring
  EXPECT_FALSE(check(wrong).ok());
  wrong = options(SumKind::secure);
  wrong.group = 3;
  EXPECT_FALSE(check(wrong).ok());
  wrong = options(SumKind::shares);
  wrong.aggregators = 1;
  EXPECT_FALSE(check(wrong).ok());
  wrong = options(SumKind::secure);
  wrong.silent = 1.0;
  EXPECT_FALSE(check(wrong).ok());
}

}  // namespace sotto::fed::secure_collector_test
