// FleetDraws: what chance decides in a fleet, from its seed, a word that says what for, and two numbers.
#pragma once

#include <cstdint>

#include "base/secret_stream.h"

namespace sotto::host {

class FleetDraws {
 public:
  FleetDraws(std::uint64_t seed, const char* what_for, std::uint32_t number, std::uint32_t user)
      : stream_(simulated_key(seed, what_for, number, user)) {}

  [[nodiscard]] std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(stream_.next_u64() % bound);
  }
  [[nodiscard]] bool chance(double probability) {
    return static_cast<double>(stream_.next_u64() >> 11) * 0x1.0p-53 < probability;
  }

 private:
  SecretStream stream_;
};

}  // namespace sotto::host
