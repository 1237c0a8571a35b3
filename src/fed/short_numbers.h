// Numbers of 32 bits as they stand in messages: 7 bits a byte, low ones first, the last byte below 128.
//
// Law: each number has one form, the shortest; others are refused.
#pragma once

#include "base/codec.h"
#include "base/result.h"

namespace sotto::fed {

[[nodiscard]] inline std::uint64_t short_bytes(std::uint32_t number) {
  std::uint64_t bytes = 1;
  while (number >>= 7) ++bytes;
  return bytes;
}

inline void write_short(Writer& out, std::uint32_t number) {
  for (; number >= 0x80u; number >>= 7) out.number(static_cast<std::uint8_t>(number | 0x80u));
  out.number(static_cast<std::uint8_t>(number));
}

[[nodiscard]] inline Result<std::uint32_t> read_short(Reader& in) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    const auto byte = in.number<std::uint8_t>();
    if (in.spoiled()) return fail(Code::bad_input, "message refused: it ends within a number");
    number |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte >= 0x80u) continue;
    if ((byte == 0 && shift > 0) || number > UINT32_MAX) break;
    return static_cast<std::uint32_t>(number);
  }
  return fail(Code::bad_input, "message refused: a number is not in its shortest form");
}

}  // namespace sotto::fed
