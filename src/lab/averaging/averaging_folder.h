// The folder of a training by federated averaging:
//
//   plan.toml       the complete request: `sotto fedavg --plan plan.toml` makes the run again
//   rounds.jsonl    one line a round
//   checkpoint.bin  only while training or after a stop; for its owner's eyes (it may hold private rows)
//   model.bin       the averaged model: the flat vector, sixteen numbers a row; sealed with a hash of the
//   file run.json        what --json prints; written last: a run without it is not whole
//
// Laws: a folder with a run, or with any file that a run would write, is left alone unless the caller says
// so; nothing but these files is ever removed.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/averaging/averaging_run.h"

namespace sotto {

class AveragingFolder {
 public:
  explicit AveragingFolder(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path log_path() const { return path_ / "rounds.jsonl"; }
  [[nodiscard]] Result<bool> is_whole() const;

  // Whether begin() or clear() would refuse.
  [[nodiscard]] Status check_free() const;
  [[nodiscard]] Status check_clear() const;
  // A new run: makes the folder and writes plan.toml. Refuses one with files of a run.
  [[nodiscard]] Status begin(const AveragingRequest& request) const;
  // Removes the files of a run, and nothing else; refuses where plan.toml is none of averaging.
  [[nodiscard]] Status clear() const;
  [[nodiscard]] Status save(const Checkpoint& checkpoint) const;
  // Ends the run; removes the checkpoint.
  [[nodiscard]] Status finish(const AveragingOutcome& outcome, const nlohmann::json& summary) const;

  [[nodiscard]] Result<AveragingRequest> request() const;
  // Where the run was stopped; none where it has no checkpoint yet.
  [[nodiscard]] Result<std::optional<AveragingBefore>> before() const;
  [[nodiscard]] Result<nlohmann::json> summary() const;
  [[nodiscard]] Result<RowMatrix> model() const;

 private:
  std::filesystem::path path_;
};

}  // namespace sotto
