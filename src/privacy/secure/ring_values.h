// RingValues: integers modulo 2^bits, the ring in which a secure sum hides its values, and the plan that
// keeps a sum from wrapping around it.
//
// Laws: a plan's ring holds the sum of all devices whatever each gives within the limit; packing takes
// ⌈entries · bits / 8⌉ bytes and comes back the same; a mask added and subtracted leaves nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "privacy/secure/secret.h"

namespace sotto::privacy {

struct SumRange {
  std::uint32_t bits = 32;  // of the ring
  std::int32_t limit = 0;   // of one device's value, either sign
  [[nodiscard]] bool operator==(const SumRange& other) const = default;
};
// The smallest ring for so many devices, or the one asked for (bits > 0) if the sum fits it.
[[nodiscard]] Result<SumRange> plan_range(std::uint32_t devices, std::int32_t limit, std::uint32_t bits = 0);

class RingValues {
 public:
  RingValues(std::size_t entries, std::uint32_t bits);  // zeros; 2 ≤ bits ≤ 64

  [[nodiscard]] std::size_t size() const { return entries_; }
  void add(std::span<const std::int32_t> values);
  // Words that are integers modulo 2^bits or a multiple of it.
  template <class Word>
  void add_words(std::span<const Word> words) {
    for (std::size_t n = 0; n < narrow_.size(); ++n) narrow_[n] += static_cast<std::uint32_t>(words[n]);
    for (std::size_t n = 0; n < wide_.size(); ++n) wide_[n] += words[n];
  }
  // The stream of a key, to everything. A key masks one vector.
  void add_mask(const Secret& key);
  void subtract_mask(const Secret& key);
  // The representative nearest to zero.
  [[nodiscard]] std::int64_t value(std::size_t entry) const;
  [[nodiscard]] std::vector<std::int64_t> values() const;

  [[nodiscard]] std::size_t packed_bytes() const { return (entries_ * bits_ + 7) / 8; }
  [[nodiscard]] std::vector<std::byte> packed() const;
  // Adds what packed() gave; `bytes` are packed_bytes() many, without a bit beyond the last value.
  void add_packed(std::span<const std::byte> bytes);
  [[nodiscard]] bool is_packed(std::span<const std::byte> bytes) const;

 private:
  std::size_t entries_;
  std::uint32_t bits_;
  std::vector<std::uint32_t> narrow_;  // up to 32 bits
  std::vector<std::uint64_t> wide_;    // more
};

}  // namespace sotto::privacy
