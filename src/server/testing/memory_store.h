// For tests: the PlainStore with a switch that makes it fail as a full disk does.
#pragma once

#include <functional>
#include <mutex>

#include "server/testing/plain_store.h"

namespace sotto::server {

class MemoryStore final : public Store {
 public:
  // So many more changes succeed, then all fail; and so many calls of any kind. Below 0: none fails.
  int writes_left = -1;
  int calls_left = -1;
  // So many more changes are answered; then they are made, and say that they failed.
  int answers_left = -1;
  int figures_read = 0;                       // how often somebody asked for them
  std::function<void()> before_blob = [] {};  // whenever one is put

  Result<std::vector<TaskRecord>> tasks() override {
    return look([&] { return plain_.tasks(); });
  }
  Status add_task(const TaskRecord& task, const VersionRecord& start) override {
    return change([&] { return plain_.add_task(task, start); });
  }
  Status set_task_state(const std::string& task, TaskState state) override {
    return change([&] { return plain_.set_task_state(task, state); });
  }
  Status open_round(const RoundRecord& round) override {
    return change([&] { return plain_.open_round(round); });
  }
  Status commit_round(const RoundRecord& round, const VersionRecord& version,
                      const std::string& budget) override {
    return change([&] { return plain_.commit_round(round, version, budget); });
  }
  Status grow_task(const std::string& spec, const VersionRecord& version) override {
    return change([&] { return plain_.grow_task(spec, version); });
  }
  Status release_again(const VersionRecord& version) override {
    return change([&] { return plain_.release_again(version); });
  }
  Status promote(const std::string& task, std::uint32_t version) override {
    return change([&] { return plain_.promote(task, version); });
  }
  Status abandon_round(const RoundRecord& round, const std::string& budget) override {
    return change([&] { return plain_.abandon_round(round, budget); });
  }
  Result<std::vector<RoundRecord>> rounds(const std::string& task, std::size_t most) override {
    return look([&] { return plain_.rounds(task, most); });
  }
  Result<std::vector<VersionRecord>> versions(const std::string& task, std::size_t most) override {
    return look([&] { return plain_.versions(task, most); });
  }
  Result<std::vector<RoundRecord>> open_rounds() override {
    return look([&] { return plain_.open_rounds(); });
  }

  Status add_evaluation(const EvaluationRecord& evaluation) override {
    return change([&] { return plain_.add_evaluation(evaluation); });
  }
  Result<std::vector<EvaluationRecord>> evaluations(const std::string& task, std::size_t most) override {
    ++figures_read;
    return look([&] { return plain_.evaluations(task, most); });
  }

  Status add_tokens(std::span<const std::string> hashes) override {
    return change([&] { return plain_.add_tokens(hashes); });
  }
  Result<DeviceRecord> enrol(const std::string& token_hash, const PublicKey& key,
                             std::int64_t now_ms) override {
    return change([&] { return plain_.enrol(token_hash, key, now_ms); });
  }
  Status each_device(const std::function<void(const DeviceRecord&)>& each) override {
    return look([&] { return plain_.each_device(each); });
  }
  Status set_revoked(const DeviceId& id, bool revoked) override {
    return change([&] { return plain_.set_revoked(id, revoked); });
  }
  Status set_home(const DeviceId& id, const DeviceHome& home) override {
    return change([&] { return plain_.set_home(id, home); });
  }
  Status forget(const DeviceId& id) override {
    return change([&] { return plain_.forget(id); });
  }
  Status note_seen(std::span<const Seen> seen) override {
    return change([&] { return plain_.note_seen(seen); });
  }

  Result<std::string> put_blob(std::string_view bytes) override {
    before_blob();
    return change([&] { return plain_.put_blob(bytes); });
  }
  Result<std::string> blob(const std::string& hash) override {
    return look([&] { return plain_.blob(hash); });
  }
  Status keep_blobs(std::span<const std::string> hashes) override {
    return change([&] { return plain_.keep_blobs(hashes); });
  }

 private:
  template <class Look>
  auto look(const Look& at) -> decltype(at()) {
    const std::lock_guard hold(one_at_a_time_);
    if (calls_left == 0) return fail(Code::io, "the disk does not answer");
    if (calls_left > 0) --calls_left;
    return at();
  }
  template <class Change>
  auto change(const Change& make) -> decltype(make()) {
    return look([&]() -> decltype(make()) {
      if (writes_left == 0) return fail(Code::io, "the disk is full");
      if (writes_left > 0) --writes_left;
      auto made = make();
      if (answers_left == 0) return fail(Code::io, "the disk does not answer");
      if (answers_left > 0) --answers_left;
      return made;
    });
  }

  std::mutex one_at_a_time_;
  PlainStore plain_;
};

}  // namespace sotto::server
