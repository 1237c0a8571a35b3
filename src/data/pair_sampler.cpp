#include "data/pair_sampler.h"

#include "base/kernels.h"

namespace sotto {

void PairSampler::draw(std::span<const VisitPlace> visits, std::span<Pair> out) const {
  constexpr std::size_t in_flight = 32;
  std::uint32_t counters[3][in_flight] = {};
  std::uint32_t words[4 * in_flight];
  const ItemIndex* positives[in_flight];
  std::uint32_t negatives[in_flight];
  const kernels::PhiloxRun run{{counters[0], counters[1], counters[2]},
                               static_cast<std::uint32_t>(Purpose::draw_triples),
                               {key_[0], key_[1]}};
  const std::size_t each = out.size() / visits.size();
  std::size_t visit = 0;
  std::uint32_t t = 0;
  for (std::size_t done = 0; done < out.size(); done += in_flight) {
    const std::size_t now = std::min(in_flight, out.size() - done);
    for (std::size_t n = 0; n < now; ++n) {
      counters[0][n] = t;
      counters[1][n] = visits[visit].user.value;
      counters[2][n] = visits[visit].round;
      if (++t == each) {
        t = 0;
        ++visit;
      }
    }
    kernels::philox_blocks(run, in_flight, words);
    for (std::size_t n = 0; n < now; ++n) {
      const UserIndex user{counters[1][n]};
      const auto history = histories_.of(user);
      positives[n] = history.data() + scaled(words[n], static_cast<std::uint32_t>(history.size()));
      negatives[n] = scaled(words[in_flight + n], catalogue_);
      __builtin_prefetch(positives[n]);
      consumed_.prefetch(user, ItemIndex{negatives[n]});
    }
    for (std::size_t n = 0; n < now; ++n) {
      out[done + n].positive = *positives[n];
      out[done + n].negative = negative_for(UserIndex{counters[1][n]}, ItemIndex{negatives[n]},
                                            words[2 * in_flight + n], words[3 * in_flight + n]);
    }
  }
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
