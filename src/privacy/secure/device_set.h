// DeviceSet: some of the devices of a secure sum, one bit each.
// Law: one form a set: bits beyond the last device are zero.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/assert.h"

namespace sotto::privacy {

class DeviceSet {
 public:
  explicit DeviceSet(std::uint32_t devices = 0) : devices_(devices), bits_((devices + 7) / 8, 0) {}
  // None where the bits do not fit so many devices.
  [[nodiscard]] static bool fits(std::uint32_t devices, const std::vector<std::uint8_t>& bits) {
    return bits.size() == (devices + 7) / 8 && (devices % 8 == 0 || bits.back() >> (devices % 8) == 0);
  }
  DeviceSet(std::uint32_t devices, std::vector<std::uint8_t> bits)
      : devices_(devices), bits_(std::move(bits)) {
    SOTTO_ASSERT(fits(devices_, bits_), "a set has one bit a device");
  }

  [[nodiscard]] std::uint32_t devices() const { return devices_; }
  [[nodiscard]] bool has(std::uint32_t device) const {
    return device < devices_ && ((bits_[device / 8] >> (device % 8)) & 1) != 0;
  }
  void insert(std::uint32_t device) {
    SOTTO_ASSERT(device < devices_, "a set is of the round's devices");
    bits_[device / 8] = static_cast<std::uint8_t>(bits_[device / 8] | (1u << (device % 8)));
  }
  [[nodiscard]] std::uint32_t size() const {
    return std::accumulate(bits_.begin(), bits_.end(), 0u, [](std::uint32_t sum, std::uint8_t byte) {
      return sum + static_cast<std::uint32_t>(std::popcount(byte));
    });
  }
  [[nodiscard]] bool meets(const DeviceSet& other) const {
    for (std::size_t n = 0; n < std::min(bits_.size(), other.bits_.size()); ++n)
      if ((bits_[n] & other.bits_[n]) != 0) return true;
    return false;
  }
  [[nodiscard]] const std::vector<std::uint8_t>& bits() const { return bits_; }
  [[nodiscard]] bool operator==(const DeviceSet& other) const = default;

 private:
  std::uint32_t devices_;
  std::vector<std::uint8_t> bits_;
};

}  // namespace sotto::privacy
