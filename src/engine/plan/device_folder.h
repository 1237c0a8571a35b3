// DeviceFolder: what one device keeps on its disk for its person: a vault (device/vault.h), and the key file
// that opens it.
//
//   vault.db    everything, sealed
//   vault.key   what opens it; whoever has both can read all
//   vault.key.new   while the key changes: the next one, which opens the vault if the change was cut off
//   late.
//                   Where vault.key is a link to a safer place, the next one is made there
//
// Laws: both are for their owner's eyes (0600); a key that others may read is refused. Nothing but
// open_or_make() makes a device: a mistyped folder is an error. A ledger that does not verify is not
// written to.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "device/vault.h"

namespace sotto::engine {

class DeviceFolder {
 public:
  explicit DeviceFolder(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path vault_path() const { return path_ / "vault.db"; }
  [[nodiscard]] std::filesystem::path key_path() const { return path_ / "vault.key"; }
  [[nodiscard]] std::filesystem::path next_key_path() const { return real_key_path().string() + ".new"; }

  // Code::not_found where there is none.
  [[nodiscard]] Result<std::unique_ptr<Vault>> open() const;
  // Makes folder, key and vault where they are missing. A vault without its key is not begun anew.
  [[nodiscard]] Result<std::unique_ptr<Vault>> open_or_make() const;
  // Another key, for the file and for all in the vault. A process that dies leaves what the old or the new
  // key opens, and open() finds out which.
  [[nodiscard]] Status change_key() const;
  // To another machine, and from one (device/vault_move.h).
  [[nodiscard]] Status move_out(const std::string& file, const Passphrase& passphrase) const;
  // `taken` is the machine's (taken_folder()). Where it fails nothing is left that was not there.
  [[nodiscard]] Status move_in(const std::string& file, const Passphrase& passphrase,
                               const std::string& taken) const;
  // The key file first: from then on nobody can read what is left.
  [[nodiscard]] Status destroy() const;

  // The level "closed" where the person has not chosen yet. Code::not_found where there is no device.
  [[nodiscard]] Result<PersonalPolicy> policy() const;
  [[nodiscard]] Result<KeptLedger> kept_ledger() const;
  // The ledger, checked; against another public key than the vault's where one is given.
  [[nodiscard]] Result<LedgerReading> ledger(const std::string& public_key = "") const;

 private:
  [[nodiscard]] std::filesystem::path real_key_path() const;
  // The next key takes the key's place, if the vault opens with it.
  [[nodiscard]] Status settle_key(Vault& vault) const;

  std::filesystem::path path_;
};

// Where this user's programs remember which devices were taken in: XDG_STATE_HOME, else ~/.local/state.
[[nodiscard]] Result<std::string> taken_folder();

}  // namespace sotto::engine
