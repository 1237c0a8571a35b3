// Draws training pairs (i consumed, j not) for a visit: i uniform over the history with replacement,
// j uniform over the catalogue minus the history.
//
// Pair number t of (seed, round, user) is a function of its own random block, so pairs can be drawn
// in any order, ahead of time and many at once. j is tried twice; if both tries are consumed items,
// the third word picks among the others by rank, which keeps j uniform and the time bounded.
// (A 32-bit word scaled to n values favours some by at most one part in 2^32/n.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/rng.h"
#include "data/histories.h"
#include "data/membership.h"

namespace sotto {

struct Pair {
  ItemIndex positive;
  ItemIndex negative;
};

// A visit: a user in a round.
struct VisitPlace {
  std::uint32_t round = 0;
  UserIndex user;
};

class PairSampler {
 public:
  // The data outlives the sampler.
  PairSampler(const Histories& histories, const Membership& consumed, std::size_t catalogue,
              std::uint64_t seed)
      : histories_(histories),
        consumed_(consumed),
        catalogue_(static_cast<std::uint32_t>(catalogue)),
        key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {}

  // Pair t of the user's visit in a round. The user has at least one item and not all.
  [[nodiscard]] Pair draw(std::uint32_t round, UserIndex user, std::uint32_t t) const {
    return pair_of(user,
                   philox({t, user.value, round, static_cast<std::uint32_t>(Purpose::draw_triples)}, key_));
  }
  // Pairs 0 … out.size()/visits.size() − 1 of each visit, visit after visit. Many pairs are in flight
  // at once, so that the memory they look up arrives together.
  void draw(std::span<const VisitPlace> visits, std::span<Pair> out) const;

 private:
  // The pair that a random block stands for.
  [[nodiscard]] Pair pair_of(UserIndex user, const PhiloxBlock& words) const {
    const auto history = histories_.of(user);
    const ItemIndex positive = history[scaled(words[0], static_cast<std::uint32_t>(history.size()))];
    return {positive, negative_for(user, ItemIndex{scaled(words[1], catalogue_)}, words[2], words[3])};
  }
  // `first` if the user has not consumed it, else the second try, else one by rank.
  [[nodiscard]] ItemIndex negative_for(UserIndex user, ItemIndex first, std::uint32_t second,
                                       std::uint32_t third) const {
    if (!consumed_.contains(user, first)) [[likely]]
      return first;
    const ItemIndex again{scaled(second, catalogue_)};
    return consumed_.contains(user, again) ? unconsumed(histories_.of(user), third) : again;
  }
  [[nodiscard]] static std::uint32_t scaled(std::uint32_t word, std::uint32_t bound) {
    return static_cast<std::uint32_t>((std::uint64_t{word} * bound) >> 32);
  }
  [[nodiscard]] ItemIndex unconsumed(std::span<const ItemIndex> history, std::uint32_t word) const;

  const Histories& histories_;
  const Membership& consumed_;
  std::uint32_t catalogue_;
  std::array<std::uint32_t, 2> key_;
};

}  // namespace sotto
