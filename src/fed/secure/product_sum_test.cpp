// Products of what three aggregators have parts of: what they are, and what devices and aggregators may try.
#include "fed/secure/product_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rng.h"
#include "fed/number_sum.h"
#include "fed/secure/product_collector.h"
#include "fed/secure/round_draw.h"
#include "fed/secure/testing/sum_world.h"
#include "privacy/pair_contribution.h"
#include "privacy/weighted_pairs.h"

namespace sotto::fed::product_sum_test {

using Values = std::vector<std::int32_t>;

ProductShape shape_of(std::uint32_t devices, std::uint32_t numbers) {
  return {.session = 9,
          .devices = devices,
          .least_survivors = 2,
          .numbers = numbers,
          .weighted = false,
          .range = plan_range(devices, 1).value()};
}

struct World {
  ProductShape shape;
  std::vector<std::vector<PartMessage>> parts;  // by device
  std::vector<ProductAggregator> aggregators;

  World(const ProductShape& of, const std::vector<Values>& inputs) : shape(of) {
    for (std::uint8_t device = 0; device < inputs.size(); ++device)
      parts.push_back(
          split_input(shape.input(), inputs[device], Secret(Bytes32{device, std::uint8_t{7}})).value());
    for (std::uint32_t n = 0; n < product_aggregators; ++n)
      aggregators.emplace_back(shape, n, key(n), key((n + 2) % product_aggregators));
  }
  static Secret key(std::uint32_t n) { return Secret(Bytes32{static_cast<std::uint8_t>(n), 99}); }
  [[nodiscard]] const PartMessage& part(std::uint32_t device, std::uint32_t number) const {
    return *std::ranges::find(parts[device], number, &PartMessage::aggregator);
  }
  void send(std::uint32_t device) {
    for (std::uint32_t to = 0; to < product_aggregators; ++to)
      for (const std::uint32_t number : {to, (to + 1) % product_aggregators})
        ASSERT_TRUE(aggregators[to].receive(device, part(device, number)).ok());
  }
};

// Against x xᵀ added up as it stands, over numbers of tiles and of batches that are whole and that are not.
TEST(ProductSum, IsTheSumOfProducts) {
  SerialExecutor serial;
  for (const std::uint32_t numbers : {1u, 5u, 64u, 65u, 130u})
    for (const std::uint32_t devices : {2u, 64u, 67u}) {
      std::vector<Values> inputs;
      Stream draws(numbers, Purpose::random_scores, devices);
      for (std::uint32_t device = 0; device < devices; ++device) {
        Values& x = inputs.emplace_back(numbers);
        for (std::int32_t& value : x) value = draws.below(3) == 0 ? 1 : 0;
      }
      World world(shape_of(devices, numbers), inputs);
      std::vector<Bytes> sums;
      for (std::uint32_t device = 0; device < devices; ++device) world.send(device);
      for (ProductAggregator& one : world.aggregators) {
        const DeviceSet heard = one.heard();
        sums.push_back(std::move(one).release(heard, serial).value());
      }
      const auto total = join_parts(world.shape.total(), devices, sums).value();
      std::size_t at = 0;
      for (std::uint32_t high = 0; high < numbers; ++high)
        for (std::uint32_t low = 0; low <= high; ++low) {
          std::int64_t expected = 0;
          for (const Values& x : inputs) expected += x[high] * x[low];
          ASSERT_EQ(total[at++], expected) << numbers << ' ' << devices << ' ' << high << ' ' << low;
        }
    }
}

// What each aggregator releases is the same but for the third one's total, whatever the histories: here that
// two of three say nothing of it. (That their parts are noise follows from PartSum.)
TEST(ProductSum, WhatOneAggregatorReleasesIsMasked) {
  SerialExecutor serial;
  const auto released = [&](const Values& x) {
    World world(shape_of(2, 2), {x, x});
    world.send(0);
    world.send(1);
    const DeviceSet heard = world.aggregators[1].heard();
    // By itself, without the others' keys: the sum of its terms, plain.
    ProductAggregator bare(world.shape, 1, Secret(), Secret());
    for (std::uint32_t device : {0u, 1u})
      for (const std::uint32_t number : {1u, 2u})
        EXPECT_TRUE(bare.receive(device, world.part(device, number)).ok());
    return std::pair(std::move(world.aggregators[1]).release(heard, serial).value(),
                     std::move(bare).release(heard, serial).value());
  };
  const auto [masked, bare] = released({1, 0});
  EXPECT_NE(masked, bare);
  EXPECT_EQ(released({0, 1}).first, masked) << "the second has seeds alone, and they say nothing";
}

TEST(ProductSum, WhatIsWrongIsRefused) {
  SerialExecutor serial;
  World world(shape_of(3, 4), {{1, 0, 1, 1}, {0, 1, 1, 0}, {1, 1, 0, 0}});
  ProductAggregator& first = world.aggregators[0];
  EXPECT_TRUE(refused(first.receive(0, world.part(0, 2)), "another aggregator"));
  EXPECT_TRUE(refused(first.receive(3, world.part(0, 0)), "outside the cohort"));
  PartMessage wrong = world.part(0, 0);
  wrong.part.pop_back();
  EXPECT_TRUE(refused(first.receive(0, wrong), "not as long"));
  wrong = world.part(0, 1);
  wrong.part.pop_back();
  EXPECT_TRUE(refused(first.receive(0, wrong), "no seed"));
  wrong = world.part(0, 1);
  wrong.session = 8;
  EXPECT_TRUE(refused(first.receive(0, wrong), "another session"));
  world.send(0);
  EXPECT_TRUE(refused(first.receive(0, world.part(0, 0)), "repeated"));
  ProductAggregator few = first;
  EXPECT_TRUE(refused(std::move(few).release(first.heard(), serial), "fewer survivors"));
  world.send(1);
  ASSERT_TRUE(first.receive(2, world.part(2, 0)).ok());
  EXPECT_EQ(first.heard().size(), 2u) << "one part is not both";
  DeviceSet all = first.heard();
  all.insert(2);
  ProductAggregator lacking = first;
  EXPECT_TRUE(refused(std::move(lacking).release(all, serial), "missing"));
  const DeviceSet heard = first.heard();
  EXPECT_TRUE(std::move(first).release(heard, serial).ok());
  EXPECT_TRUE(refused(std::move(first).release(heard, serial), "released once"));
  EXPECT_TRUE(refused(first.receive(2, world.part(2, 1)), "after the sum"));
}

TEST(ProductSum, ADeviceThatSendsToSomeAloneFailsTheSum) {
  SerialExecutor serial;
  World world(shape_of(3, 4), {{1, 0, 1, 1}, {0, 1, 1, 0}, {1, 1, 0, 0}});
  for (std::uint32_t device = 0; device < 3; ++device) world.send(device);
  ProductAggregator second(world.shape, 1, World::key(1), World::key(0));
  for (std::uint32_t device = 0; device < 2; ++device)
    for (const std::uint32_t number : {1u, 2u})
      ASSERT_TRUE(second.receive(device, world.part(device, number)).ok());
  EXPECT_TRUE(refused(std::move(second).release(world.aggregators[0].heard(), serial), "missing"));
}

// As pairs are summed from contributions that hold them.
RC_GTEST_PROP(ProductCollector, SumsWhatContributionsOfPairsAddUpTo, ()) {
  const auto people = *rc::gen::inRange<std::uint32_t>(3, 9);
  const auto items = *rc::gen::inRange<std::uint32_t>(1, 70);
  const PersonWeight weight(*rc::gen::element(0.0f, 0.5f));
  const PairLayout layout(items);
  PlainCollector plain({layout.rows(), PairLayout::width});
  SumOptions options;
  options.kind = SumKind::products;
  options.limit = static_cast<std::uint32_t>(weight.unit());
  options.assumed.crowd = 2;
  SerialExecutor serial;
  ProductCollector products(options, items, weight, 3, serial);
  std::vector<UserIndex> cohort;
  std::vector<ItemSet> sets;
  for (std::uint32_t n = 0; n < people; ++n) {
    std::vector<ItemIndex> history;
    for (std::uint32_t item = 0; item < items; ++item)
      if (*rc::gen::inRange(0, 4) == 0) history.push_back({item});
    cohort.push_back({n});
    sets.push_back(ItemSet::consented(history, ConsentGate({.pi = 1.0}, 1, 0, {n})));
  }
  const auto expected =
      sum_numbers(plain, {0, cohort, nullptr}, layout.numbers(),
                  [&](std::size_t n, auto& out) { give_pairs(sets[n], weight, layout, out); });
  const auto got =
      sum_numbers(products, {0, cohort, nullptr}, layout.numbers(), [&](std::size_t n, auto& out) {
        give_items(sets[n], static_cast<std::int32_t>(weight.of(sets[n].items().size())), out);
      });
  RC_ASSERT(got.ok());
  RC_ASSERT(got->sums == expected->sums);
  RC_ASSERT(got->traffic.up == people * product_bytes_up(options, people, items, weight).value());
}

// Those who fall silent before their parts are sent are in no product; those who do so later are.
TEST(ProductCollector, SilentDevicesAreMissingFromTheSumAndNothingElseIs) {
  constexpr std::uint32_t people = 20, items = 12;
  SumOptions options;
  options.kind = SumKind::products;
  options.limit = 1;
  options.silent = 0.4;
  options.assumed.crowd = 2;
  SerialExecutor serial;
  ProductCollector products(options, items, PersonWeight(), 3, serial);
  const RoundDraw draw = draw_round({.seed = 3, .group = 0, .silent = 0.4}, 5, people);
  std::vector<UserIndex> cohort;
  std::vector<std::int64_t> expected(PairLayout(items).numbers(), 0);
  const auto has = [](std::size_t person, std::size_t item) { return (person * 7 + item * 3) % 5 < 2; };
  for (std::uint32_t n = 0; n < people; ++n) {
    cohort.push_back({n});
    if (!in_the_sum(draw.fates[n])) continue;
    for (std::size_t high = 0, at = 0; high <= items; ++high)
      for (std::size_t low = 0; low <= high; ++low, ++at)
        expected[at] += (high == items || has(n, high)) && (low == items || has(n, low)) ? 1 : 0;
  }
  const auto give = [&](std::size_t n, Contribution& out) {
    NumberRows rows(out);
    for (std::size_t item = 0; item < items; ++item)
      if (has(n, item)) rows.put(item, 1);
  };
  const auto got = sum_numbers(products, {5, cohort, nullptr}, expected.size(), give);
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->sums, expected);
  EXPECT_LT(got->traffic.devices, people);
  EXPECT_EQ(got->traffic.devices, static_cast<std::uint64_t>(expected.back()));
  options.assumed.crowd = people;
  ProductCollector crowded(options, items, PersonWeight(), 3, serial);
  const auto few = sum_numbers(crowded, {5, cohort, nullptr}, expected.size(), give);
  ASSERT_FALSE(few.ok());
  EXPECT_NE(few.error().message.find("fewer survivors"), std::string::npos);
}

}  // namespace sotto::fed::product_sum_test
