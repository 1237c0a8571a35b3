// Census: what a knowledge graph consists of, counted in one pass and in bounded memory.
//
// Law: up to DistinctCount::most names the count of entities is exact; beyond, it is estimated from the
// smallest hashes (a standard error of 0.2 %).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/ids.h"
#include "data/kg/statement.h"

namespace sotto::data {

// How many different names were added (k minimum values, Bar-Yossef et al. 2002).
class DistinctCount {
 public:
  static constexpr std::size_t most = std::size_t{1} << 18;

  void add(std::string_view name);
  [[nodiscard]] std::uint64_t count();
  [[nodiscard]] bool exact() const { return !cut_; }

 private:
  void settle();

  std::vector<std::uint64_t> smallest_;
  std::uint64_t greatest_ = UINT64_MAX;  // hashes above are of no interest
  bool cut_ = false;
};

struct PredicateCount {
  static constexpr std::size_t most_examples = 3;

  std::uint64_t statements = 0;
  std::vector<std::string> examples;  // the first different objects
};

struct Census {
  std::uint64_t statements = 0;
  std::uint64_t literals = 0;  // statements whose object is one
  DistinctCount entities;      // subjects, and objects that are no literals
  IdTable predicates;
  std::vector<PredicateCount> counts;  // one a predicate

  void add(const Statement& statement);
};

}  // namespace sotto::data
