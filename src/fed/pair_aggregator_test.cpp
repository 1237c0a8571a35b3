#include "fed/pair_aggregator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "fed/item_set_message.h"
#include "fed/weights_message.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::fed::pair_aggregator_test {

ItemSet open_set(const std::vector<std::uint32_t>& items) {
  return ItemSet::consented(items_of(items), ConsentGate({.pi = 1.0}, 1, 0, UserIndex{}));
}

using Table = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

Table table_of(const PairCounts& pairs) {
  Table table;
  PairRow row;
  for (std::uint32_t item = 0; item < pairs.items(); ++item) {
    pairs.row(item, row);
    EXPECT_TRUE(std::is_sorted(row.items.begin(), row.items.end()));
    for (std::size_t n = 0; n < row.items.size(); ++n) table[{item, row.items[n]}] = row.sums[n];
  }
  return table;
}

Table plain_sum(const Rows& rows, PersonWeight weight) {
  Table table;
  for (const auto& row : rows)
    for (const std::uint32_t a : row)
      for (const std::uint32_t b : row) table[{a, b}] += weight.of(row.size());
  return table;
}

using Form = PairAggregator::Form;

RC_GTEST_PROP(PairAggregator, AnyOrderSplitAndFormGiveTheSameSum, ()) {
  const auto items = *rc::gen::inRange<std::uint32_t>(1, 25);
  const Rows rows = random_rows(*rc::gen::inRange<std::size_t>(0, 20), items, 40);
  const PersonWeight weight(*rc::gen::element(0.0f, 0.5f));
  const Table expected = plain_sum(rows, weight);
  const auto order = *rc::gen::container<std::vector<std::size_t>>(rows.size(), rc::gen::inRange(0, 3));
  for (const Form form : {Form::triangle, Form::sparse}) {
    std::vector<PairAggregator> parts;
    for (int n = 0; n < 3; ++n) parts.emplace_back(items, weight, form);
    for (std::size_t n = rows.size(); n-- > 0;) RC_ASSERT(parts[order[n]].accept(open_set(rows[n])).ok());
    parts[2].merge(std::move(parts[0]));
    parts[1].merge(std::move(parts[2]));
    RC_ASSERT(parts[1].contributions() == rows.size());
    const PairSum sum = std::move(parts[1]).release();
    RC_ASSERT(table_of(sum) == expected);
    RC_ASSERT(sum.unit() == weight.unit());
    for (std::uint32_t item = 0; item < items; ++item) {
      const auto having = std::count_if(rows.begin(), rows.end(), [&](const auto& row) {
        return std::find(row.begin(), row.end(), item) != row.end();
      });
      RC_ASSERT(sum.popularity()[item] == static_cast<std::uint32_t>(having));
    }
  }
}

TEST(PairAggregator, ARefusedSetLeavesNoTrace) {
  for (const Form form : {Form::triangle, Form::sparse}) {
    PairAggregator sum(4, PersonWeight(), form);
    ASSERT_TRUE(sum.accept(open_set({0, 3})).ok());
    const Status refused = sum.accept(open_set({1, 4}));
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("outside the catalogue of 4"), std::string::npos);
    EXPECT_EQ(sum.contributions(), 1u);
    EXPECT_EQ(table_of(std::move(sum).release()), plain_sum({{0, 3}}, PersonWeight()));
  }
}

TEST(PairAggregator, LongSumsSettleInBetween) {
  // More pairs than are held unsorted.
  PairAggregator sum(3000, PersonWeight(), Form::sparse);
  std::vector<std::uint32_t> many;
  for (std::uint32_t item = 0; item < 1600; ++item) many.push_back(item);
  for (const auto& row : Rows{many, {5, 2999}, many}) ASSERT_TRUE(sum.accept(open_set(row)).ok());
  const PairSum whole = std::move(sum).release();
  PairRow row;
  whole.row(7, row);
  EXPECT_EQ(row.items, many);
  EXPECT_EQ(row.sums, std::vector<std::uint64_t>(many.size(), 2));
  whole.row(5, row);
  ASSERT_EQ(row.items.size(), many.size() + 1);
  EXPECT_EQ(row.sums[5], 3u);
  EXPECT_EQ(row.items.back(), 2999u);
  EXPECT_EQ(row.sums.back(), 1u);
}

RC_GTEST_PROP(ItemSetMessage, DecodesToWhatWasEncoded, ()) {
  auto items = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::oneOf(
      rc::gen::inRange<std::uint32_t>(0, 400), rc::gen::inRange<std::uint32_t>(0, 4'000'000'000u)));
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  const ItemSetMessage message{.round = 7, .set = open_set(items)};
  const Bytes bytes = encode(message);
  RC_ASSERT(bytes.size() == encoded_item_set_bytes(message.set));
  const auto again = decode<ItemSetMessage>(bytes);
  RC_ASSERT(again.ok());
  RC_ASSERT(again->round == 7u);
  RC_ASSERT(std::vector(again->set.items().begin(), again->set.items().end()) == items);
  if (bytes.size() > 13) {
    const auto cut = std::span(bytes).first(bytes.size() - 1);
    RC_ASSERT(!decode<ItemSetMessage>(cut).ok());
  }
}

TEST(ItemSetMessage, TakesOneByteForSmallGaps) {
  // Header and round 12 bytes, one for the count, one for each of 3, 0 and 100; two for 200.
  EXPECT_EQ(encoded_item_set_bytes(open_set({3, 4, 105})), 16u);
  EXPECT_EQ(encoded_item_set_bytes(open_set({200})), 15u);
}

TEST(ItemSetMessage, RefusesNumbersInALongerForm) {
  Bytes bytes = encode(ItemSetMessage{.round = 0, .set = open_set({5})});
  bytes.back() = std::byte{0x85};
  bytes.push_back(std::byte{0});
  const auto read = decode<ItemSetMessage>(bytes);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("shortest form"), std::string::npos);
}

TEST(WeightsMessage, DecodesToWhatWasEncodedAndRefusesTheRest) {
  const ItemWeights weights({0, 2, 2, 5}, {{0, 0.5f}, {2, -1.0f}, {0, 2.0f}, {1, 3.0f}, {2, 4.0f}});
  const Bytes bytes = encode(WeightsMessage{weights});
  EXPECT_EQ(bytes.size(), encoded_weights_bytes(weights));
  const auto again = decode<WeightsMessage>(bytes);
  ASSERT_TRUE(again.ok());
  ASSERT_EQ(again->weights.items(), 3u);
  for (std::size_t item = 0; item < 3; ++item)
    EXPECT_TRUE(std::equal(weights.of(item).begin(), weights.of(item).end(), again->weights.of(item).begin(),
                           again->weights.of(item).end()));
  EXPECT_FALSE(decode<WeightsMessage>(std::span(bytes).first(bytes.size() - 1)).ok());
  const Bytes outside = encode(WeightsMessage{ItemWeights({0, 1}, {{1, 1.0f}})});
  EXPECT_FALSE(decode<WeightsMessage>(outside).ok());
}

}  // namespace sotto::fed::pair_aggregator_test
