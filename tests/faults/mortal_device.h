// A device that can die: between any two of its requests and of its writes. What it kept is there when it
// comes back; what was in its memory is not.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "device/enrol.h"
#include "device/exchange.h"
#include "device/memory_device_store.h"

namespace sotto::tests {

// A device store whose device may die before or after each write. `lives` is asked at both moments.
class MortalDeviceStore final : public DeviceStore {
 public:
  MortalDeviceStore(DeviceStore& kept, std::function<bool()> lives) : kept_(kept), lives_(std::move(lives)) {}

  Result<std::optional<Enrolment>> enrolment() override { return kept_.enrolment(); }
  Result<PersonalPolicy> policy() override { return kept_.policy(); }
  Result<std::vector<KeptInteraction>> interactions() override { return kept_.interactions(); }
  Result<Attributes> attributes() override { return kept_.attributes(); }
  Result<std::vector<KeptExample>> examples(const std::string& collection) override {
    return kept_.examples(collection);
  }
  Result<std::shared_ptr<const TaskCatalogue>> catalogue(const std::string& hash) override {
    return kept_.catalogue(hash);
  }
  Status keep_catalogue(const std::string& hash, const std::string& packed) override {
    return written([&] { return kept_.keep_catalogue(hash, packed); });
  }
  Result<std::vector<std::string>> held_tasks() override { return kept_.held_tasks(); }
  Result<std::shared_ptr<const HeldModel>> model(const std::string& task) override {
    return kept_.model(task);
  }
  Status keep_model(const std::string& task, std::shared_ptr<const HeldModel> model) override {
    return written([&] { return kept_.keep_model(task, std::move(model)); });
  }
  Result<std::optional<Private<RowMatrix>>> own_row(const std::string& task) override {
    return kept_.own_row(task);
  }
  Result<std::optional<std::uint32_t>> last_round(const std::string& task) override {
    return kept_.last_round(task);
  }
  Status note_answer(const Answer& answer) override {
    return written([&] { return kept_.note_answer(answer); });
  }
  Result<std::uint64_t> next_nonce(std::uint64_t at_least) override { return kept_.next_nonce(at_least); }

 private:
  template <class Write>
  Status written(const Write& write) {
    if (!lives_()) return fail(Code::io, "the device is dead");
    SOTTO_TRY_DONE(write());
    if (!lives_()) return fail(Code::io, "the device is dead");
    return Done{};
  }

  DeviceStore& kept_;
  std::function<bool()> lives_;
};

// `lives` as above; `carry` takes a request over the network.
class MortalWire final : public Transport {
 public:
  using Carry = std::function<Result<std::string>(Method, const std::string&)>;
  MortalWire(std::function<bool()> lives, Carry carry) : lives_(std::move(lives)), carry_(std::move(carry)) {}

  Result<std::string> call(Method method, const std::string& request) override {
    if (!lives_()) return fail(Code::io, "the device is dead");
    auto reply = carry_(method, request);
    if (!lives_()) return fail(Code::io, "the device is dead");
    return reply;
  }

 private:
  std::function<bool()> lives_;
  Carry carry_;
};

struct MortalDevice {
  std::vector<ItemIndex> history;
  Records records;    // of the history
  Examples examples;  // one a thing, of classes by their numbers
  std::vector<std::uint32_t> places;
  std::string token;
  Secret entropy;
  std::int64_t clock_off_ms = 0;
  std::int64_t next_ms = 0;
  std::int64_t cut_off_until_ms = 0;
  bool is_enrolled = false;
  bool is_dead = false;
  std::unique_ptr<MemoryDeviceStore> kept;
  std::unique_ptr<MortalDeviceStore> mortal;
  std::unique_ptr<MortalWire> wire;
  std::unique_ptr<Exchange> exchange;
};

}  // namespace sotto::tests
