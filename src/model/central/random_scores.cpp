#include "model/central/random_scores.h"

#include <limits>
#include <vector>

#include "base/rng.h"

namespace sotto::model {

namespace {

// No dataset has a user of this number.
constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

// Four items share one block of the generator: item i is number i % 4 of the stream (i / 4, user).
void fill(std::uint64_t seed, std::uint32_t user, ItemRange items, float* out) {
  std::uint32_t item = items.begin;
  while (item < items.end) {
    Stream stream(seed, Purpose::random_scores, item / 4, user);
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
      const std::uint32_t bits = stream.next_u32();
      if (lane < item % 4) continue;
      *out++ = static_cast<float>(bits >> 8) * 0x1.0p-24f;
      if (++item == items.end || item % 4 == 0) break;
    }
  }
}

}  // namespace

void RandomScores::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  for (std::size_t k = 0; k < users.size(); ++k)
    fill(seed_, users[k].value, items, out.data() + k * items.size());
}

void RandomScores::score_history(std::span<const ItemIndex>, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue_, "one place for each score");
  fill(seed_, nobody, {0, static_cast<std::uint32_t>(catalogue_)}, out.data());
}

Status RandomScores::similar(ItemIndex, std::span<float>) const {
  return fail(Code::usage, "Random has no notion of alike items; ask an Item-kNN, BPR-MF or FPL model");
}

void RandomScores::add_numbers(Hasher& hasher) const {
  std::vector<float> drawn(catalogue_);
  score_history({}, drawn);
  hasher.array(std::span<const float>(drawn));
}

}  // namespace sotto::model
