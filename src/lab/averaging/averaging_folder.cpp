#include "lab/averaging/averaging_folder.h"

#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/files/files.h"
#include "engine/files/stored_rows.h"
#include "engine/plan/plan_owner.h"
#include "lab/averaging/averaging_json.h"

namespace sotto {

namespace {

constexpr Stamp model_stamp{.magic = 0x41544F53,  // "SOTA"
                            .version = 1,
                            .kind = "averaged model",
                            .remedy = "train again"};

// In the order in which they are removed: while the plan is there, it still is a run.
constexpr std::array run_files{"run.json", "model.bin", "checkpoint.bin", "rounds.jsonl", "plan.toml"};

}  // namespace

Result<bool> AveragingFolder::is_whole() const { return is_there(path_ / "run.json"); }

Status AveragingFolder::check_free() const {
  for (const char* name : run_files) {
    SOTTO_TRY(const bool there, is_there(path_ / name));
    if (there)
      return fail(Code::usage,
                  fmt::format("{}: here lies {} of a run: go on with --resume, replace it with --force, or "
                              "name another --out",
                              path_.string(), name));
  }
  return Done{};
}

Status AveragingFolder::begin(const AveragingRequest& request) const {
  SOTTO_TRY_DONE(check_free());
  SOTTO_TRY_DONE(make_folder(path_));
  return write_file(path_ / "plan.toml", std::string_view(to_toml(request)));
}

Status AveragingFolder::check_clear() const {
  bool any = false;
  for (const char* name : run_files) {
    SOTTO_TRY(const bool there, is_there(path_ / name));
    any = any || there;
  }
  if (!any) return Done{};
  if (const auto plan = request(); !plan.ok())
    return fail(Code::usage, fmt::format("{}: the files here are of no run of averaging, so they are left "
                                         "alone: name another --out",
                                         path_.string()));
  return Done{};
}

Status AveragingFolder::clear() const {
  SOTTO_TRY_DONE(check_clear());
  for (const char* name : run_files) SOTTO_TRY_DONE(remove_file(path_ / name));
  return Done{};
}

Status AveragingFolder::save(const Checkpoint& checkpoint) const {
  return write_file(path_ / "checkpoint.bin", save_checkpoint(checkpoint), Privacy::owner_only);
}

Status AveragingFolder::finish(const AveragingOutcome& outcome, const nlohmann::json& summary) const {
  Writer out = stamped(model_stamp);
  write_rows(out, outcome.model);
  SOTTO_TRY_DONE(write_file(path_ / "model.bin", sealed(std::move(out))));
  SOTTO_TRY_DONE(write_file(path_ / "run.json", std::string_view(summary.dump(1) + "\n")));
  return remove_file(path_ / "checkpoint.bin");
}

Result<AveragingRequest> AveragingFolder::request() const {
  const std::filesystem::path plan = path_ / "plan.toml";
  SOTTO_TRY_DONE(check_run_owner(path_, PlanOwner::fedavg));
  SOTTO_TRY(const std::string text, read_text(plan));
  return averaging_from_toml(text, plan.string());
}

Result<std::optional<AveragingBefore>> AveragingFolder::before() const {
  const std::filesystem::path place = path_ / "checkpoint.bin";
  SOTTO_TRY(const bool there, is_there(place));
  if (!there) return std::optional<AveragingBefore>();
  SOTTO_TRY(const Bytes bytes, read_file(place));
  AveragingBefore before;
  SOTTO_TRY(before.checkpoint, load_checkpoint(bytes, place.string()));
  SOTTO_TRY(const std::string text, read_text(log_path()));
  std::istringstream lines(text);
  std::string line;
  while (before.rounds.size() < before.checkpoint.log_lines && std::getline(lines, line)) {
    SOTTO_TRY(AveragingRound round, round_from_line(line, log_path().string()));
    before.rounds.push_back(std::move(round));
  }
  if (before.rounds.size() != before.checkpoint.log_lines)
    return fail(Code::bad_input,
                fmt::format("{}: rounds are missing: start the run anew with --force", log_path().string()));
  return std::optional(std::move(before));
}

Result<nlohmann::json> AveragingFolder::summary() const {
  SOTTO_TRY(const std::string text, read_text(path_ / "run.json"));
  nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.is_object())
    return fail(Code::bad_input,
                fmt::format("{}: run.json is damaged: train again with --force", path_.string()));
  return document;
}

Result<RowMatrix> AveragingFolder::model() const {
  const std::filesystem::path place = path_ / "model.bin";
  SOTTO_TRY(const Bytes bytes, read_file(place));
  SOTTO_TRY(Reader in, unsealed(bytes, model_stamp, place.string()));
  RowMatrix rows = read_rows(in);
  if (in.spoiled() || in.remaining() != 0) return damaged(model_stamp, place.string());
  return rows;
}

}  // namespace sotto
