#include "base/score_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/score_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::base::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "base/vector_math.inc"

using Floats = hn::CappedTag<float, 16>;
using Ints = hn::Rebind<std::int32_t, Floats>;
using Lanes = hn::Vec<Floats>;
using Counts = hn::Vec<Ints>;

constexpr std::size_t lanes = hn::MaxLanes(Floats());
// A tile in registers: 6 users × 4 vectors of 32 registers, 6 × 2 of 16.
constexpr std::size_t users_a_tile = 6;
constexpr std::size_t vectors_a_tile = lanes == 16 ? 4 : lanes == 1 ? 1 : 2;
constexpr std::size_t lanes_a_tile = vectors_a_tile * lanes;

#if HWY_TARGET == HWY_SCALAR
float pack_panel_any(std::span<const float* const> rows, std::size_t width, float* panel) {
  std::uint32_t most = 0;
  for (std::size_t n = 0; n < rows.size(); ++n)
    for (std::size_t k = 0; k < width; ++k) {
      panel[k * panel_items + n] = rows[n][k];
      most = std::max(most, std::bit_cast<std::uint32_t>(rows[n][k]) & 0x7FFFFFFFu);
    }
  return std::bit_cast<float>(most);
}
#else
// Four rows at a time, turned in squares of four.
float pack_panel_any(std::span<const float* const> rows, std::size_t width, float* panel) {
  const hn::FixedTag<float, 4> d;
  const hn::FixedTag<std::int32_t, 4> di;
  // As whole numbers absolute values keep their order, and what is not finite comes last.
  auto most = hn::Zero(di);
  alignas(64) static constexpr float no_row[4] = {};
  for (std::size_t n = 0; n < rows.size(); n += 4) {
    const auto load = [&](std::size_t at, std::size_t k) {
      const auto four = at < rows.size() ? hn::Load(d, rows[at] + k) : hn::Load(d, no_row);
      most = hn::Max(most, hn::BitCast(di, hn::Abs(four)));
      return four;
    };
    for (std::size_t k = 0; k < width; k += 4) {
      const auto r0 = load(n, k), r1 = load(n + 1, k), r2 = load(n + 2, k), r3 = load(n + 3, k);
      const auto low01 = hn::InterleaveLower(d, r0, r1), low23 = hn::InterleaveLower(d, r2, r3);
      const auto high01 = hn::InterleaveUpper(d, r0, r1), high23 = hn::InterleaveUpper(d, r2, r3);
      float* out = panel + k * panel_items + n;
      hn::Store(hn::ConcatLowerLower(d, low23, low01), d, out);
      hn::Store(hn::ConcatUpperUpper(d, low23, low01), d, out + panel_items);
      hn::Store(hn::ConcatLowerLower(d, high23, high01), d, out + 2 * panel_items);
      hn::Store(hn::ConcatUpperUpper(d, high23, high01), d, out + 3 * panel_items);
    }
  }
  return std::bit_cast<float>(hn::GetLane(hn::MaxOfLanes(di, most)));
}
#endif

template <class M>
HWY_INLINE std::uint64_t bits_of(M mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Floats(), mask, bytes);
  std::uint64_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

// `Users` rows against the lanes of a tile, which begins `first` lanes into the panel.
template <std::size_t Users>
HWY_INLINE void score_tile(const float* panel, std::size_t width, const float* const* users,
                           const float* thresholds, std::size_t first, float* scores, std::uint64_t* above) {
  const Floats d;
  Lanes sums[Users][vectors_a_tile];
  for (auto& row : sums)
    for (Lanes& sum : row) sum = hn::Zero(d);
  const float* rows[Users];
  for (std::size_t u = 0; u < Users; ++u) rows[u] = users[u];
  const float* column = panel + first;
  for (std::size_t k = 0; k < width; ++k, column += panel_items) {
    Lanes items[vectors_a_tile];
    for (std::size_t v = 0; v < vectors_a_tile; ++v) items[v] = hn::Load(d, column + v * lanes);
    for (std::size_t u = 0; u < Users; ++u) {
      const Lanes factor = hn::Set(d, rows[u][k]);
      for (std::size_t v = 0; v < vectors_a_tile; ++v)
        sums[u][v] = fused(Floats(), factor, items[v], sums[u][v]);
    }
  }
  for (std::size_t u = 0; u < Users; ++u) {
    const Lanes threshold = hn::Set(d, thresholds[u]);
    std::uint64_t bits = 0;
    for (std::size_t v = 0; v < vectors_a_tile; ++v) {
      hn::Store(sums[u][v], d, scores + u * panel_items + first + v * lanes);
      bits |= bits_of(hn::Gt(sums[u][v], threshold)) << (first + v * lanes);
    }
    above[u] |= bits;
  }
}

