// An order of names that is the same everywhere and has nothing to do with the alphabet: for samples that do
// not hang on the order of a file. Not for secrets.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/layers.h"

namespace sotto::data {

// FNV-1a, mixed.
[[nodiscard]] inline std::uint64_t name_hash(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3u;
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93u;
  return hash ^ (hash >> 32);
}

}  // namespace sotto::data
