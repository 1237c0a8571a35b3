// A run directory as the report sees it (report_data.h).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/hash.h"
#include "engine/files/files.h"
#include "engine/files/per_user_file.h"
#include "engine/train/run_dir.h"
#include "lab/comparison.h"
#include "lab/report/report_data.h"

namespace sotto::lab {

namespace fs = std::filesystem;

namespace {

using Rows = std::vector<std::vector<std::string>>;

Result<Rows> read_tsv(const fs::path& path) {
  SOTTO_TRY(const std::string text, read_text(path));
  Rows rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    auto& row = rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, '\t');) row.push_back(field);
    if (row.size() != rows.front().size())
      return fail(Code::bad_input,
                  fmt::format("{}, line {}: {} fields where the header has {}: the run is damaged",
                              path.string(), rows.size(), row.size(), rows.front().size()));
  }
  if (rows.empty() || rows.front().empty())
    return fail(Code::bad_input, fmt::format("{}: the file is empty", path.string()));
  return rows;
}

template <class Number>
Result<Number> number_in(const Rows& rows, std::size_t row, std::size_t column, const fs::path& path) {
  const std::string& text = rows[row][column];
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return fail(Code::bad_input, fmt::format("{}, line {}: field {} is no number: the run is damaged",
                                             path.string(), row + 1, column + 1));
  return number;
}

// Users are numbered by row, as the split is not read; run.judged tells who they are.
Status read_users(const fs::path& path, ReportRun& run) {
  SOTTO_TRY(const std::string text, read_text(path));
  Hasher judged;
  std::uint32_t row = 0;
  SOTTO_TRY(run.detail.per_user,
            read_per_user(text, path.string(), [&](std::string_view id) -> std::optional<UserIndex> {
              judged.text(id);
              return UserIndex{row++};
            }));
  keep_shown_columns(run.detail.per_user);
  run.judged = std::move(judged).hex();
  return Done{};
}

Status read_items(const fs::path& path, CellDetail& detail, SplitFacts& facts) {
  SOTTO_TRY(const bool there, is_there(path));
  if (!there) return Done{};  // a run of an earlier version
  SOTTO_TRY(const Rows rows, read_tsv(path));
  const auto column_of = [&rows](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(rows.front(), name) - rows.front().begin());
  };
  const std::size_t width = rows.front().size();
  const auto read = [&](const char* name, auto& values) -> Status {
    const std::size_t column = column_of(name);
    if (column == width) return Done{};
    values.clear();
    for (std::size_t row = 1; row < rows.size(); ++row) {
      using Number = typename std::decay_t<decltype(values)>::value_type;
      SOTTO_TRY(const Number value, number_in<Number>(rows, row, column, path));
      values.push_back(value);
    }
    return Done{};
  };
  SOTTO_TRY_DONE(read("popularity", facts.popularity));
  SOTTO_TRY_DONE(read("recommended", detail.item_recommended));
  return read("updates", detail.item_updates);
}

// null stands for what is not a number.
double number_in(const nlohmann::json& json, const char* name) {
  const auto value = json.find(name);
  return value != json.end() && value->is_number() ? value->get<double>() : NAN;
}

// What the log says of each epoch.
Result<std::vector<CurvePoint>> read_curve(const fs::path& path) {
  std::vector<CurvePoint> curve;
  SOTTO_TRY(const bool there, is_there(path));
  if (!there) return curve;
  SOTTO_TRY(const std::string text, read_text(path));
  CurvePoint now;
  double loss = 0.0;
  double weight = 0.0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("epoch")) continue;  // the last line of a killed run may be cut
    const std::uint64_t triples = json.value("triples", std::uint64_t{0});
    if (triples > 0) loss += number_in(json, "loss") * static_cast<double>(triples);
    weight += static_cast<double>(triples);
    now.triples += triples;
    now.bytes_up += json.value("bytes_up", std::uint64_t{0});
    now.bytes_down += json.value("bytes_down", std::uint64_t{0});
    if (const double validation = number_in(json, "validation"); std::isfinite(validation))
      now.validation = validation;
    const auto epoch = json.value("epoch", std::uint32_t{0});  // finished with this line
    if (epoch == now.epoch) continue;
    now.epoch = epoch;
    now.loss = weight > 0.0 ? loss / weight : NAN;
    curve.push_back(now);
    loss = weight = 0.0;
    now.validation.reset();
  }
  return curve;
}

