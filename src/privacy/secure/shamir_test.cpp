#include "privacy/secure/shamir.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace sotto::privacy::shamir_test {

Secret random_secret() {
  Bytes32 bytes{};
  for (std::uint8_t& byte : bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
  return Secret(bytes);
}

Result<Secret> join(const std::vector<Share>& shares, const std::vector<std::uint32_t>& points) {
  std::vector<const Share*> chosen;
  for (const std::uint32_t point : points) chosen.push_back(&shares[point - 1]);
  return join_shares(chosen, weights_at_zero(points));
}

bool gives(const Result<Secret>& joined, const Secret& secret) {
  return joined.ok() && same_bytes(joined->on_device(), secret.on_device());
}

// The example of the literature (1234 + 166x + 94x²); it stays below the prime.
TEST(Shamir, KnownVector) {
  const std::vector<std::uint32_t> points{2, 4, 5};
  const std::vector<std::uint64_t> values{1942, 3402, 4414};
  const auto weights = weights_at_zero(points);
  std::uint64_t secret = 0;
  for (std::size_t n = 0; n < points.size(); ++n)
    secret = field_add(secret, field_multiply(weights[n], values[n]));
  EXPECT_EQ(secret, 1234u);
}

RC_GTEST_PROP(ShamirLaw, TheFieldIsTheIntegersModuloThePrime, ()) {
  const auto a = *rc::gen::inRange<std::uint64_t>(0, field_prime);
  const auto b = *rc::gen::element<std::uint64_t>(0, 1, 2, field_prime - 1, field_prime - 2, a);
  RC_ASSERT(field_multiply(a, b) ==
            static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % field_prime));
  RC_ASSERT(field_add(a, b) == (a + b) % field_prime);
  if (a != 0) RC_ASSERT(field_multiply(a, field_inverse(a)) == 1u);
}

RC_GTEST_PROP(ShamirLaw, AnyThresholdSharesGiveTheSecretBackAndOneLessDoesNot, ()) {
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 40);
  const auto threshold = *rc::gen::inRange<std::uint32_t>(1, count + 1);
  const Secret secret = random_secret();
  const auto shares = split_secret(secret, threshold, count, random_secret());
  RC_ASSERT(shares.size() == count);
  RC_ASSERT(std::all_of(shares.begin(), shares.end(), is_proper));
  std::vector<std::uint32_t> points(count);
  for (std::uint32_t n = 0; n < count; ++n) points[n] = n + 1;
  const auto turn = *rc::gen::inRange<std::uint32_t>(0, count);
  std::rotate(points.begin(), points.begin() + turn, points.end());
  points.resize(threshold);
  RC_ASSERT(gives(join(shares, points), secret));
  points.pop_back();
  if (points.empty()) return;
  const auto fewer = join(shares, points);
  RC_ASSERT_FALSE(gives(fewer, secret));
}

// A share by itself is uniform whatever the secret: its highest bit is set in half of 4,000 sharings, give or
// take 32; six times that is missed once in 500 million.
TEST(Shamir, AShareBelowTheThresholdSaysNothing) {
  for (const std::uint8_t first : {std::uint8_t{0}, std::uint8_t{255}}) {
    Bytes32 bytes;
    bytes.fill(first);
    int set = 0;
    for (std::uint32_t n = 0; n < 4000; ++n)
      set += split_secret(Secret(bytes), 2, 2, Secret(digest_of("r", {bytes_of(n)})))[0].limbs[0] >> 60 != 0
                 ? 1
                 : 0;
    EXPECT_NEAR(set, 2000, 6 * 32);
  }
}

RC_GTEST_PROP(ShamirLaw, AWrongShareShows, ()) {
  const Secret secret = random_secret();
  auto shares = split_secret(secret, 3, 5, random_secret());
  const auto limb = *rc::gen::inRange<std::size_t>(0, share_limbs);
  // The weights of this size move what comes out over the whole field, far beyond 52 bits.
  shares[1].limbs[limb] = field_add(shares[1].limbs[limb], *rc::gen::inRange<std::uint64_t>(1, 1000) << 50);
  const auto joined = join(shares, {1, 2, 4});
  RC_ASSERT_FALSE(gives(joined, secret));
}

TEST(Shamir, SharingsWithOtherRandomnessDiffer) {
  const Secret secret(Bytes32{1});
  EXPECT_FALSE(split_secret(secret, 2, 3, Secret(Bytes32{1}))[0] ==
               split_secret(secret, 2, 3, Secret(Bytes32{2}))[0]);
  EXPECT_TRUE(split_secret(secret, 2, 3, Secret(Bytes32{1}))[0] ==
              split_secret(secret, 2, 3, Secret(Bytes32{1}))[0]);
}

}  // namespace sotto::privacy::shamir_test
