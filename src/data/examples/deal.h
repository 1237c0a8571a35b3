// Dealing examples to devices: evenly, by shards of few labels (McMahan et al. 2017), or to the people they
// belong to (thesis 5.5.2).
//
// Laws: an example is in one hand at most, and in one part of it; a hand's parts are in the order of the
// examples; every hand has something to train on; the same examples, options and seed deal the same hands.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "data/examples/examples.h"

namespace sotto::data {

struct DealOptions {
  std::uint64_t seed = 1;
  // Of each training hand, at random, rounded down but at least one where the hand has two; 0: none.
  double validation_share = 0.0;
  // For quick runs; 0: all. Fewer devices out of those dealt to (of people: drawn at random). Fewer examples
  // of a hand, drawn at random before the validation is; its test keeps the same share of itself, at least
  // one.
  std::uint32_t most_devices = 0;
  std::uint32_t most_examples = 0;
};

// At random: hands differ in size by one at most, in the training part and in the test part.
[[nodiscard]] Result<Dealt> deal_evenly(const Examples& examples, std::uint32_t devices,
                                        const DealOptions& options = {});

// Sorted by label, cut into devices · shards_each shards, each device draws so many of them. The test part is
// sorted and cut alike, and a device's test shards are at the same places: it is tested on the labels it has.
[[nodiscard]] Result<Dealt> deal_shards(const Examples& examples, std::uint32_t devices,
                                        std::uint32_t shards_each = 2, const DealOptions& options = {});

struct OwnerDeal {
  double sample_share = 0.5;  // of all examples, at random; which part of the file they are in is not asked
  std::uint32_t least = 5;    // people with fewer of those are left out
  double test_share = 0.2;    // of each person's, at random, rounded down, at least one; 0: none
};
// `owners`: one an example. Devices are the people who are left, by their numbers.
[[nodiscard]] Result<Dealt> deal_by_owner(const Examples& examples, std::span<const std::uint32_t> owners,
                                          const OwnerDeal& deal = {}, const DealOptions& options = {});

}  // namespace sotto::data
