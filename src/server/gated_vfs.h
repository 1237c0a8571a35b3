// GatedVfs: SQLite's own files with a WriteGate before each change, under a name that a connection asks for.
//
// Laws: what passes the gate is done by the system's VFS, unchanged; what does not is SQLITE_FULL. It offers
// no shared memory: a connection in WAL mode must lock exclusively. It outlives the connections that use it.
#pragma once

#include <sqlite3.h>

#include <string>

#include "server/write_gate.h"

namespace sotto::server {

class GatedVfs {
 public:
  explicit GatedVfs(WriteGate& gate);
  GatedVfs(const GatedVfs&) = delete;
  GatedVfs& operator=(const GatedVfs&) = delete;
  ~GatedVfs();
  [[nodiscard]] const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
  sqlite3_vfs vfs_;
};

}  // namespace sotto::server
