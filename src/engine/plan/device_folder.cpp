#include "engine/plan/device_folder.h"

#include <fmt/format.h>

#include "engine/files/files.h"

namespace sotto::engine {

Result<std::unique_ptr<Vault>> DeviceFolder::open() const {
  SOTTO_TRY(const bool there, is_there(vault_path()));
  if (!there)
    return fail(Code::not_found, fmt::format("there is no device in '{}': make one with 'sotto device init "
                                             "--dir {}'",
                                             path_.string(), path_.string()));
  SOTTO_TRY(const Secret key, read_key_file(key_path().string()));
  return Vault::open(vault_path().string(), key, Making::never);
}

Result<std::unique_ptr<Vault>> DeviceFolder::open_or_make() const {
  SOTTO_TRY_DONE(make_folder(path_));
  SOTTO_TRY(const bool has_key, is_there(key_path()));
  SOTTO_TRY(const bool has_vault, is_there(vault_path()));
  if (has_vault && !has_key)
    return fail(Code::bad_input, fmt::format("{}: there is a vault, but not the key that opens it "
                                             "(vault.key): put it back, or begin in another folder",
                                             path_.string()));
  SOTTO_TRY(const Secret key,
            has_key ? read_key_file(key_path().string()) : make_key_file(key_path().string()));
  return Vault::open(vault_path().string(), key, Making::if_missing);
}

Status DeviceFolder::destroy() const {
  auto vault = open();
  // What does not open any more is removed all the same.
  SOTTO_TRY_DONE(remove_key_file(key_path().string()));
  if (vault.ok()) return Vault::destroy(std::move(*vault));
  for (const char* ending : {"-wal", "-shm", ""}) SOTTO_TRY_DONE(remove_file(vault_path().string() + ending));
  return Done{};
}

Result<PersonalPolicy> DeviceFolder::policy() const {
  SOTTO_TRY(const std::unique_ptr<Vault> vault, open());
  return vault->policy();
}

Result<KeptLedger> DeviceFolder::kept_ledger() const {
  SOTTO_TRY(const std::unique_ptr<Vault> vault, open());
  return vault->ledger();
}

Result<LedgerReading> DeviceFolder::ledger(const std::string& public_key) const {
  SOTTO_TRY(const KeptLedger kept, kept_ledger());
  auto reading = read_ledger(kept.lines, kept.head, public_key.empty() ? kept.public_key : public_key);
  if (!reading.ok()) return chained(reading.error(), path_.string());
  return reading;
}

}  // namespace sotto::engine
