// SealedRecords: records in one SQLite file, each sealed under its name. What a vault is made of.
//
// A record's value is XChaCha20-Poly1305 under a key of the file's own, with the record's name as associated
// data; the file's key lies in the file, sealed under the one that opens it. Names are keyed hashes.
// Laws: what put() and remove() did is durable and whole when the outermost transaction returns, or has not
// happened; a wrong key, a changed byte and a record under another's name are refused, and said which kind of
// record it was. The file is 0600 from its first byte on.
// What shows to one who has the file and not the key: how many records of each (unnamed) kind there are and
// the length of each in steps of 256 bytes or an eighth, whichever is more; when the file last changed; and
// with two copies of different days, which records changed between them.
// What is not found: an older sealed value of the same record put back, and a record that was removed.
// One thread at a time; several processes may take turns: one that has the file open while another changes
// its key or moves it out is refused from then on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "device/vault_key.h"
#include "device/vault_opening.h"
#include "storage/database.h"

namespace sotto::device {

// Numbers that were given are never used for anything else.
enum class RecordKind : std::uint8_t {
  identity = 1,
  policy = 2,
  item = 3,
  model = 4,
  catalogue = 5,
  own_row = 6,
  last_round = 7,
  nonce = 8,
  ledger_key = 9,
  ledger_line = 10,
  ledger_head = 11,
  note = 12,
  task = 13,
  homes = 14,
  example = 15,
  attributes = 16,
};
[[nodiscard]] const char* to_string(RecordKind kind);

enum class Making : std::uint8_t { never, if_missing };
// What a vault is opened for: one that moved out is written to its file once more, one that is moving in
// arrives.
enum class OpenFor : std::uint8_t { use, move_out, arrival };

// What can be seen of a vault without its key.
struct VaultState {
  std::optional<Residence> residence;  // none: it is not there, never filled, or destroyed
  std::optional<MoveId> move;          // its last one
  Bytes32 mark{};                      // of its file's key: another vault, or another key, has another one
};

class SealedRecords {
 public:
  [[nodiscard]] static Result<SealedRecords> open(const std::string& path, const VaultKey& key, Making making,
                                                  OpenFor purpose = OpenFor::use);
  [[nodiscard]] static Result<VaultState> look(const std::string& path);
  // What `fill` puts, under a new key of the file's own, in place of all that was there: whole, or not at
  // all. It is moving in.
  [[nodiscard]] static Result<SealedRecords> refill(const std::string& path, const VaultKey& key,
                                                    const MoveId& move,
                                                    const std::function<Status(SealedRecords&)>& fill);

  [[nodiscard]] const std::string& path() const { return database_.path(); }
  [[nodiscard]] Result<std::optional<std::string>> get(RecordKind kind, std::string_view name) const;
  [[nodiscard]] Status put(RecordKind kind, std::string_view name, std::string_view value);
  [[nodiscard]] Status remove(RecordKind kind, std::string_view name);  // fine if there is none
  // Every record of a kind, in no order.
  using Each = std::function<Status(std::string_view name, std::string_view value)>;
  [[nodiscard]] Status each(RecordKind kind, const Each& each) const;
  // Every record of every kind, of kinds that only later versions know too.
  using EachOfAll = std::function<Status(RecordKind kind, std::string_view name, std::string_view value)>;
  [[nodiscard]] Status each(const EachOfAll& each) const;
  // All that `work` does, or nothing. Inside another transaction it is part of that one.
  [[nodiscard]] Status transaction(const std::function<Status()>& work);
  // Fails if the vault was moved out, destroyed or given another key since it was opened.
  [[nodiscard]] Status check_current() const;

  // Seals every record anew, under a new key of the file's own: whoever had the old key and an old copy of
  // the file opens no later one. `make` has the new key safe before anything is written.
  [[nodiscard]] Status change_key(const std::function<Result<VaultKey>()>& make);
  [[nodiscard]] Result<VaultState> state() const;
  [[nodiscard]] Status move_out(const MoveId& move);  // it answers no more; fine if it did not before
  [[nodiscard]] Status arrive();                      // it answers from now on
  // Takes the file's key out of the file: what remains opens for nobody, whoever has the other key.
  [[nodiscard]] Status destroy();

 private:
  struct Keys {
    Secret names;
    Secret values;

    [[nodiscard]] Bytes32 hashed(RecordKind kind, std::string_view name) const;
    [[nodiscard]] Bytes32 hashed(RecordKind kind) const;
  };
  explicit SealedRecords(Database database) : database_(std::move(database)) {}
  [[nodiscard]] VaultOpening opening() const { return VaultOpening(database_); }
  // Opens as what lives at `residence`.
  [[nodiscard]] Status unlock(const VaultKey& key, Residence residence);
  void use(const Secret& file_key, Residence residence, const std::string& sealed_key);
  [[nodiscard]] Error not_here(std::optional<Residence> residence) const;
  [[nodiscard]] Status put_under(const Keys& keys, RecordKind kind, std::string_view name,
                                 std::string_view value);
  [[nodiscard]] Result<std::string> opened(RecordKind kind, const Bytes32& hash,
                                           std::string_view sealed) const;
  [[nodiscard]] Status visit(RecordKind kind, std::string_view kept_name, std::string_view sealed,
                             const Each& each) const;
  // Out of the log too, which is emptied: old pages are overwritten by those that hold zeros.
  [[nodiscard]] Status overwrite_removed() const;

  Database database_;
  std::unique_ptr<const Keys> keys_;
  Residence residence_ = Residence::here;
  std::string sealed_key_;  // as it was when this opened
};

}  // namespace sotto::device
