// Vault: a person's private state at rest, encrypted, in one file (device/sealed_records.h says how, and what
// shows all the same).
//
// It holds who the device is, the policy, the interactions, labelled examples, what the person says of
// themself, the models with their catalogues, the private rows, the last rounds, the nonces, and the ledger
// with a signing key of its own.
// Laws: every change is one transaction: a process that dies at any write leaves the state before it or after
// it. Without a policy the person has not chosen: nothing is shared. A nonce given out is never given out
// again, whatever died. A vault that moved out (device/vault_move.h) gives out no nonce any more, so that
// nothing is signed. One thread at a time; one process at a time talks to a coordinator.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device_store.h"
#include "device/sealed_records.h"

namespace sotto::device {

// As it is kept: lines and head are the texts of privacy/ledger.h.
struct KeptLedger {
  std::string lines;
  std::string head;
  std::string public_key;
};

class Vault final : public DeviceStore {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Vault>> open(const std::string& path, const VaultKey& key,
                                                           Making making);
  [[nodiscard]] const std::string& path() const { return records_.path(); }

  // --- DeviceStore ---
  [[nodiscard]] Result<std::optional<Enrolment>> enrolment() override;
  [[nodiscard]] Result<PersonalPolicy> policy() override;
  [[nodiscard]] Result<std::string> homes() override;
  [[nodiscard]] Result<std::vector<KeptInteraction>> interactions() override;  // by name
  [[nodiscard]] Result<Attributes> attributes() override;
  // By collection and name; "": of all collections.
  [[nodiscard]] Result<std::vector<KeptExample>> examples(const std::string& collection) override;
  [[nodiscard]] Result<std::shared_ptr<const TaskCatalogue>> catalogue(const std::string& hash) override;
  [[nodiscard]] Result<std::optional<std::string>> packed_catalogue(const std::string& hash) override;
  [[nodiscard]] Status keep_catalogue(const std::string& hash, const std::string& packed) override;
  [[nodiscard]] Result<std::vector<std::string>> held_tasks() override;  // by name
  [[nodiscard]] Result<std::shared_ptr<const HeldModel>> model(const std::string& task) override;
  [[nodiscard]] Status keep_model(const std::string& task, std::shared_ptr<const HeldModel> model) override;
  [[nodiscard]] Result<std::optional<Private<RowMatrix>>> own_row(const std::string& task) override;
  [[nodiscard]] Result<std::optional<std::uint32_t>> last_round(const std::string& task) override;
  [[nodiscard]] Status note_answer(const Answer& answer) override;
  [[nodiscard]] Result<std::uint64_t> next_nonce(std::uint64_t at_least) override;

  // --- the person's ---
  [[nodiscard]] Status set_policy(const PersonalPolicy& policy);
  // One transaction; of an item that is there already nothing stays but what is given now.
  [[nodiscard]] Status add(std::span<const KeptInteraction> interactions);
  // Whether it was there.
  [[nodiscard]] Result<bool> remove(const std::string& item);
  // One transaction; each takes the place of what was said by its name, and an empty value removes that.
  // (What the tasks on this device ask is device/asked_attributes.h.)
  [[nodiscard]] Status say(std::span<const Attribute> attributes);
  // One transaction; an example takes the place of that of its name.
  [[nodiscard]] Status add(std::span<const KeptExample> examples);
  // Those of the collection with these names, or all of it; how many there were.
  [[nodiscard]] Result<std::size_t> remove_examples(const std::string& collection);
  [[nodiscard]] Result<std::size_t> remove_examples(const std::string& collection,
                                                    std::span<const std::string> names);
  [[nodiscard]] Result<KeptLedger> ledger();
  [[nodiscard]] Status append(const LedgerEntry& entry);

  // --- enrolment ---
  // What an enrolment is made of: the same until keep_enrolment() or drop_enrolment().
  [[nodiscard]] Result<Secret> enrolment_entropy();
  [[nodiscard]] Status keep_enrolment(const Enrolment& enrolment);
  [[nodiscard]] Status drop_enrolment();

  // --- the host's ---
  // Words of the program that uses the vault, such as its coordinator's address.
  [[nodiscard]] Result<std::optional<std::string>> note(const std::string& name);
  [[nodiscard]] Status set_note(const std::string& name, const std::string& text);
  // From now on it opens with the key that `make` gives, and with no other; `make` has it safe when it
  // returns.
  [[nodiscard]] Status change_key(const std::function<Result<VaultKey>()>& make) {
    return records_.change_key(make);
  }
  // No other process changes the vault, its key or where it lives, until `work` has returned.
  [[nodiscard]] Status alone(const std::function<Status()>& work) { return records_.transaction(work); }
  // Destroys the file's key, then the file. The vault is of no use afterwards.
  [[nodiscard]] static Status destroy(std::unique_ptr<Vault> vault);

 private:
  explicit Vault(SealedRecords records) : records_(std::move(records)) {}
  [[nodiscard]] Result<LedgerKey> ledger_key();
  [[nodiscard]] Result<LedgerHead> ledger_head(const LedgerKey& key);
  [[nodiscard]] Error damaged(RecordKind kind) const;
  // Of a catalogue that no task but this one has any more.
  [[nodiscard]] Status drop_catalogue(const std::string& hash, const std::string& of);

  SealedRecords records_;
  std::map<std::string, std::shared_ptr<const HeldModel>> models_;
  std::map<std::string, std::shared_ptr<const TaskCatalogue>> catalogues_;
  std::uint64_t nonce_ = 0;        // given out last
  std::uint64_t nonce_limit_ = 0;  // of the block: what is written
};

}  // namespace sotto::device
