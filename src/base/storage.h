// Storage: where the memory of a large array comes from. Most take the heap; who has more private rows than
// memory gives one that lies in a file.
// Law: a block starts on a cache line and lives until the last copy of its owner goes.
#pragma once

#include <cstddef>
#include <memory>

#include "base/layers.h"

namespace sotto::base {

inline constexpr std::size_t cache_line_bytes = 64;

class Storage {
 public:
  using Block = std::shared_ptr<std::byte>;

  Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  virtual ~Storage() = default;

  // `bytes` bytes, not initialised. Throws std::bad_alloc where there are none.
  [[nodiscard]] virtual Block take(std::size_t bytes) = 0;

  // A block of the heap.
  [[nodiscard]] static Block from_heap(std::size_t bytes);
};

}  // namespace sotto::base
