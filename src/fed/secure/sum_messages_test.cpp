#include "fed/secure/sum_messages.h"

#include <gtest/gtest.h>

#include "fed/secure/paillier_sum.h"
#include "fed/secure/part_sum.h"
#include "fed/secure/testing/sum_world.h"

namespace sotto::fed::sum_messages_test {

constexpr SumTerms six{
    .devices = 6, .degree = 5, .threshold = 3, .committee = 6, .quorum = 4, .least_survivors = 4, .crowd = 2};

// What decodes encodes to its bytes; no shorter, longer or other kind decodes.
template <class M>
void check_form(const M& message) {
  const Bytes bytes = encode(message);
  const auto decoded = decode<M>(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  EXPECT_EQ(encode(*decoded), bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode<M>(std::span(bytes).first(size)).ok()) << size;
  Bytes other = bytes;
  other.push_back(std::byte{0});
  EXPECT_FALSE(decode<M>(other).ok());
  other.pop_back();
  other[6] ^= std::byte{0x20};  // the kind
  EXPECT_FALSE(decode<M>(other).ok());
}

TEST(SumMessages, EachHasOneForm) {
  SumWorld world(SumWorld::offer_for(six, 3, 20, 1000, 5));
  check_form(world.offer);
  check_form(world.devices[5].join(world.offer).value());
  SumWorld other(SumWorld::offer_for(six, 3, 20, 1000, 5));
  other.up_to_letters();
  check_form(other.server->keys_for(0));
  EXPECT_TRUE(other.letters().ok());
  check_form(other.server->letters_for(2));
  check_form(other.devices[0].receive(other.server->letters_for(0), other.inputs[0]).value());
  SumWorld last(SumWorld::offer_for(six, 3, 20, 1000, 5));
  last.up_to_reveal();
  check_form(last.server->survivors());
  check_form(AgreementMessage{5, last.server->certificate_for(0).signatures[0].signature});
  check_form(last.server->certificate_for(0));
  check_form(last.devices[0].receive(last.server->certificate_for(0)).value());
  check_form(PartMessage{5, 1, Bytes(32)});
  check_form(CiphertextsMessage{5, 8, Bytes(16)});
}

TEST(SumMessages, OffersThatContradictThemselves) {
  const SumOffer good = SumWorld::offer_for(six, 3, 20, 1000, 5);
  const auto read = [](const SumOffer& offer) { return decode<SumOffer>(encode(offer)).ok(); };
  EXPECT_TRUE(read(good));
  SumOffer offer = good;
  offer.terms.threshold = 6;
  EXPECT_FALSE(read(offer));
  offer = good;
  offer.terms.degree = 3;  // odd, and not everybody
  EXPECT_FALSE(read(offer));
  offer = good;
  offer.terms.quorum = 7;
  EXPECT_FALSE(read(offer));
  offer = good;
  offer.range.bits = 13;  // 6 · 1,000 needs 14
  EXPECT_FALSE(read(offer));
  offer.range.bits = 14;
  EXPECT_TRUE(read(offer));
  offer = good;
  offer.terms.devices = most_sum_devices + 1;
  offer.terms.degree = most_sum_devices;
  EXPECT_FALSE(read(offer));
}

TEST(SumMessages, ListsAscendAndSharesAreShares) {
  CertificateMessage certificate{1, {{4, {}}, {4, {}}}, {}};
  EXPECT_FALSE(decode<CertificateMessage>(encode(certificate)).ok());
  certificate.signatures[1].device = 3;
  EXPECT_FALSE(decode<CertificateMessage>(encode(certificate)).ok());
  certificate.signatures[1].device = 5;
  EXPECT_TRUE(decode<CertificateMessage>(encode(certificate)).ok());
  RevealMessage reveal{1, {{2, Revealed::key, {}}}};
  EXPECT_TRUE(decode<RevealMessage>(encode(reveal)).ok());
  reveal.shares[0].what = static_cast<Revealed>(3);  // both
  EXPECT_FALSE(decode<RevealMessage>(encode(reveal)).ok());
  reveal.shares[0].what = Revealed::seed;
  reveal.shares[0].share.limbs[4] = field_prime;
  EXPECT_FALSE(decode<RevealMessage>(encode(reveal)).ok());
  SurvivorsMessage survivors{1, DeviceSet(6), DeviceSet(6)};
  Bytes bytes = encode(survivors);
  EXPECT_TRUE(decode<SurvivorsMessage>(bytes).ok());
  bytes.back() = std::byte{0x40};  // a seventh device
  EXPECT_FALSE(decode<SurvivorsMessage>(bytes).ok());
}

}  // namespace sotto::fed::sum_messages_test
