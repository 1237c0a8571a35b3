// PlainStore: the laws of Store over ordinary containers, as plainly as they can be written. It forgets all
// when it ends: tests compare the durable one with it, and drive a coordinator on it.
#pragma once

#include <algorithm>
#include <map>

#include "server/testing/plain_blobs.h"
#include "server/testing/plain_evaluations.h"
#include "server/testing/plain_people.h"

namespace sotto::server {

class PlainStore final : public Store {
 public:
  Result<std::vector<TaskRecord>> tasks() override {
    std::vector<TaskRecord> all;
    for (const auto& [name, task] : tasks_) all.push_back(task);
    return all;
  }
  Status add_task(const TaskRecord& task, const VersionRecord& start) override {
    if (start.task != task.name || start.number != 0 || tasks_.contains(task.name)) return refused();
    if (!blobs_.has(start.master)) return plain_missing();
    tasks_[task.name] = task;
    versions_[task.name] = {start};
    return Done{};
  }
  Status set_task_state(const std::string& task, TaskState state) override {
    if (!tasks_.contains(task)) return plain_missing();
    tasks_[task].state = state;
    return Done{};
  }
  Status open_round(const RoundRecord& round) override {
    if (!tasks_.contains(round.task)) return plain_missing();
    std::uint32_t& next = tasks_[round.task].next_round;
    if (round.round < next) return refused();
    next = round.round + 1;
    set(round, RoundState::open);
    return Done{};
  }
  Status commit_round(const RoundRecord& round, const VersionRecord& version,
                      const std::string& budget) override {
    if (version.task != round.task || version.round != round.round || !is_open(round)) return refused();
    SOTTO_TRY_DONE(add_version(version));
    set(round, RoundState::committed);
    tasks_[round.task].budget = budget;
    return Done{};
  }
  Status grow_task(const std::string& spec, const VersionRecord& version) override {
    if (!tasks_.contains(version.task)) return plain_missing();
    SOTTO_TRY_DONE(add_version(version));
    tasks_[version.task].spec = spec;
    return Done{};
  }
  Status release_again(const VersionRecord& version) override {
    const auto all = versions_.find(version.task);
    if (all == versions_.end() || !version.again || *version.again >= all->second.size()) return refused();
    const VersionRecord& before = all->second[*version.again];
    if (before.master != version.master || before.model_hash != version.model_hash) return refused();
    return add_version(version);
  }
  Status promote(const std::string& task, std::uint32_t version) override {
    return plain_promotion(versions_[task], version) ? Status(Done{}) : Status(refused());
  }
  Status abandon_round(const RoundRecord& round, const std::string& budget) override {
    if (!is_open(round)) return refused();
    set(round, RoundState::abandoned);
    if (!budget.empty()) tasks_[round.task].budget = budget;
    return Done{};
  }
  Result<std::vector<RoundRecord>> rounds(const std::string& task, std::size_t most) override {
    return newest_of(rounds_, task, most);
  }
  Result<std::vector<VersionRecord>> versions(const std::string& task, std::size_t most) override {
    const auto all = versions_.find(task);
    if (all == versions_.end()) return std::vector<VersionRecord>{};
    std::vector<VersionRecord> found(all->second.rbegin(), all->second.rend());
    found.resize(std::min(found.size(), most));
    return found;
  }
  Result<std::vector<RoundRecord>> open_rounds() override {
    std::vector<RoundRecord> found;
    for (const auto& [name, round] : rounds_)
      if (round.state == RoundState::open) found.push_back(round);
    return found;
  }
  Status add_evaluation(const EvaluationRecord& evaluation) override {
    const auto all = versions_.find(evaluation.task);
    if (all == versions_.end() || evaluation.version >= all->second.size()) return refused();
    return evaluations_.add(evaluation) ? Status(Done{}) : Status(refused());
  }
  Result<std::vector<EvaluationRecord>> evaluations(const std::string& task, std::size_t most) override {
    return evaluations_.of(task, most);
  }
  Status add_tokens(std::span<const std::string> hashes) override { return people_.add_tokens(hashes); }
  Result<DeviceRecord> enrol(const std::string& token_hash, const PublicKey& key,
                             std::int64_t now_ms) override {
    return people_.enrol(token_hash, key, now_ms);
  }
  Status each_device(const std::function<void(const DeviceRecord&)>& each) override {
    return people_.each_device(each);
  }
  Status set_revoked(const DeviceId& id, bool revoked) override { return people_.set_revoked(id, revoked); }
  Status set_home(const DeviceId& id, const DeviceHome& home) override { return people_.set_home(id, home); }
  Status forget(const DeviceId& id) override { return people_.forget(id); }
  Status note_seen(std::span<const Seen> seen) override { return people_.note_seen(seen); }
  Result<std::string> put_blob(std::string_view bytes) override { return blobs_.put(bytes); }
  Result<std::string> blob(const std::string& hash) override { return blobs_.get(hash); }
  Status keep_blobs(std::span<const std::string> hashes) override {
    std::set<std::string> kept(hashes.begin(), hashes.end());
    for (const auto& [task, versions] : versions_)
      for (const VersionRecord& version : versions) kept.insert(version.master);
    return blobs_.keep(kept), Done{};
  }

 private:
  Status add_version(const VersionRecord& version) {
    if (!blobs_.has(version.master)) return plain_missing();
    if (version.number != versions_[version.task].size()) return refused();
    versions_[version.task].push_back(version);
    return Done{};
  }
  template <class Record>
  using Numbered = std::map<std::pair<std::string, std::uint32_t>, Record>;  // by task and number
  template <class Record>
  static std::vector<Record> newest_of(const Numbered<Record>& all, const std::string& task,
                                       std::size_t most) {
    std::vector<Record> found;
    for (const auto& [name, record] : all)
      if (name.first == task) found.insert(found.begin(), record);
    found.resize(std::min(found.size(), most));
    return found;
  }
  static Error refused() { return fail(Code::bad_input, "that cannot be"); }
  [[nodiscard]] bool is_open(const RoundRecord& round) const {
    const auto at = rounds_.find({round.task, round.round});
    return at != rounds_.end() && at->second.state == RoundState::open;
  }
  void set(const RoundRecord& round, RoundState state) {
    (rounds_[{round.task, round.round}] = round).state = state;
  }
  std::map<std::string, TaskRecord> tasks_;
  std::map<std::string, std::vector<VersionRecord>> versions_;
  Numbered<RoundRecord> rounds_;
  PlainEvaluations evaluations_;
  PlainPeople people_;
  PlainBlobs blobs_;
};

}  // namespace sotto::server
