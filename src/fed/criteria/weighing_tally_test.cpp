// What a collector counts over its rounds: weights, and criteria that too few told.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "fed/criteria/weighing_collector.h"

namespace sotto::fed::weighing_tally_test {

// All tell their size, the first four their trust.
class FourTellTrust final : public FactsSource {
 public:
  [[nodiscard]] DeviceFacts of(UserIndex device) const override {
    DeviceFacts facts;
    facts.records = device.value + 1, facts.most_records = 10;
    return facts;
  }
  [[nodiscard]] bool tells(UserIndex device, const char* criterion) const override {
    return device.value < 4 || std::string_view(criterion) != "trust";
  }
  [[nodiscard]] bool everybody_tells() const override { return false; }
};

TEST(WeighingTally, IsOfAllRounds) {
  const FourTellTrust facts;
  CriteriaOptions options{.order = parse_order("trust>size").value()};
  options.least_tellers = 5;
  PlainCollector next({1, 2});
  const SumMaker plain = [](SumShape shape) { return std::make_unique<PlainCollector>(shape); };
  WeighingCollector collector(options, facts, {}, plain, next);
  EXPECT_EQ(collector.tally().rounds, 0u);
  std::vector<UserIndex> ten;
  for (std::uint32_t n = 0; n < 10; ++n) ten.push_back(UserIndex{n});
  double least = 10.0, most = 0.0;
  for (const std::size_t size : {10u, 3u, 10u}) {
    ASSERT_TRUE(collector.begin({0, std::span(ten).first(size), nullptr}).ok());
    for (const double weight : collector.weights())
      least = std::min(least, weight), most = std::max(most, weight);
  }
  EXPECT_LT(least, most);
  EXPECT_EQ(collector.tally().rounds, 3u);
  EXPECT_EQ(collector.tally().least, least);
  EXPECT_EQ(collector.tally().most, most);
  EXPECT_EQ(collector.tally().least_tellers, 5u);
  // In the second round three are there, so that three tell their size.
  EXPECT_EQ(collector.tally().left_alone, (std::map<std::string, std::uint32_t>{{"size", 1}, {"trust", 3}}));
}

}  // namespace sotto::fed::weighing_tally_test
