// SqliteStore: a coordinator's Store in a folder: coordinator.db (SQLite, WAL, full sync) and blobs/ beside
// it.
//
// Laws, beside those of Store: one process at a time has the folder; a call that fails has not happened for
// this process, and if the process dies then, it has happened whole or not at all; the master of a released
// version is never removed, whatever keep_blobs() is told; it takes calls from any thread, one at a time. The
// folder and all in it are for their owner alone.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

#include "server/blob_folder.h"
#include "server/gated_vfs.h"
#include "server/store.h"
#include "storage/database.h"

namespace sotto::server {

class SqliteStore final : public Store {
 public:
  // The folder is made if there is none; its parent must be there. Refused in one sentence: a folder another
  // process has, a file of another program or version, a damaged one. `gate` may be none, and outlives the
  // store.
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(const std::filesystem::path& folder,
                                                                 WriteGate* gate = nullptr);

  [[nodiscard]] Result<std::vector<TaskRecord>> tasks() override;
  [[nodiscard]] Status add_task(const TaskRecord& task, const VersionRecord& start) override;
  [[nodiscard]] Status set_task_state(const std::string& task, TaskState state) override;
  [[nodiscard]] Status open_round(const RoundRecord& round) override;
  // The version's number is the one after the task's newest.
  [[nodiscard]] Status commit_round(const RoundRecord& round, const VersionRecord& version,
                                    const std::string& budget) override;
  [[nodiscard]] Status grow_task(const std::string& spec, const VersionRecord& version) override;
  [[nodiscard]] Status release_again(const VersionRecord& version) override;
  [[nodiscard]] Status promote(const std::string& task, std::uint32_t version) override;
  [[nodiscard]] Status abandon_round(const RoundRecord& round, const std::string& budget) override;
  [[nodiscard]] Result<std::vector<RoundRecord>> rounds(const std::string& task, std::size_t most) override;
  [[nodiscard]] Result<std::vector<VersionRecord>> versions(const std::string& task,
                                                            std::size_t most) override;
  [[nodiscard]] Result<std::vector<RoundRecord>> open_rounds() override;
  [[nodiscard]] Status add_evaluation(const EvaluationRecord& evaluation) override;
  [[nodiscard]] Result<std::vector<EvaluationRecord>> evaluations(const std::string& task,
                                                                  std::size_t most) override;

  [[nodiscard]] Status add_tokens(std::span<const std::string> hashes) override;
  // A key that is enrolled already keeps its record, revoked or not; a fresh token is used up by it.
  [[nodiscard]] Result<DeviceRecord> enrol(const std::string& token_hash, const PublicKey& key,
                                           std::int64_t now_ms) override;
  // In the order of the indices. `each` must not call the store.
  [[nodiscard]] Status each_device(const std::function<void(const DeviceRecord&)>& each) override;
  [[nodiscard]] Status set_revoked(const DeviceId& id, bool revoked) override;
  [[nodiscard]] Status set_home(const DeviceId& id, const DeviceHome& home) override;
  [[nodiscard]] Status forget(const DeviceId& id) override;
  // Devices that are not there are passed over; a time never falls.
  [[nodiscard]] Status note_seen(std::span<const Seen> seen) override;

  [[nodiscard]] Result<std::string> put_blob(std::string_view bytes) override;
  [[nodiscard]] Result<std::string> blob(const std::string& hash) override;
  [[nodiscard]] Status keep_blobs(std::span<const std::string> hashes) override;

 private:
  SqliteStore(FolderLock lock, const std::filesystem::path& folder, WriteGate* gate)
      : lock_(std::move(lock)), blobs_(folder / "blobs", gate) {}

  [[nodiscard]] Status open_database(const std::filesystem::path& path, WriteGate* gate);
  [[nodiscard]] Status add_version(const VersionRecord& version);
  [[nodiscard]] Status close_round(const RoundRecord& round, RoundState state);
  [[nodiscard]] Status set_budget(const std::string& task, const std::string& budget);
  [[nodiscard]] Result<DeviceRecord> device_of(const DeviceId& id);
  // Whether the token may enrol this device; Code::not_found where not.
  [[nodiscard]] Status use_token(const std::string& token_hash, const DeviceId& id);

  std::mutex one_at_a_time_;
  FolderLock lock_;  // given back last
  BlobFolder blobs_;
  std::unique_ptr<GatedVfs> vfs_;  // none: the system's
  std::unique_ptr<Database> database_;
};

}  // namespace sotto::server
