// FaultyDisk: a WriteGate that does harm at the n-th write, to see what a store is left with.
//
// Laws: it does nothing before write `at`, counted from 1; the same fault at the same write of the same calls
// leaves the same bytes. A process dies by SIGKILL; where other things in the process must live on, the disk
// freezes instead: nothing reaches it any more, which leaves the same bytes on it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "server/write_gate.h"

namespace sotto::tests {

enum class DiskFault : std::uint8_t {
  none,       // counts only
  kill,       // the process dies before the write
  torn,       // half of the write is done, then the process dies
  power_cut,  // dies, and of what was not synced some is lost: contents, names, renames
  full,       // no room for `length` writes
};

enum class Death : std::uint8_t { kills, freezes };

class FaultyDisk final : public WriteGate {
 public:
  FaultyDisk(DiskFault fault, std::uint64_t at, std::uint64_t length = 1, Death death = Death::kills)
      : fault_(fault), at_(at), length_(length), death_(death) {}
  bool let_through(const DurableWrite& write) override;
  // What used it is dead.
  [[nodiscard]] bool is_frozen() const { return frozen_; }
  [[nodiscard]] std::uint64_t writes() const { return count_; }

 private:
  // What a file has been through since it was synced.
  struct Unsynced {
    std::string content;  // as it is on the disk for sure
    struct Change {
      std::int64_t offset = 0;
      std::string bytes;
      bool is_cut = false;  // shortened to `offset`
    };
    std::vector<Change> changes;
  };
  void remember(const DurableWrite& write);
  void lose_unsynced();

  DiskFault fault_;
  std::uint64_t at_;
  std::uint64_t length_;
  Death death_;
  bool frozen_ = false;
  std::uint64_t count_ = 0;
  std::map<std::string, Unsynced> contents_;
  std::vector<std::string> names_;                            // made, and not yet on the disk
  std::vector<std::pair<std::string, std::string>> renames_;  // the same
};

[[noreturn]] void die_at_once();

}  // namespace sotto::tests
