// A DeviceStore in memory, for tests and for a process that plays many devices: what a device shares with the
// others of the process it looks at, what is its own is small.
//
// Laws: those of device/device_store.h, as long as the process lives.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <span>

#include "data/examples/examples.h"
#include "data/records.h"
#include "device/device_store.h"

namespace sotto::device {

// What the devices of one process hold in common: each catalogue and each version of a model once, and only
// the newest few versions: whose version is gone fetches in full. Thread-safe.
class SharedShelf {
 public:
  [[nodiscard]] std::shared_ptr<const TaskCatalogue> catalogue(const std::string& hash);
  [[nodiscard]] Status keep_catalogue(const std::string& hash, const std::string& packed);
  // A version that some device has decoded already. It is named by the hash of its bytes.
  [[nodiscard]] std::shared_ptr<const HeldModel> model(const std::string& version);
  void keep_model(const std::shared_ptr<const HeldModel>& model);

 private:
  static constexpr std::size_t most_models = 16;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const TaskCatalogue>> catalogues_;
  std::deque<std::shared_ptr<const HeldModel>> models_;  // the newest last
};

// The person behind one device; everything outlives it.
struct MemoryPerson {
  std::span<const ItemIndex> items;
  const IdTable* names = nullptr;  // of the items; null: numbers
  const PersonalPolicy* policy = nullptr;
  std::vector<LedgerEntry>* ledger = nullptr;  // where lines are written; null: nowhere
  // Their order in time (data/histories.h), and the records of the split that they are the training part of,
  // theirs from `first` on; where there are some.
  std::span<const std::uint16_t> ages = {};
  const Records* records = nullptr;
  std::uint64_t first = 0;
  // Their labelled examples, at these places of all, ascending; their names are the places.
  const Examples* examples = nullptr;
  std::span<const std::uint32_t> places = {};
  std::string collection = {};
  Attributes attributes = {};
};

class MemoryDeviceStore final : public DeviceStore {
 public:
  MemoryDeviceStore(SharedShelf& shelf, const MemoryPerson& person) : shelf_(shelf), person_(person) {}

  void keep_enrolment(const Enrolment& enrolment) { enrolment_ = enrolment; }
  // A device that lost its models: it fetches them in full.
  void drop_models();

  [[nodiscard]] Result<std::optional<Enrolment>> enrolment() override { return enrolment_; }
  [[nodiscard]] Result<PersonalPolicy> policy() override { return *person_.policy; }
  [[nodiscard]] Result<std::vector<KeptInteraction>> interactions() override;
  [[nodiscard]] Result<Attributes> attributes() override { return person_.attributes; }
  [[nodiscard]] Result<std::vector<KeptExample>> examples(const std::string& collection) override;
  [[nodiscard]] Result<std::shared_ptr<const TaskCatalogue>> catalogue(const std::string& hash) override;
  [[nodiscard]] Status keep_catalogue(const std::string& hash, const std::string& packed) override;
  [[nodiscard]] Result<std::vector<std::string>> held_tasks() override;
  [[nodiscard]] Result<std::shared_ptr<const HeldModel>> model(const std::string& task) override;
  [[nodiscard]] Status keep_model(const std::string& task, std::shared_ptr<const HeldModel> model) override;
  [[nodiscard]] Result<std::optional<Private<RowMatrix>>> own_row(const std::string& task) override;
  [[nodiscard]] Result<std::optional<std::uint32_t>> last_round(const std::string& task) override;
  [[nodiscard]] Status note_answer(const Answer& answer) override;
  [[nodiscard]] Result<std::uint64_t> next_nonce(std::uint64_t at_least) override;

 private:
  struct TaskState {
    std::string name;
    std::weak_ptr<const HeldModel> model;  // as long as the shelf has it
    std::optional<std::uint32_t> last_round;
    std::optional<Private<RowMatrix>> own;
  };
  [[nodiscard]] TaskState& state(const std::string& task);

  SharedShelf& shelf_;
  MemoryPerson person_;
  std::optional<Enrolment> enrolment_;
  std::vector<TaskState> tasks_;  // a handful
  std::uint64_t nonce_ = 0;
};

}  // namespace sotto::device
