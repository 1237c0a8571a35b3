// Draws training pairs (i consumed, j not) for a visit: i uniform over the history with replacement,
// j uniform over the catalogue minus the history.
//
// Pair number t of (seed, round, user) is a function of half a random block (block t % 32 + t / 64 · 32, its
// first or its second half), so pairs can be drawn in any order, ahead of time and many at once. If the first
// j is a consumed item, its bits are mixed once more for a second try, and if that is consumed too, for a
// pick among the others by rank, which keeps j uniform and the time bounded. (A 32-bit word scaled to n
// values favours some by at most one part in 2^32/n.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/rng.h"
#include "data/histories.h"
#include "data/membership.h"

namespace sotto::data {

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
  // The data outlives the sampler. Positives come from `histories`, which hold what `consumed` knows or a
  // part of it: what was consumed is no negative, even where it may not be drawn.
  // Users count from `first`: a device that knows itself alone has one row and its own index.
  PairSampler(const Histories& histories, const Membership& consumed, std::size_t catalogue,
              std::uint64_t seed, UserIndex first = UserIndex{0})
      : histories_(histories),
        consumed_(consumed),
        catalogue_(static_cast<std::uint32_t>(catalogue)),
        first_(first),
        key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {}

  // Pair t of the user's visit in a round. The user has at least one item and not all.
  [[nodiscard]] Pair draw(std::uint32_t round, UserIndex user, std::uint32_t t) const {
    const std::uint32_t half = t / 32 % 2;
    const PhiloxBlock words =
        philox({block_of(t), user.value, round, static_cast<std::uint32_t>(Purpose::draw_triples)}, key_);
    const auto history = histories_.of(row_of(user));
    const ItemIndex negative{scaled(words[2 + half], catalogue_)};
    return {history[scaled(words[half], static_cast<std::uint32_t>(history.size()))],
            consumed_.contains(row_of(user), negative) ? other_negative(user, words[half], words[2 + half])
                                                       : negative};
  }
  // Pairs 0 … out.size()/visits.size() − 1 of each visit, visit after visit. Many pairs are in flight
  // at once, so that the memory they look up arrives together.
  void draw(std::span<const VisitPlace> visits, std::span<Pair> out) const;

 private:
  [[nodiscard]] static constexpr std::uint32_t block_of(std::uint32_t t) { return t / 64 * 32 + t % 32; }
  [[nodiscard]] UserIndex row_of(UserIndex user) const { return UserIndex{user.value - first_.value}; }
  // Many pairs of one visit; pair t of many visits, each `each` places after the last.
  void draw_long(const VisitPlace& visit, std::span<Pair> out) const;
  void draw_short(std::span<const VisitPlace> visits, std::uint32_t t, std::size_t each, Pair* out) const;
  // The negative of a pair whose first try is a consumed item; `a` and `b` are the pair's random words.
  [[nodiscard]] ItemIndex other_negative(UserIndex user, std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] static std::uint32_t scaled(std::uint32_t word, std::uint32_t bound) {
    return static_cast<std::uint32_t>((std::uint64_t{word} * bound) >> 32);
  }
  [[nodiscard]] ItemIndex unconsumed(std::span<const ItemIndex> history, std::uint32_t word) const;

  const Histories& histories_;
  const Membership& consumed_;
  std::uint32_t catalogue_;
  UserIndex first_;
  std::array<std::uint32_t, 2> key_;
};

}  // namespace sotto::data
