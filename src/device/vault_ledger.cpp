// The vault's ledger: a record a line, and a signed head, written together.
#include <fmt/core.h>

#include "device/vault.h"

namespace sotto::device {

namespace {

LedgerKey key_of(const Secret& seed) { return LedgerKey(std::as_bytes(std::span(seed.on_device()))); }

}  // namespace

Result<std::unique_ptr<Vault>> Vault::open(const std::string& path, const VaultKey& key, Making making) {
  SOTTO_TRY(SealedRecords records, SealedRecords::open(path, key, making));
  std::unique_ptr<Vault> vault(new Vault(std::move(records)));
  SealedRecords& own = vault->records_;
  const Status begun = own.transaction([&]() -> Status {
    SOTTO_TRY(const auto kept, own.get(RecordKind::ledger_key, ""));
    SOTTO_TRY(const auto head, own.get(RecordKind::ledger_head, ""));
    // A ledger that had a key or a head is not begun anew.
    if (kept || head) return Done{};
    const Secret seed(system_key());
    SOTTO_TRY_DONE(own.put(RecordKind::ledger_key, "", bytes_in(seed)));
    const LedgerKey signing = key_of(seed);
    return own.put(RecordKind::ledger_head, "", LedgerHead(signing.public_key()).text(signing));
  });
  SOTTO_TRY_DONE(begun);
  return vault;
}

Result<LedgerKey> Vault::ledger_key() {
  SOTTO_TRY(std::optional<std::string> kept, records_.get(RecordKind::ledger_key, ""));
  const std::optional<Secret> seed = kept ? secret_in(*kept) : std::nullopt;
  if (!seed) return fail(Code::bad_input, fmt::format("{}: the key that signs the ledger is gone", path()));
  wipe(std::as_writable_bytes(std::span(*kept)));
  return key_of(*seed);
}

Result<LedgerHead> Vault::ledger_head(const LedgerKey& key) {
  SOTTO_TRY(const std::optional<std::string> text, records_.get(RecordKind::ledger_head, ""));
  if (!text) return fail(Code::bad_input, fmt::format("{}: the ledger's head is gone", path()));
  auto head = read_head(*text, key.public_key());
  if (!head.ok()) return chained(head.error(), path());
  return head;
}

Status Vault::append(const LedgerEntry& entry) {
  return records_.transaction([&]() -> Status {
    SOTTO_TRY(const LedgerKey key, ledger_key());
    SOTTO_TRY(LedgerHead head, ledger_head(key));
    const std::string line = head.append(entry, key);
    SOTTO_TRY_DONE(records_.put(RecordKind::ledger_line, std::to_string(head.lines()), line));
    return records_.put(RecordKind::ledger_head, "", head.text(key));
  });
}

Result<KeptLedger> Vault::ledger() {
  KeptLedger kept;
  // In one transaction, so that no line comes between.
  SOTTO_TRY_DONE(records_.transaction([&]() -> Status {
    SOTTO_TRY(const LedgerKey key, ledger_key());
    kept.public_key = key.public_key();
    SOTTO_TRY(const LedgerHead head, ledger_head(key));
    kept.head = head.text(key);
    for (std::uint64_t n = 1; n <= head.lines(); ++n) {
      SOTTO_TRY(const std::optional<std::string> line,
                records_.get(RecordKind::ledger_line, std::to_string(n)));
      if (!line) return fail(Code::bad_input, fmt::format("{}: line {} of the ledger is gone", path(), n));
      kept.lines += *line + '\n';
    }
    return Done{};
  }));
  return kept;
}

}  // namespace sotto::device
