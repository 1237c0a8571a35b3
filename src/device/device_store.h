// DeviceStore: all that one device keeps for its person. The encrypted vault (device/vault.h) is one; a fleet
// that plays thousands of devices keeps theirs in memory.
//
// Laws: what note_answer() was given is durable when it returns, and is written before anything leaves: a
// device that dies afterwards has answered that round and does not answer it again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/private.h"
#include "base/result.h"
#include "base/row_matrix.h"
#include "data/ids.h"
#include "fed/wire/catalogue.h"
#include "fed/wire/signed_request.h"
#include "privacy/ledger.h"
#include "privacy/personal_policy.h"

namespace sotto::device {

// One thing that a person has, with what was recorded beside it.
struct KeptInteraction {
  std::string item;
  std::optional<double> rating = {};
  std::optional<std::int64_t> time_ms = {};                        // since 1970, or a rank
  std::vector<std::pair<std::string, std::string>> contexts = {};  // name and value: "weather", "rain"

  bool operator==(const KeptInteraction&) const = default;
};

// What a person says of themself, each name once: {"age", "25-34"}.
using Attribute = std::pair<std::string, std::string>;
using Attributes = std::vector<Attribute>;

// A labelled example, in a collection of its kind: a picture with what it shows.
struct KeptExample {
  std::string collection = {};  // "digits"
  std::string name = {};        // each once in a collection
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::uint32_t label = 0;        // the number of its class
  std::optional<bool> mark = {};  // whether it has the quality that a criterion asks for; none: not known
  std::vector<std::uint8_t> values = {};  // height · width

  bool operator==(const KeptExample&) const = default;
};

// A model a device holds: the decoded rows and the version's name. Devices in one process may share one.
// Where a device took part and has not received a version yet, it has the task's name and spec alone.
struct HeldModel {
  [[nodiscard]] bool has_version() const { return !version.empty(); }

  std::string version;  // Assignment.version
  std::string encoded;  // what a delta is applied to
  RowMatrix rows;
  std::string spec = {};       // blob_hash of the encoded TaskSpec it came with: a task changes by its items
  std::string task = {};       // the encoded TaskSpec; empty: kept when there was FPL alone
  std::string catalogue = {};  // hash of the blob with its items' names; empty: their numbers are their names
};

// What a device is to its coordinator, since it enrolled.
struct Enrolment {
  Secret identity_seed;  // of its Ed25519 key
  std::uint32_t index = 0;
  std::uint64_t own_seed = 0;  // of its random streams where tasks are not reproducible
};

// An answer that is about to leave.
struct Answer {
  std::string task;
  std::uint32_t round = 0;
  Private<RowMatrix>* own = nullptr;  // the private row after the fit; null: it stays as it was
  LedgerEntry ledger;
  bool said = true;  // false: nothing leaves, and the ledger gets no line
  std::optional<std::pair<std::string, std::uint32_t>> beside = {};  // another round that is noted with it
};

class DeviceStore {
 public:
  DeviceStore() = default;
  DeviceStore(const DeviceStore&) = delete;
  DeviceStore& operator=(const DeviceStore&) = delete;
  virtual ~DeviceStore() = default;

  [[nodiscard]] virtual Result<std::optional<Enrolment>> enrolment() = 0;
  [[nodiscard]] virtual Result<PersonalPolicy> policy() = 0;
  // As a check-in says them: a number for each machine that the device moved to; empty: it never did.
  [[nodiscard]] virtual Result<std::string> homes() { return std::string(); }
  // What the person has, each item once, in no order.
  [[nodiscard]] virtual Result<std::vector<KeptInteraction>> interactions() = 0;
  [[nodiscard]] virtual Result<Attributes> attributes() = 0;
  // The labelled examples of a collection, each name once, in no order.
  [[nodiscard]] virtual Result<std::vector<KeptExample>> examples(const std::string& collection) = 0;
  // The items alone.
  [[nodiscard]] Result<std::vector<std::string>> items() {
    SOTTO_TRY(std::vector<KeptInteraction> all, interactions());
    std::vector<std::string> names;
    names.reserve(all.size());
    for (KeptInteraction& one : all) names.push_back(std::move(one.item));
    return names;
  }
  // The catalogue of a task by the hash of its blob; none: not fetched yet. Shared, it may be large.
  [[nodiscard]] virtual Result<std::shared_ptr<const TaskCatalogue>> catalogue(const std::string& hash) = 0;
  // As it was kept, to fetch no more than what came since; none: it is fetched whole.
  [[nodiscard]] virtual Result<std::optional<std::string>> packed_catalogue(const std::string& /*hash*/) {
    return std::optional<std::string>();
  }
  [[nodiscard]] virtual Status keep_catalogue(const std::string& hash, const std::string& packed) = 0;
  // The tasks it holds a model of; who cannot list them is sent models in full.
  [[nodiscard]] virtual Result<std::vector<std::string>> held_tasks() { return std::vector<std::string>(); }
  [[nodiscard]] virtual Result<std::shared_ptr<const HeldModel>> model(const std::string& task) = 0;
  [[nodiscard]] virtual Status keep_model(const std::string& task,
                                          std::shared_ptr<const HeldModel> model) = 0;
  // The private row; none: the device has not taken part yet.
  [[nodiscard]] virtual Result<std::optional<Private<RowMatrix>>> own_row(const std::string& task) = 0;
  // The last round answered; none: none.
  [[nodiscard]] virtual Result<std::optional<std::uint32_t>> last_round(const std::string& task) = 0;
  [[nodiscard]] virtual Status note_answer(const Answer& answer) = 0;
  // The last nonce given out rises above `at_least` and every earlier one. (A vault gives them out in
  // blocks.)
  [[nodiscard]] virtual Result<std::uint64_t> next_nonce(std::uint64_t at_least) = 0;
};

}  // namespace sotto::device
