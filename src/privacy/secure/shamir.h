// Shamir's sharing of a 32-byte secret: any `threshold` shares give it back, fewer say nothing at all.
//
// The field is the integers modulo p = 2^61 − 1, and the secret is five limbs of 52 bits, each shared by a
// polynomial of its own. Sharing is secret in any field with more elements than shares; this one multiplies
// in two instructions and has no branch on secrets. Every limb of a share is a field element, so it is 40
// bytes. Law: limbs that come out above 52 bits (the last: 48) show that a share was wrong, which a wrong set
// of shares passes with chance 2^-49; whoever must be sure compares with a commitment.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "privacy/secure/secret.h"

namespace sotto::privacy {

inline constexpr std::uint64_t field_prime = (std::uint64_t{1} << 61) - 1;
[[nodiscard]] std::uint64_t field_add(std::uint64_t a, std::uint64_t b);
[[nodiscard]] std::uint64_t field_multiply(std::uint64_t a, std::uint64_t b);
[[nodiscard]] std::uint64_t field_inverse(std::uint64_t a);  // of a ≠ 0

inline constexpr std::size_t share_limbs = 5;
inline constexpr std::size_t share_bytes = share_limbs * 8;

// The polynomials' values at a point. Points are 1, 2, …: zero is the secret's place.
struct Share {
  std::array<std::uint64_t, share_limbs> limbs{};

  Share() = default;
  Share(const Share&) = default;
  Share& operator=(const Share&) = default;
  ~Share();
  [[nodiscard]] bool operator==(const Share& other) const = default;
};
// Each limb is an element of the field.
[[nodiscard]] bool is_proper(const Share& share);

// The shares of points 1 … count. `randomness` is used for this sharing alone. 1 ≤ threshold ≤ count.
[[nodiscard]] std::vector<Share> split_secret(const Secret& secret, std::uint32_t threshold,
                                              std::uint32_t count, const Secret& randomness);

// The weights with which the values at given points (distinct, above zero) make the value at zero: reckoned
// once for all secrets that are shared with the same points.
[[nodiscard]] std::vector<std::uint64_t> weights_at_zero(std::span<const std::uint32_t> points);

// `shares[n]` has weight `weights[n]`. Refuses what cannot have been a secret.
[[nodiscard]] Result<Secret> join_shares(std::span<const Share* const> shares,
                                         std::span<const std::uint64_t> weights);

}  // namespace sotto::privacy
