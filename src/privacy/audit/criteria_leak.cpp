#include "privacy/audit/criteria_leak.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace sotto::privacy {

namespace {

// Of a histogram, in bits.
template <class Value>
double entropy(const std::map<Value, std::size_t>& counts) {
  double all = 0.0, bits = 0.0;
  for (const auto& [value, count] : counts) all += static_cast<double>(count);
  for (const auto& [value, count] : counts) {
    const double share = static_cast<double>(count) / all;
    bits -= share * std::log2(share);
  }
  return bits;
}

double unique_share(const ToldRound& round) {
  std::map<std::vector<std::int32_t>, std::size_t> counts;
  for (const ToldTuple& one : round) ++counts[one.values];
  const auto alone = std::ranges::count_if(counts, [](const auto& entry) { return entry.second == 1; });
  return static_cast<double>(alone) / static_cast<double>(round.size());
}

// Those of a round who are in the other one, too.
ToldRound common(const ToldRound& round, const ToldRound& other) {
  ToldRound both;
  auto at = other.begin();
  for (const ToldTuple& one : round) {
    while (at != other.end() && at->user.value < one.user.value) ++at;
    if (at != other.end() && at->user == one.user && both.size() < most_linked) both.push_back(one);
  }
  return both;
}

double distance(const ToldTuple& a, const ToldTuple& b) {
  double sum = 0.0;
  for (std::size_t n = 0; n < a.values.size(); ++n) {
    const double gap = static_cast<double>(a.values[n]) - b.values[n];
    sum += gap * gap;
  }
  return sum;
}

// The expected number of hits where one of the nearest is drawn.
double hits(const ToldRound& before, const ToldRound& after) {
  double sum = 0.0;
  for (std::size_t n = 0; n < before.size(); ++n) {
    const double own = distance(before[n], after[n]);
    std::size_t nearer = 0, as_near = 0;
    for (const ToldTuple& other : after) {
      const double gap = distance(before[n], other);
      nearer += gap < own ? 1 : 0;
      as_near += gap == own ? 1 : 0;
    }
    if (nearer == 0) sum += 1.0 / static_cast<double>(as_near);
  }
  return sum;
}

void link(const std::vector<ToldRound>& rounds, CriteriaLeak& leak) {
  double people = 0.0, chance = 0.0, found = 0.0;
  for (std::size_t n = 0; n + 1 < rounds.size(); ++n) {
    const ToldRound before = common(rounds[n], rounds[n + 1]), after = common(rounds[n + 1], rounds[n]);
    if (before.size() < 2) continue;
    people += static_cast<double>(before.size());
    chance += 1.0;  // one hit of so many people
    found += hits(before, after);
  }
  if (people == 0.0) return;
  leak.linked = found / people;
  leak.chance = chance / people;
}

// Who told the criterion, in each round.
std::vector<std::vector<std::uint32_t>> tellers_of(const std::vector<ToldRound>& rounds,
                                                   std::size_t criterion) {
  std::vector<std::vector<std::uint32_t>> tellers;
  for (const ToldRound& round : rounds) {
    tellers.emplace_back();
    for (const ToldTuple& one : round)
      if (one.values[criterion] != ToldTuple::not_told) tellers.back().push_back(one.user.value);
  }
  return tellers;
}

// Who follows from a criterion's sums: from one alone, or from the difference of two.
void add_exposed(const std::vector<std::vector<std::uint32_t>>& tellers, std::set<std::uint32_t>& exposed) {
  const std::vector<std::uint32_t> nobody;
  const auto add_difference = [&](const auto& fewer, const auto& more) {
    if (fewer.size() + 1 != more.size()) return;
    std::vector<std::uint32_t> rest;
    std::ranges::set_difference(more, fewer, std::back_inserter(rest));
    if (rest.size() == 1) exposed.insert(rest.front());
  };
  for (const auto& more : tellers) {
    add_difference(nobody, more);
    for (const auto& fewer : tellers) add_difference(fewer, more);
  }
}

}  // namespace

CriteriaLeak criteria_leak(const std::vector<ToldRound>& rounds, std::size_t criteria) {
  CriteriaLeak leak{.rounds = rounds.size(), .criteria = std::vector<CriterionLeak>(criteria)};
  std::map<std::uint32_t, std::vector<std::int32_t>> first;
  for (const ToldRound& round : rounds)
    for (const ToldTuple& one : round) first.emplace(one.user.value, one.values);
  leak.people = first.size();
  if (first.empty()) return leak;
  std::map<std::vector<std::int32_t>, std::size_t> tuples;
  for (const auto& [user, values] : first) ++tuples[values];
  leak.bits = entropy(tuples);
  for (std::size_t n = 0; n < criteria; ++n) {
    std::map<std::int32_t, std::size_t> counts;
    std::size_t told = 0;
    for (const auto& [user, values] : first)
      if (values[n] != ToldTuple::not_told) ++counts[values[n]], ++told;
    leak.criteria[n] = {static_cast<double>(told) / static_cast<double>(first.size()), entropy(counts)};
  }
  std::size_t judged = 0;
  for (const ToldRound& round : rounds)
    if (!round.empty()) leak.unique += unique_share(round), ++judged;
  leak.unique /= static_cast<double>(judged);
  link(rounds, leak);
  std::set<std::uint32_t> exposed;
  for (std::size_t n = 0; n < criteria; ++n) add_exposed(tellers_of(rounds, n), exposed);
  leak.exposed = static_cast<double>(exposed.size()) / static_cast<double>(first.size());
  return leak;
}

}  // namespace sotto::privacy
