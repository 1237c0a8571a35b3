#include "data/examples/deal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/rng.h"

namespace sotto::data::deal_test {

// Examples that are nothing but labels.
Examples labelled(std::size_t training, std::size_t test, std::uint32_t classes, std::uint64_t seed) {
  Examples examples;
  examples.classes = classes;
  examples.for_training = training;
  Stream stream(seed, Purpose::generate_world);
  for (std::size_t n = 0; n < training + test; ++n)
    examples.labels.push_back(static_cast<std::uint8_t>(stream.below(classes)));
  return examples;
}

std::vector<Dealt::Hand> hands_of(const Dealt& dealt) {
  std::vector<Dealt::Hand> hands;
  for (std::uint32_t device = 0; device < dealt.devices(); ++device) hands.push_back(dealt.of({device}));
  return hands;
}

bool same(const Dealt& a, const Dealt& b) {
  return std::ranges::equal(hands_of(a), hands_of(b), [](const Dealt::Hand& x, const Dealt::Hand& y) {
    return x.train == y.train && x.validation == y.validation && x.test == y.test;
  });
}

// Every example in one part of one hand at most; parts in order; nobody without anything to train on.
void check_laws(const Dealt& dealt, const Examples& examples) {
  std::set<std::uint32_t> seen;
  for (const Dealt::Hand& hand : hands_of(dealt)) {
    RC_ASSERT(!hand.train.empty());
    for (const auto* part : {&hand.train, &hand.validation, &hand.test}) {
      RC_ASSERT(std::is_sorted(part->begin(), part->end()));
      for (const std::uint32_t place : *part) {
        RC_ASSERT(place < examples.count());
        RC_ASSERT(seen.insert(place).second);
      }
    }
  }
}

// Tests come from the test part alone, and training from the other.
void check_parts(const Dealt& dealt, const Examples& examples) {
  for (const Dealt::Hand& hand : hands_of(dealt)) {
    for (const std::uint32_t place : hand.test) RC_ASSERT(place >= examples.for_training);
    for (const auto* part : {&hand.train, &hand.validation})
      for (const std::uint32_t place : *part) RC_ASSERT(place < examples.for_training);
  }
}

DealOptions any_options() {
  return {.seed = *rc::gen::arbitrary<std::uint64_t>(),
          .validation_share = *rc::gen::element(0.0, 0.1, 0.5),
          .most_devices = *rc::gen::inRange(0u, 8u),
          .most_examples = *rc::gen::inRange(0u, 20u)};
}

RC_GTEST_PROP(Deal, EvenHandsDifferByOneAtMost, ()) {
  const std::uint32_t devices = *rc::gen::inRange(1u, 20u);
  const Examples examples = labelled(*rc::gen::inRange(20u, 300u), *rc::gen::inRange(0u, 90u), 10, 1);
  const DealOptions options = any_options();
  const Dealt dealt = deal_evenly(examples, devices, options).value();
  check_laws(dealt, examples);
  check_parts(dealt, examples);
  RC_ASSERT(same(dealt, deal_evenly(examples, devices, options).value()));
  const Dealt whole = deal_evenly(examples, devices, {.seed = options.seed}).value();
  std::size_t least = SIZE_MAX, most = 0, train = 0, test = 0;
  for (const Dealt::Hand& hand : hands_of(whole)) {
    least = std::min(least, hand.train.size());
    most = std::max(most, hand.train.size());
    train += hand.train.size();
    test += hand.test.size();
  }
  RC_ASSERT(most - least <= 1u);
  RC_ASSERT(train == examples.for_training && train + test == examples.count());
}

RC_GTEST_PROP(Deal, ShardsHoldFewLabels, ()) {
  const std::uint32_t devices = *rc::gen::inRange(1u, 20u), each = *rc::gen::inRange(1u, 4u);
  const Examples examples = labelled(*rc::gen::inRange(60u, 400u), *rc::gen::inRange(0u, 90u), 10, 1);
  const DealOptions options = any_options();
  const Dealt dealt = deal_shards(examples, devices, each, options).value();
  check_laws(dealt, examples);
  check_parts(dealt, examples);
  RC_ASSERT(same(dealt, deal_shards(examples, devices, each, options).value()));
  const std::size_t shard = examples.for_training / (devices * each);
  std::map<std::uint32_t, std::size_t> rarest;
  for (std::size_t n = 0; n < examples.for_training; ++n) ++rarest[examples.labels[n]];
  std::size_t fewest = SIZE_MAX;
  for (const auto& [label, count] : rarest) fewest = std::min(fewest, count);
  for (const Dealt::Hand& hand : hands_of(deal_shards(examples, devices, each, {.seed = 3}).value())) {
    RC_ASSERT(hand.train.size() >= shard * each && hand.train.size() <= (shard + 1) * each);
    std::set<std::uint8_t> labels;
    for (const std::uint32_t place : hand.train) labels.insert(examples.labels[place]);
    // A shard no longer than the rarest label's run touches two labels at most.
    if (shard + 1 <= fewest) RC_ASSERT(labels.size() <= 2u * each);
  }
}

// 10 labels of 60 and 10 examples, 20 shards: each shard is of one label, and so is its test.
TEST(Deal, TestShardsAreAtTheSamePlaces) {
  Examples examples;
  examples.classes = 10;
  examples.for_training = 600;
  for (std::size_t n = 0; n < 700; ++n) examples.labels.push_back(static_cast<std::uint8_t>(n * 7 % 10));
  std::map<std::uint8_t, std::size_t> of_label;
  for (const Dealt::Hand& hand : hands_of(deal_shards(examples, 10, 2, {.seed = 5}).value())) {
    ASSERT_EQ(hand.train.size(), 60u);
    ASSERT_EQ(hand.test.size(), 10u);
    std::map<std::uint8_t, std::size_t> trained, tested;
    for (const std::uint32_t place : hand.train) ++trained[examples.labels[place]];
    for (const std::uint32_t place : hand.test) ++tested[examples.labels[place]];
    ASSERT_LE(trained.size(), 2u);
    for (const auto& [label, count] : trained) {
      EXPECT_EQ(tested[label] * 6, count);
      of_label[label] += count;
    }
  }
  for (const auto& [label, count] : of_label) EXPECT_EQ(count, 60u);
}

RC_GTEST_PROP(Deal, OwnersKeepTheirOwn, ()) {
  const std::uint32_t people = *rc::gen::inRange(1u, 20u);
  const Examples examples = labelled(*rc::gen::inRange(200u, 400u), *rc::gen::inRange(0u, 90u), 2, 1);
  std::vector<std::uint32_t> owners;
  Stream stream(2, Purpose::generate_world);
  for (std::size_t n = 0; n < examples.count(); ++n) owners.push_back(stream.below(people));
  const DealOptions options = any_options();
  const OwnerDeal deal{.least = *rc::gen::inRange(0u, 5u), .test_share = *rc::gen::element(0.0, 0.2)};
  const Dealt dealt = deal_by_owner(examples, owners, deal, options).value();
  check_laws(dealt, examples);
  RC_ASSERT(same(dealt, deal_by_owner(examples, owners, deal, options).value()));
  std::set<std::uint32_t> met;
  for (const Dealt::Hand& hand : hands_of(dealt)) {
    const std::uint32_t owner = owners[hand.train[0]];
    if (!met.empty()) RC_ASSERT(owner > *met.rbegin());
    met.insert(owner);
    for (const auto* part : {&hand.train, &hand.validation, &hand.test})
      for (const std::uint32_t place : *part) RC_ASSERT(owners[place] == owner);
  }
}

// With all examples and nobody left out, sizes are those of a count by hand: ⌊0.2·n⌋ for testing.
TEST(Deal, OwnersSplitTheirs) {
  const Examples examples = labelled(26, 0, 2, 1);
  std::vector<std::uint32_t> owners(26, 0);
  std::fill(owners.begin() + 4, owners.begin() + 11, 1u);  // 4, 7 and 15
  std::fill(owners.begin() + 11, owners.end(), 2u);
  const OwnerDeal all{.sample_share = 1.0};
  const auto hands = hands_of(deal_by_owner(examples, owners, all, {.validation_share = 0.1}).value());
  ASSERT_EQ(hands.size(), 2u);
  EXPECT_EQ(hands[0].test.size(), 1u);
  EXPECT_EQ(hands[0].validation.size(), 1u);
  EXPECT_EQ(hands[0].train.size(), 5u);
  EXPECT_EQ(hands[1].test.size(), 3u);
  EXPECT_EQ(hands[1].train.size(), 11u);
  const auto one = hands_of(deal_by_owner(examples, owners, all, {.most_devices = 1}).value());
  EXPECT_EQ(one.size(), 1u);
  const auto few = hands_of(deal_by_owner(examples, owners, all, {.most_examples = 4}).value());
  EXPECT_EQ(few[1].train.size(), 4u);
  EXPECT_EQ(few[1].test.size(), 1u);
  // A half of 26 is 13.
  std::size_t held = 0;
  for (const auto& hand : hands_of(deal_by_owner(examples, owners, {.least = 1}, {}).value()))
    held += hand.train.size() + hand.test.size();
  EXPECT_EQ(held, 13u);
}

TEST(Deal, SeedsDealDifferently) {
  const Examples examples = labelled(300, 60, 10, 1);
  EXPECT_FALSE(
      same(deal_evenly(examples, 10, {.seed = 1}).value(), deal_evenly(examples, 10, {.seed = 2}).value()));
  EXPECT_FALSE(same(deal_shards(examples, 10, 2, {.seed = 1}).value(),
                    deal_shards(examples, 10, 2, {.seed = 2}).value()));
}

TEST(Deal, RefusesWhatCannotBe) {
  const Examples examples = labelled(10, 2, 2, 1);
  const std::vector<std::uint32_t> owners(12, 0), few(3, 0), large(12, 99);
  const auto says = [](const Result<Dealt>& dealt) {
    return dealt.ok() ? std::string() : dealt.error().message;
  };
  EXPECT_NE(says(deal_evenly(examples, 0)).find("0 devices"), std::string::npos);
  EXPECT_NE(says(deal_evenly(examples, 11)).find("there are 10"), std::string::npos);
  EXPECT_NE(says(deal_shards(examples, 6, 2)).find("12 shards"), std::string::npos);
  EXPECT_NE(says(deal_evenly(examples, 2, {.validation_share = 1.0})).find("validation"), std::string::npos);
  EXPECT_NE(says(deal_by_owner(examples, few)).find("3 owners for 12"), std::string::npos);
  EXPECT_NE(says(deal_by_owner(examples, large)).find("number people from 0"), std::string::npos);
  EXPECT_NE(says(deal_by_owner(examples, owners, {.least = 9})).find("nobody has 9"), std::string::npos);
  EXPECT_NE(says(deal_by_owner(examples, owners, {.sample_share = 0.0})).find("sample"), std::string::npos);
  EXPECT_NE(says(deal_by_owner(examples, owners, {.test_share = 1.0})).find("test share"), std::string::npos);
}

}  // namespace sotto::data::deal_test