template <std::size_t Users>
HWY_INLINE void score_users(const float* panel, std::size_t width, const float* const* users,
                            const float* thresholds, float* scores, std::uint64_t* above) {
  for (std::size_t u = 0; u < Users; ++u) above[u] = 0;
  for (std::size_t first = 0; first < panel_items; first += lanes_a_tile)
    score_tile<Users>(panel, width, users, thresholds, first, scores, above);
}

void score_panel_any(const float* panel, std::size_t width, std::span<const float* const> users,
                     const float* thresholds, float* scores, std::uint64_t* above) {
  std::size_t u = 0;
  for (; u + users_a_tile <= users.size(); u += users_a_tile)
    score_users<users_a_tile>(panel, width, users.data() + u, thresholds + u, scores + u * panel_items,
                              above + u);
  for (; u < users.size(); ++u)
    score_users<1>(panel, width, users.data() + u, thresholds + u, scores + u * panel_items, above + u);
}

std::uint64_t lanes_above_any(const float* scores, float threshold) {
  const Floats d;
  std::uint64_t bits = 0;
  for (std::size_t n = 0; n < panel_items; n += lanes)
    bits |= bits_of(hn::Gt(hn::LoadU(d, scores + n), hn::Set(d, threshold))) << n;
  return bits;
}

// v one lane up; the lane that becomes free takes the last of `before`.
template <class D, class V>
HWY_INLINE V shift_up(D d, V v, V before) {
  using I = hn::TFromD<hn::Rebind<std::int32_t, D>>;
  alignas(64) I up[lanes];
  alignas(64) I last[lanes];
  for (std::size_t n = 0; n < lanes; ++n) {
    up[n] = static_cast<I>(n == 0 ? 0 : n - 1);
    last[n] = static_cast<I>(lanes - 1);
  }
  return hn::IfThenElse(hn::FirstN(d, 1), hn::TableLookupLanes(before, hn::SetTableIndices(d, last)),
                        hn::TableLookupLanes(v, hn::SetTableIndices(d, up)));
}

template <std::size_t Slots>
HWY_INLINE void sink_lanes_of(float* list, std::uint32_t* numbers, const float* scores, std::uint32_t first,
                              std::uint64_t entering) {
  constexpr std::size_t vectors = Slots / lanes;
  const Floats d;
  const hn::Rebind<std::uint32_t, Floats> du;
  Lanes held[vectors];
  hn::Vec<decltype(du)> names[vectors];
  for (std::size_t v = 0; v < vectors; ++v) {
    held[v] = hn::LoadU(d, list + v * lanes);
    names[v] = hn::LoadU(du, numbers + v * lanes);
  }
  const Lanes top = hn::Set(d, std::numeric_limits<float>::infinity());
  for (; entering != 0; entering &= entering - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(entering));
    const Lanes score = hn::Set(d, scores[lane]);
    const auto name = hn::Set(du, first + lane);
    for (std::size_t v = vectors; v-- > 0;) {
      const Lanes above = shift_up(d, held[v], v > 0 ? held[v - 1] : top);
      const auto name_above = shift_up(du, names[v], names[v > 0 ? v - 1 : 0]);
      const auto stays = hn::RebindMask(du, hn::Ge(held[v], score));
      const auto enters = hn::RebindMask(du, hn::Ge(above, score));
      names[v] = hn::IfThenElse(stays, names[v], hn::IfThenElse(enters, name, name_above));
      held[v] = hn::Max(held[v], hn::Min(above, score));
    }
  }
  for (std::size_t v = 0; v < vectors; ++v) {
    hn::StoreU(held[v], d, list + v * lanes);
    hn::StoreU(names[v], du, numbers + v * lanes);
  }
}

void sink_lanes_any(float* list, std::uint32_t* numbers, std::size_t slots, const float* scores,
                    std::uint32_t first, std::uint64_t entering) {
  if (slots == most_slots) return sink_lanes_of<most_slots>(list, numbers, scores, first, entering);
  sink_lanes_of<most_slots / 2>(list, numbers, scores, first, entering);
}

// The scores of a panel's vector v, −∞ (which no finite score lies below) in lanes that are left out.
HWY_INLINE Lanes kept_scores(const float* scores, std::uint64_t left_out, std::size_t v) {
  const Floats d;
  const std::uint64_t bits = left_out >> (v * lanes);
  std::uint8_t bytes[8];
  std::memcpy(bytes, &bits, sizeof bits);
  const Lanes nothing = hn::Set(d, -std::numeric_limits<float>::infinity());
  return hn::IfThenElse(hn::LoadMaskBits(d, bytes), nothing, hn::LoadU(d, scores + v * lanes));
}

