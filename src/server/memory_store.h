// For tests: a Store in memory, with a switch that makes it fail as a full disk does.
#pragma once

#include <algorithm>
#include <map>

#include "server/store.h"

namespace sotto {

class MemoryStore final : public Store {
 public:
  // So many more changes succeed; then all fail. Below 0: none fails.
  int writes_left = -1;

  Result<std::vector<TaskRecord>> tasks() override {
    std::vector<TaskRecord> all;
    for (const auto& [name, task] : tasks_) all.push_back(task);
    return all;
  }
  Status add_task(const TaskRecord& task, const VersionRecord& start) override {
    SOTTO_TRY_DONE(write());
    if (tasks_.contains(task.name) || !blobs_.contains(start.master))
      return fail(Code::bad_input, "bad task");
    tasks_[task.name] = task;
    versions_[task.name] = {start};
    return Done{};
  }
  Status set_task_state(const std::string& task, TaskState state) override {
    SOTTO_TRY_DONE(write());
    tasks_.at(task).state = state;
    return Done{};
  }
  Status open_round(const RoundRecord& round) override {
    SOTTO_TRY_DONE(write());
    if (round.round < tasks_.at(round.task).next_round) return fail(Code::bad_input, "a number given before");
    tasks_.at(round.task).next_round = round.round + 1;
    rounds_[round.task][round.round] = round;
    return Done{};
  }
  Status commit_round(const RoundRecord& round, const VersionRecord& version,
                      const std::string& budget) override {
    SOTTO_TRY_DONE(write());
    SOTTO_TRY_DONE(close(round));
    if (version.number != versions_.at(round.task).size() || !blobs_.contains(version.master))
      return fail(Code::bad_input, "bad version");
    versions_.at(round.task).push_back(version);
    tasks_.at(round.task).budget = budget;
    return Done{};
  }
  Status abandon_round(const RoundRecord& round) override {
    SOTTO_TRY_DONE(write());
    return close(round);
  }
  Result<std::vector<RoundRecord>> rounds(const std::string& task, std::size_t most) override {
    std::vector<RoundRecord> all;
    for (const auto& [number, round] : rounds_[task]) all.insert(all.begin(), round);
    if (all.size() > most) all.resize(most);
    return all;
  }
  Result<std::vector<VersionRecord>> versions(const std::string& task, std::size_t most) override {
    std::vector<VersionRecord> all = versions_[task];
    std::reverse(all.begin(), all.end());
    if (all.size() > most) all.resize(most);
    return all;
  }
  Result<std::vector<RoundRecord>> open_rounds() override {
    std::vector<RoundRecord> all;
    for (const auto& [task, rounds] : rounds_)
      for (const auto& [number, round] : rounds)
        if (round.state == RoundState::open) all.push_back(round);
    return all;
  }

  Status add_tokens(std::span<const std::string> hashes) override {
    SOTTO_TRY_DONE(write());
    for (const std::string& hash : hashes) tokens_[hash] = std::nullopt;
    return Done{};
  }
  Result<DeviceRecord> enrol(const std::string& token_hash, const PublicKey& key,
                             std::int64_t now_ms) override {
    SOTTO_TRY_DONE(write());
    const auto token = tokens_.find(token_hash);
    const DeviceId id = device_id(key);
    if (token == tokens_.end() || (token->second && *token->second != id))
      return fail(Code::not_found, "no such token");
    token->second = id;
    if (!devices_.contains(id))
      devices_[id] = {.id = id, .key = key, .index = next_index_++, .enrolled_ms = now_ms};
    return devices_.at(id);
  }
  Status each_device(const std::function<void(const DeviceRecord&)>& each) override {
    for (const auto& [id, device] : devices_) each(device);
    return Done{};
  }
  Status revoke(const DeviceId& id) override {
    SOTTO_TRY_DONE(write());
    devices_.at(id).revoked = true;
    return Done{};
  }
  Status forget(const DeviceId& id) override {
    SOTTO_TRY_DONE(write());
    devices_.erase(id);
    return Done{};
  }
  Status note_seen(std::span<const Seen> seen) override {
    SOTTO_TRY_DONE(write());
    for (const Seen& one : seen)
      if (devices_.contains(one.id)) devices_.at(one.id).last_seen_ms = one.time_ms;
    return Done{};
  }

  Result<std::string> put_blob(std::string_view bytes) override {
    SOTTO_TRY_DONE(write());
    blobs_[blob_hash(bytes)] = std::string(bytes);
    return blob_hash(bytes);
  }
  Result<std::string> blob(const std::string& hash) override {
    if (!blobs_.contains(hash)) return fail(Code::not_found, "no such blob");
    return blobs_.at(hash);
  }
  Status keep_blobs(std::span<const std::string> hashes) override {
    SOTTO_TRY_DONE(write());
    std::erase_if(blobs_, [&](const auto& one) { return std::ranges::count(hashes, one.first) == 0; });
    return Done{};
  }

 private:
  Status write() {
    if (writes_left == 0) return fail(Code::io, "the disk is full");
    if (writes_left > 0) --writes_left;
    return Done{};
  }
  Status close(const RoundRecord& round) {
    RoundRecord& own = rounds_.at(round.task).at(round.round);
    if (own.state != RoundState::open) return fail(Code::bad_input, "the round is not open");
    own = round;
    return Done{};
  }

  std::map<std::string, TaskRecord> tasks_;
  std::map<std::string, std::map<std::uint32_t, RoundRecord>> rounds_;
  std::map<std::string, std::vector<VersionRecord>> versions_;
  std::map<std::string, std::optional<DeviceId>> tokens_;
  std::map<DeviceId, DeviceRecord> devices_;
  std::uint32_t next_index_ = 0;
  std::map<std::string, std::string> blobs_;
};

}  // namespace sotto