std::vector<CategoryBiasAt> category_bias_of(const nlohmann::json& metrics) {
  std::vector<CategoryBiasAt> all;
  const auto found = metrics.find("category_bias");
  if (found == metrics.end() || !found->is_array()) return all;
  for (const nlohmann::json& row : *found) {
    if (!row.is_object()) continue;
    const auto cutoff = row.value("cutoff", std::uint32_t{0});
    if (all.empty() || all.back().cutoff != cutoff) all.push_back({cutoff, {}});
    all.back().categories.push_back({row.value("category", ""), row.value("items", std::uint64_t{0}),
                                     number_in(row, "source"), number_in(row, "recommended"),
                                     number_in(row, "disparity")});
  }
  return all;
}

std::string dataset_of(const DataRequest& data) {
  if (!data.split_file.empty()) return fs::path(data.split_file).stem().string();
  if (data.paths.empty()) return data.examples.wanted ? "generated examples" : "built-in world";
  fs::path path(data.paths.front());
  if (!path.has_filename()) path = path.parent_path();
  // The file is often called "interactions" or "ratings"; its folder has the name.
  return path.has_parent_path() && path.has_extension()
             ? (path.parent_path().filename() / path.filename()).string()
             : path.filename().string();
}

CellResult result_of(const nlohmann::json& summary, const TrainRequest& request) {
  CellResult result;
  result.done = true;
  result.request = to_toml(request);
  result.split_hash = summary["split_hash"];
  result.model_hash = summary["model_hash"];
  result.judged_users = summary["judged_users"];
  result.seconds = summary["seconds"];
  result.totals.triples = summary["triples"];
  result.totals.exchanges = summary["exchanges"];
  result.totals.rounds = summary["rounds"];
  result.totals.bytes_up = summary["bytes_up"];
  result.totals.bytes_down = summary["bytes_down"];
  if (summary.contains("tcc_vectors") && summary["tcc_vectors"].is_number())
    result.vectors = summary["tcc_vectors"];
  if (summary.contains("best_epoch")) result.best_epoch = summary["best_epoch"].get<std::uint32_t>();
  for (const auto& [name, value] : summary["metrics"].items())
    result.metrics.push_back({name, value.is_number() ? value.get<double>() : NAN});
  return result;
}

}  // namespace

Result<ReportRun> read_run(const fs::path& path, std::map<std::string, SplitFacts>& splits) {
  const RunDir dir(path);
  SOTTO_TRY(const nlohmann::json summary, dir.summary());
  SOTTO_TRY(const TrainRequest request, dir.request());
  SOTTO_TRY(const nlohmann::json metrics, dir.metrics());
  ReportRun run;
  run.source = path.filename().string();
  run.result = result_of(summary, request);
  run.plan = flat_plan(run.result.request);
  run.place.dataset = dataset_of(request.data);
  run.place.model = label_of(request);
  run.place.seed = request.plan.seed;
  note_plan(request, run);
  run.detail.category_bias = category_bias_of(metrics);
  SOTTO_TRY_DONE(read_users(path / "per_user.tsv", run));
  SOTTO_TRY(run.detail.curve, read_curve(dir.log_path()));
  run.result.epochs = run.detail.curve.empty() ? 0 : run.detail.curve.back().epoch;
  SplitFacts& facts = splits[run.result.split_hash];
  facts.hash = run.result.split_hash;
  facts.users = summary["users"];
  facts.catalogue = summary["items"];
  facts.train = summary["train_interactions"];
  facts.validation = summary["validation_interactions"];
  facts.test = summary["test_interactions"];
  SOTTO_TRY_DONE(read_items(path / "items.tsv", run.detail, facts));
  return run;
}

}  // namespace sotto::lab
