#include "data/pair_sampler.h"

#include <algorithm>

#include "base/kernels.h"

namespace sotto::data {

namespace {

constexpr std::size_t most_blocks = 32;
constexpr std::uint32_t long_visit = 8;  // pairs

// Random blocks of (number, user, round).
struct Blocks {
  alignas(64) std::uint32_t number[most_blocks] = {};
  alignas(64) std::uint32_t user[most_blocks] = {};
  alignas(64) std::uint32_t round[most_blocks] = {};
  alignas(64) std::uint32_t words[4 * most_blocks];

  // Word w of block n lands in words[w · count + n].
  void draw(std::size_t count, const std::array<std::uint32_t, 2>& key) {
    kernels::philox_blocks(
        {{number, user, round}, static_cast<std::uint32_t>(Purpose::draw_triples), {key[0], key[1]}}, count,
        words);
  }
};

}  // namespace

void PairSampler::draw(std::span<const VisitPlace> visits, std::span<Pair> out) const {
  const std::size_t each = out.size() / visits.size();
  if (each >= long_visit) {
    for (std::size_t v = 0; v < visits.size(); ++v) draw_long(visits[v], out.subspan(v * each, each));
    return;
  }
  for (std::uint32_t t = 0; t < each; ++t)
    for (std::size_t v = 0; v < visits.size(); v += most_blocks)
      draw_short(visits.subspan(v, std::min(most_blocks, visits.size() - v)), t, each, &out[v * each + t]);
}

void PairSampler::draw_long(const VisitPlace& visit, std::span<Pair> out) const {
  Blocks blocks;
  std::fill_n(blocks.user, most_blocks, visit.user.value);
  std::fill_n(blocks.round, most_blocks, visit.round);
  const auto history = histories_.of(row_of(visit.user));
  const auto items = static_cast<std::uint32_t>(history.size());
  const Membership::OfUser consumed = consumed_.of(row_of(visit.user));
  for (std::uint32_t first = 0; first < out.size(); first += 2 * most_blocks) {
    const std::size_t pairs = std::min(out.size() - first, 2 * most_blocks);
    const std::size_t drawn = pairs <= most_blocks / 2 ? most_blocks / 2 : most_blocks;
    for (std::uint32_t n = 0; n < drawn; ++n) blocks.number[n] = block_of(first) + n;
    blocks.draw(drawn, key_);
    const std::uint32_t* a = blocks.words;
    const std::uint32_t* b = blocks.words + 2 * drawn;
    Pair* next = out.data() + first;
    for (std::size_t n = 0; n < pairs; ++n)
      next[n] = {history[scaled(a[n], items)], ItemIndex{scaled(b[n], catalogue_)}};
    for (std::size_t n = 0; n < pairs; ++n)
      if (consumed.contains(next[n].negative)) [[unlikely]]
        next[n].negative = other_negative(visit.user, a[n], b[n]);
  }
}

void PairSampler::draw_short(std::span<const VisitPlace> visits, std::uint32_t t, std::size_t each,
                             Pair* out) const {
  Blocks blocks;
  const ItemIndex* positives[most_blocks];
  for (std::size_t n = 0; n < visits.size(); ++n) {
    blocks.number[n] = block_of(t);
    blocks.user[n] = visits[n].user.value;
    blocks.round[n] = visits[n].round;
  }
  blocks.draw(most_blocks, key_);
  const std::uint32_t* a = blocks.words;
  const std::uint32_t* b = blocks.words + 2 * most_blocks;
  // Addresses first, so that the memory they look up arrives together.
  for (std::size_t n = 0; n < visits.size(); ++n) {
    const auto history = histories_.of(row_of(visits[n].user));
    positives[n] = history.data() + scaled(a[n], static_cast<std::uint32_t>(history.size()));
    __builtin_prefetch(positives[n]);
    consumed_.prefetch(row_of(visits[n].user), ItemIndex{scaled(b[n], catalogue_)});
  }
  for (std::size_t n = 0; n < visits.size(); ++n) {
    const UserIndex user = visits[n].user;
    Pair& pair = out[n * each];
    pair = {*positives[n], ItemIndex{scaled(b[n], catalogue_)}};
    if (consumed_.contains(row_of(user), pair.negative)) [[unlikely]]
      pair.negative = other_negative(user, a[n], b[n]);
  }
}

ItemIndex PairSampler::other_negative(UserIndex user, std::uint32_t a, std::uint32_t b) const {
  const std::uint64_t bits = remixed(std::uint64_t{a} << 32 | b);
  const ItemIndex again{scaled(static_cast<std::uint32_t>(bits), catalogue_)};
  if (!consumed_.contains(row_of(user), again)) return again;
  return unconsumed(consumed_.histories().of(row_of(user)), static_cast<std::uint32_t>(bits >> 32));
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

}  // namespace sotto::data
