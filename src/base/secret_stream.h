// SecretStream: random bytes that nobody can foretell without the key, for noise and masks that must resist
// an adversary. AES-256 in counter mode (NIST SP 800-38A) from a key of 256 bits.
//
// Laws: the bytes are a function of (key, number, position) alone, so that two devices that agree on a key
// make the same mask, and a simulation that derives its keys from a seed can be made again; streams of one
// key with different numbers never share a block; how the bytes are asked for does not change them. The key
// is wiped when the stream ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/layers.h"

namespace sotto::base {

using SecretKey = std::array<std::byte, 32>;

// A key of a simulation, from its seed, a word that says what for, and two numbers. A deployment takes its
// keys from the system's generator.
[[nodiscard]] SecretKey simulated_key(std::uint64_t seed, const char* purpose, std::uint64_t first = 0,
                                      std::uint64_t second = 0);
[[nodiscard]] SecretKey system_key();

class SecretStream {
 public:
  explicit SecretStream(const SecretKey& key, std::uint64_t number = 0);
  explicit SecretStream(SecretKey&& key, std::uint64_t number = 0);  // wipes the key
  SecretStream(SecretStream&& other) noexcept;
  SecretStream(const SecretStream&) = delete;
  SecretStream& operator=(const SecretStream&) = delete;
  SecretStream& operator=(SecretStream&&) = delete;
  ~SecretStream();

  void fill(std::span<std::byte> out);
  [[nodiscard]] std::uint64_t next_u64();
  // Adds the next words of the stream to the numbers, modulo 2^32 or 2^64, or takes them away again.
  void add_to(std::span<std::uint32_t> numbers);
  void add_to(std::span<std::uint64_t> numbers);
  void subtract_from(std::span<std::uint32_t> numbers);
  void subtract_from(std::span<std::uint64_t> numbers);

 private:
  template <class Number, class Each>
  void combine(std::span<Number> numbers, const Each& each);

  static constexpr std::size_t buffer_bytes = 4096;
  struct Cipher;
  Cipher* cipher_;
};

}  // namespace sotto::base
