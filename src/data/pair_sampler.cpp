#include "data/pair_sampler.h"

#include <algorithm>

#include "base/kernels.h"

namespace sotto {

namespace {

constexpr std::size_t blocks_in_flight = 32;

// Blocks of random words on their way to pairs, two pairs a block.
struct Flight {
  alignas(64) std::uint32_t number[blocks_in_flight];
  alignas(64) std::uint32_t user[blocks_in_flight];
  alignas(64) std::uint32_t round[blocks_in_flight];
  alignas(64) std::uint32_t words[4 * blocks_in_flight];
  const ItemIndex* positives[2 * blocks_in_flight];
  std::uint32_t negatives[2 * blocks_in_flight];
};

// Walks over the blocks of some visits, `each` pairs a visit.
class BlockWalk {
 public:
  BlockWalk(std::span<const VisitPlace> visits, std::size_t each)
      : visits_(visits), blocks_(static_cast<std::uint32_t>((each + 1) / 2)) {}

  // Fills as many places as there are blocks left; those beyond stay as they were.
  std::size_t fill(Flight& flight) {
    std::size_t filled = 0;
    while (filled < blocks_in_flight && visit_ < visits_.size()) {
      const std::size_t now = std::min<std::size_t>(blocks_in_flight - filled, blocks_ - next_);
      for (std::size_t n = 0; n < now; ++n) {
        flight.number[filled + n] = next_ + static_cast<std::uint32_t>(n);
        flight.user[filled + n] = visits_[visit_].user.value;
        flight.round[filled + n] = visits_[visit_].round;
      }
      filled += now;
      next_ += static_cast<std::uint32_t>(now);
      if (next_ == blocks_) next_ = 0, ++visit_;
    }
    return filled;
  }

 private:
  std::span<const VisitPlace> visits_;
  std::uint32_t blocks_;
  std::size_t visit_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace

void PairSampler::draw(std::span<const VisitPlace> visits, std::span<Pair> out) const {
  const std::size_t each = out.size() / visits.size();
  Flight flight{};
  const kernels::PhiloxRun run{{flight.number, flight.user, flight.round},
                               static_cast<std::uint32_t>(Purpose::draw_triples),
                               {key_[0], key_[1]}};
  BlockWalk walk(visits, each);
  Pair* next = out.data();
  while (const std::size_t blocks = walk.fill(flight)) {
    kernels::philox_blocks(run, blocks_in_flight, flight.words);
    // Addresses first, so that the memory they look up arrives together.
    for (std::size_t n = 0; n < blocks; ++n) {
      const UserIndex user{flight.user[n]};
      const auto history = histories_.of(user);
      const std::size_t pairs = 2 * flight.number[n] + 1 < each ? 2 : 1;
      for (std::size_t half = 0; half < pairs; ++half) {
        const std::uint32_t* words = flight.words + 2 * half * blocks_in_flight + n;
        const ItemIndex* positive =
            history.data() + scaled(words[0], static_cast<std::uint32_t>(history.size()));
        const std::uint32_t negative = scaled(words[blocks_in_flight], catalogue_);
        flight.positives[2 * n + half] = positive;
        flight.negatives[2 * n + half] = negative;
        __builtin_prefetch(positive);
        consumed_.prefetch(user, ItemIndex{negative});
      }
    }
    for (std::size_t n = 0; n < blocks; ++n) {
      const UserIndex user{flight.user[n]};
      const std::uint32_t first = 2 * flight.number[n];
      const std::uint32_t pairs = first + 1 < each ? 2 : 1;
      for (std::uint32_t half = 0; half < pairs; ++half, ++next) {
        const ItemIndex negative{flight.negatives[2 * n + half]};
        next->positive = *flight.positives[2 * n + half];
        next->negative = negative;
        if (consumed_.contains(user, negative)) [[unlikely]]
          next->negative = other_negative(user, flight.words[2 * half * blocks_in_flight + n],
                                          flight.words[(2 * half + 1) * blocks_in_flight + n]);
      }
    }
  }
}

ItemIndex PairSampler::other_negative(UserIndex user, std::uint32_t a, std::uint32_t b) const {
  const std::uint64_t bits = remixed(std::uint64_t{a} << 32 | b);
  const ItemIndex again{scaled(static_cast<std::uint32_t>(bits), catalogue_)};
  if (!consumed_.contains(user, again)) return again;
  return unconsumed(histories_.of(user), static_cast<std::uint32_t>(bits >> 32));
}

ItemIndex PairSampler::unconsumed(std::span<const ItemIndex> history, std::uint32_t word) const {
  const auto size = static_cast<std::uint32_t>(history.size());
  const std::uint32_t rank = scaled(word, catalogue_ - size);
  // history[k] − k unconsumed items lie below history[k]; the answer has `rank` of them below it.
  std::uint32_t low = 0;
  std::uint32_t high = size;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (history[middle].value - middle <= rank) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return ItemIndex{rank + low};
}

}  // namespace sotto
