// The messages of secure sums on any bytes.
// Laws checked: what decodes encodes to the same bytes. A server and a device, played honestly up to each
// phase, take a message in its phase alone, once, or refuse it whole; a refused one leaves no trace at the
// server and ends the part of the device; whatever comes, the sum is the honest one or there is none.
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/assert.h"
#include "fed/secure/paillier_sum.h"
#include "fed/secure/part_sum.h"
#include "fed/secure/sum_device.h"
#include "fed/secure/sum_server.h"

namespace {

using namespace sotto::fuzz;

constexpr SumTerms terms{
    .devices = 6, .degree = 5, .threshold = 3, .committee = 6, .quorum = 4, .least_survivors = 4, .crowd = 2};
constexpr std::uint32_t silent = 5;  // gives no input
constexpr std::array<std::int32_t, 3> input{1, -20, 300};
constexpr std::array<std::int64_t, 3> total{5, -100, 1500};

SumOffer the_offer() {
  SumOffer offer;
  offer.session = 5;
  offer.terms = terms;
  offer.range = {20, 1000};
  offer.entries = 3;
  return offer;
}

// What device 0 is told in each phase, and what it answers.
struct Told {
  SumOffer offer;
  NeighbourKeysMessage keys;
  LettersMessage letters;
  SurvivorsMessage survivors;
  CertificateMessage certificate;
};
struct Said {
  KeysMessage keys;
  LettersMessage letters;
  MaskedMessage masked;
  AgreementMessage agreement;
  std::vector<RevealMessage> reveals;  // of all
};

// The server, and device 0 before it is told.
struct Stage {
  SumServer server;
  SumDevice device;
};
constexpr std::size_t stages = 5;  // keys, letters, inputs, agreement, reveal

template <class T>
T sure(Result<T> result) {
  SOTTO_ASSERT(result.ok(), "honest devices and an honest server get on");
  return std::move(*result);
}

// An honest sum, kept as it was at the begin of each phase.
struct World {
  World() {
    told.offer = the_offer();
    for (std::uint32_t n = 0; n < terms.devices; ++n) {
      identities.emplace_back(Secret(simulated_key(1, "id", n)));
      directory.push_back(identities.back().open());
    }
    for (std::uint32_t n = 0; n < terms.devices; ++n)
      devices.emplace_back(n, identities[n], directory, terms, Secret(simulated_key(1, "dev", n)));
    play();
  }

  void play() {
    SumServer server(told.offer, directory);
    const auto step = [&](std::uint32_t count, const auto& answer) {
      stage.push_back({server, devices[0]});
      for (std::uint32_t n = count; n-- > 0;) sure(server.receive(n, answer(n)));
    };
    step(terms.devices, [&](std::uint32_t n) { return said.keys = sure(devices[n].join(told.offer)); });
    sure(server.close_keys());
    step(terms.devices, [&](std::uint32_t n) {
      return said.letters = sure(devices[n].receive(told.keys = server.keys_for(n)));
    });
    sure(server.close_letters());
    step(silent, [&](std::uint32_t n) {
      return said.masked = sure(devices[n].receive(told.letters = server.letters_for(n), input));
    });
    sure(server.close_inputs());
    told.survivors = server.survivors();
    step(silent, [&](std::uint32_t n) { return said.agreement = *sure(devices[n].receive(told.survivors)); });
    sure(server.close_agreement());
    step(silent, [&](std::uint32_t n) {
      told.certificate = server.certificate_for(n);
      return *said.reveals.insert(said.reveals.begin(), sure(devices[n].receive(told.certificate)));
    });
    SOTTO_ASSERT(is_total(sure(std::move(server).release())), "an honest sum is the plain one");
  }
  static bool is_total(const SumTotal& sum) {
    return std::equal(sum.values.begin(), sum.values.end(), total.begin(), total.end());
  }

