#include "fed/secure/sum_protocol.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fed/secure/masked_sum.h"
#include "fed/secure/paillier_sum.h"
#include "fed/secure/part_sum.h"
#include "fed/secure/testing/sum_world.h"

namespace sotto::fed::sum_protocol_test {

// Six devices, all pairs, a threshold of 3.
constexpr SumTerms six{
    .devices = 6, .degree = 5, .threshold = 3, .committee = 6, .quorum = 4, .least_survivors = 4, .crowd = 2};

SumWorld world_of_six(std::uint64_t session = 7) {
  return SumWorld(SumWorld::offer_for(six, 9, 32, 1000, session));
}

// Random sparse graphs, rings of any width, and devices that fall silent at every phase.
RC_GTEST_PROP(SumLaw, TheTotalIsThePlainSumOfThoseThatStayed, ()) {
  const auto devices = *rc::gen::inRange<std::uint32_t>(8, 20);
  std::uint32_t degree = 2 * *rc::gen::inRange<std::uint32_t>(3, 10);
  if (degree >= devices) degree = devices - 1;
  const auto bits = *rc::gen::inRange<std::uint32_t>(16, 65);
  const SumTerms terms{.devices = devices,
                       .degree = degree,
                       .threshold = 2,
                       .committee = devices,
                       .quorum = devices - 4,
                       .least_survivors = devices - 4,
                       .crowd = 2};
  SumWorld world(SumWorld::offer_for(terms, 11, bits, 1000, *rc::gen::arbitrary<std::uint64_t>()));
  // Four devices fall silent, each at some phase; none has more than three silent neighbours.
  std::array<Silent, 5> silent;
  for (int n = 0; n < 4; ++n)
    silent[*rc::gen::inRange<std::size_t>(0, 5)].insert(*rc::gen::inRange<std::uint32_t>(0, devices));
  RC_ASSERT(world.keys(silent[0]).ok());
  RC_ASSERT(world.letters(silent[1]).ok());
  RC_ASSERT(world.give(silent[2]).ok());
  RC_ASSERT(world.agreement(silent[3]).ok());
  const auto total = world.reveal(silent[4]);
  RC_ASSERT(total.ok());
  RC_ASSERT(total->values == world.plain());
  RC_ASSERT(total->survivors.size() == world.given.size());
}

TEST(Sum, SurvivorsMetAndMissedByOne) {
  SumWorld enough = world_of_six();
  EXPECT_TRUE(enough.keys({0}).ok());
  EXPECT_TRUE(enough.letters().ok());
  EXPECT_TRUE(enough.give({1}).ok());
  EXPECT_TRUE(enough.agreement().ok());
  EXPECT_EQ(enough.reveal().value().values, enough.plain());
  for (int phase = 0; phase < 3; ++phase) {
    SumWorld world = world_of_six();
    const Silent three{0, 1, 2}, none;
    Status status = world.keys(phase == 0 ? three : none);
    if (phase > 0) status = world.letters(phase == 1 ? three : none);
    if (phase > 1) status = world.give(three);
    ASSERT_FALSE(status.ok()) << phase;
    EXPECT_NE(status.error().message.find("nothing is released"), std::string::npos);
    EXPECT_FALSE(std::move(*world.server).release().ok());
  }
}

TEST(Sum, TheThresholdMetAndMissedByOne) {
  SumWorld met = world_of_six();  // four reveal: each secret of theirs has three shares
  met.up_to_reveal();
  EXPECT_EQ(met.reveal({0, 1}).value().values, met.plain());
  SumWorld missed = world_of_six();  // three: two shares
  missed.up_to_reveal();
  const auto total = missed.reveal({0, 1, 2});
  ASSERT_FALSE(total.ok());
  EXPECT_NE(total.error().message.find("the threshold is 3"), std::string::npos);
}

TEST(Sum, TheQuorumMetAndMissedByOne) {
  SumWorld met = world_of_six();
  met.up_to_agreement();
  EXPECT_TRUE(met.agreement({0, 1}).ok());
  SumWorld missed = world_of_six();
  missed.up_to_agreement();
  EXPECT_FALSE(missed.agreement({0, 1, 2}).ok());
  EXPECT_FALSE(std::move(*missed.server).release().ok());
}

TEST(Sum, WhatADeviceSendsHidesItsInput) {
  // The same input in two sessions, and zeros: nothing in common.
  std::vector<Bytes> seen;
  for (const std::uint64_t session : {1u, 2u}) {
    SumWorld world(SumWorld::offer_for(six, 4096, 32, 1000, session));
    world.up_to_inputs();
    world.inputs[0].assign(4096, 0);
    seen.push_back(world.devices[0].receive(world.server->letters_for(0), world.inputs[0]).value().values);
  }
  EXPECT_NE(seen[0], seen[1]);
  // Half of the 131,072 bits are set, give or take 181; six times that is missed once in 500 million.
  for (const Bytes& bytes : seen) {
    int set = 0;
    for (const std::byte byte : bytes) set += std::popcount(static_cast<std::uint8_t>(byte));
    EXPECT_NEAR(set, 65536, 6 * 181);
  }
}

// --- the protocols behind one interface ---

struct Small {
  std::vector<std::uint32_t> members;
  std::vector<Fate> fates;
  std::vector<std::vector<std::int32_t>> inputs;
  SumTask task;

