#include "lab/device_folder.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>

#include "lab/consent_file.h"

namespace sotto {

namespace fs = std::filesystem;

namespace {

using Seed = std::array<std::byte, LedgerKey::seed_bytes>;

Status write_private(const fs::path& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text)), Privacy::owner_only);
}

Status make_key(const DeviceFolder& folder) {
  if (sodium_init() < 0) return fail(Code::io, "the system gives no random numbers: no key can be made");
  Seed seed;
  randombytes_buf(seed.data(), seed.size());
  std::array<char, 2 * LedgerKey::seed_bytes + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), reinterpret_cast<const unsigned char*>(seed.data()), seed.size());
  const std::string open = LedgerKey(seed).public_key();
  Status done = write_private(folder.path() / "device.key", {hex.data(), hex.size() - 1});
  sodium_memzero(seed.data(), seed.size());
  sodium_memzero(hex.data(), hex.size());
  SOTTO_TRY_DONE(done);
  return write_file(folder.path() / "device.pub", open + "\n");
}

std::string without_line_end(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

}  // namespace

Status DeviceFolder::prepare() const {
  SOTTO_TRY_DONE(make_folder(path_));
  SOTTO_TRY(const bool has_key, is_there(path_ / "device.key"));
  SOTTO_TRY(const bool has_ledger, is_there(path_ / "ledger.tsv"));
  if (has_key && has_ledger) return Done{};
  if (has_ledger)
    return fail(Code::bad_input, fmt::format("{}: there is a ledger, but not the key that signs it "
                                             "(device.key): put it back, or begin in another folder",
                                             path_.string()));
  SOTTO_TRY(const bool has_head, is_there(path_ / "ledger.head"));
  if (!has_key && !has_head) SOTTO_TRY_DONE(make_key(*this));
  SOTTO_TRY(const LedgerKey own, key());
  const std::string empty_head = LedgerHead(own.public_key()).text(own);
  if (has_head) {
    SOTTO_TRY(const std::string head, head_text());
    if (head != empty_head)
      return fail(Code::bad_input,
                  fmt::format("{}: the ledger is gone (ledger.tsv), and its head says that it had lines: put "
                              "it back, or begin in another folder",
                              path_.string()));
  }
  SOTTO_TRY_DONE(write_private(path_ / "ledger.head", empty_head));
  return write_private(path_ / "ledger.tsv", "");
}

Result<PersonalPolicy> DeviceFolder::policy() const {
  SOTTO_TRY(const bool there, is_there(policy_path()));
  if (there) {
    SOTTO_TRY(const std::string text, read_text(policy_path()));
    return read_policy(text, policy_path().string());
  }
  PersonalPolicy closed;
  SOTTO_TRY_DONE(set_level(closed, "closed"));
  return closed;
}

Status DeviceFolder::set_policy(const PersonalPolicy& policy) const {
  SOTTO_TRY_DONE(make_folder(path_));
  return write_private(policy_path(), to_toml(policy));
}

Result<std::string> DeviceFolder::public_key() const {
  SOTTO_TRY(const std::string text, read_text(path_ / "device.pub"));
  return without_line_end(text);
}

Result<LedgerKey> DeviceFolder::key() const {
  const fs::path path = path_ / "device.key";
  std::error_code error;
  const fs::perms perms = fs::status(path, error).permissions();
  if (!error && (perms & (fs::perms::group_all | fs::perms::others_all)) != fs::perms::none)
    return fail(Code::bad_input,
                fmt::format("{}: others may read the device's key: close it with 'chmod 600', and make a new "
                            "device folder if somebody did",
                            path.string()));
  SOTTO_TRY(std::string text, read_text(path));
  Seed seed;
  std::size_t found = 0;
  const bool read = sodium_hex2bin(reinterpret_cast<unsigned char*>(seed.data()), seed.size(), text.data(),
                                   text.size(), " \r\n", &found, nullptr) == 0;
  sodium_memzero(text.data(), text.size());
  if (!read || found != seed.size())
    return fail(Code::bad_input, fmt::format("{}: this is not a device's key", path.string()));
  LedgerKey made(seed);
  sodium_memzero(seed.data(), seed.size());
  return made;
}

Result<std::string> DeviceFolder::ledger_text() const { return read_text(path_ / "ledger.tsv"); }
Result<std::string> DeviceFolder::head_text() const { return read_text(path_ / "ledger.head"); }

Result<LedgerReading> DeviceFolder::ledger(const std::string& public_key) const {
  SOTTO_TRY(const std::string text, ledger_text());
  SOTTO_TRY(const std::string head, head_text());
  SOTTO_TRY(const std::string own, public_key.empty() ? this->public_key() : Result<std::string>(public_key));
  auto reading = read_ledger(text, head, own);
  if (!reading.ok()) return chained(reading.error(), path_.string());
  return reading;
}

LedgerFile::LedgerFile(AppendFile file, LedgerKey key, LedgerHead head, fs::path head_path)
    : file_(std::move(file)),
      key_(std::move(key)),
      head_(std::move(head)),
      head_path_(std::move(head_path)) {}

Result<LedgerFile> LedgerFile::open(const DeviceFolder& folder) {
  SOTTO_TRY_DONE(folder.prepare());
  SOTTO_TRY(LedgerKey key, folder.key());
  SOTTO_TRY(const LedgerReading reading, folder.ledger(key.public_key()));
  SOTTO_TRY(AppendFile file, AppendFile::open(folder.path() / "ledger.tsv", reading.head.lines()));
  LedgerFile ledger(std::move(file), std::move(key), reading.head, folder.path() / "ledger.head");
  if (reading.torn)
    ledger.mended_ = "the ledger's last line was not whole (a crash while writing): it was removed";
  if (reading.head_behind) {
    ledger.mended_ = "the ledger's head was one line behind (a crash while writing): it was brought up";
    SOTTO_TRY_DONE(write_private(ledger.head_path_, ledger.head_.text(ledger.key_)));
  }
  return ledger;
}

Status LedgerFile::append(const LedgerEntry& entry) {
  SOTTO_TRY_DONE(file_.line(head_.append(entry, key_)));
  SOTTO_TRY_DONE(file_.flush());
  return write_private(head_path_, head_.text(key_));
}

}  // namespace sotto