  std::vector<Identity> identities;
  std::vector<PublicKey> directory;
  std::vector<SumDevice> devices;
  Told told;
  Said said;
  std::vector<Stage> stage;
};

const World& world() {
  static const World one;
  return one;
}

template <class M>
bool decodes(std::span<const std::byte> bytes, M& out) {
  auto decoded = decode<M>(bytes);
  if (!decoded.ok()) return false;
  const Bytes again = encode(*decoded);
  SOTTO_ASSERT(bytes.size() == again.size() && std::memcmp(bytes.data(), again.data(), again.size()) == 0,
               "what decodes encodes to its bytes");
  out = std::move(*decoded);
  return true;
}

// Device 0's honest answer of a phase, and what it is told in it.
bool takes_honest(SumServer& server, std::size_t phase) {
  const Said& said = world().said;
  switch (phase) {
    case 0:
      return server.receive(0, said.keys).ok();
    case 1:
      return server.receive(0, said.letters).ok();
    case 2:
      return server.receive(0, said.masked).ok();
    case 3:
      return server.receive(0, said.agreement).ok();
    default:
      return server.receive(0, said.reveals[0]).ok();
  }
}
bool takes_honest(SumDevice& device, std::size_t phase) {
  const Told& told = world().told;
  switch (phase) {
    case 0:
      return device.join(told.offer).ok();
    case 1:
      return device.receive(told.keys).ok();
    case 2:
      return device.receive(told.letters, input).ok();
    case 3:
      return device.receive(told.survivors).ok();
    default:
      return device.receive(told.certificate).ok();
  }
}

// A message of phase `own`, as if from each device, to a server in each phase.
template <class M>
void to_server(const M& message, std::size_t own) {
  for (std::size_t phase = 0; phase < stages; ++phase)
    for (std::uint32_t from = 0; from <= terms.devices; ++from) {
      SumServer server = world().stage[phase].server;
      const bool taken = server.receive(from, message).ok();
      SOTTO_ASSERT(!taken || phase == own, "a message is taken in its phase alone");
      SOTTO_ASSERT(!taken || (from < silent || (from == silent && phase < 3)), "who is out is not heard");
      SOTTO_ASSERT(!taken || !server.receive(from, message).ok(), "a message is taken once");
      SOTTO_ASSERT((taken && from == 0) || takes_honest(server, phase), "a refused message leaves no trace");
      if (phase + 1 == stages)
        for (std::uint32_t n = 1; n < silent; ++n) (void)server.receive(n, world().said.reveals[n]).ok();
      const auto released = std::move(server).release();
      SOTTO_ASSERT(!released.ok() || (phase + 1 == stages && World::is_total(*released)),
                   "the sum is the honest one or there is none");
      SOTTO_ASSERT(taken || phase + 1 != stages || released.ok(), "a refused message does not fail the sum");
    }
}

// A message of phase `own` to device 0 in each phase, by `tell`.
template <class Tell>
void to_device(std::size_t own, const Tell& tell) {
  for (std::size_t phase = 0; phase < stages; ++phase) {
    SumDevice device = world().stage[phase].device;
    const bool taken = tell(device);
    SOTTO_ASSERT(!taken || phase == own, "a message is taken in its phase alone");
    SOTTO_ASSERT(taken || !takes_honest(device, phase), "a refusal ends the part of a device");
    SOTTO_ASSERT(!tell(device), "a message is taken once");
  }
}

void masked_sum(std::span<const std::byte> bytes) {
  SumOffer offer;
  if (decodes(bytes, offer) && offer.terms.devices <= 64) {
    SumDevice fresh = world().stage[0].device;
    SOTTO_ASSERT(fresh.join(offer).ok() == (offer.terms == terms), "only the expected terms are joined");
    to_device(0, [&](SumDevice& device) { return device.join(offer).ok(); });
  }
  KeysMessage keys;
  if (decodes(bytes, keys)) to_server(keys, 0);
  NeighbourKeysMessage around;
  if (decodes(bytes, around)) to_device(1, [&](SumDevice& device) { return device.receive(around).ok(); });
  LettersMessage letters;
  if (decodes(bytes, letters)) {
    to_server(letters, 1);
    to_device(2, [&](SumDevice& device) { return device.receive(letters, input).ok(); });
  }
  MaskedMessage masked;
  if (decodes(bytes, masked)) to_server(masked, 2);
  SurvivorsMessage survivors;
  if (decodes(bytes, survivors))
    to_device(3, [&](SumDevice& device) { return device.receive(survivors).ok(); });
  AgreementMessage agreement;
  if (decodes(bytes, agreement)) to_server(agreement, 3);
  CertificateMessage certificate;
  if (decodes(bytes, certificate))
    to_device(4, [&](SumDevice& device) { return device.receive(certificate).ok(); });
  RevealMessage reveal;
  if (decodes(bytes, reveal)) to_server(reveal, 4);
}

void other_sums(std::span<const std::byte> bytes) {
  PartMessage part;
  if (decodes(bytes, part)) {
    PartAggregator sum({.session = 5, .devices = 2, .aggregators = 2, .entries = 3, .range = {20, 1000}},
                       part.aggregator % 2);
    const bool taken = sum.receive(0, part).ok();
    SOTTO_ASSERT(taken == sum.heard().has(0), "a refused part is not counted");
  }
  CiphertextsMessage ciphertexts;
  if (decodes(bytes, ciphertexts)) {
    static const PaillierOpener opener = PaillierOpener::make(128, Secret(simulated_key(1, "primes")));
    const PaillierShape shape{
        .session = 5, .devices = 2, .least_survivors = 1, .entries = 3, .range = {20, 1000}};
    PaillierServer sum(shape, opener.key());
    const bool taken = sum.receive(0, ciphertexts).ok();
    SOTTO_ASSERT(taken == sum.heard().has(0), "refused ciphertexts are not counted");
    if (taken) (void)open_total(shape, opener, sure(std::move(sum).release()), 1).ok();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  masked_sum(bytes);
  other_sums(bytes);
  return 0;
}
