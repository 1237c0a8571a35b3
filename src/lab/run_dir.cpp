#include "lab/run_dir.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/compression.h"
#include "data/split_io.h"
#include "lab/files.h"
#include "lab/stored_rows.h"

namespace sotto {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t rows_magic = 0x4D544F53;  // "SOTM"
constexpr std::uint32_t rows_version = 1;

Bytes rows_file(const RowMatrix& rows) {
  Writer out;
  out.number(rows_magic).number(rows_version);
  write_rows(out, rows);
  return std::move(out).take();
}

Result<RowMatrix> load_rows_file(const fs::path& path) {
  SOTTO_TRY(const Bytes bytes, read_file(path));
  Reader in(bytes);
  if (in.number<std::uint32_t>() != rows_magic)
    return fail(Code::bad_input, fmt::format("{}: not a model file of Sotto", path.string()));
  if (const auto version = in.number<std::uint32_t>(); version != rows_version)
    return fail(Code::incompatible,
                fmt::format("{}: model file version {}, this program reads {}: train again", path.string(),
                            version, rows_version));
  RowMatrix rows = read_rows(in);
  if (!in.finished())
    return fail(Code::bad_input, fmt::format("{}: the file is damaged: train again", path.string()));
  return rows;
}

Result<nlohmann::json> read_json(const fs::path& path) {
  SOTTO_TRY(const std::string text, read_text(path));
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded())
    return fail(Code::bad_input, fmt::format("{}: not valid JSON: the file is damaged", path.string()));
  return json;
}

}  // namespace

std::string per_user_tsv(const Evaluation& evaluation, const Split& split) {
  std::string text = "user";
  for (const std::string& name : evaluation.per_user.names) text += "\t" + name;
  text += '\n';
  for (std::size_t row = 0; row < evaluation.per_user.users.size(); ++row) {
    text += split.users.name(evaluation.per_user.users[row].value);
    for (std::size_t column = 0; column < evaluation.per_user.names.size(); ++column)
      text += fmt::format("\t{:.6g}", evaluation.per_user.at(row, column));
    text += '\n';
  }
  return text;
}

bool RunDir::is_whole() const { return fs::exists(path_ / "run.json"); }
bool RunDir::has_checkpoint() const { return fs::exists(path_ / "checkpoint.bin"); }

Status RunDir::begin(const TrainRequest& request, const Split& split) const {
  std::error_code ignored;
  if (fs::exists(path_, ignored) && !fs::is_directory(path_, ignored))
    return fail(Code::usage, fmt::format("{}: not a folder: choose another --out", path_.string()));
  if (is_whole() || fs::exists(path_ / "plan.toml"))
    return fail(
        Code::usage,
        fmt::format("{}: a run lies there already: choose another --out, continue it with --resume or "
                    "replace it with --force",
                    path_.string()));
  SOTTO_TRY_DONE(make_folder(path_));
  SOTTO_TRY_DONE(write_file(path_ / "split.bin", compress(save_split(split))));
  return write_file(path_ / "plan.toml", to_toml(request));
}

Status RunDir::clear() const {
  std::error_code error;
  for (const char* name : {"run.json", "metrics.json", "per_user.tsv", "model.bin", "devices.bin",
                           "checkpoint.bin", "rounds.jsonl", "plan.toml", "split.bin"}) {
    fs::remove(path_ / name, error);
    if (error)
      return fail(Code::io,
                  fmt::format("{}: cannot be removed: {}", (path_ / name).string(), error.message()));
  }
  return Done{};
}

Status RunDir::save(const Checkpoint& checkpoint) const {
  return write_file(path_ / "checkpoint.bin", save_checkpoint(checkpoint));
}

Status RunDir::finish(const Split& split, const Trained& trained, const Evaluation& evaluation,
                      const nlohmann::json& metrics, nlohmann::json summary) const {
  if (trained.parameters) {
    SOTTO_TRY_DONE(write_file(path_ / "model.bin", rows_file(trained.parameters->items)));
    SOTTO_TRY_DONE(write_file(path_ / "devices.bin", rows_file(trained.parameters->users.on_device())));
  }
  SOTTO_TRY_DONE(write_file(path_ / "per_user.tsv", per_user_tsv(evaluation, split)));
  SOTTO_TRY_DONE(write_file(path_ / "metrics.json", metrics.dump(2) + "\n"));
  summary["format"] = run_format;
  SOTTO_TRY_DONE(write_file(path_ / "run.json", summary.dump(2) + "\n"));
  std::error_code ignored;
  fs::remove(path_ / "checkpoint.bin", ignored);  // if it stays, the whole run is still what counts
  return Done{};
}

Result<TrainRequest> RunDir::request() const {
  const fs::path plan = path_ / "plan.toml";
  if (!fs::exists(plan))
    return fail(Code::not_found, fmt::format("{}: no run lies there (no plan.toml)", path_.string()));
  SOTTO_TRY(const std::string text, read_text(plan));
  SOTTO_TRY(TrainRequest request, from_toml(text, plan.string()));
  SOTTO_TRY_DONE(settle(request));
  return request;
}

Result<Split> RunDir::split() const {
  const fs::path path = path_ / "split.bin";
  SOTTO_TRY(const Bytes bytes, read_file(path));
  return load_split(bytes, path.string());
}

Result<Checkpoint> RunDir::checkpoint() const {
  const fs::path path = path_ / "checkpoint.bin";
  SOTTO_TRY(const Bytes bytes, read_file(path));
  return load_checkpoint(bytes, path.string());
}

Result<nlohmann::json> RunDir::summary() const {
  if (!is_whole() && fs::exists(path_ / "plan.toml"))
    return fail(Code::not_found,
                fmt::format("{}: the run was stopped before its end: continue it with 'sotto train --resume "
                            "--out {}'",
                            path_.string(), path_.string()));
  if (!is_whole())
    return fail(Code::not_found, fmt::format("{}: no run lies there (no run.json)", path_.string()));
  SOTTO_TRY(nlohmann::json json, read_json(path_ / "run.json"));
  const int format = json.is_object() ? json.value("format", 0) : 0;
  if (format != run_format)
    return fail(Code::incompatible,
                fmt::format("{}: run format {}, this program reads {}: train again with this version",
                            path_.string(), format, run_format));
  return json;
}

Result<nlohmann::json> RunDir::metrics() const { return read_json(path_ / "metrics.json"); }

Result<LoadedRun> load_run(const fs::path& path, Executor& executor) {
  const RunDir dir(path);
  SOTTO_TRY(const nlohmann::json summary, dir.summary());
  LoadedRun run;
  SOTTO_TRY(run.request, dir.request());
  SOTTO_TRY(Split split, dir.split());
  run.split = std::make_unique<Split>(std::move(split));
  std::optional<Parameters> parameters;
  if (fs::exists(path / "model.bin")) {
    parameters.emplace();
    SOTTO_TRY(parameters->items, load_rows_file(path / "model.bin"));
    SOTTO_TRY(RowMatrix devices, load_rows_file(path / "devices.bin"));
    const bool fits = parameters->items.rows() == run.split->catalogue &&
                      devices.rows() == run.split->users.size() &&
                      devices.width() == parameters->items.width();
    if (!fits)
      return fail(Code::bad_input, fmt::format("{}: model and split do not belong together", path.string()));
    parameters->users = Private(std::move(devices));
  }
  SOTTO_TRY(run.model, rebuild_model(run.request, *run.split, std::move(parameters), executor));
  return run;
}

}  // namespace sotto
