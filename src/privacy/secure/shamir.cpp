#include "privacy/secure/shamir.h"

#include <sodium.h>

#include "base/assert.h"
#include "base/secret_stream.h"

namespace sotto::privacy {

namespace {

constexpr unsigned limb_bits = 52;
constexpr unsigned last_limb_bits = 256 - 4 * limb_bits;

// Below 2^62 and above: one step towards the field, without a branch.
std::uint64_t settle(std::uint64_t value) {
  const std::uint64_t less = value - field_prime;
  const std::uint64_t borrow = 0 - (less >> 63);
  return less + (field_prime & borrow);
}

std::uint64_t subtract(std::uint64_t a, std::uint64_t b) { return settle(a + field_prime - b); }

std::uint64_t element(SecretStream& stream) {
  for (;;) {
    const std::uint64_t value = stream.next_u64() >> 3;
    if (value != field_prime) return value;
  }
}

Share limbs_of(const Secret& secret) {
  Share out;
  for (std::size_t bit = 0; bit < 256; bit += 4) {
    const std::uint64_t nibble = (secret.on_device()[bit / 8] >> (bit % 8)) & 0xFu;
    out.limbs[bit / limb_bits] |= nibble << (bit % limb_bits);
  }
  return out;
}

Secret secret_of(const Share& share) {
  Secret out;
  for (std::size_t bit = 0; bit < 256; bit += 4) {
    const std::uint64_t nibble = (share.limbs[bit / limb_bits] >> (bit % limb_bits)) & 0xFu;
    out.on_device()[bit / 8] |= static_cast<std::uint8_t>(nibble << (bit % 8));
  }
  return out;
}

}  // namespace

std::uint64_t field_add(std::uint64_t a, std::uint64_t b) { return settle(a + b); }

std::uint64_t field_multiply(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  const auto low = static_cast<std::uint64_t>(product) & field_prime;
  const auto high = static_cast<std::uint64_t>(product >> 61);
  return settle(low + high);
}

std::uint64_t field_inverse(std::uint64_t a) {
  std::uint64_t out = 1;  // a^(p − 2)
  for (std::uint64_t exponent = field_prime - 2; exponent != 0; exponent >>= 1) {
    if (exponent & 1) out = field_multiply(out, a);
    a = field_multiply(a, a);
  }
  return out;
}

Share::~Share() { sodium_memzero(limbs.data(), sizeof(limbs)); }

bool is_proper(const Share& share) {
  for (const std::uint64_t limb : share.limbs)
    if (limb >= field_prime) return false;
  return true;
}

std::vector<Share> split_secret(const Secret& secret, std::uint32_t threshold, std::uint32_t count,
                                const Secret& randomness) {
  SOTTO_ASSERT(threshold >= 1 && threshold <= count, "a threshold is between one and the number of shares");
  SecretStream stream = randomness.stream();
  std::vector<Share> coefficients(threshold);
  coefficients[0] = limbs_of(secret);
  for (std::uint32_t n = 1; n < threshold; ++n)
    for (std::uint64_t& limb : coefficients[n].limbs) limb = element(stream);
  std::vector<Share> shares(count);
  for (std::uint32_t point = 1; point <= count; ++point) {
    Share& share = shares[point - 1];
    for (std::size_t n = threshold; n-- > 0;)  // Horner
      for (std::size_t limb = 0; limb < share_limbs; ++limb)
        share.limbs[limb] = field_add(field_multiply(share.limbs[limb], point), coefficients[n].limbs[limb]);
  }
  return shares;
}

std::vector<std::uint64_t> weights_at_zero(std::span<const std::uint32_t> points) {
  std::vector<std::uint64_t> weights(points.size());
  for (std::size_t n = 0; n < points.size(); ++n) {
    std::uint64_t above = 1, below = 1;
    for (std::size_t m = 0; m < points.size(); ++m) {
      if (m == n) continue;
      above = field_multiply(above, points[m]);
      below = field_multiply(below, subtract(points[m], points[n]));
    }
    SOTTO_ASSERT(below != 0, "points of shares are distinct");
    weights[n] = field_multiply(above, field_inverse(below));
  }
  return weights;
}

Result<Secret> join_shares(std::span<const Share* const> shares, std::span<const std::uint64_t> weights) {
  SOTTO_ASSERT(shares.size() == weights.size() && !shares.empty(), "one weight a share");
  Share sum;
  for (std::size_t n = 0; n < shares.size(); ++n)
    for (std::size_t limb = 0; limb < share_limbs; ++limb)
      sum.limbs[limb] = field_add(sum.limbs[limb], field_multiply(shares[n]->limbs[limb], weights[n]));
  for (std::size_t limb = 0; limb < share_limbs; ++limb)
    if (sum.limbs[limb] >> (limb + 1 < share_limbs ? limb_bits : last_limb_bits) != 0)
      return fail(Code::bad_input, "secure sum refused: shares of a secret do not fit together");
  return secret_of(sum);
}

}  // namespace sotto::privacy
