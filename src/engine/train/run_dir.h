// A run directory: all that one training run leaves behind, readable without the original data.
// What its files are: run_files().
//
// Laws: no file that was there before is overwritten or removed unless it is a run's and the caller says
// so; files of a run that were changed are refused, with a sentence that says what to do.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "engine/plan/request.h"
#include "engine/train/training.h"
#include "metrics/evaluate.h"

namespace sotto::engine {

// Format 1 is version 0.1.0's: its plan holds the options of all models, and the hash of a model made in one
// go covers no number. It is read, not written.
inline constexpr int run_format = 2;

// All that a run writes. A run is removed in this order: while plan and split are there, it still is one.
struct RunFile {
  const char* name;
  const char* about;
};
[[nodiscard]] std::span<const RunFile> run_files();

class RunDir {
 public:
  explicit RunDir(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // False also where the folder cannot be looked into; whoever reads on is told why.
  [[nodiscard]] bool is_whole() const;  // run.json is there
  [[nodiscard]] bool has_checkpoint() const;

  // Whether begin() or clear() would refuse.
  [[nodiscard]] Status check_free() const;
  [[nodiscard]] Status check_clear() const;
  // A new run: makes the folder, writes plan.toml, split.bin, features.bin and records.bin. Refuses a folder
  // with another run, or with any file that a run would write.
  [[nodiscard]] Status begin(const TrainRequest& request, const Split& split) const;
  [[nodiscard]] Status save(const Checkpoint& checkpoint) const;
  // Ends the run: parameters, metrics, then run.json; removes the checkpoint.
  [[nodiscard]] Status finish(const Split& split, const Trained& trained, const Evaluation& evaluation,
                              const nlohmann::json& metrics, nlohmann::json summary) const;
  // Removes the files of a run, and nothing else. Fine where there are none; refuses such files where no
  // run lies (a plan that reads, and a split or a run.json).
  [[nodiscard]] Status clear() const;

  // For resuming and reading. Each fails with a sentence if the folder is no run, not whole, or of
  // another version.
  [[nodiscard]] Result<TrainRequest> request() const;
  // Of labelled examples: dealt again for a stopped run, the devices' numbers alone for a whole one.
  [[nodiscard]] Result<Split> split() const;
  // The budget file that the run is charged to; empty: none.
  [[nodiscard]] Result<std::string> budget() const;
  [[nodiscard]] Result<Checkpoint> checkpoint() const;
  [[nodiscard]] Result<nlohmann::json> summary() const;  // run.json, with all that readers use
  [[nodiscard]] Result<nlohmann::json> metrics() const;  // metrics.json
  // What a whole run with this request and split has trained; none of models that are made in one go, unless
  // it is of a version that was released.
  [[nodiscard]] Result<std::optional<Parameters>> parameters(const TrainRequest& request,
                                                             const Split& split) const;

  [[nodiscard]] std::filesystem::path log_path() const { return path_ / "rounds.jsonl"; }

 private:
  std::filesystem::path path_;
};

// Each judged user's values, one line a user under a header; numbers read back as they were.
[[nodiscard]] std::string per_user_tsv(const Evaluation& evaluation, const Split& split);

// Each item's counts, one line an item under a header; `updates` may be empty.
[[nodiscard]] std::string items_tsv(const Evaluation& evaluation, const Split& split,
                                    std::span<const std::uint64_t> updates);

// A whole run, ready to recommend.
struct LoadedRun {
  TrainRequest request;
  std::unique_ptr<Split> split;            // the model refers to it, and to these
  std::unique_ptr<Parameters> parameters;  // null for models made in one go
  std::unique_ptr<Recommender> model;
};
[[nodiscard]] Result<LoadedRun> load_run(const std::filesystem::path& path, Executor& executor);

}  // namespace sotto::engine
