// DeviceFolder: what one device keeps on its disk for its person: a vault (device/vault.h), and the key file
// that opens it.
//
//   vault.db    everything, sealed
//   vault.key   what opens it; whoever has both can read all
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

  // Code::not_found where there is none.
  [[nodiscard]] Result<std::unique_ptr<Vault>> open() const;
  // Makes folder, key and vault where they are missing. A vault without its key is not begun anew.
  [[nodiscard]] Result<std::unique_ptr<Vault>> open_or_make() const;
  // The key file first: from then on nobody can read what is left.
  [[nodiscard]] Status destroy() const;

  // The level "closed" where the person has not chosen yet. Code::not_found where there is no device.
  [[nodiscard]] Result<PersonalPolicy> policy() const;
  [[nodiscard]] Result<KeptLedger> kept_ledger() const;
  // The ledger, checked; against another public key than the vault's where one is given.
  [[nodiscard]] Result<LedgerReading> ledger(const std::string& public_key = "") const;

 private:
  std::filesystem::path path_;
};

}  // namespace sotto::engine
