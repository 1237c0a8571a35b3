// sotto sweep: runs a study, or what is left of it.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/sweep_progress.h"
#include "engine/files/files.h"
#include "engine/terminal/interrupt.h"
#include "engine/terminal/table.h"
#include "lab/study/results_view.h"
#include "lab/study/run_study.h"
#include "lab/study/study_toml.h"

namespace sotto::cli {

namespace {

struct SweepOptions {
  CommonOptions common;
  std::string study;
  std::string out;
  bool dry_run = false;
  bool quiet = false;
  bool retry_failed = false;
};

Result<Study> read_study(const SweepOptions& options) {
  SOTTO_TRY(const std::string text, read_text(options.study));
  SOTTO_TRY(Study study, study_from_toml(text, options.study));
  if (options.common.seed_given) study.seeds = {options.common.seed};
  return study;
}

// A results file that cannot be used, or made, is refused before the data is read.
Result<std::optional<ResultsFile>> existing_results(const std::string& path) {
  std::optional<ResultsFile> results;
  if (path.empty()) return results;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return fail(Code::usage, fmt::format("--out: '{}' is a folder where a file is needed", path));
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    return fail(Code::usage, fmt::format("--out: there is no folder '{}': make it first", folder.string()));
  SOTTO_TRY(const bool there, is_there(path));
  if (!there) return results;
  SOTTO_TRY(ResultsFile file, ResultsFile::open_or_create(path));
  results.emplace(std::move(file));
  return results;
}

Status show_plan(const Study& study, const std::vector<PlannedCells>& plan, const SweepOptions& options,
                 const Console& console) {
  std::uint64_t cells = 0;
  nlohmann::json lines = nlohmann::json::array();
  Table table({{"dataset", Align::left},
               {"model", Align::left},
               {"search", Align::right},
               {"final", Align::right},
               {"in the file", Align::right}});
  for (const PlannedCells& line : plan) {
    cells += line.search + line.final;
    lines.push_back({{"dataset", line.dataset},
                     {"model", line.model},
                     {"search", line.search},
                     {"final", line.final},
                     {"found", line.found}});
    table.row({line.dataset, line.model, human_count(line.search), human_count(line.final),
               human_count(line.found)});
  }
  if (options.common.json) {
    print_json(console, {{"study", study.name}, {"cells", cells}, {"lines", lines}});
    return Done{};
  }
  console.print(table.text(console));
  console.print(fmt::format("\n{}: {} cells{}. Nothing was run (--dry-run).\n", study.name,
                            human_count(cells), study.search ? " at most" : ""));
  return Done{};
}

nlohmann::json failures_json(const StudyOutcome& outcome) {
  nlohmann::json failures = nlohmann::json::array();
  for (const auto& [place, reason] : outcome.failures)
    failures.push_back({{"dataset", place.dataset},
                        {"model", place.model},
                        {"phase", to_string(place.phase)},
                        {"settings", place.settings},
                        {"seed", place.seed},
                        {"reason", reason}});
  return failures;
}

Status show_outcome(const Study& study, const StudyOutcome& outcome, const SweepOptions& options,
                    const Console& console) {
  if (options.common.json) {
    print_json(console, {{"study", study.name},
                         {"results", options.out},
                         {"cells", outcome.cells},
                         {"found", outcome.found},
                         {"computed", outcome.computed},
                         {"failed", outcome.failures.size()},
                         {"failures", failures_json(outcome)},
                         {"seconds", outcome.seconds}});
  } else {
    console.print(fmt::format("{}: {} cells, {} computed in {}, {} taken from existing results\n", study.name,
                              human_count(outcome.cells), human_count(outcome.computed),
                              human_seconds(outcome.seconds), human_count(outcome.found)));
    console.print(fmt::format("Look at them with: sotto results best {}\n", shell_word(options.out)));
  }
  if (outcome.failures.empty()) return Done{};
  return fail(
      Code::bad_input,
      fmt::format("{} of {} cells failed; the reasons: sotto results list {} --status failed; try them "
                  "again with --retry-failed",
                  outcome.failures.size(), outcome.cells, shell_word(options.out)));
}

Status tell_outdated(const ResultsFile& results, const Console& console) {
  SOTTO_TRY(const std::uint64_t outdated, outdated_cells(results));
  if (outdated > 0)
    console.note(
        fmt::format("sotto: {} of the results in {} are of an earlier version: they are kept, and computed "
                    "again where this study needs them",
                    human_count(outdated), results.path()));
  return Done{};
}

Status sweep(SweepOptions& options, const Console& console) {
  if (options.out.empty() && !options.dry_run)
    return fail(Code::usage, "the results need a file: give one with --out results.sqlite");
  SOTTO_TRY(const Study study, read_study(options));
  SOTTO_TRY(std::optional<ResultsFile> results, existing_results(options.out));
  if (results) SOTTO_TRY_DONE(tell_outdated(*results, console));
  SweepProgress progress(console, options.quiet);
  const InterruptGuard guard;
  StudyHooks hooks;
  hooks.on_progress = [&progress](const StudyProgress& now) { progress.update(now); };
  hooks.stop = &guard.stop();
  hooks.retry_failed = options.retry_failed;
  const auto note = [&hooks](const std::string& text) {
    StudyProgress now;
    now.note = text;
    hooks.on_progress(now);
  };
  SOTTO_TRY(const StudyData data, StudyData::load(study, note));
  if (options.dry_run) {
    SOTTO_TRY(const std::vector<PlannedCells> plan, plan_study(study, data, results ? &*results : nullptr));
    progress.clear();
    return show_plan(study, plan, options, console);
  }
  if (!results) {
    SOTTO_TRY(ResultsFile made, ResultsFile::open_or_create(options.out));
    results.emplace(std::move(made));
  }
  const auto outcome = run_study(study, data, *results, hooks, options.common.threads);
  progress.clear();
  if (!outcome.ok() && outcome.error().code == Code::cancelled)
    return fail(Code::cancelled,
                fmt::format("{}; go on with: sotto sweep {} --out {}", outcome.error().message,
                            shell_word(options.study), shell_word(options.out)));
  if (!outcome.ok()) return outcome.error();
  return show_outcome(study, *outcome, options, console);
}

}  // namespace

void add_sweep(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<SweepOptions>(root, cli, "sweep",
                                                  "run a study: datasets × models × settings × seeds", sweep);
  app->add_option("STUDY", options->study, "a study, as TOML")->required();
  app->add_option("--out", options->out, "the results file; what is finished there is not computed again")
      ->type_name("FILE");
  app->add_flag("--dry-run", options->dry_run, "check everything and count the cells, but run none");
  app->add_flag("--retry-failed", options->retry_failed, "compute failed cells again");
  app->add_flag("--quiet", options->quiet, "no progress");
  add_common_options(*app, options->common, "train with this seed instead of the study's seeds");
  app->footer(examples({"sotto sweep study.toml --out results.sqlite", "sotto sweep study.toml --dry-run",
                        "sotto sweep study.toml --out results.sqlite --retry-failed --json"}) +
              "\n\nA study:\n"
              "  name = \"consent\"\n"
              "  seeds = [1, 2, 3]\n"
              "  [[dataset]]\n"
              "  name = \"world\"\n"
              "  paths = [\"world\"]\n"
              "  [[model]]\n"
              "  label = \"sFPL+\"\n"
              "  federation.variant = \"sfpl+\"\n"
              "  grid = { \"consent.pi\" = [0.1, 0.5, 1.0] }\n"
              "  [search]            # optional: choose settings on a validation part\n"
              "  method = \"grid\"     # or random, halving, bayes\n"
              "  metric = \"P@10\"");
}

}  // namespace sotto::cli
