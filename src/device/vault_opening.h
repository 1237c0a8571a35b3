// The table of a vault's file that opens it: the file's own key, sealed under the key or the passphrase that
// the host has, and whether the vault answers here.
//
// Laws: the name of the row that holds the file's key says where the vault lives. A program that looks for a
// vault that answers, one of version 0.1.0 too, finds none where the vault moved out or has not arrived; a
// process that had it open since before can write no record any more.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "device/vault_key.h"
#include "storage/database.h"

namespace sotto::device {

enum class Residence : std::uint8_t {
  here,       // it answers
  moved_out,  // a file of it was written for another machine
  moving_in,  // filled from such a file, and not yet taken into use
};

// Drawn when a vault moves out. Its file has it, however often it is written, and so has whoever took it in.
using MoveId = std::array<std::uint8_t, 16>;

class VaultOpening {
 public:
  explicit VaultOpening(const Database& database) : database_(database) {}

  // None: destroyed, or never filled.
  [[nodiscard]] Result<std::optional<Residence>> residence() const;
  // The file's key as it lies there, sealed; none: the vault lives elsewhere.
  [[nodiscard]] Result<std::optional<std::string>> sealed_key(Residence where) const;
  [[nodiscard]] Result<Secret> file_key(const VaultKey& outer, Residence where) const;
  // From now on `outer` opens it, and no other key does.
  [[nodiscard]] Status put(const VaultKey& outer, const Secret& file_key, Residence where) const;
  [[nodiscard]] Status move(Residence from, Residence to) const;

  [[nodiscard]] Result<std::optional<MoveId>> move_id() const;  // of its last move
  [[nodiscard]] Status set_move_id(const MoveId& id) const;

 private:
  [[nodiscard]] Result<std::optional<std::string>> row(std::string_view name) const;
  [[nodiscard]] Status set_row(std::string_view name, std::string_view value) const;

  const Database& database_;
};

}  // namespace sotto::device
