// Bounded binary codec: little-endian, explicit lengths, no recursion.
//
// Law: a Reader never reads past its span and never allocates more than the input could fill; after
// the first failure every further read fails too, so one check at the end suffices. decode(encode(x)) == x.
// Only plain types have an encoding (base/plain.h): what is private does not compile here.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/plain.h"

namespace sotto::base {

static_assert(std::endian::native == std::endian::little,
              "the codec writes native bytes, which must be little-endian");

using Bytes = std::vector<std::byte>;

class Writer {
 public:
  template <Number T>
  Writer& number(T value) {
    return raw(std::as_bytes(std::span(&value, 1)));
  }
  Writer& text(std::string_view value) {
    SOTTO_ASSERT(value.size() <= UINT32_MAX, "a text's length fits 32 bits");
    number(static_cast<std::uint32_t>(value.size()));
    return raw(std::as_bytes(std::span(value)));
  }
  template <Plain T>
  Writer& array(std::span<const T> values) {
    number(static_cast<std::uint64_t>(values.size()));
    return raw(std::as_bytes(values));
  }
  Writer& raw(std::span<const std::byte> bytes) {
    const std::size_t end = out_.size();
    out_.resize(end + bytes.size());
    if (!bytes.empty()) std::memcpy(out_.data() + end, bytes.data(), bytes.size());
    return *this;
  }
  [[nodiscard]] std::size_t size() const { return out_.size(); }
  [[nodiscard]] Bytes take() && { return std::move(out_); }
  void clear() { out_.clear(); }
  [[nodiscard]] std::span<const std::byte> view() const { return out_; }

 private:
  Bytes out_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> in) : in_(in) {}

  template <Number T>
  [[nodiscard]] T number() {
    if constexpr (std::is_same_v<T, bool>) {
      const auto byte = number<std::uint8_t>();
      if (byte > 1) spoil();
      return byte == 1;
    } else {
      T value{};
      const auto bytes = raw(sizeof(T));
      if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(T));
      return value;
    }
  }
  [[nodiscard]] std::string text(std::size_t limit = 1u << 20) {
    const auto size = number<std::uint32_t>();
    if (size > limit) return spoil(), std::string();
    const auto bytes = raw(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  template <Plain T>
  [[nodiscard]] std::vector<T> array() {
    static_assert(!std::is_same_v<T, bool>, "a byte need not be a valid bool: read std::uint8_t");
    const auto size = number<std::uint64_t>();
    if (size > in_.size() / sizeof(T)) return spoil(), std::vector<T>();
    std::vector<T> values(size);
    const auto bytes = raw(size * sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  // `size` bytes, or none and a spoiled reader.
  [[nodiscard]] std::span<const std::byte> raw(std::size_t size) {
    if (spoiled_ || size > in_.size()) return spoil(), std::span<const std::byte>();
    const auto bytes = in_.first(size);
    in_ = in_.subspan(size);
    return bytes;
  }

  [[nodiscard]] std::size_t remaining() const { return in_.size(); }
  [[nodiscard]] bool spoiled() const { return spoiled_; }
  // Nothing failed and nothing is left over.
  [[nodiscard]] bool finished() const { return !spoiled_ && in_.empty(); }

 private:
  void spoil() {
    spoiled_ = true;
    in_ = {};
  }
  std::span<const std::byte> in_;
  bool spoiled_ = false;
};

}  // namespace sotto::base
