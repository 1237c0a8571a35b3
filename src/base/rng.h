// Random streams without state to carry: every number is a function of
// (seed, purpose, round, user, position).
//
// Laws: two streams with a different key never share a block; a stream can be made again anywhere
// (another thread, another process, after a restart) and yields the same numbers. This is what makes
// the model's bytes independent of threads, processes and interruptions.
// The generator is Philox4x32-10 (Salmon et al., SC 2011). It is a statistical generator: noise that
// must resist an adversary does not come from here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/layers.h"

namespace sotto::base {

// One number each, for ever: renumbering changes every model.
enum class Purpose : std::uint32_t {
  init_shared = 1,
  init_private = 2,
  select_cohort = 3,
  draw_triples = 4,
  redraw_consent = 5,
  sticky_consent = 6,
  split_data = 7,
  generate_world = 8,
  central_triples = 9,
  random_scores = 10,
  fold_in = 11,
  sample_users = 12,
  cut_blocks = 13,
  sampled_negatives = 20,
  profile_negatives = 30,
  neural_init = 40,
  neural_order = 41,
  neural_dropout = 42,
  neural_noise = 43,
  neural_negatives = 44,
  bootstrap = 50,
  search_settings = 51,
  secure_silence = 70,
  secure_groups = 71,
  consent_mix = 80,
  round_consent = 82,
  robust_groups = 100,
  draw_malicious = 101,
  draw_targets = 102,
  fake_person = 103,
  audit_groups = 90,
  audit_null = 91,
  audit_people = 92,
  context_share = 110,
  udcp_mix = 111,
  draw_query = 112,
  draw_participants = 113,
  draw_choices = 114,
  rating_start = 120,
  rating_order = 121,
  rating_clusters = 122,
  local_init = 140,
  local_order = 141,
  deal_examples = 142,
  generate_examples = 143,
  local_dropout = 144,
  local_noise = 145,
  local_negatives = 146,
  hold_out = 160,
};

using PhiloxBlock = std::array<std::uint32_t, 4>;

[[nodiscard]] inline PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

// 64 more bits out of 64 that were partly used, for the rare second try (the finaliser of SplitMix64).
[[nodiscard]] inline std::uint64_t remixed(std::uint64_t bits) {
  bits += 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

class Stream {
 public:
  // `first`: the block to begin with, where one block is all that is drawn and the key has a third part.
  Stream(std::uint64_t seed, Purpose purpose, std::uint32_t round = 0, std::uint32_t user = 0,
         std::uint32_t first = 0)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{first, user, round, static_cast<std::uint32_t>(purpose)} {}

  [[nodiscard]] std::uint32_t next_u32() {
    if (used_ == 4) {
      block_ = philox(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }
  [[nodiscard]] std::uint64_t next_u64() {
    const std::uint64_t high = next_u32();
    return (high << 32) | next_u32();
  }

  // Uniform over {0, …, bound − 1}, without bias (Lemire 2019). bound ≥ 1.
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{next_u32()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) [[unlikely]] {
      const std::uint32_t threshold = (0u - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{next_u32()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Uniform in [0, 1), 53 bits.
  [[nodiscard]] double uniform() { return static_cast<double>(next_u64() >> 11) * 0x1.0p-53; }

  // True with the given probability: 0 never, 1 always.
  [[nodiscard]] bool chance(double probability) {
    return static_cast<double>(next_u32()) < probability * 0x1.0p32;
  }

  // Standard normal, by inversion: one draw, the same bits on every machine.
  [[nodiscard]] double normal();

 private:
  std::array<std::uint32_t, 2> key_;
  PhiloxBlock counter_;
  PhiloxBlock block_{};
  std::uint32_t used_ = 4;
};

}  // namespace sotto::base
