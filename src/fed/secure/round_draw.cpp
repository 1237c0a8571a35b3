#include "fed/secure/round_draw.h"

#include <algorithm>
#include <numeric>

#include "base/rng.h"

namespace sotto::fed {

namespace {

constexpr std::uint32_t steps_of_a_device = 5;

}  // namespace

RoundDraw draw_round(const RoundDrawRules& rules, std::uint32_t round, std::size_t devices) {
  Stream groups(rules.seed, Purpose::secure_groups, rules.same_groups ? 0 : round);
  Stream silence(rules.seed, Purpose::secure_silence, round);
  RoundDraw draw;
  draw.order.resize(devices);
  std::iota(draw.order.begin(), draw.order.end(), 0u);
  for (auto n = static_cast<std::uint32_t>(devices); n > 1; --n)
    std::swap(draw.order[n - 1], draw.order[groups.below(n)]);
  draw.groups = rules.group == 0 ? 1 : std::max<std::size_t>(devices / rules.group, 1);
  draw.fates.assign(devices, Fate::stays);
  for (std::size_t n = 0; n < draw.groups; ++n) {
    // Drawn apart from the order, by which devices join a block.
    const auto group = draw.group(n);
    std::vector<std::uint32_t> speaking(group.begin(), group.end());
    const auto silent = static_cast<std::size_t>(rules.silent * static_cast<double>(group.size()));
    for (std::size_t k = 0; k < silent; ++k) {
      std::swap(speaking[silence.below(static_cast<std::uint32_t>(speaking.size()))], speaking.back());
      draw.fates[speaking.back()] = static_cast<Fate>(silence.below(steps_of_a_device));
      speaking.pop_back();
    }
  }
  return draw;
}

}  // namespace sotto::fed
