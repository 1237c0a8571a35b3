#include "host/fleet/latency.h"

#include <gtest/gtest.h>

namespace sotto::host {
namespace {

TEST(LatencyOfAFleet, IsWithinABucketAboveTheTruth) {
  Latency latency;
  EXPECT_EQ(latency.percentile(0.5), 0.0);
  for (int n = 1; n <= 1000; ++n) latency.add(static_cast<double>(n));
  for (const double share : {0.01, 0.5, 0.9, 0.99, 1.0}) {
    const double truth = 1000.0 * share;  // the n-th of 1 … 1000
    EXPECT_GE(latency.percentile(share), truth);
    EXPECT_LE(latency.percentile(share), truth * 1.045);
  }
  EXPECT_EQ(latency.count(), 1000u);
}

TEST(LatencyOfAFleet, HoldsTheVeryShortAndTheVeryLong) {
  Latency latency;
  latency.add(0.0);
  latency.add(1e12);
  EXPECT_GT(latency.percentile(1.0), 1e7);
  EXPECT_LT(latency.percentile(0.5), 0.011);
}

}  // namespace
}  // namespace sotto::host
