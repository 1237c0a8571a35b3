// sotto show: a run directory, readable.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/command.h"
#include "cli/run_text.h"
#include "engine/files/files.h"
#include "engine/train/run_dir.h"

namespace sotto::cli {

namespace fs = std::filesystem;

namespace {

struct ShowOptions {
  CommonOptions common;
  std::string run;
};

// The learning curve, one point a line of the log.
struct Curve {
  std::vector<double> loss;
  std::vector<double> validation;
  std::vector<double> accuracy;
  std::uint64_t rounds = 0;
};

Result<Curve> read_curve(const fs::path& path) {
  Curve curve;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return curve;
  SOTTO_TRY(const std::string text, read_text(path));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) continue;  // the last line of a run that was killed may be cut
    const auto number = [&json](const char* key) {
      const auto found = json.find(key);
      return found != json.end() && found->is_number() ? found->get<double>() : 0.0;
    };
    curve.loss.push_back(number("loss"));
    if (json.contains("validation")) curve.validation.push_back(number("validation"));
    if (json.contains("accuracy")) curve.accuracy.push_back(number("accuracy"));
    curve.rounds = static_cast<std::uint64_t>(number("round"));
  }
  return curve;
}

struct SizedFile {
  std::string name;
  std::uint64_t bytes = 0;
};

std::vector<SizedFile> files_of(const fs::path& folder) {
  std::vector<SizedFile> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_regular_file(error))
      files.push_back({entry->path().filename().string(), entry->file_size(error)});
  std::sort(files.begin(), files.end(),
            [](const SizedFile& a, const SizedFile& b) { return a.name < b.name; });
  return files;
}

const char* about_file(const std::string& name) {
  for (const RunFile& file : run_files())
    if (name == file.name) return file.about;
  return "";
}

std::string curve_line(const std::vector<double>& values) {
  constexpr std::size_t most_bars = 48;
  const std::vector<double> curve = thinned(values, most_bars);
  return fmt::format("{:.4f} {} {:.4f}", curve.front(), sparkline(curve), curve.back());
}

void print_run(const RunDir& run, const Curve& curve, const TrainRequest& request, const Console& console) {
  Table facts = fact_table();
  if (!curve.loss.empty()) facts.row({"loss", curve_line(curve.loss)});
  if (!curve.accuracy.empty()) facts.row({"accuracy", curve_line(curve.accuracy)});
  if (!curve.validation.empty()) facts.row({request.early.metric, curve_line(curve.validation)});
  if (!facts.empty()) console.print("\nLearning, first to last\n" + facts.text(console));

  console.print("\nPlan\n");
  std::istringstream plan(to_toml(request));
  for (std::string line; std::getline(plan, line);)
    if (!line.empty())
      console.print("  " + console.paint(line.front() == '[' ? Tone::dim : Tone::plain, line) + "\n");

  Table files({{"", Align::left}, {"", Align::right}, {"", Align::left, Tone::dim}});
  for (const SizedFile& file : files_of(run.path()))
    files.row({file.name, human_bytes(static_cast<double>(file.bytes)), about_file(file.name)});
  console.print("\nFiles\n" + files.text(console));
}

nlohmann::json as_json(const RunDir& run, const Curve& curve, const TrainRequest& request, bool whole) {
  nlohmann::json json{{"run", run.path().string()},     {"complete", whole},
                      {"plan", to_toml(request)},       {"loss", curve.loss},
                      {"validation", curve.validation}, {"rounds_logged", curve.rounds}};
  for (const SizedFile& file : files_of(run.path())) json["files"][file.name] = file.bytes;
  return json;
}

Status show(ShowOptions& options, const Console& console) {
  const RunDir run(options.run);
  std::error_code ignored;
  if (!fs::is_directory(run.path(), ignored))
    return fail(Code::not_found, fmt::format("there is no run directory '{}'", options.run));
  const bool whole = run.is_whole();
  nlohmann::json summary;
  if (whole) {
    SOTTO_TRY(summary, run.summary());
  }
  SOTTO_TRY(const TrainRequest request, run.request());
  SOTTO_TRY(const Curve curve, read_curve(run.log_path()));
  if (options.common.json) {
    nlohmann::json json = as_json(run, curve, request, whole);
    if (whole) json["summary"] = summary;
    print_json(console, json);
    return Done{};
  }
  console.print(console.paint(Tone::strong, fmt::format("Run {}\n", options.run)));
  if (whole) {
    console.print(summary_text(summary, console));
  } else {
    const auto kept = run.has_checkpoint() ? std::optional(run.checkpoint()) : std::nullopt;
    console.print(console.paint(Tone::warn, kept ? "  stopped before its end, with a checkpoint\n"
                                                 : "  stopped before its first checkpoint\n"));
    if (!kept || kept->ok())
      console.print(fmt::format("  go on with: sotto train --resume --out {}\n", shell_word(options.run)));
    else
      console.print(fmt::format("  it cannot go on: {}\n", kept->error().message));
  }
  print_run(run, curve, request, console);
  return Done{};
}

}  // namespace

void add_show(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<ShowOptions>(root, cli, "show", "show a run", show);
  app->add_option("RUN", options->run, "a run directory")->type_name("RUN")->required();
  add_common_options(*app, options->common);
  app->footer(examples({"sotto show runs/demo", "sotto show runs/demo --json"}));
}

}  // namespace sotto::cli
