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
// One thread at a time; several processes may take turns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "device/vault_key.h"
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
};
[[nodiscard]] const char* to_string(RecordKind kind);

enum class Making : std::uint8_t { never, if_missing };

class SealedRecords {
 public:
  [[nodiscard]] static Result<SealedRecords> open(const std::string& path, const VaultKey& key,
                                                  Making making);

  [[nodiscard]] const std::string& path() const { return database_.path(); }
  [[nodiscard]] Result<std::optional<std::string>> get(RecordKind kind, std::string_view name) const;
  [[nodiscard]] Status put(RecordKind kind, std::string_view name, std::string_view value);
  [[nodiscard]] Status remove(RecordKind kind, std::string_view name);  // fine if there is none
  // Every record of a kind, in no order.
  using Each = std::function<Status(std::string_view name, std::string_view value)>;
  [[nodiscard]] Status each(RecordKind kind, const Each& each) const;
  // All that `work` does, or nothing. Inside another transaction it is part of that one.
  [[nodiscard]] Status transaction(const std::function<Status()>& work) {
    return database_.transaction(work);
  }
  // Takes the file's key out of the file: what remains opens for nobody, whoever has the other key.
  [[nodiscard]] Status destroy();

 private:
  struct Keys {
    Secret names;
    Secret values;
  };
  explicit SealedRecords(Database database) : database_(std::move(database)) {}
  [[nodiscard]] Status unlock(const VaultKey& key);
  void use(const Secret& file_key);
  [[nodiscard]] Bytes32 hashed(RecordKind kind, std::string_view name) const;
  [[nodiscard]] Bytes32 hashed(RecordKind kind) const;
  [[nodiscard]] Result<std::string> opened(RecordKind kind, const Bytes32& hash,
                                           std::string_view sealed) const;

  Database database_;
  std::unique_ptr<const Keys> keys_;
};

}  // namespace sotto::device
