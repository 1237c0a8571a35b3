#include "data/pair_sampler.h"

namespace sotto {

void PairSampler::draw(std::span<const VisitPlace> visits, std::span<Pair> out) const {
  constexpr std::size_t in_flight = 32;
  Started started[in_flight];
  const std::size_t each = out.size() / visits.size();
  std::size_t visit = 0;
  std::uint32_t t = 0;
  for (std::size_t done = 0; done < out.size(); done += in_flight) {
    const std::size_t now = std::min(in_flight, out.size() - done);
    for (std::size_t n = 0; n < now; ++n) {
      started[n] = begin(visits[visit].round, visits[visit].user, t);
      __builtin_prefetch(started[n].positive);
      consumed_.prefetch(started[n].user, started[n].negative);
      if (++t == each) {
        t = 0;
        ++visit;
      }
    }
    for (std::size_t n = 0; n < now; ++n) out[done + n] = finish(started[n]);
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
