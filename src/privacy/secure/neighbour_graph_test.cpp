#include "privacy/secure/neighbour_graph.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace sotto::privacy::neighbour_graph_test {

RC_GTEST_PROP(NeighbourGraphLaw, IsRegularSymmetricAndInOnePiece, ()) {
  const auto devices = *rc::gen::inRange<std::uint32_t>(2, 60);
  std::uint32_t degree = 2 * *rc::gen::inRange<std::uint32_t>(1, 30);
  if (degree >= devices - 1) degree = devices - 1;
  const Bytes32 beacon{*rc::gen::arbitrary<std::uint8_t>()};
  const NeighbourGraph graph({.devices = devices, .degree = degree, .committee = devices / 2}, beacon);
  std::set<std::uint32_t> reached{0};
  std::vector<std::uint32_t> open{0};
  for (std::uint32_t device = 0; device < devices; ++device) {
    const auto around = graph.neighbours(device);
    RC_ASSERT(around.size() == degree);
    RC_ASSERT(std::is_sorted(around.begin(), around.end()));
    RC_ASSERT(std::adjacent_find(around.begin(), around.end()) == around.end());
    RC_ASSERT(!std::binary_search(around.begin(), around.end(), device));
    for (const std::uint32_t other : around) {
      const auto back = graph.neighbours(other);
      RC_ASSERT(std::binary_search(back.begin(), back.end(), device));
    }
  }
  while (!open.empty()) {
    const std::uint32_t device = open.back();
    open.pop_back();
    for (const std::uint32_t other : graph.neighbours(device))
      if (reached.insert(other).second) open.push_back(other);
  }
  RC_ASSERT(reached.size() == devices);
  RC_ASSERT(graph.committee().size() == devices / 2);
  RC_ASSERT(std::is_sorted(graph.committee().begin(), graph.committee().end()));
}

TEST(NeighbourGraph, TheBeaconDecidesAndNobodyIsFavoured) {
  const SumTerms terms{.devices = 20, .degree = 4, .committee = 5};
  // Each of the others is a neighbour of device 0 with chance 4/19: over 2,000 beacons 421 ± 18. Six times
  // that happens to one of 19 by chance once in 25 million.
  std::vector<int> met(20, 0);
  for (std::uint32_t n = 0; n < 2000; ++n) {
    const Bytes32 beacon = digest_of("beacon", {bytes_of(n)});
    const auto around = NeighbourGraph(terms, beacon).neighbours(0);
    EXPECT_EQ(around, NeighbourGraph(terms, beacon).neighbours(0));
    for (const std::uint32_t other : around) ++met[other];
  }
  EXPECT_EQ(met[0], 0);
  for (std::uint32_t other = 1; other < 20; ++other) EXPECT_NEAR(met[other], 2000 * 4.0 / 19.0, 6 * 18.3);
}

}  // namespace sotto::privacy::neighbour_graph_test
