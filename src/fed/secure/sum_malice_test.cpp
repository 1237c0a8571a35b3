// What devices and servers may try in a secure sum, and that it is refused by name.
#include <gtest/gtest.h>

#include <algorithm>

#include "fed/secure/testing/sum_world.h"

namespace sotto::fed::sum_malice_test {

// Twelve devices with six neighbours each, a committee of nine.
constexpr SumTerms twelve{.devices = 12,
                          .degree = 6,
                          .threshold = 3,
                          .committee = 9,
                          .quorum = 6,
                          .least_survivors = 9,
                          .crowd = 2};

SumWorld world_of_twelve() { return SumWorld(SumWorld::offer_for(twelve, 5, 40, 1000, 3)); }

// After what was tried, everybody else goes on and the sum is still right.
void goes_on_from_keys(SumWorld& world) {
  ASSERT_TRUE(world.letters().ok());
  ASSERT_TRUE(world.give().ok());
  ASSERT_TRUE(world.agreement().ok());
  EXPECT_EQ(world.reveal().value().values, world.plain());
}

TEST(SumMalice, ForgedAndRepeatedKeys) {
  SumWorld world = world_of_twelve();
  KeysMessage message = world.devices[0].join(world.offer).value();
  EXPECT_TRUE(refused(world.server->receive(1, message), "another device's number"));
  EXPECT_TRUE(refused(world.server->receive(12, message), "takes no part"));
  KeysMessage forged = message;
  forged.keys.mask_key[3] ^= 1;
  EXPECT_TRUE(refused(world.server->receive(0, forged), "forged"));
  KeysMessage pointless = message;  // a point that nobody can agree with, well signed
  pointless.keys.mask_key = {};
  pointless.keys.signature = world.identities[0].sign(pointless.keys.digest(world.offer.digest()));
  EXPECT_TRUE(refused(world.server->receive(0, pointless), "no proper point"));
  KeysMessage elsewhere = message;
  elsewhere.session = 4;
  EXPECT_TRUE(refused(world.server->receive(0, elsewhere), "another session"));
  ASSERT_TRUE(world.server->receive(0, message).ok());
  EXPECT_TRUE(refused(world.server->receive(0, message), "repeated"));
  for (std::uint32_t n = 1; n < 12; ++n)
    ASSERT_TRUE(world.server->receive(n, world.devices[n].join(world.offer).value()).ok());
  ASSERT_TRUE(world.server->close_keys().ok());
  EXPECT_TRUE(refused(world.server->receive(0, message), "another phase"));
  goes_on_from_keys(world);
}

TEST(SumMalice, AServerThatOffersOtherTerms) {
  for (int what = 0; what < 4; ++what) {
    SumWorld world = world_of_twelve();
    SumOffer weaker = world.offer;
    if (what == 0) weaker.terms.threshold = 1;
    if (what == 1) weaker.terms.least_survivors = 2;
    if (what == 2) weaker.terms.quorum = 1;
    if (what == 3) weaker.range.bits = 8;  // 12 · 1,000 wraps
    EXPECT_TRUE(refused(world.devices[0].join(weaker), what == 3 ? "would not fit" : "terms")) << what;
    EXPECT_TRUE(refused(world.devices[0].join(world.offer), "repeated offer"));
  }
}

TEST(SumMalice, AServerThatMeddlesWithKeys) {
  const auto keys = [](SumWorld& world) {
    world.up_to_letters();
    return world.server->keys_for(0);
  };
  SumWorld world = world_of_twelve();
  NeighbourKeysMessage message = keys(world);
  message.keys[2].mask_key[0] ^= 1;
  EXPECT_TRUE(refused(world.devices[0].receive(message), "forged"));
  EXPECT_TRUE(refused(world.devices[0].receive(world.server->keys_for(0)), "ended its part"));

  world = world_of_twelve();
  message = keys(world);
  message.keys.resize(2);
  EXPECT_TRUE(refused(world.devices[0].receive(message), "fewer neighbours than the threshold"));

  world = world_of_twelve();
  message = keys(world);
  message.keys.push_back(message.keys.back());
  EXPECT_TRUE(refused(world.devices[0].receive(message), "twice"));

  // Keys that their owner signed for another offer: two views of one round.
  world = world_of_twelve();
  message = keys(world);
  SumOffer other = world.offer;
  other.entries = 6;
  SumWorld twin(other);
  twin.up_to_letters();
  message.keys[0] = twin.server->keys_for(0).keys[0];
  message.keys[0].device = world.server->keys_for(0).keys[0].device;
  EXPECT_TRUE(refused(world.devices[0].receive(message), "forged, or signed for another offer"));

  // A stranger's keys, well signed.
  world = world_of_twelve();
  message = keys(world);
  const auto around = NeighbourGraph(twelve, world.offer.beacon).neighbours(0);
  for (std::uint32_t n = 1; n < 12; ++n)
    if (!std::binary_search(around.begin(), around.end(), n)) {
      const auto theirs = world.server->keys_for(around[0]).keys;
      for (const DeviceKeys& one : theirs)
        if (one.device == n) message.keys.push_back(one);
    }
  ASSERT_GT(message.keys.size(), 6u);
  EXPECT_TRUE(refused(world.devices[0].receive(message), "no neighbour"));
}

TEST(SumMalice, WrongNumbersOfLetters) {
  SumWorld world = world_of_twelve();
  world.up_to_letters();
  const LettersMessage message = world.devices[0].receive(world.server->keys_for(0)).value();
  LettersMessage fewer = message, more = message, astray = message;
  fewer.letters.pop_back();
  more.letters.push_back(message.letters.back());
  astray.letters[0].device = 0;
  for (const LettersMessage& wrong : {fewer, astray})
    EXPECT_TRUE(refused(world.server->receive(0, wrong), "one letter to each neighbour"));
  EXPECT_TRUE(refused(world.server->receive(0, more), "more letters"));
  EXPECT_TRUE(world.server->receive(0, message).ok());
  EXPECT_TRUE(refused(world.server->receive(0, message), "repeated"));
}

TEST(SumMalice, AServerThatMeddlesWithLetters) {
  const auto letters = [](SumWorld& world) {
    world.up_to_inputs();
    return world.server->letters_for(0);
  };
  SumWorld world = world_of_twelve();
  LettersMessage message = letters(world);
  message.letters.resize(2);
  EXPECT_TRUE(refused(world.devices[0].receive(message, world.inputs[0]), "fewer letters"));

  // As many as ever, but shares in two of them alone.
  world = world_of_twelve();
  message = letters(world);
  for (std::size_t n = 2; n < message.letters.size(); ++n) message.letters[n].sealed[50] ^= 1;
  EXPECT_TRUE(refused(world.devices[0].receive(message, world.inputs[0]), "fewer letters"));

  world = world_of_twelve();
  message = letters(world);
  message.letters.push_back(message.letters[0]);
  EXPECT_TRUE(refused(world.devices[0].receive(message, world.inputs[0]), "two letters"));

  world = world_of_twelve();
  message = letters(world);
  message.letters[0].device = 0;
  EXPECT_TRUE(refused(world.devices[0].receive(message, world.inputs[0]), "no neighbour"));
}

TEST(SumMalice, InputsOutOfRangeOrLength) {
  SumWorld world = world_of_twelve();
  world.up_to_inputs();
  world.inputs[0][2] = 1001;
  EXPECT_TRUE(
      refused(world.devices[0].receive(world.server->letters_for(0), world.inputs[0]), "out of range"));
  world.inputs[1].pop_back();
  EXPECT_TRUE(
      refused(world.devices[1].receive(world.server->letters_for(1), world.inputs[1]), "out of range"));
  const MaskedMessage message =
      world.devices[2].receive(world.server->letters_for(2), world.inputs[2]).value();
  MaskedMessage shorter = message;
  shorter.values.pop_back();
  EXPECT_TRUE(refused(world.server->receive(2, shorter), "not as long"));
  EXPECT_TRUE(world.server->receive(2, message).ok());
  EXPECT_TRUE(refused(world.server->receive(2, message), "repeated"));
}

TEST(SumMalice, AnInputOfADeviceThatSharedNothing) {
  SumWorld world = world_of_twelve();
  world.up_to_letters();
  ASSERT_TRUE(world.letters({5}).ok());
  EXPECT_TRUE(refused(world.server->receive(5, MaskedMessage{3, {}, Bytes(25)}), "takes no part"));
}

TEST(SumMalice, SurvivorsThatADeviceDoesNotSign) {
  const auto survivors = [](SumWorld& world) {
    world.up_to_agreement();
    return world.server->survivors();
  };
  SumWorld world = world_of_twelve();
  SurvivorsMessage message = survivors(world);
  message.dropped.insert(4);
  EXPECT_TRUE(refused(world.devices[0].receive(message), "both the seed and the key of one device"));

  world = world_of_twelve();
  message = survivors(world);
  message.survivors = DeviceSet(12);
  for (std::uint32_t n = 0; n < 8; ++n) message.survivors.insert(n);
  EXPECT_TRUE(refused(world.devices[0].receive(message), "fewer survivors"));

  world = world_of_twelve();
  message = survivors(world);
  message.survivors = DeviceSet(12);
  for (std::uint32_t n = 1; n < 12; ++n) message.survivors.insert(n);
  EXPECT_TRUE(refused(world.devices[0].receive(message), "left out"));

  world = world_of_twelve();  // a neighbour vanishes: its masks would stay
  message = survivors(world);
  const std::uint32_t neighbour = NeighbourGraph(twelve, world.offer.beacon).neighbours(0)[0];
  message.survivors = DeviceSet(12);
  for (std::uint32_t n = 0; n < 12; ++n)
    if (n != neighbour) message.survivors.insert(n);
  EXPECT_TRUE(refused(world.devices[0].receive(message), "do not fit the letters"));

  world = world_of_twelve();
  message = survivors(world);
  message.survivors = message.dropped = DeviceSet(13);
  EXPECT_TRUE(refused(world.devices[0].receive(message), "another cohort"));
}

// The server tells some that device 3 survived and others that it did not: neither view gets a quorum, and
// nobody reveals under the other's certificate.
TEST(SumMalice, InconsistentViews) {
  SumWorld world = world_of_twelve();
  world.up_to_agreement();
  const SurvivorsMessage honest = world.server->survivors();
  SurvivorsMessage lie = honest;
  lie.survivors = DeviceSet(12);
  for (std::uint32_t n = 0; n < 12; ++n)
    if (n != 3) lie.survivors.insert(n);
  lie.dropped.insert(3);
  CertificateMessage first{3, {}, {}}, second{3, {}, {}};
  for (std::uint32_t n = 0; n < 12; ++n) {
    const bool lied = n % 2 == 0;
    const auto agreed = world.devices[n].receive(lied ? lie : honest).value();
    if (!agreed) continue;
    (lied ? first : second).signatures.push_back({n, agreed->signature});
    EXPECT_EQ(world.server->receive(n, *agreed).ok(), !lied) << "a device that lies about its survivors";
  }
  EXPECT_LT(first.signatures.size(), twelve.quorum);
  EXPECT_LT(second.signatures.size(), twelve.quorum);
  EXPECT_TRUE(refused(world.devices[0].receive(first), "fewer signatures"));
  CertificateMessage mixed{3, first.signatures, {}};
  mixed.signatures.insert(mixed.signatures.end(), second.signatures.begin(), second.signatures.end());
  std::sort(mixed.signatures.begin(), mixed.signatures.end(),
            [](const SignedBy& a, const SignedBy& b) { return a.device < b.device; });
  EXPECT_TRUE(refused(world.devices[1].receive(mixed), "for other survivors"));
  EXPECT_FALSE(world.server->close_agreement().ok());
  EXPECT_FALSE(std::move(*world.server).release().ok());
}

TEST(SumMalice, ADeviceAnswersOneSetOfSurvivors) {
  SumWorld world = world_of_twelve();
  world.up_to_agreement();
  ASSERT_TRUE(world.devices[0].receive(world.server->survivors()).ok());
  EXPECT_TRUE(refused(world.devices[0].receive(world.server->survivors()), "repeated"));
  EXPECT_TRUE(refused(world.devices[0].receive(world.server->certificate_for(0)), "ended its part"));
}

TEST(SumMalice, CertificatesThatDoNotCount) {
  const auto certificate = [](SumWorld& world) {
    world.up_to_reveal();
    return world.server->certificate_for(0);
  };
  SumWorld world = world_of_twelve();
  CertificateMessage message = certificate(world);
  message.signatures[0].signature[5] ^= 1;
  EXPECT_TRUE(refused(world.devices[0].receive(message), "forged"));
  world = world_of_twelve();
  message = certificate(world);
  message.signatures.back() = message.signatures.front();
  EXPECT_TRUE(refused(world.devices[0].receive(message), "twice"));
  world = world_of_twelve();
  message = certificate(world);
  const auto committee = NeighbourGraph(twelve, world.offer.beacon).committee();
  std::uint32_t outside = 0;
  while (std::binary_search(committee.begin(), committee.end(), outside)) ++outside;
  const Bytes32 digest = world.server->survivors().digest(world.offer.digest());
  message.signatures.assign(6, {outside, world.identities[outside].sign(digest)});
  EXPECT_TRUE(refused(world.devices[0].receive(message), "outside the committee"));
  EXPECT_TRUE(refused(world.server->receive(outside, AgreementMessage{3, {}}), "another phase"));
}

TEST(SumMalice, SignaturesOfOutsidersAndForgeries) {
  SumWorld world = world_of_twelve();
  world.up_to_agreement();
  const auto committee = NeighbourGraph(twelve, world.offer.beacon).committee();
  std::uint32_t outside = 0;
  while (std::binary_search(committee.begin(), committee.end(), outside)) ++outside;
  const Bytes32 digest = world.server->survivors().digest(world.offer.digest());
  const AgreementMessage wrong{3, world.identities[outside].sign(digest)};
  EXPECT_TRUE(refused(world.server->receive(outside, wrong), "outside the committee"));
  EXPECT_TRUE(refused(world.server->receive(committee[0], wrong), "forged"));
}

// A server that shows a device few neighbours could take out their masks as those of dropped devices, and
// have the others reveal the device's own. They do not: it never said that it masked with them.
TEST(SumMalice, ADeviceThatWasShownFewNeighboursStaysMasked) {
  SumWorld world = world_of_twelve();
  world.up_to_inputs();
  LettersMessage few = world.server->letters_for(0);
  ASSERT_GT(few.letters.size(), twelve.threshold);
  const std::uint32_t left_out = few.letters.back().device;
  few.letters.resize(twelve.threshold);
  const MaskedMessage input = world.devices[0].receive(few, world.inputs[0]).value();
  EXPECT_EQ(input.tags.size(), twelve.threshold);
  EXPECT_TRUE(refused(world.server->receive(0, input), "masked with every neighbour"));

  SumWorld honest = world_of_twelve();
  honest.up_to_reveal();
  const CertificateMessage whole = honest.server->certificate_for(left_out);
  ASSERT_EQ(whole.tags[0].device, 0u);
  CertificateMessage without = whole, forged = whole, others = whole;
  without.tags.erase(without.tags.begin());
  forged.tags[0].tag[3] ^= 1;
  others.tags[0].tag = others.tags[1].tag;  // what was said by another
  for (const CertificateMessage& shown : {without, forged, others}) {
    honest = world_of_twelve();
    honest.up_to_reveal();
    const RevealMessage revealed = honest.devices[left_out].receive(shown).value();
    ASSERT_EQ(revealed.shares.size(), 5u);  // of everybody else
    EXPECT_NE(revealed.shares[0].device, 0u);
  }
}

TEST(SumMalice, RevealsThatLie) {
  SumWorld world = world_of_twelve();
  world.up_to_letters();
  ASSERT_TRUE(world.letters().ok());
  const std::uint32_t dropped = NeighbourGraph(twelve, world.offer.beacon).neighbours(0)[0];
  ASSERT_TRUE(world.give({dropped}).ok());
  ASSERT_TRUE(world.agreement().ok());
  const RevealMessage message = world.devices[0].receive(world.server->certificate_for(0)).value();
  ASSERT_EQ(message.shares.size(), 6u);
  for (std::size_t n = 0; n < 6; ++n)  // of each neighbour exactly one, by the survivors
    EXPECT_EQ(message.shares[n].what, message.shares[n].device == dropped ? Revealed::key : Revealed::seed);
  RevealMessage more = message, strange = message, other = message, improper = message;
  more.shares.push_back(message.shares.back());
  strange.shares[0].device = 0;
  other.shares[2].what = other.shares[2].what == Revealed::seed ? Revealed::key : Revealed::seed;
  improper.shares[0].share.limbs[0] = field_prime;
  EXPECT_TRUE(refused(world.server->receive(0, more), "share twice"));
  EXPECT_TRUE(refused(world.server->receive(0, strange), "shared nothing"));
  EXPECT_TRUE(refused(world.server->receive(0, other), "does not fit the survivors"));
  EXPECT_TRUE(refused(world.server->receive(0, improper), "no share"));
  EXPECT_TRUE(refused(world.server->receive(dropped, message), "takes no part"));
  EXPECT_TRUE(world.server->receive(0, message).ok());
  EXPECT_TRUE(refused(world.server->receive(0, message), "repeated"));
}

TEST(SumMalice, AnInputMaskedWithSomethingElse) {
  SumWorld world = world_of_twelve();
  world.up_to_inputs();
  for (std::uint32_t n = 0; n < 12; ++n) {
    auto message = world.devices[n].receive(world.server->letters_for(n), world.inputs[n]).value();
    if (n == 6) message.values[4] ^= std::byte{0x80};  // half of the ring away
    ASSERT_TRUE(world.server->receive(n, message).ok());
  }
  ASSERT_TRUE(world.server->close_inputs().ok());
  ASSERT_TRUE(world.agreement().ok());
  EXPECT_TRUE(refused(world.reveal(), "masks do not cancel"));
  // Nothing but the input was wrong, so that nobody can say whose.
  EXPECT_TRUE(world.server->findings().unexplained);
  EXPECT_EQ(world.server->findings().proven.size(), 0u);
  EXPECT_TRUE(refused(std::move(*world.server).release(), "released once"));
}

TEST(SumMalice, PhasesEndOnceAndInOrder) {
  SumWorld world = world_of_twelve();
  EXPECT_TRUE(refused(world.server->close_letters(), "in its order"));
  world.up_to_letters();
  EXPECT_TRUE(refused(world.server->close_keys(), "in its order"));
  EXPECT_TRUE(refused(std::move(*world.server).release(), "after all phases"));
}

}  // namespace sotto::fed::sum_malice_test
