#include "lab/report/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <sstream>
#include <tuple>

#include "base/hash.h"
#include "engine/files/files.h"
#include "engine/plan/criteria_request.h"
#include "engine/plan/model_entry.h"
#include "engine/train/run_dir.h"

namespace sotto::lab {

namespace fs = std::filesystem;

namespace {

// What does not make a configuration: π and seed have places of their own, the data is the dataset's, and the
// rest does not change a model.
bool is_apart(const std::string& key) {
  constexpr std::array keys{"seed", "consent.pi", "model.name", "federation.wire", "federation.log_every"};
  return key.starts_with("data.") || key.starts_with("split.") || key.starts_with("early_stopping.") ||
         key.starts_with("evaluation.") || std::ranges::find(keys, key) != keys.end();
}

// The λs follow α unless they were given.
bool follows_rate(const std::string& key) {
  return key == "model.user_reg" || key == "model.positive_reg" || key == "model.negative_reg";
}

// The last part of a key says enough: "model.factors" → "factors".
std::string short_key(const std::string& key) { return key.substr(key.rfind('.') + 1); }

std::string value_in(const FlatPlan& plan, const std::string& key) {
  const auto found = plan.find(key);
  return found == plan.end() ? "default" : found->second;
}

// Whether figures use it.
bool is_shown_per_user(const std::string& name) {
  return name.starts_with("P@") || name.starts_with("R@") || name.starts_with("F1means@") ||
         name.starts_with("nDCG@") || name == "Accuracy";
}

Result<ReportData> read_results(const fs::path& path) {
  SOTTO_TRY(const ResultsFile file, ResultsFile::open(path.string()));
  SOTTO_TRY(std::vector<StoredCell> cells, file.cells());
  ReportData data;
  data.title = path.filename().string();
  std::set<std::tuple<std::string, std::string, std::string>> seen;  // studies share results
  for (StoredCell& cell : cells) {
    if (!seen.emplace(cell.place.key, cell.place.dataset, cell.place.model).second) continue;
    const std::string where = fmt::format("study '{}', cell {}", cell.place.study, cell.place.position);
    if (!cell.result.done) {
      data.troubles.push_back(fmt::format("{} ({} on {}) failed: {}", where, cell.place.model,
                                          cell.place.dataset, cell.result.reason));
      continue;
    }
    if (cell.place.phase == Phase::search) {
      ++data.search_cells;
      continue;
    }
    ReportRun run;
    run.source = where;
    SOTTO_TRY(run.detail, file.detail(cell.place.key));
    Hasher judged;
    for (const UserIndex user : run.detail.per_user.users) judged.u64(user.value);
    run.judged = std::move(judged).hex();
    keep_shown_columns(run.detail.per_user);
    run.plan = flat_plan(cell.result.request);
    if (const auto kept = from_kept_toml(cell.result.request); kept.ok()) note_plan(*kept, run);
    if (!data.splits.contains(cell.result.split_hash)) {
      SOTTO_TRY(std::optional<SplitFacts> facts, file.split(cell.result.split_hash));
      if (facts) data.splits[cell.result.split_hash] = std::move(*facts);
    }
    run.place = std::move(cell.place);
    run.result = std::move(cell.result);
    data.runs.push_back(std::move(run));
  }
  if (data.runs.empty())
    return fail(
        Code::not_found,
        fmt::format("{}: no finished cell that was judged on the test part: run 'sotto sweep' to its end",
                    path.string()));
  return data;
}

Result<bool> is_run(const fs::path& folder) { return is_there(folder / "plan.toml"); }

Result<std::vector<fs::path>> run_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->is_directory(error)) continue;
    SOTTO_TRY(const bool is_one, is_run(entry->path()));
    if (is_one) found.push_back(entry->path());
  }
  if (error) return fail(Code::io, fmt::format("cannot list '{}': {}", folder.string(), error.message()));
  std::sort(found.begin(), found.end());
  return found;
}

Result<ReportData> read_folder(const fs::path& folder) {
  ReportData data;
  // "runs/" and "." have no name of their own.
  const fs::path whole = fs::absolute(folder).lexically_normal();
  data.title = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  SOTTO_TRY(const bool single, is_run(folder));
  std::vector<fs::path> folders{folder};
  if (!single) {
    SOTTO_TRY(folders, run_folders(folder));
  }
  if (folders.empty())
    return fail(Code::not_found,
                fmt::format("'{}' is no run directory and holds none: make one with 'sotto train --out {}'",
                            folder.string(), (folder / "first").string()));
  for (const fs::path& path : folders) {
    auto run = read_run(path, data.splits);
    if (run.ok()) {
      data.runs.push_back(std::move(*run));
    } else if (single) {
      return run.error();
    } else {
      data.troubles.push_back(run.error().message);
    }
  }
  if (data.runs.empty())
    return fail(Code::not_found, fmt::format("'{}' holds no run that can be read: {}", folder.string(),
                                             data.troubles.front()));
  if (single) data.runs.front().source = data.title;
  return data;
}

