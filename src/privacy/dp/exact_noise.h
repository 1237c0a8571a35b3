// Noise without floating point: the discrete Laplace and Gaussian distributions (Canonne, Kamath and Steinke
// 2020) and the exponential mechanism, drawn from random bits by whole numbers alone.
// A real-valued sampler leaks through the gaps between doubles; here every probability is exactly what the
// theorem is about.
//
// Bits is what has next_u64(): a SecretStream where an adversary must not guess, any generator in tests.
// Laws: a draw depends on the bits alone; the distributions are exact as far as the bits are uniform.
#pragma once

#include <cstdint>
#include <span>

#include "base/assert.h"

namespace sotto::privacy {

__extension__ using Wide = unsigned __int128;

// The largest σ²: the sampler's 128 bits hold it, and sixteen σ of it fit a contribution's integers.
inline constexpr std::uint64_t most_variance = std::uint64_t{1} << 52;
// The largest scale of Laplace noise: sixteen of it fit likewise.
inline constexpr std::uint64_t most_scale = std::uint64_t{1} << 26;

// The next digit of over / under in base 2^64; `over` becomes the remainder.
[[nodiscard]] Wide next_digit(Wide& over, Wide under);
// ⌊√square⌋ of what is below 2^54.
[[nodiscard]] std::uint64_t whole_root(std::uint64_t square);

template <class Bits>
class ExactNoise {
 public:
  explicit ExactNoise(Bits& bits) : bits_(bits) {}

  // Uniform over {0, …, bound − 1}; bound ≥ 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) {
    Wide product = Wide{bits_.next_u64()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) [[unlikely]] {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = Wide{bits_.next_u64()} * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // True with probability over / under (≤ 1).
  [[nodiscard]] bool chance(Wide over, Wide under) {
    if (under >> 64 == 0) return below(static_cast<std::uint64_t>(under)) < over;
    // Digit by digit in base 2^64: the first that differs decides. Doubles know the first one up to 2^14:
    // where the draw is further off than that they decide as the digits would, and ten times as fast.
    std::uint64_t drawn = bits_.next_u64();
    const double near = static_cast<double>(over) / static_cast<double>(under) * 0x1.0p64;
    if (const double off = static_cast<double>(drawn) - near; off > 0x1.0p16 || off < -0x1.0p16) [[likely]]
      return off < 0.0;
    while (true) {
      const Wide digit = next_digit(over, under);
      if (drawn != digit) return drawn < digit;
      if (over == 0) return false;
      drawn = bits_.next_u64();
    }
  }

  // True with probability e^−(over / under).
  [[nodiscard]] bool chance_exp(Wide over, Wide under) {
    for (; over >= under; over -= under)
      if (!chance_exp_below_one(1, 1)) return false;
    return chance_exp_below_one(over, under);
  }

  // P(x) ∝ e^−(|x| · under / over): Laplace noise of scale over / under on the whole numbers.
  [[nodiscard]] std::int64_t laplace(std::uint64_t over, std::uint64_t under = 1) {
    SOTTO_ASSERT(over > 0 && under > 0, "a scale above 0");
    while (true) {
      const std::uint64_t rest = below(over);
      if (!chance_exp_below_one(rest, over)) continue;
      std::uint64_t turns = 0;
      while (chance_exp_below_one(1, 1)) ++turns;
      const auto size = static_cast<std::int64_t>((rest + over * turns) / under);
      const bool negative = coin();
      if (negative && size == 0) continue;  // or 0 would be drawn twice as often
      return negative ? -size : size;
    }
  }

  // P(x) ∝ e^−(x² / 2·variance): Gaussian noise on the whole numbers. 0 gives 0.
  [[nodiscard]] std::int64_t gaussian(std::uint64_t variance) {
    SOTTO_ASSERT(variance <= most_variance, "a variance that fits");
    if (variance == 0) return 0;
    if (variance != variance_) variance_ = variance, scale_ = whole_root(variance) + 1;
    const std::uint64_t scale = scale_;
    const Wide under = Wide{2} * variance * scale * scale;
    while (true) {
      const std::int64_t drawn = laplace(scale);
      const Wide size = Wide{static_cast<std::uint64_t>(drawn < 0 ? -drawn : drawn)} * scale;
      const Wide off = size > variance ? size - variance : variance - size;
      // Beyond this e^−x is below any chance that matters, and the square would not fit.
      if (off >> 62 != 0) continue;
      if (chance_exp(off * off, under)) return drawn;
    }
  }

  // One of the choices with P(k) ∝ e^(scores[k] · over / under): the exponential mechanism, with
  // over / under = ε / (2 · how much one person changes a score); ε / (that much) where somebody more lowers
  // none (choice.h). At least one choice.
  [[nodiscard]] std::size_t choose(std::span<const std::int64_t> scores, std::uint32_t over,
                                   std::uint32_t under) {
    SOTTO_ASSERT(!scores.empty(), "something to choose from");
    std::int64_t best = scores[0];
    for (const std::int64_t score : scores) best = score > best ? score : best;
    while (true) {
      const std::size_t k = below(scores.size());
      const Wide behind = static_cast<std::uint64_t>(best) - static_cast<std::uint64_t>(scores[k]);
      if (chance_exp(behind * over, under)) return k;
    }
  }

 private:
  [[nodiscard]] bool coin() {
    if (coins_left_ == 0) coins_ = bits_.next_u64(), coins_left_ = 64;
    const bool head = (coins_ & 1) != 0;
    coins_ >>= 1, --coins_left_;
    return head;
  }
  // over / under ≤ 1.
  [[nodiscard]] bool chance_exp_below_one(Wide over, Wide under) {
    // The number of successes of chances γ/1, γ/2, γ/3 … is even with probability e^−γ (Forsythe).
    std::uint64_t k = 1;
    while (chance(over, under * k)) ++k;
    return k % 2 == 1;
  }

  Bits& bits_;
  std::uint64_t coins_ = 0;
  int coins_left_ = 0;
  std::uint64_t variance_ = 0;  // of the last draw, and its scale
  std::uint64_t scale_ = 0;
};

}  // namespace sotto::privacy
