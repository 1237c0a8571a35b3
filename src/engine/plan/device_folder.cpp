#include "engine/plan/device_folder.h"

#include <fmt/format.h>

#include <cstdlib>

#include "device/vault_move.h"
#include "engine/files/files.h"

namespace sotto::engine {

Result<std::unique_ptr<Vault>> DeviceFolder::open() const {
  SOTTO_TRY(const bool there, is_there(vault_path()));
  if (!there)
    return fail(Code::not_found, fmt::format("there is no device in '{}': make one with 'sotto device init "
                                             "--dir {}'",
                                             path_.string(), path_.string()));
  SOTTO_TRY(const Secret key, read_key_file(key_path().string()));
  auto vault = Vault::open(vault_path().string(), key, Making::never);
  if (vault.ok()) return vault;
  const auto next = read_key_file(next_key_path().string());
  if (!next.ok()) {
    // Another process may have put it in its place since.
    SOTTO_TRY(const Secret again, read_key_file(key_path().string()));
    if (same_bytes(again.on_device(), key.on_device())) return vault;
    return Vault::open(vault_path().string(), again, Making::never);
  }
  auto changed = Vault::open(vault_path().string(), *next, Making::never);
  if (!changed.ok()) return vault;
  SOTTO_TRY_DONE(settle_key(**changed));
  return changed;
}

std::filesystem::path DeviceFolder::real_key_path() const {
  std::error_code no_link;
  const auto target = std::filesystem::canonical(key_path(), no_link);
  return no_link ? key_path() : target;
}

Status DeviceFolder::settle_key(Vault& vault) const {
  return vault.alone([&]() -> Status {
    SOTTO_TRY(const bool unsettled, is_there(next_key_path()));
    return unsettled ? replace_key_file(real_key_path().string(), next_key_path().string()) : Done{};
  });
}

Status DeviceFolder::change_key() const {
  SOTTO_TRY(const std::unique_ptr<Vault> vault, open());
  const Status changed = vault->change_key([&]() -> Result<VaultKey> {
    const std::string path = next_key_path().string();
    SOTTO_TRY_DONE(remove_key_file(path));  // of a change that was cut off early
    SOTTO_TRY(const Secret key, make_key_file(path));
    return VaultKey(key);
  });
  if (!changed.ok()) return changed;
  return settle_key(*vault);
}

Status DeviceFolder::move_out(const std::string& file, const Passphrase& passphrase) const {
  SOTTO_TRY(const bool there, is_there(vault_path()));
  // Its key is settled then. One that has moved out before does not open, and is written again.
  if (const auto vault = open(); !vault.ok() && !there) return vault.error();
  SOTTO_TRY(const Secret key, read_key_file(key_path().string()));
  return device::move_out(vault_path().string(), key, file, passphrase);
}

Status DeviceFolder::move_in(const std::string& file, const Passphrase& passphrase,
                             const std::string& taken) const {
  SOTTO_TRY(const bool had_folder, is_there(path_));
  SOTTO_TRY_DONE(make_folder(path_));
  SOTTO_TRY(const bool had_key, is_there(key_path()));
  Status moved = Done{};
  {
    const auto key = had_key ? read_key_file(key_path().string()) : make_key_file(key_path().string());
    if (!key.ok()) return key.error();
    moved = device::move_in(file, passphrase, vault_path().string(), *key, taken);
  }
  SOTTO_TRY(const bool has_vault, is_there(vault_path()));
  if (moved.ok() || has_vault) return moved;
  if (!had_key) SOTTO_TRY_DONE(remove_key_file(key_path().string()));
  if (!had_folder) SOTTO_TRY_DONE(remove_file(path_));
  return moved;
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
  const std::string next = next_key_path().string();
  SOTTO_TRY_DONE(remove_key_file(key_path().string()));
  SOTTO_TRY_DONE(remove_key_file(next));
  if (vault.ok()) return Vault::destroy(std::move(*vault));
  for (const char* ending : {"-wal", "-shm", ""}) SOTTO_TRY_DONE(remove_file(vault_path().string() + ending));
  return Done{};
}

Result<std::string> taken_folder() {
  const auto absolute = [](const char* text) { return text != nullptr && *text == '/'; };
  const char* state = std::getenv("XDG_STATE_HOME");
  if (absolute(state)) return std::string(state) + "/sotto/moves";
  const char* home = std::getenv("HOME");
  if (absolute(home)) return std::string(home) + "/.local/state/sotto/moves";
  return fail(Code::usage,
              "this machine cannot remember which devices it took in: set HOME or XDG_STATE_HOME");
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
