// For tests: the devices and the server of one secure sum, phase by phase, with every message at hand.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/rng.h"
#include "fed/secure/sum_device.h"
#include "fed/secure/sum_server.h"

namespace sotto::fed {

// Whether it was refused, and in such words.
template <class R>
::testing::AssertionResult refused(const R& result, const std::string& why) {
  if (result.ok()) return ::testing::AssertionFailure() << "it was accepted";
  if (result.error().message.find(why) == std::string::npos)
    return ::testing::AssertionFailure() << "refused for another reason: " << result.error().message;
  return ::testing::AssertionSuccess();
}

using Silent = std::set<std::uint32_t>;

struct SumWorld {
  static SumOffer offer_for(const SumTerms& terms, std::uint32_t entries, std::uint32_t bits,
                            std::int32_t limit, std::uint64_t session) {
    SumOffer offer;
    offer.session = session;
    offer.terms = terms;
    offer.range = {bits, limit};
    offer.entries = entries;
    offer.beacon = digest_of("test beacon", {bytes_of(session)});
    return offer;
  }

  explicit SumWorld(const SumOffer& its_offer, std::uint64_t seed = 1) : offer(its_offer) {
    const std::uint32_t count = offer.terms.devices;
    for (std::uint32_t n = 0; n < count; ++n) {
      identities.emplace_back(Secret(simulated_key(seed, "id", n)));
      directory.push_back(identities.back().open());
    }
    Stream numbers(seed, Purpose::random_scores);
    for (std::uint32_t n = 0; n < count; ++n) {
      devices.emplace_back(n, identities[n], directory, offer.terms, Secret(simulated_key(seed, "dev", n)));
      inputs.emplace_back();
      for (std::uint32_t k = 0; k < offer.entries; ++k) {
        const auto range = static_cast<std::uint32_t>(2 * offer.range.limit + 1);
        inputs.back().push_back(static_cast<std::int32_t>(numbers.below(range)) - offer.range.limit);
      }
    }
    server.emplace(offer, directory);
  }

  // Each phase: everybody answers but the silent; the first refusal is the result.
  Status keys(const Silent& silent = {}) {
    for (std::uint32_t n = 0; n < devices.size(); ++n) {
      if (gone(n, silent)) continue;
      SOTTO_TRY(const auto message, devices[n].join(offer));
      SOTTO_TRY_DONE(server->receive(n, message));
    }
    return server->close_keys();
  }
  Status letters(const Silent& silent = {}) {
    for (std::uint32_t n = 0; n < devices.size(); ++n) {
      if (gone(n, silent)) continue;
      SOTTO_TRY(const auto message, devices[n].receive(server->keys_for(n)));
      SOTTO_TRY_DONE(server->receive(n, message));
    }
    return server->close_letters();
  }
  Status give(const Silent& silent = {}) {
    for (std::uint32_t n = 0; n < devices.size(); ++n) {
      if (gone(n, silent)) continue;
      SOTTO_TRY(const auto message, devices[n].receive(server->letters_for(n), inputs[n]));
      SOTTO_TRY_DONE(server->receive(n, message));
      given.insert(n);
    }
    return server->close_inputs();
  }
  Status agreement(const Silent& silent = {}) {
    for (std::uint32_t n = 0; n < devices.size(); ++n) {
      if (gone(n, silent)) continue;
      SOTTO_TRY(const auto message, devices[n].receive(server->survivors()));
      if (message) SOTTO_TRY_DONE(server->receive(n, *message));
    }
    return server->close_agreement();
  }
  Result<SumTotal> reveal(const Silent& silent = {}) {
    for (std::uint32_t n = 0; n < devices.size(); ++n) {
      if (gone(n, silent)) continue;
      SOTTO_TRY(const auto message, devices[n].receive(server->certificate_for(n)));
      SOTTO_TRY_DONE(server->receive(n, message));
    }
    return std::move(*server).release();
  }
  // All phases up to the one named.
  void up_to_letters() { EXPECT_TRUE(keys().ok()); }
  void up_to_inputs() {
    up_to_letters();
    EXPECT_TRUE(letters().ok());
  }
  void up_to_agreement() {
    up_to_inputs();
    EXPECT_TRUE(give().ok());
  }
  void up_to_reveal() {
    up_to_agreement();
    EXPECT_TRUE(agreement().ok());
  }

  // The plain sum over those whose input was taken.
  [[nodiscard]] std::vector<std::int64_t> plain() const {
    std::vector<std::int64_t> sum(offer.entries, 0);
    for (const std::uint32_t n : given)
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += inputs[n][k];
    return sum;
  }

  SumOffer offer;
  std::vector<Identity> identities;
  std::vector<PublicKey> directory;
  std::vector<SumDevice> devices;
  std::optional<SumServer> server;
  std::vector<std::vector<std::int32_t>> inputs;
  std::set<std::uint32_t> given;

 private:
  bool gone(std::uint32_t device, const Silent& silent) {
    if (silent.contains(device)) silent_.insert(device);
    return silent_.contains(device);
  }
  Silent silent_;  // once silent, silent for good
};

}  // namespace sotto::fed
