#include "fed/secure/sum_cost.h"

#include <gtest/gtest.h>

#include "fed/number_sum.h"

namespace sotto::fed::sum_cost_test {

constexpr std::size_t devices = 9;

// What the devices of a sum of `numbers` ones really send.
Traffic spent(const SumOptions& sum, std::size_t numbers) {
  SerialExecutor serial;
  SecureCollector collector(sum, {rows_for(numbers), numbers_a_row}, 5, serial);
  std::vector<UserIndex> cohort;
  for (std::uint32_t n = 0; n < devices; ++n) cohort.push_back(UserIndex{n});
  const auto give = [&](std::size_t, Contribution& out) {
    NumberRows rows(out);
    for (std::size_t place = 0; place < numbers; ++place) rows.put(place, 1);
  };
  const auto summed = sum_numbers(collector, {0, cohort, nullptr}, numbers, give);
  EXPECT_TRUE(summed.ok()) << summed.error().message;
  return summed->traffic;
}

SumOptions options(SumKind kind, std::uint32_t block = 0, std::uint32_t group = 0) {
  SumOptions chosen;
  chosen.kind = kind;
  chosen.block = block;
  chosen.group = group;
  chosen.limit = 1;
  chosen.assumed.crowd = 3;
  chosen.aggregators = 3;
  return chosen;
}

TEST(SumCost, IsWhatDevicesSend) {
  for (const std::size_t numbers : {16u, 500u})
    for (const SumOptions& sum : {options(SumKind::shares), options(SumKind::shares, 7),
                                  options(SumKind::shares, 0, 3), options(SumKind::paillier)}) {
      const std::uint64_t each = sum_bytes_up(sum, devices, {rows_for(numbers), numbers_a_row}).value();
      EXPECT_EQ(spent(sum, numbers).up, each * devices) << to_string(sum.kind) << ' ' << numbers;
    }
}

// Not everybody is on the committee of a masked sum; who is sends a signature more.
TEST(SumCost, OfAMaskedSumIsThatOfItsCommittee) {
  for (const SumOptions& sum :
       {options(SumKind::secure), options(SumKind::secure, 7), options(SumKind::secure, 0, 4)}) {
    const std::uint64_t each = sum_bytes_up(sum, devices, {rows_for(500), numbers_a_row}).value();
    const std::uint64_t all = spent(sum, 500).up;
    EXPECT_LE(all, each * devices);
    EXPECT_GE(all, each * devices * 9 / 10);
  }
}

TEST(SumCost, WhatCannotBeSummedHasNone) {
  SumOptions sum = options(SumKind::secure);
  sum.assumed.crowd = 30;
  const auto refused = sum_bytes_up(sum, devices, {4, 16});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("--secure-crowd"), std::string::npos);
  sum = options(SumKind::shares);
  sum.bits = 3;  // nine ones, and a sign
  EXPECT_FALSE(sum_bytes_up(sum, devices, {4, 16}).ok());
}

}  // namespace sotto::fed::sum_cost_test