  Small(std::uint32_t devices, std::uint32_t entries, std::uint64_t seed) {
    Stream numbers(seed, Purpose::random_scores);
    for (std::uint32_t n = 0; n < devices; ++n) {
      members.push_back(100 + n);
      fates.push_back(Fate::stays);
      inputs.emplace_back();
      for (std::uint32_t k = 0; k < entries; ++k)
        inputs.back().push_back(static_cast<std::int32_t>(numbers.below(20001)) - 10000);
    }
    task.session = seed;
    task.entries = entries;
    task.limit = 10000;
    task.input = [this](std::uint32_t place, std::span<std::int32_t> out) -> Status {
      std::copy(inputs[place].begin(), inputs[place].end(), out.begin());
      return Done{};
    };
  }
  Result<SumOutcome> run(SumProtocol& protocol) {
    task.members = members;
    task.fates = fates;
    return protocol.sum(task);
  }
  // Those whose input leaves are in the sum.
  [[nodiscard]] std::vector<std::int64_t> plain() const {
    std::vector<std::int64_t> sum(task.entries, 0);
    for (std::size_t n = 0; n < inputs.size(); ++n)
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += fates[n] > Fate::input ? inputs[n][k] : 0;
    return sum;
  }
};

TEST(Protocols, AllGiveThePlainSumOfThoseThatStayed) {
  SerialExecutor executor;
  const SumAssumptions assumed{.corrupt = 0.05, .dropped = 0.3, .crowd = 4};
  MaskedSum masked(assumed, 0, 1, executor), wide(assumed, 64, 1, executor);
  PartSum two(2, 4, 0, 1, executor), five(5, 4, 32, 1, executor);
  PaillierSum paillier(512, 4, 1, executor);  // a short key: it is the arithmetic that counts here
  std::uint64_t seed = 1;
  for (SumProtocol* protocol : std::initializer_list<SumProtocol*>{&masked, &wide, &two, &five, &paillier}) {
    for (const Fate fate :
         {Fate::stays, Fate::keys, Fate::letters, Fate::input, Fate::agreement, Fate::reveal}) {
      Small small(20, 33, ++seed);
      for (const std::size_t n : {3u, 7u, 8u, 15u}) small.fates[n] = fate;
      const auto outcome = small.run(*protocol);
      ASSERT_TRUE(outcome.ok()) << outcome.error().message;
      EXPECT_EQ(outcome->values, small.plain());
      EXPECT_EQ(outcome->survivors.size(), fate <= Fate::input ? 16u : 20u);
      EXPECT_GT(outcome->traffic.up, 20u * 33u * 2u / 2u);
    }
  }
}

TEST(Protocols, TooFewAndOutOfRangeReleaseNothing) {
  SerialExecutor executor;
  const SumAssumptions assumed{.corrupt = 0.0, .dropped = 0.3, .crowd = 4};
  MaskedSum masked(assumed, 0, 1, executor), narrow(assumed, 16, 1, executor);
  PartSum parts(2, 14, 0, 1, executor);
  PaillierSum paillier(512, 14, 1, executor);
  for (SumProtocol* protocol : std::initializer_list<SumProtocol*>{&masked, &parts, &paillier}) {
    Small few(20, 5, 1);
    for (std::size_t n = 0; n < 7; ++n) few.fates[n] = Fate::input;
    EXPECT_FALSE(few.run(*protocol).ok());
    Small loud(20, 5, 2);
    loud.inputs[4][2] = 10001;
    EXPECT_FALSE(loud.run(*protocol).ok());
    Small good(20, 5, 3);
    EXPECT_TRUE(good.run(*protocol).ok());
  }
  Small wraps(20, 5, 4);  // 20 · 10,000 needs 19 bits
  const auto outcome = wraps.run(narrow);
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.error().message.find("needs 19 bits"), std::string::npos);
  Small alone(3, 5, 5);
  const auto few = alone.run(masked);
  ASSERT_FALSE(few.ok());
  for (const char* flag : {"--cohort", "--secure-tolerate", "--secure-crowd"})
    EXPECT_NE(few.error().message.find(flag), std::string::npos) << few.error().message;
}

TEST(Protocols, TheForetoldCostIsWhatIsSent) {
  SerialExecutor executor;
  const SumAssumptions assumed{.corrupt = 0.05, .dropped = 0.3, .crowd = 4};
  MaskedSum masked(assumed, 32, 1, executor);
  Small small(20, 33, 1);
  const auto outcome = small.run(masked).value();
  SumOffer offer;
  offer.terms = sum_terms(20, assumed).value();
  offer.range = plan_range(20, 10000, 32).value();
  offer.entries = 33;
  const SumCost cost = masked_cost(offer);
  constexpr std::uint64_t agreement = 80;
  EXPECT_EQ(outcome.traffic.up, 20 * cost.up - (20 - offer.terms.committee) * agreement);
  EXPECT_EQ(outcome.traffic.down, 20 * cost.down);
}

}  // namespace sotto::fed::sum_protocol_test
