#include "data/kg/census.h"

#include <algorithm>

#include "data/kg/name_hash.h"

namespace sotto::data {

void DistinctCount::add(std::string_view name) {
  const std::uint64_t hash = name_hash(name);
  if (hash > greatest_) return;
  smallest_.push_back(hash);
  if (smallest_.size() >= 2 * most) settle();
}

void DistinctCount::settle() {
  std::sort(smallest_.begin(), smallest_.end());
  smallest_.erase(std::unique(smallest_.begin(), smallest_.end()), smallest_.end());
  if (smallest_.size() <= most) return;
  smallest_.resize(most);
  greatest_ = smallest_.back();
  cut_ = true;
}

std::uint64_t DistinctCount::count() {
  settle();
  if (!cut_) return smallest_.size();
  const double share = static_cast<double>(greatest_) * 0x1.0p-64;  // of all hashes lie below
  return static_cast<std::uint64_t>(static_cast<double>(most - 1) / share);
}

void Census::add(const Statement& statement) {
  ++statements;
  literals += statement.literal ? 1 : 0;
  entities.add(statement.subject);
  if (!statement.literal) entities.add(statement.object);
  const std::uint32_t predicate = predicates.intern(statement.predicate);
  if (predicate == counts.size()) counts.emplace_back();
  PredicateCount& count = counts[predicate];
  ++count.statements;
  if (count.examples.size() < PredicateCount::most_examples &&
      std::find(count.examples.begin(), count.examples.end(), statement.object) == count.examples.end())
    count.examples.emplace_back(statement.object);
}

}  // namespace sotto::data
