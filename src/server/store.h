// Store: what a coordinator must not lose. SQLite is one (server/sqlite_store.h); a server of several
// processes would have another, and nothing above would change.
//
// Laws: every change is durable and whole when the call returns, or has not happened and says why; a version,
// once committed, never changes; a round's end writes version, round and budget together; a token enrols
// once. Nothing of a single device's contribution is ever given to a store. It takes calls from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/store_records.h"

namespace sotto::server {

class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  // --- tasks, rounds, versions ---
  [[nodiscard]] virtual Result<std::vector<TaskRecord>> tasks() = 0;
  // The task and its version 0, whose master blob is there already. A task of that name must not be there.
  [[nodiscard]] virtual Status add_task(const TaskRecord& task, const VersionRecord& start) = 0;
  [[nodiscard]] virtual Status set_task_state(const std::string& task, TaskState state) = 0;
  // Gives the round number `round` away: the record is open, the task's next_round above it.
  [[nodiscard]] virtual Status open_round(const RoundRecord& round) = 0;
  // Version, round and budget in one transaction. Fails where the round is not open.
  [[nodiscard]] virtual Status commit_round(const RoundRecord& round, const VersionRecord& version,
                                            const std::string& budget) = 0;
  // A task of more items: its spec, and the next version, of as many rows, that no round made.
  [[nodiscard]] virtual Status grow_task(const std::string& spec, const VersionRecord& version) = 0;
  // A version that no round made: an earlier one's model once more, under the next number.
  [[nodiscard]] virtual Status release_again(const VersionRecord& version) = 0;
  // The newest version's trial is over, and all devices are given it. Fails where it is not on trial.
  [[nodiscard]] virtual Status promote(const std::string& task, std::uint32_t version) = 0;
  // Round and budget in one transaction; an empty budget: the task's stays. Fails where the round is not
  // open.
  [[nodiscard]] virtual Status abandon_round(const RoundRecord& round, const std::string& budget) = 0;
  // The newest `most`, newest first.
  [[nodiscard]] virtual Result<std::vector<RoundRecord>> rounds(const std::string& task,
                                                                std::size_t most) = 0;
  [[nodiscard]] virtual Result<std::vector<VersionRecord>> versions(const std::string& task,
                                                                    std::size_t most) = 0;
  [[nodiscard]] virtual Result<std::vector<RoundRecord>> open_rounds() = 0;
  // Of a version that is there, and once, beside a version on trial once more: figures never change.
  [[nodiscard]] virtual Status add_evaluation(const EvaluationRecord& evaluation) = 0;
  // Those of the newest versions, newest first; a version's own before those beside it.
  [[nodiscard]] virtual Result<std::vector<EvaluationRecord>> evaluations(const std::string& task,
                                                                          std::size_t most) = 0;

  // --- devices ---
  // Hashes of one-time tokens (blob_hash); the tokens themselves are not kept.
  [[nodiscard]] virtual Status add_tokens(std::span<const std::string> hashes) = 0;
  // Uses the token up and adds the device, with an index of its own. The same key with the same token again:
  // the record that is there. Code::not_found: no such token, or another device used it.
  [[nodiscard]] virtual Result<DeviceRecord> enrol(const std::string& token_hash, const PublicKey& key,
                                                   std::int64_t now_ms) = 0;
  [[nodiscard]] virtual Status each_device(const std::function<void(const DeviceRecord&)>& each) = 0;
  [[nodiscard]] virtual Status set_revoked(const DeviceId& id, bool revoked) = 0;
  [[nodiscard]] virtual Status set_home(const DeviceId& id, const DeviceHome& home) = 0;
  // Removes key and record; the index is not given again.
  [[nodiscard]] virtual Status forget(const DeviceId& id) = 0;
  struct Seen {
    DeviceId id{};
    std::int64_t time_ms = 0;
  };
  [[nodiscard]] virtual Status note_seen(std::span<const Seen> seen) = 0;

  // --- blobs: bytes by their blob_hash ---
  [[nodiscard]] virtual Result<std::string> put_blob(std::string_view bytes) = 0;
  [[nodiscard]] virtual Result<std::string> blob(const std::string& hash) = 0;  // checked against its name
  // Removes all but these.
  [[nodiscard]] virtual Status keep_blobs(std::span<const std::string> hashes) = 0;
};

}  // namespace sotto::server
