#include "engine/train/run_dir.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/compression.h"
#include "data/examples/dealt_examples.h"
#include "engine/files/files.h"
#include "engine/files/records_file.h"
#include "engine/files/split_file.h"
#include "engine/files/stored_rows.h"
#include "engine/plan/model_entry.h"
#include "engine/plan/prepare.h"
#include "engine/train/kept_checkpoints.h"
#include "engine/train/run_summary.h"

namespace sotto::engine {

namespace fs = std::filesystem;

namespace {

constexpr Stamp model_stamp{.magic = 0x4D544F53,  // "SOTM"
                            .version = 2,
                            .kind = "model file",
                            .remedy = "train again"};
constexpr Stamp devices_stamp{.magic = 0x44544F53,  // "SOTD"
                              .version = 2,
                              .kind = "file of private rows",
                              .remedy = "train again"};
constexpr Stamp features_stamp{.magic = 0x46544F53,  // "SOTF"
                               .version = 1,
                               .kind = "file of item features",
                               .remedy = "train again"};

// The first line of plan.toml in a run: the format is known before anything else is read.
constexpr std::string_view format_line = "# A run of Sotto, format ";

Error other_format(const fs::path& path, std::string_view format) {
  return fail(Code::incompatible,
              fmt::format("{}: run format {}, this program reads {}: train again with this version",
                          path.string(), format, run_format));
}

// The format that a plan's first line names; empty: none.
std::string format_of(const std::string& plan) {
  if (!plan.starts_with(format_line)) return "";
  return plan.substr(format_line.size(), plan.find('\n') - format_line.size());
}

Error damaged_run(const fs::path& file, const std::string& why) {
  return fail(Code::bad_input, fmt::format("{}: {}: the run is damaged: train again", file.string(), why));
}

Result<std::vector<std::string>> run_files_in(const fs::path& folder) {
  std::vector<std::string> found;
  for (const RunFile& file : run_files()) {
    SOTTO_TRY(const bool there, is_there(folder / file.name));
    if (there) found.emplace_back(file.name);
  }
  return found;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Whether `found` in `folder` makes a run, whole or stopped.
Result<bool> make_a_run(const std::vector<std::string>& found, const fs::path& folder) {
  const auto has = [&found](const char* name) { return std::ranges::find(found, name) != found.end(); };
  if (!has("plan.toml") || !(has("split.bin") || has("rounds.jsonl") || has("run.json"))) return false;
  SOTTO_TRY(const std::string text, read_text(folder / "plan.toml"));
  return from_toml(text, "plan.toml").ok();
}

// A matrix, and whatever stands behind it.
Bytes rows_file(const Stamp& stamp, const RowMatrix& rows, std::span<const RowMatrix> layers = {}) {
  Writer out = stamped(stamp);
  write_rows(out, rows);
  for (const RowMatrix& layer : layers) write_rows(out, layer);
  return sealed(std::move(out));
}

Bytes features_file(const ItemFeatures& features) {
  Writer out = stamped(features_stamp);
  out.raw(save_features(features));
  return compress(sealed(std::move(out)));
}

// A file that a run of this kind cannot be without.
Result<Bytes> read_part_of_run(const fs::path& path) {
  auto bytes = read_file(path);
  if (!bytes.ok() && bytes.error().code == Code::not_found) return damaged_run(path, "the file is missing");
  if (!bytes.ok() && bytes.error().code == Code::bad_input) return damaged_run(path, "it cannot be unpacked");
  return bytes;
}

Result<std::vector<RowMatrix>> load_rows_file(const Stamp& stamp, const fs::path& path) {
  SOTTO_TRY(const Bytes bytes, read_part_of_run(path));
  SOTTO_TRY(Reader in, unsealed(bytes, stamp, path.string()));
  std::vector<RowMatrix> matrices;
  do {
    matrices.push_back(read_rows(in));
  } while (in.remaining() > 0);
  if (!in.finished()) return damaged(stamp, path.string());
  for (const RowMatrix& rows : matrices)
    for (std::size_t row = 0; row < rows.rows(); ++row)
      if (!std::ranges::all_of(rows.values(row), [](float value) { return std::isfinite(value); }))
        return damaged_run(path, "it holds values that are not finite numbers");
  return matrices;
}

// Of the split's items, if the run was given any.
Result<std::shared_ptr<const ItemFeatures>> load_features_file(const fs::path& path, const Split& split) {
  SOTTO_TRY(const bool there, is_there(path));
  if (!there) return std::shared_ptr<const ItemFeatures>();
  SOTTO_TRY(const Bytes bytes, read_part_of_run(path));
  SOTTO_TRY(Reader in, unsealed(bytes, features_stamp, path.string()));
  SOTTO_TRY(ItemFeatures features, load_features(in.raw(in.remaining()), path.string()));
  if (features.items() != split.items.size()) return damaged_run(path, "it is not of this run's items");
  return std::make_shared<const ItemFeatures>(std::move(features));
}

Result<nlohmann::json> read_json(const fs::path& path) {
  SOTTO_TRY(const std::string text, read_text(path));
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return damaged_run(path, "not valid JSON");
  return json;
}

}  // namespace

bool RunDir::is_whole() const {
  const auto there = is_there(path_ / "run.json");
  return there.ok() && *there;
}

bool RunDir::has_checkpoint() const {
  const auto there = is_there(path_ / "checkpoint.bin");
  return there.ok() && *there;
}

Status RunDir::check_free() const {
  std::error_code ignored;  // what cannot be looked at is said below
  if (const fs::file_status status = fs::status(path_, ignored);
      fs::exists(status) && !fs::is_directory(status))
    return fail(Code::usage, fmt::format("{}: not a folder: choose another --out", path_.string()));
  SOTTO_TRY(const std::vector<std::string> found, run_files_in(path_));
  if (!found.empty()) {
    SOTTO_TRY(const bool is_run, make_a_run(found, path_));
    return fail(Code::usage,
                is_run ? fmt::format("{}: this folder holds a run already ({}): choose another --out, "
                                     "continue it with --resume or replace it with --force",
                                     path_.string(), listed(found))
                       : fmt::format("{}: this folder holds files that a run would overwrite ({}), and they "
                                     "are not a run: choose another --out, or move them away",
                                     path_.string(), listed(found)));
  }
  return Done{};
}

Status RunDir::begin(const TrainRequest& request, const Split& split) const {
  SOTTO_TRY_DONE(check_free());
  SOTTO_TRY_DONE(make_folder(path_));
  // Examples stay where they are: they are dealt again from there. The folder is known by its log instead.
  SOTTO_TRY_DONE(split.examples == nullptr ? write_split_file(path_ / "split.bin", split)
                                           : write_file(path_ / "rounds.jsonl", ""));
  if (split.features) SOTTO_TRY_DONE(write_file(path_ / "features.bin", features_file(*split.features)));
  SOTTO_TRY_DONE(write_records_file(path_ / "records.bin", split));
  if (!request.dp.budget.empty())
    SOTTO_TRY_DONE(write_file(path_ / "dp_budget.txt", fs::absolute(request.dp.budget).string()));
  return write_file(path_ / "plan.toml", fmt::format("{}{}\n{}", format_line, run_format, to_toml(request)));
}

Status RunDir::check_clear() const {
  SOTTO_TRY(const std::vector<std::string> found, run_files_in(path_));
  if (found.empty()) return Done{};
  SOTTO_TRY(const bool is_run, make_a_run(found, path_));
  if (!is_run)
    return fail(Code::usage, fmt::format("{}: nothing is replaced, because this folder holds no run (only "
                                         "{}): choose another --out, or move the files away",
                                         path_.string(), listed(found)));
  return Done{};
}

Status RunDir::clear() const {
  SOTTO_TRY_DONE(check_clear());
  SOTTO_TRY(const std::vector<std::string> found, run_files_in(path_));
  SOTTO_TRY_DONE(KeptCheckpoints(path_).clear());
  for (const std::string& name : found) SOTTO_TRY_DONE(remove_file(path_ / name));
  return Done{};
}

Status RunDir::save(const Checkpoint& checkpoint) const {
  return write_file(path_ / "checkpoint.bin", save_checkpoint(checkpoint), Privacy::owner_only);
}

Status RunDir::finish(const Split& split, const Trained& trained, const Evaluation& evaluation,
                      const nlohmann::json& metrics, nlohmann::json summary) const {
  if (trained.parameters) {
    const Parameters& kept = *trained.parameters;
    const RowMatrix& devices = kept.users.on_device();
    SOTTO_TRY_DONE(write_file(path_ / "model.bin", rows_file(model_stamp, kept.items, kept.layers)));
    if (devices.rows() > 0)
      SOTTO_TRY_DONE(
          write_file(path_ / "devices.bin", rows_file(devices_stamp, devices), Privacy::owner_only));
  }
  SOTTO_TRY_DONE(write_file(path_ / "per_user.tsv", per_user_tsv(evaluation, split)));
  if (split.examples == nullptr)
    SOTTO_TRY_DONE(write_file(path_ / "items.tsv", items_tsv(evaluation, split, trained.item_updates)));
  SOTTO_TRY_DONE(write_file(path_ / "metrics.json", metrics.dump(2) + "\n"));
  summary["format"] = run_format;
  SOTTO_TRY_DONE(write_file(path_ / "run.json", summary.dump(2) + "\n"));
  std::error_code ignored;
  fs::remove(path_ / "checkpoint.bin", ignored);  // if it stays, the whole run is still what counts
  return Done{};
}

Result<TrainRequest> RunDir::request() const {
  const fs::path plan = path_ / "plan.toml";
  SOTTO_TRY(const bool there, is_there(plan));
  if (!there)
    return fail(Code::not_found, fmt::format("{}: this folder holds no run (no plan.toml)", path_.string()));
  SOTTO_TRY(const std::string text, read_text(plan));
  if (const std::string format = format_of(text);
      !format.empty() && format != "1" && format != std::to_string(run_format))
    return other_format(path_, format);
  SOTTO_TRY(TrainRequest request, from_toml(text, plan.string()));
  if (const Status settled = settle(request); !settled.ok()) return chained(settled.error(), plan.string());
  return request;
}

Result<Split> RunDir::split() const {
  const fs::path path = path_ / "split.bin";
  SOTTO_TRY(const TrainRequest planned, request());
  if (planned.model->needs_examples) {
    if (!is_whole()) {
      SOTTO_TRY(Prepared again, prepare(planned.data));
      return std::move(again.split);
    }
    SOTTO_TRY(const nlohmann::json named, summary());
    return split_of_devices(named["users"], named["split_hash"]);
  }
  auto split = open_split_file(path);
  if (split.ok()) {
    SOTTO_TRY(split->features, load_features_file(path_ / "features.bin", *split));
    SOTTO_TRY_DONE(attach_records_file(path_ / "records.bin", *split));
    return split;
  }
  if (split.error().code == Code::io) return split;
  if (split.error().code == Code::not_found) return damaged_run(path, "the file is missing");
  if (split.error().code == Code::incompatible)
    return fail(
        Code::incompatible,
        fmt::format("{}: the run's split was written by another version: train again", path.string()));
  return damaged_run(path, "the split cannot be read");
}

Result<std::string> RunDir::budget() const {
  const fs::path path = path_ / "dp_budget.txt";
  SOTTO_TRY(const bool there, is_there(path));
  if (!there) return std::string();
  return read_text(path);
}

Result<Checkpoint> RunDir::checkpoint() const {
  const fs::path path = path_ / "checkpoint.bin";
  SOTTO_TRY(const Bytes bytes, read_file(path));
  return load_checkpoint(bytes, path.string());
}

Result<nlohmann::json> RunDir::summary() const {
  const fs::path path = path_ / "run.json";
  SOTTO_TRY(const bool whole, is_there(path));
  SOTTO_TRY(const bool begun, is_there(path_ / "plan.toml"));
  if (!whole && begun) {
    SOTTO_TRY(const std::string plan, read_text(path_ / "plan.toml"));
    const bool goes_on = format_of(plan) == std::to_string(run_format);
    const std::string remedy =
        goes_on ? fmt::format("continue it with 'sotto train --resume --out {}'", path_.string())
                : fmt::format(
                      "another version wrote it, so train again with 'sotto train --plan {0}/plan.toml "
                      "--out {0} --force'",
                      path_.string());
    return fail(goes_on ? Code::not_found : Code::incompatible,
                fmt::format("{}: the run was stopped before its end: {}", path_.string(), remedy));
  }
  if (!whole)
    return fail(Code::not_found, fmt::format("{}: this folder holds no run (no run.json)", path_.string()));
  SOTTO_TRY(nlohmann::json json, read_json(path));
  const auto format = json.find("format");
  if (json.is_object() && json.contains("rounds_until") && format == json.end())
    return fail(Code::incompatible,
                fmt::format("{0}: this is a run of 'sotto fedavg' of version 0.1.0, which this version "
                            "cannot read: make it again with 'sotto train --plan {0}/plan.toml'",
                            path_.string()));
  if (!json.is_object() || format == json.end() || !format->is_number_integer())
    return damaged_run(path, "it does not name its format");
  if (*format != 1 && *format != run_format) return other_format(path_, format->dump());
  if (const std::string field = wrong_field(json); !field.empty())
    return damaged_run(path, fmt::format("\"{}\" is missing or of the wrong kind", field));
  return json;
}

Result<nlohmann::json> RunDir::metrics() const { return read_json(path_ / "metrics.json"); }

Result<std::optional<Parameters>> RunDir::parameters(const TrainRequest& request, const Split& split) const {
  SOTTO_TRY(const nlohmann::json named, summary());
  if (!request.model->in_steps() && !named.contains("released")) return std::optional<Parameters>();
  Parameters parameters;
  SOTTO_TRY(std::vector<RowMatrix> shared, load_rows_file(model_stamp, path_ / "model.bin"));
  parameters.items = std::move(shared.front());
  parameters.layers.assign(std::make_move_iterator(shared.begin() + 1),
                           std::make_move_iterator(shared.end()));
  const auto shapes = request.model->shapes ? request.model->shapes(request, split) : std::nullopt;
  // Some models have nothing of a person's.
  if (request.model->in_steps() && (!shapes || shapes->users != MatrixShape{})) {
    SOTTO_TRY(std::vector<RowMatrix> devices, load_rows_file(devices_stamp, path_ / "devices.bin"));
    parameters.users = Private(std::move(devices.front()));
  }
  if (hash_shared(parameters) != named["model_hash"])
    return damaged_run(path_ / "model.bin", "it is not the model that run.json names");
  if (!fits_model(request, split, parameters))
    return damaged_run(path_, "model and split do not belong together");
  return std::optional(std::move(parameters));
}

namespace {

// Whether ratings and contexts are those that run.json names, if it names some.
Status check_records(const fs::path& path, const nlohmann::json& summary, const Split& split) {
  for (const auto& [name, found] :
       {std::pair("records_hash", split.records ? split.records->hash() : std::string()),
        {"contexts_hash", split.contexts ? split.contexts->hash() : std::string()}}) {
    const auto named = summary.find(name);
    if (named == summary.end()) continue;
    if (found.empty()) return damaged_run(path, "the file is missing");
    if (*named != found) return damaged_run(path, "it is not what run.json names");
  }
  return Done{};
}

}  // namespace

Result<LoadedRun> load_run(const fs::path& path, Executor& executor) {
  const RunDir dir(path);
  SOTTO_TRY(const nlohmann::json summary, dir.summary());
  LoadedRun run;
  SOTTO_TRY(run.request, dir.request());
  if (run.request.model->needs_examples)
    return fail(Code::usage,
                fmt::format("{}: {} is a classifier and recommends nothing: look at the run with "
                            "'sotto show' and 'sotto report', or compare it with other classifiers",
                            path.string(), run.request.model->name));
  SOTTO_TRY(Split split, dir.split());
  run.split = std::make_unique<Split>(std::move(split));
  if (summary["split_hash"] != run.split->hash)
    return damaged_run(path / "split.bin", "it is not the split that run.json names");
  if (const auto named = summary.find("features_hash"); named != summary.end()) {
    if (run.split->features == nullptr) return damaged_run(path / "features.bin", "the file is missing");
    if (*named != run.split->features->hash())
      return damaged_run(path / "features.bin", "they are not the features that run.json names");
  }
  SOTTO_TRY_DONE(check_records(path / "records.bin", summary, *run.split));
  if (summary["model"] != run.request.model->name)
    return damaged_run(path / "plan.toml", "it is not the plan of the model that run.json names");
  SOTTO_TRY(std::optional<Parameters> parameters, dir.parameters(run.request, *run.split));
  // Its noise is drawn otherwise now: made again it would be another release, and nobody would pay for it.
  if (summary["format"] == 1 && !run.request.model->in_steps() && run.request.dp.asked())
    return fail(Code::incompatible,
                fmt::format("{}: version 0.1.0 made this model with noise that is not drawn again: use it "
                            "with that version, or train again with a budget for it",
                            path.string()));
  SOTTO_TRY(RebuiltModel again, rebuild_model(run.request, *run.split, std::move(parameters), executor));
  // Up to format 1 the hash of a model made in one go was that of its settings.
  if (summary["format"] != 1 && summary["model_hash"] != again.hash)
    return damaged_run(path,
                       "the model that its plan and split make is not the one that run.json names (dense "
                       "models may differ in the last bits on another processor: train it anew there)");
  run.parameters = std::move(again.parameters);
  run.model = std::move(again.model);
  return run;
}

}  // namespace sotto::engine
