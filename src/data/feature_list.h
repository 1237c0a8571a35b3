// FeatureList: what knowledge says about items, with names of its own and before any data is split: facts
// (item, predicate chain, object). A chain of several predicates is written "first~second".
//
// Laws: each fact once, in the order of (item, predicate, object) numbers; hops has one entry a predicate:
// the number of predicates in its chain.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/ids.h"

namespace sotto::data {

inline constexpr char chain_separator = '~';

struct FeatureFact {
  std::uint32_t item = 0;
  std::uint32_t predicate = 0;
  std::uint32_t object = 0;
  auto operator<=>(const FeatureFact&) const = default;
};

struct FeatureList {
  IdTable items;       // as the interactions name them
  IdTable predicates;  // chains
  std::vector<std::uint8_t> hops;
  IdTable objects;
  std::vector<FeatureFact> facts;

  // Adds a chain if it is new; its hops are counted from its separators unless they are given.
  std::uint32_t intern_predicate(std::string_view chain, std::uint8_t hops_if_known = 0);
  // Sorts the facts and drops repeated ones: whoever fills a list ends with it.
  void settle();
};

}  // namespace sotto::data