#if HWY_TARGET == HWY_SCALAR
void count_pairs_any(const float* scores, std::uint64_t left_out, const float* sorted, std::size_t count,
                     PairCount& pairs) {
  for (std::size_t n = 0; n < panel_items; ++n) {
    if ((left_out >> n & 1) != 0) continue;
    const float* low = std::lower_bound(sorted, sorted + count, scores[n]);
    const float* high = std::upper_bound(low, sorted + count, scores[n]);
    pairs.above += static_cast<std::uint64_t>(low - sorted);
    pairs.level += static_cast<std::uint64_t>(high - low);
  }
}
#else
// A group is one short of the lanes, so that as many steps as a lane number has digits find the place of a
// score in it; the last lane holds the next group's first.
constexpr std::size_t group_scores = lanes - 1;

// pos += Half where the group's score at pos + Half − 1 lies below; then the smaller halves.
template <std::size_t Half>
HWY_INLINE Counts search(const float* group, Lanes scores, Counts pos) {
  if constexpr (Half == 0) {
    return pos;
  } else {
    const Floats d;
    const Ints di;
    const Lanes table = hn::LoadU(d, group + (Half - 1));
    const auto below = hn::Lt(hn::TableLookupLanes(table, hn::IndicesFromVec(d, pos)), scores);
    const Counts further = hn::Add(pos, hn::Set(di, static_cast<std::int32_t>(Half)));
    return search<Half / 2>(group, scores, hn::IfThenElse(hn::RebindMask(di, below), further, pos));
  }
}

// Pairs that are level: one relevant score after the other; ties are rare.
HWY_INLINE std::uint64_t count_level(const Lanes* scores, const float* sorted, std::size_t count) {
  const Floats d;
  std::uint64_t level = 0;
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t v = 0; v < panel_items / lanes; ++v)
      level += hn::CountTrue(d, hn::Eq(scores[v], hn::Set(d, sorted[n])));
  return level;
}

void count_pairs_any(const float* scores, std::uint64_t left_out, const float* sorted, std::size_t count,
                     PairCount& pairs) {
  const Floats d;
  const Ints di;
  Lanes kept[panel_items / lanes];
  for (std::size_t v = 0; v < panel_items / lanes; ++v) kept[v] = kept_scores(scores, left_out, v);
  Counts below = hn::Zero(di);
  auto tied = hn::FirstN(d, 0);
  for (std::size_t first = 0; first < count; first += group_scores) {
    const float* group = sorted + first;
    const Lanes table = hn::LoadU(d, group);
    for (const Lanes& lane_scores : kept) {
      const auto start = hn::RebindMask(di, hn::Lt(hn::Set(d, group[lanes / 2 - 1]), lane_scores));
      const Counts half = hn::IfThenElseZero(start, hn::Set(di, static_cast<std::int32_t>(lanes / 2)));
      const Counts pos = search<lanes / 4>(group, lane_scores, half);
      below = hn::Add(below, pos);
      const Lanes next = hn::TableLookupLanes(table, hn::IndicesFromVec(d, pos));
      tied = hn::Or(tied, hn::Eq(next, lane_scores));
    }
  }
  pairs.above += static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(di, below)));
  if (!hn::AllFalse(d, tied)) pairs.level += count_level(kept, sorted, count);
}
#endif

}  // namespace sotto::base::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::base::kernels {

namespace {

HWY_EXPORT(pack_panel_any);
HWY_EXPORT(score_panel_any);
HWY_EXPORT(lanes_above_any);
HWY_EXPORT(sink_lanes_any);
HWY_EXPORT(count_pairs_any);

}  // namespace

float pack_panel(std::span<const float* const> rows, std::size_t width, float* panel) {
  if (rows.size() < panel_items) std::fill_n(panel, panel_floats(width), 0.0f);
  return HWY_DYNAMIC_DISPATCH(pack_panel_any)(rows, width, panel);
}

void score_panel(const float* panel, std::size_t width, std::span<const float* const> users,
                 const float* thresholds, float* scores, std::uint64_t* above) {
  HWY_DYNAMIC_DISPATCH(score_panel_any)(panel, width, users, thresholds, scores, above);
}

std::uint64_t lanes_above(const float* scores, float threshold) {
  return HWY_DYNAMIC_DISPATCH(lanes_above_any)(scores, threshold);
}

void sink_lanes(float* list, std::uint32_t* numbers, std::size_t slots, const float* scores,
                std::uint32_t first, std::uint64_t lanes) {
  HWY_DYNAMIC_DISPATCH(sink_lanes_any)(list, numbers, slots, scores, first, lanes);
}

void count_pairs(const float* scores, std::uint64_t left_out, const float* sorted, std::size_t count,
                 PairCount& pairs) {
  HWY_DYNAMIC_DISPATCH(count_pairs_any)(scores, left_out, sorted, count, pairs);
}

}  // namespace sotto::base::kernels
#endif
