// Content hash (BLAKE2b-256 from libsodium): names models, splits and files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/plain.h"

namespace sotto::base {

class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  Hasher& bytes(std::span<const std::byte> data);
  Hasher& u64(std::uint64_t value);
  Hasher& text(std::string_view value);  // length first, so that ("ab","c") differs from ("a","bc")
  template <Plain T>
  Hasher& array(std::span<const T> values) {
    return bytes(std::as_bytes(values));
  }

  // 64 hexadecimal digits; the hasher is used up.
  [[nodiscard]] std::string hex() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sotto::base
