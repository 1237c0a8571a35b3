// DeviceFolder: what one device keeps on its disk for its person.
//
//   consent.toml   the person's policy (lab/consent_file.h); without it nothing is shared
//   ledger.tsv     what left the device (privacy/ledger.h), and ledger.head, which says where it ends
//   device.key     the key that signs it, and device.pub, its public half
//
// Laws: all but device.pub are for their owner's eyes (0600); a key that others may read is refused. A ledger
// that does not verify is not written to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "lab/files.h"
#include "privacy/ledger.h"
#include "privacy/personal_policy.h"

namespace sotto {

class DeviceFolder {
 public:
  explicit DeviceFolder(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path policy_path() const { return path_ / "consent.toml"; }

  // Makes what is missing: folder, key, empty ledger. A ledger that had lines is not begun anew.
  [[nodiscard]] Status prepare() const;
  // The level "closed" where the person has not chosen yet.
  [[nodiscard]] Result<PersonalPolicy> policy() const;
  [[nodiscard]] Status set_policy(const PersonalPolicy& policy) const;

  [[nodiscard]] Result<std::string> public_key() const;
  [[nodiscard]] Result<LedgerKey> key() const;
  [[nodiscard]] Result<std::string> ledger_text() const;
  [[nodiscard]] Result<std::string> head_text() const;
  // The ledger, checked; against another public key than the folder's where one is given.
  [[nodiscard]] Result<LedgerReading> ledger(const std::string& public_key = "") const;

 private:
  friend class LedgerFile;
  std::filesystem::path path_;
};

// The ledger while a device works. An entry is on the disk before append() returns.
class LedgerFile {
 public:
  // Checks the ledger and mends what a crash left.
  [[nodiscard]] static Result<LedgerFile> open(const DeviceFolder& folder);

  [[nodiscard]] Status append(const LedgerEntry& entry);
  // What a crash had left: "" or a sentence.
  [[nodiscard]] const std::string& mended() const { return mended_; }

 private:
  LedgerFile(AppendFile file, LedgerKey key, LedgerHead head, std::filesystem::path head_path);

  AppendFile file_;
  LedgerKey key_;
  LedgerHead head_;
  std::filesystem::path head_path_;
  std::string mended_;
};

}  // namespace sotto
