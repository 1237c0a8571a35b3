#include "fed/wire/signed_request.h"

#include <gtest/gtest.h>

namespace sotto::fed::signed_request_test {

Identity someone(std::uint64_t number) { return Identity(Secret(simulated_key(1, "test", number))); }

TEST(SignedRequest, HoldsForItsMethodAndItsKeyAlone) {
  const Identity own = someone(1);
  const v1::SignedRequest request = sign_request(Method::check_in, "body", 1000, 7, own);
  EXPECT_TRUE(verify_request(Method::check_in, request, own.open()));
  EXPECT_FALSE(verify_request(Method::step, request, own.open()));
  EXPECT_FALSE(verify_request(Method::check_in, request, someone(2).open()));
}

TEST(SignedRequest, EveryFieldIsUnderTheSignature) {
  const Identity own = someone(1);
  const v1::SignedRequest good = sign_request(Method::step, "body", 1000, 7, own);
  const auto refused = [&](auto change) {
    v1::SignedRequest bad = good;
    change(bad);
    return !verify_request(Method::step, bad, own.open());
  };
  EXPECT_TRUE(refused([](auto& r) { r.set_time_ms(1001); }));
  EXPECT_TRUE(refused([](auto& r) { r.set_nonce(8); }));
  EXPECT_TRUE(refused([](auto& r) { r.set_body("bodY"); }));
  EXPECT_TRUE(refused([](auto& r) { r.set_device(std::string(16, 'x')); }));
  EXPECT_TRUE(refused([](auto& r) { r.mutable_signature()->at(0) ^= 1; }));
  EXPECT_TRUE(refused([](auto& r) { r.mutable_signature()->pop_back(); }));
}

TEST(SignedRequest, EnrolmentProvesTheSecretHalf) {
  v1::EnrolRequest request = sign_enrolment("token", someone(1));
  EXPECT_TRUE(verify_enrolment(request));
  request.set_public_key(text_of(someone(2).open()));
  EXPECT_FALSE(verify_enrolment(request));
}

TEST(SignedRequest, ABlobsNameIsBlake2b256) {
  // RFC 7693 gives BLAKE2b-512 of "abc"; this is BLAKE2b-256 of the empty text as `b2sum -l 256` prints it.
  const std::string hash = blob_hash("");
  std::string hex;
  for (const char c : hash) {
    constexpr char digits[] = "0123456789abcdef";
    hex += digits[static_cast<unsigned char>(c) >> 4];
    hex += digits[static_cast<unsigned char>(c) & 15];
  }
  EXPECT_EQ(hex, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

}  // namespace sotto::fed::signed_request_test