// Two splits under one dataset's name: each gets the beginning of its hash.
void tell_datasets_apart(std::vector<ReportRun>& runs) {
  std::map<std::string, std::set<std::string>> splits;
  for (const ReportRun& run : runs) splits[run.place.dataset].insert(run.result.split_hash);
  for (ReportRun& run : runs)
    if (splits[run.place.dataset].size() > 1)
      run.place.dataset += fmt::format(" (split {})", run.result.split_hash.substr(0, 8));
}

// The settings that differ between runs of one label.
std::vector<std::string> differing_keys(const std::vector<ReportRun*>& runs) {
  std::set<std::string> keys;
  for (const ReportRun* run : runs)
    for (const auto& [key, value] : run->plan)
      if (!is_apart(key)) keys.insert(key);
  std::vector<std::string> differing;
  for (const std::string& key : keys) {
    std::set<std::string> values;
    std::set<std::string> rates;
    std::set<std::pair<std::string, std::string>> both;
    for (const ReportRun* run : runs) {
      const std::string rate = value_in(run->plan, "model.lr");
      values.insert(value_in(run->plan, key));
      rates.insert(rate);
      both.emplace(rate, value_in(run->plan, key));
    }
    if (values.size() > 1 && !(follows_rate(key) && both.size() == rates.size())) differing.push_back(key);
  }
  return differing;
}

// The same model by the same plan is one run, however many folders or studies hold it and however it was
// judged: two would pass for two seeds.
void drop_repeated(ReportData& data) {
  std::map<std::tuple<std::string, std::string, std::string, FlatPlan>, std::string> first;
  std::vector<ReportRun> kept;
  for (ReportRun& run : data.runs) {
    FlatPlan plan = run.plan;
    std::erase_if(plan, [](const auto& entry) { return entry.first.starts_with("evaluation."); });
    const auto [at, is_new] =
        first.try_emplace({run.place.dataset, run.place.model, run.result.model_hash, plan}, run.source);
    if (is_new) {
      kept.push_back(std::move(run));
    } else {
      data.troubles.push_back(fmt::format("{} is the same as {} and counts once", run.source, at->second));
    }
  }
  data.runs = std::move(kept);
}

}  // namespace

void note_plan(const TrainRequest& plan, ReportRun& run) {
  if (plan.model->sends == Sends::item_steps) run.pi = plan.plan.consent.pi;
  run.learned_from_test = learns_from_test(plan);
}

void keep_shown_columns(PerUser& per_user) {
  PerUser kept;
  kept.users = per_user.users;
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < per_user.names.size(); ++column)
    if (is_shown_per_user(per_user.names[column])) {
      columns.push_back(column);
      kept.names.push_back(per_user.names[column]);
    }
  kept.values.reserve(per_user.users.size() * columns.size());
  for (std::size_t row = 0; row < per_user.users.size(); ++row)
    for (const std::size_t column : columns) kept.values.push_back(per_user.at(row, column));
  per_user = std::move(kept);
}

FlatPlan flat_plan(const std::string& toml) {
  FlatPlan plan;
  std::string section;
  std::istringstream lines(toml);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      section = line.substr(1, line.find(']') - 1) + ".";
      continue;
    }
    const std::size_t sign = line.find(" = ");
    if (sign == std::string::npos) continue;
    std::string value = line.substr(sign + 3);
    const bool quoted =
        value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
    if (quoted) value = value.substr(1, value.size() - 2);
    plan[section + line.substr(0, sign)] = value;
  }
  return plan;
}

void name_configurations(std::vector<ReportRun>& runs) {
  tell_datasets_apart(runs);
  using Label = std::pair<std::string, std::string>;
  std::map<Label, std::vector<ReportRun*>> labels;
  for (ReportRun& run : runs) labels[{run.place.dataset, run.place.model}].push_back(&run);
  for (const auto& [label, members] : labels) {
    const std::vector<std::string> keys = differing_keys(members);
    for (ReportRun* run : members) {
      std::string differs;
      for (const std::string& key : keys) {
        const std::string words = key.starts_with("criteria.")
                                      ? criteria_setting(run->plan, key)
                                      : fmt::format("{} {}", short_key(key), value_in(run->plan, key));
        if (!words.empty()) differs += (differs.empty() ? "" : ", ") + words;
      }
      if (run->learned_from_test)
        differs = fmt::format("{}{}{}", learned_from_test, differs.empty() ? "" : "; ", differs);
      run->configuration = differs.empty() ? label.second : fmt::format("{} ({})", label.second, differs);
    }
  }
}

Result<ReportData> read_report_data(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return fail(Code::not_found,
                fmt::format("there is no run directory, folder of runs or results file '{}'", path.string()));
  auto data = fs::is_directory(status) ? read_folder(path) : read_results(path);
  if (!data.ok()) return data;
  drop_repeated(*data);
  name_configurations(data->runs);
  return data;
}

}  // namespace sotto::lab
