// Secure sums: what a server and a device compute, one thread each, and what travels.
//   secure_bench           the asked figures
//   secure_bench --table 100 300 …   costs over the size of the cohort (2,000 values each, 30% silent after
//                          they shared, the dearest time), as a table for a page
#include <fmt/core.h>

#include <cstdio>
#include <cstring>
#include <span>
#include <string>

#include "base/secret_stream.h"
#include "bench/measure.h"
#include "fed/secure/masked_sum.h"
#include "fed/secure/sum_device.h"
#include "fed/secure/sum_server.h"

namespace sotto::bench {
namespace {

struct Measured {
  SumTerms terms;
  double server = 0.0;  // seconds of one thread
  double device = 0.0;  // of the first device, all phases
  SumCost cost;
};

// Everybody's messages made beforehand would not fit memory: the devices answer in turn and only what the
// server does is on the server's clock.
class Run {
 public:
  Run(std::uint32_t devices, double silent, std::uint32_t entries) {
    offer_.session = 1;
    offer_.terms = sum_terms(devices, {}).value();
    offer_.entries = entries;
    // As large as a 32-bit ring allows.
    offer_.range = plan_range(devices, INT32_MAX / static_cast<std::int32_t>(devices), 32).value();
    offer_.beacon = Secret(simulated_key(1, "bench beacon")).on_device();
    for (std::uint32_t n = 0; n < devices; ++n) {
      identities_.emplace_back(Secret(simulated_key(1, "bench identity", n)));
      directory_.push_back(identities_.back().open());
    }
    for (std::uint32_t n = 0; n < devices; ++n)
      devices_.emplace_back(n, identities_[n], directory_, offer_.terms,
                            Secret(simulated_key(1, "bench entropy", n)));
    silent_ = static_cast<std::uint32_t>(silent * devices);
    input_.assign(entries, 3);
  }

  Measured measure() {
    Measured out{offer_.terms, 0.0, 0.0, masked_cost(offer_)};
    std::optional<SumServer> server;
    out.server += seconds_of([&] { server.emplace(offer_, directory_); });
    // The silent fall silent after sharing: the dearest time for the server.
    phase(
        out, 0, [&](std::uint32_t n) { return devices_[n].join(offer_); },
        [&](std::uint32_t n, const KeysMessage& message) { return server->receive(n, message); });
    out.server += seconds_of([&] { ready(server->close_keys()); });
    phase(
        out, 0, [&](std::uint32_t n) { return devices_[n].receive(server->keys_for(n)); },
        [&](std::uint32_t n, const LettersMessage& message) { return server->receive(n, message); });
    out.server += seconds_of([&] { ready(server->close_letters()); });
    phase(
        out, silent_, [&](std::uint32_t n) { return devices_[n].receive(server->letters_for(n), input_); },
        [&](std::uint32_t n, const MaskedMessage& message) { return server->receive(n, message); });
    out.server += seconds_of([&] { ready(server->close_inputs()); });
    const SurvivorsMessage survivors = server->survivors();
    phase(
        out, silent_, [&](std::uint32_t n) { return devices_[n].receive(survivors); },
        [&](std::uint32_t n, const std::optional<AgreementMessage>& message) {
          return message ? server->receive(n, *message) : Status(Done{});
        });
    out.server += seconds_of([&] { ready(server->close_agreement()); });
    phase(
        out, silent_, [&](std::uint32_t n) { return devices_[n].receive(server->certificate_for(n)); },
        [&](std::uint32_t n, const RevealMessage& message) { return server->receive(n, message); });
    out.server += seconds_of([&] {
      const SumTotal total = std::move(*server).release().value();
      SOTTO_ASSERT(total.values[7] == 3 * std::int64_t{offer_.terms.devices - silent_}, "the sum is right");
    });
    return out;
  }

 private:
  static void ready(const Status& status) { SOTTO_ASSERT(status.ok(), "the phase closes"); }

  // `first` devices are silent; the last one's time is the device's.
  template <class Make, class Take>
  void phase(Measured& out, std::uint32_t first, const Make& make, const Take& take) {
    for (std::uint32_t n = first; n < offer_.terms.devices; ++n) {
      std::optional<std::decay_t<decltype(make(n).value())>> message;
      const double device = seconds_of([&] { message.emplace(make(n).value()); });
      if (n + 1 == offer_.terms.devices) out.device += device;
      out.server += seconds_of([&] { ready(take(n, *message)); });
    }
  }

  SumOffer offer_;
  std::vector<Identity> identities_;
  std::vector<PublicKey> directory_;
  std::vector<SumDevice> devices_;
  std::vector<std::int32_t> input_;
  std::uint32_t silent_ = 0;
};

constexpr std::uint32_t asked_entries = 100000;

void mask_speed() {
  std::vector<std::uint32_t> values(asked_entries);
  Figures seconds;
  for (int n = 0; n < 50; ++n)
    seconds.add(seconds_of([&] { SecretStream(simulated_key(1, "bench")).add_to(std::span(values)); }));
  fmt::print("mask and add        {:8.1f} us for 100,000 u32 (least {:.1f})\n", seconds.median() * 1e6,
             seconds.least() * 1e6);
}

void asked(const char* label, std::uint32_t devices, double silent, double most_seconds) {
  const Measured got = Run(devices, silent, asked_entries).measure();
  fmt::print(
      "{} {:8.3f} s of the server (asked: {} s), degree {}, threshold {}; device {:.1f} ms (asked: 50), "
      "up {:.3f}x (asked: 1.3)\n",
      label, got.server, most_seconds, got.terms.degree, got.terms.threshold, got.device * 1e3,
      got.cost.expansion());
}

void table(std::span<char*> sizes) {
  constexpr std::uint32_t entries = 2000;
  fmt::print(
      "| devices | degree | threshold | committee / quorum | crowd | server | server, a device | "
      "a device computes | up | down |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const char* size : sizes) {
    const auto devices = static_cast<std::uint32_t>(std::stoul(size));
    const Measured got = Run(devices, 0.3, entries).measure();
    fmt::print("| {} | {} | {} | {} / {} | {} | {:.2f} s | {:.2f} ms | {:.0f} ms | {:.1f} kB | {:.1f} kB |\n",
               devices, got.terms.degree, got.terms.threshold, got.terms.committee, got.terms.quorum,
               got.terms.crowd, got.server, got.server / devices * 1e3, got.device * 1e3,
               static_cast<double>(got.cost.up) / 1e3, static_cast<double>(got.cost.down) / 1e3);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace sotto::bench

int main(int count, char** words) {
  using namespace sotto::bench;
  if (count > 1 && std::strcmp(words[1], "--table") == 0) {
    table(std::span(words, static_cast<std::size_t>(count)).subspan(2));
    return 0;
  }
  mask_speed();
  asked("1,000 devices, 30%  ", 1000, 0.3, 4.0);
  asked("500 devices, none   ", 500, 0.0, 0.3);
  return 0;
}
