// What devices and aggregators may try in sums by parts and under Paillier, and that it is refused by name.
#include <gtest/gtest.h>

#include "fed/secure/paillier_sum.h"
#include "fed/secure/part_sum.h"
#include "fed/secure/testing/sum_world.h"

namespace sotto::fed::other_sums_test {

PartShape parts() {
  return {
      .session = 9, .devices = 3, .aggregators = 2, .least_survivors = 2, .entries = 2, .range = {16, 100}};
}

TEST(PartSum, WhatIsWrongIsRefused) {
  const PartShape shape = parts();
  const std::vector<std::int32_t> input{5, -6}, loud{101, 0};
  EXPECT_TRUE(refused(split_input(shape, loud, Secret()), "out of range"));
  const auto sent = split_input(shape, input, Secret(Bytes32{1})).value();
  PartAggregator first(shape, 0), second(shape, 1);
  EXPECT_TRUE(refused(first.receive(0, sent[0]), "another aggregator"));
  EXPECT_TRUE(refused(first.receive(3, sent[1]), "outside the cohort"));
  PartMessage wrong = sent[1];
  wrong.part.pop_back();
  EXPECT_TRUE(refused(first.receive(0, wrong), "not as long"));
  wrong = sent[0];
  wrong.part.pop_back();
  EXPECT_TRUE(refused(second.receive(0, wrong), "no seed"));
  wrong = sent[0];
  wrong.session = 8;
  EXPECT_TRUE(refused(second.receive(0, wrong), "another session"));
  for (std::uint32_t device = 0; device < 2; ++device) {
    const auto both = split_input(shape, input, Secret(Bytes32{static_cast<std::uint8_t>(device)})).value();
    ASSERT_TRUE(first.receive(device, both[1]).ok());
    EXPECT_TRUE(refused(first.receive(device, both[1]), "repeated"));
    if (device == 0) {
      ASSERT_TRUE(second.receive(device, both[0]).ok());
    }
  }
  PartAggregator lacking = second;
  EXPECT_TRUE(refused(std::move(lacking).release(first.heard()), "missing"));
  DeviceSet others(3);
  others.insert(0);
  EXPECT_TRUE(refused(std::move(second).release(others), "fewer survivors"));
  others.insert(2);
  PartAggregator copy = first;
  EXPECT_TRUE(refused(std::move(copy).release(others), "not those whose parts came"));
  EXPECT_TRUE(std::move(first).release(first.heard()).ok());
  EXPECT_TRUE(refused(std::move(first).release(first.heard()), "released once"));
  EXPECT_TRUE(refused(join_parts(shape, 2, std::vector<Bytes>(1, Bytes(4))), "not one sum"));
  EXPECT_TRUE(
      refused(join_parts(shape, 2, std::vector<Bytes>(2, Bytes(4, std::byte{0x20}))), "do not add up"));
}

TEST(PaillierSum, WhatIsWrongIsRefused) {
  const PaillierShape shape{
      .session = 9, .devices = 3, .least_survivors = 2, .entries = 40, .range = plan_range(3, 100).value()};
  const PaillierOpener opener = PaillierOpener::make(256, Secret(Bytes32{1}));
  const std::vector<std::int32_t> input(40, -7);
  const auto sent = encrypt_input(shape, opener.key(), input, Secret(Bytes32{2})).value();
  PaillierServer server(shape, opener.key());
  PaillierShape shorter = shape;
  shorter.entries = 1;
  CiphertextsMessage wrong =
      encrypt_input(shorter, opener.key(), std::span(input).first(1), Secret(Bytes32{2})).value();
  EXPECT_TRUE(refused(server.receive(0, wrong), "not as many ciphertexts"));
  wrong = sent;
  std::fill_n(wrong.ciphertexts.begin(), wrong.each, std::byte{0});
  EXPECT_TRUE(refused(server.receive(0, wrong), "no ciphertext"));
  ASSERT_TRUE(server.receive(0, sent).ok());
  EXPECT_TRUE(refused(server.receive(0, sent), "repeated"));
  PaillierServer early = server;
  EXPECT_TRUE(refused(std::move(early).release(), "fewer survivors"));
  ASSERT_TRUE(server.receive(1, sent).ok());
  const CiphertextsMessage product = std::move(server).release().value();
  EXPECT_TRUE(refused(open_total(shape, opener, product, 1), "fewer survivors"));
  EXPECT_EQ(open_total(shape, opener, product, 2).value(), std::vector<std::int64_t>(40, -14));
  // A product of other devices than said does not open to a sum.
  const auto three = open_total(shape, opener, product, 3);
  if (three.ok()) {
    EXPECT_NE(three.value(), std::vector<std::int64_t>(40, -14));
  }
}

}  // namespace sotto::fed::other_sums_test
