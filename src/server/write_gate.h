// WriteGate: asked before each change that a store makes to the disk. A store without one asks nobody; tests
// give one that kills the process at the n-th change, tears it, forgets what was not synced, or says that the
// disk is full.
//
// Law: whatever a store with a gate changes on the disk, the gate was told before. (The lock of its folder is
// no state.)
#pragma once

#include <cstdint>
#include <string_view>

#include "base/layers.h"

namespace sotto::server {

struct DurableWrite {
  enum class Kind : std::uint8_t { create, write, truncate, sync, rename, remove };
  Kind kind = Kind::write;
  const char* path = "";     // a file, or a folder that is made or synced
  std::int64_t offset = 0;   // of a write; the new size of a truncated file
  std::string_view bytes{};  // of a write
  const char* to = "";       // of a rename
};

class WriteGate {
 public:
  WriteGate() = default;
  WriteGate(const WriteGate&) = delete;
  WriteGate& operator=(const WriteGate&) = delete;
  virtual ~WriteGate() = default;
  // Whether there is room. If not, the change is not made and fails as on a full disk.
  [[nodiscard]] virtual bool let_through(const DurableWrite& write) = 0;
};

}  // namespace sotto::server
