// A vault moves to another machine: out, into one file (device/moved_file.h), and in, from it.
//
// Laws: everything in it goes along, of whatever kind. It answers in one place: the file gets its end only
// once the vault here is marked, durably, as one that answers no more, and a vault is taken in once on a
// machine. A process that dies at any write leaves either a vault that answers here, or one whose move_out()
// or move_in() can be run again, and one process at a time of a machine takes a vault in. A file that is not
// whole, or a wrong passphrase, changes nothing. The same file taken in on two machines makes two vaults that
// differ by the homes they drew: the coordinator answers the one that asks first (server/registry.h).
#pragma once

#include <string>

#include "device/moved_file.h"

namespace sotto::device {

// Writes `file`, which is not there yet. A vault that has moved out may be written again, as often as it
// takes: it stays the same move.
[[nodiscard]] Status move_out(const std::string& vault, const VaultKey& key, const std::string& file,
                              const Passphrase& passphrase, const Stretching& how = travelling());
// Makes the vault, which `key` opens. It may be there if it is the one that moved out into this file: that
// takes it back. `taken` is the folder of this machine that remembers (device/taken_moves.h).
[[nodiscard]] Status move_in(const std::string& file, const Passphrase& passphrase, const std::string& vault,
                             const VaultKey& key, const std::string& taken);

}  // namespace sotto::device
