#include "server/trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sotto::server::trial_test {
namespace {

std::vector<bool> of(const VersionTrial& trial, std::uint32_t devices) {
  std::vector<bool> in;
  for (std::uint32_t index = 0; index < devices; ++index) in.push_back(is_in_share(trial, index));
  return in;
}

TEST(ATrial, HasItsShareOfTheDevicesAndEachTrialOthers) {
  constexpr std::uint32_t devices = 20'000;
  for (const double share : {0.001, 0.1, 0.5}) {
    const VersionTrial trial = begin_trial(4, share), next = begin_trial(4, share);
    EXPECT_EQ(trial.stable, 4u);
    EXPECT_FALSE(trial.promoted);
    EXPECT_DOUBLE_EQ(share_of(trial), share);
    const auto in = of(trial, devices), others = of(next, devices);
    const double wanted = share * devices, spread = 5.0 * std::sqrt(wanted * (1.0 - share));
    EXPECT_NEAR(static_cast<double>(std::count(in.begin(), in.end(), true)), wanted, spread) << share;
    EXPECT_EQ(in, of(trial, devices));
    EXPECT_NE(trial.salt, next.salt);
    EXPECT_NE(in, others);
    // Those of the one are no more in the other than anybody.
    double both = 0;
    for (std::size_t n = 0; n < devices; ++n) both += in[n] && others[n] ? 1 : 0;
    EXPECT_NEAR(both, share * wanted, 5.0 * std::sqrt(share * wanted) + 1.0);
    VersionTrial larger = trial;
    larger.millionths *= 2;
    for (std::uint32_t index = 0; index < devices; ++index)
      EXPECT_LE(is_in_share(trial, index), is_in_share(larger, index));
  }
}

TEST(ATrial, HasAShareBetweenNobodyAndEverybody) {
  EXPECT_TRUE(check_share(0.1).ok());
  for (const double share : {0.0, -0.1, 1.0, 2.0, 1e-9, std::nan("")})
    EXPECT_FALSE(check_share(share).ok()) << share;
}

}  // namespace
}  // namespace sotto::server::trial_test
