// The messages of secure sums on any bytes.
// Laws checked: what decodes encodes to the same bytes; a server or a device that receives it takes it or
// refuses it whole, and no message makes either release or reveal what it should not.
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/assert.h"
#include "fed/secure/paillier_sum.h"
#include "fed/secure/part_sum.h"
#include "fed/secure/sum_device.h"
#include "fed/secure/sum_server.h"

namespace {

using namespace sotto;

bool same(std::span<const std::byte> a, const Bytes& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

constexpr SumTerms terms{
    .devices = 6, .degree = 5, .threshold = 3, .committee = 6, .quorum = 4, .least_survivors = 4, .crowd = 2};

SumOffer the_offer() {
  SumOffer offer;
  offer.session = 5;
  offer.terms = terms;
  offer.range = {20, 1000};
  offer.entries = 3;
  return offer;
}

// Six devices whose keys are at the server: as far as a sum goes before the bytes come.
struct World {
  World() {
    for (std::uint32_t n = 0; n < terms.devices; ++n) {
      identities.emplace_back(Secret(simulated_key(1, "id", n)));
      directory.push_back(identities.back().open());
    }
  }
  std::vector<Identity> identities;
  std::vector<PublicKey> directory;
};

const World& world() {
  static const World one;
  return one;
}

template <class M>
bool decodes(std::span<const std::byte> bytes, M& out) {
  auto decoded = decode<M>(bytes);
  if (!decoded.ok()) return false;
  SOTTO_ASSERT(same(bytes, encode(*decoded)), "what decodes encodes to its bytes");
  out = std::move(*decoded);
  return true;
}

SumDevice device(std::uint32_t number) {
  return SumDevice(number, world().identities[number], world().directory, terms,
                   Secret(simulated_key(1, "dev", number)));
}

// Any message, to a server in each phase that one can come to, and to a device that has joined.
void play(std::span<const std::byte> bytes) {
  SumServer server(the_offer(), world().directory);
  SumDevice joined = device(0);
  const auto sent = joined.join(the_offer());
  SOTTO_ASSERT(sent.ok(), "an honest offer is joined");
  KeysMessage keys;
  if (decodes(bytes, keys)) {
    const bool taken = server.receive(keys.keys.device, keys).ok();
    SOTTO_ASSERT(!taken || !server.receive(keys.keys.device, keys).ok(), "keys are taken once");
  }
  NeighbourKeysMessage around;
  if (decodes(bytes, around)) (void)joined.receive(around).ok();
  LettersMessage letters;
  if (decodes(bytes, letters)) {
    const std::array<std::int32_t, 3> input{1, 2, 3};
    SOTTO_ASSERT(!device(1).receive(letters, input).ok(), "a device that has not joined gives nothing");
    SOTTO_ASSERT(!server.receive(0, letters).ok(), "letters wait for keys");
  }
  RevealMessage reveal;
  if (decodes(bytes, reveal)) SOTTO_ASSERT(!server.receive(0, reveal).ok(), "reveals wait for survivors");
  CertificateMessage certificate;
  if (decodes(bytes, certificate)) SOTTO_ASSERT(!joined.receive(certificate).ok(), "nothing was agreed on");
  SOTTO_ASSERT(!std::move(server).release().ok(), "a sum that nobody gave to is not released");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  SumOffer offer;
  if (decodes(bytes, offer) && offer.terms.devices <= 64) {
    SumDevice one = device(0);
    SOTTO_ASSERT(one.join(offer).ok() == (offer.terms == terms), "only the expected terms are joined");
  }
  MaskedMessage masked;
  (void)decodes(bytes, masked);
  SurvivorsMessage survivors;
  (void)decodes(bytes, survivors);
  AgreementMessage agreement;
  (void)decodes(bytes, agreement);
  play(bytes);
  PartMessage part;
  if (decodes(bytes, part)) {
    PartAggregator sum({.session = 5, .devices = 2, .aggregators = 2, .entries = 3, .range = {20, 1000}},
                       part.aggregator % 2);
    const bool taken = sum.receive(0, part).ok();
    SOTTO_ASSERT(taken == sum.heard().has(0), "a refused part is not counted");
  }
  CiphertextsMessage ciphertexts;
  (void)decodes(bytes, ciphertexts);
  return 0;
}
