// sotto reproduce: a paper's table or figure again, beside what was printed.
#include "lab/reproduce/reproduce.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.h"
#include "cli/reproduce_text.h"
#include "cli/sweep_progress.h"
#include "cli/values.h"
#include "engine/files/files.h"
#include "engine/terminal/interrupt.h"
#include "engine/terminal/table.h"
#include "lab/reproduce/averaging_plans.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct ReproduceOptions {
  CommonOptions common;
  std::string target;
  std::string data;
  std::string out = "reproduced";
  std::string format = "table";
  std::vector<std::string> only;
  bool quick = false;
  bool full = false;
  bool proxies = false;
  bool quiet = false;
  bool retry_failed = false;
  std::uint32_t seeds = 0;
  RunChoice runs;
  std::string part;

  // Fed-CARS' targets are small: they run whole unless told to be quick.
  [[nodiscard]] Effort effort(const Target& of) const {
    return full || (of.paper->is("cars") && !quick) ? Effort::full : Effort::quick;
  }
  [[nodiscard]] DataFolder folder() const {
    return {data.empty() ? default_data_root() : std::filesystem::path(data), proxies};
  }
  [[nodiscard]] std::size_t threads() const {
    return common.threads > 0 ? common.threads : std::max(1u, std::thread::hardware_concurrency());
  }
};

std::string names_of(const std::vector<PaperData>& data, bool there) {
  std::string names;
  for (const PaperData& one : data)
    if (one.there == there) names += (names.empty() ? "" : ", ") + one.shown;
  return names;
}

// Every dataset of a target, there or not.
Result<std::vector<PaperData>> looked_for(const Target& target, const DataFolder& folder) {
  auto found = data_for_target(target, folder);
  if (found.ok() || found.error().code != Code::not_found) return found;
  std::vector<PaperData> data;
  for (const std::string& name : target.datasets) {
    SOTTO_TRY(PaperData one, find_data(name, folder));
    data.push_back(std::move(one));
  }
  return data;
}

Status list_targets(const ReproduceOptions& options, const Console& console) {
  nlohmann::json lines = nlohmann::json::array();
  Table table({{"target", Align::left, Tone::strong, true},
               {"quick", Align::right},
               {"full", Align::right},
               {"data here", Align::left},
               {"missing", Align::left, Tone::dim},
               {"what", Align::left}});
  const auto threads = static_cast<double>(options.threads());
  for (const Target& target : targets()) {
    SOTTO_TRY(const std::vector<PaperData> data, looked_for(target, options.folder()));
    double quick = 0.0;
    if (!names_of(data, true).empty()) {
      SOTTO_TRY(const std::vector<PaperData> few, data_worked_on(target, data, {}, Effort::quick));
      SOTTO_TRY(quick, estimated_core_seconds(target, few, Effort::quick));
    }
    SOTTO_TRY(const double full, estimated_core_seconds(target, data, Effort::full));
    const std::string here = names_of(data, true);
    const auto time = [&](double seconds) {
      return here.empty() ? "–" : "~" + human_seconds(seconds / threads);
    };
    table.row({target.name, time(quick), time(full), here.empty() ? "none" : here, names_of(data, false),
               target.title});
    nlohmann::json line{{"target", target.name},          {"title", target.title},
                        {"runnable", !here.empty()},      {"quick_seconds", quick / threads},
                        {"full_seconds", full / threads}, {"data", nlohmann::json::array()}};
    for (const PaperData& one : data)
      line["data"].push_back(
          {{"name", one.name}, {"there", one.there}, {"proxy", one.proxy}, {"remedy", one.remedy}});
    lines.push_back(std::move(line));
  }
  if (options.common.json) {
    print_json(console, {{"data", options.folder().root.string()}, {"targets", lines}});
    return Done{};
  }
  console.print(table.text(console));
  console.print(
      fmt::format("\nData is looked for in {} (--data). Times are estimates for {} threads on an idle "
                  "machine; what the results file already holds takes none.\n",
                  options.folder().root.string(), options.threads()));
  return Done{};
}

std::string command_of(const ReproduceOptions& options, Effort effort) {
  std::string command =
      fmt::format("sotto reproduce {} --{} --data {} --out {}", options.target, to_string(effort),
                  shell_word(options.folder().root.string()), shell_word(options.out));
  if (options.proxies) command += " --proxies";
  if (options.seeds > 0) command += fmt::format(" --seeds {}", options.seeds);
  if (options.runs.rounds > 0) command += fmt::format(" --rounds {}", options.runs.rounds);
  for (const std::string& name : options.only) command += " --on " + shell_word(name);
  return command;
}

Status show(const Reproduction& reproduction, const std::vector<std::filesystem::path>& written,
            const ReproduceOptions& options, SheetFormat format, const Console& console) {
  const std::string page = written.back().string();
  if (options.common.json || format == SheetFormat::json) {
    nlohmann::json json = reproduction_json(reproduction);
    json["page"] = page;
    print_json(console, json);
  } else if (format == SheetFormat::table) {
    console.print(reproduction_text(reproduction, console));
    console.print(fmt::format("\n{}\n", console.paint(Tone::strong, page)));
  } else {
    console.write(sheet_text(reproduction_cells(reproduction), format, console));
  }
  const std::size_t failed = count_verdicts(reproduction)[static_cast<std::size_t>(Verdict::failed)];
  if (failed == 0) return Done{};
  return fail(Code::bad_input, fmt::format("{} cells failed; try them again with --retry-failed", failed));
}

// "2/5": the second of five processes that share the runs.
Status take_part(const std::string& text, RunChoice& runs) {
  const std::size_t slash = text.find('/');
  const auto number = [](const std::string& digits) -> std::uint32_t {
    const bool good =
        !digits.empty() && digits.size() < 5 && digits.find_first_not_of("0123456789") == std::string::npos;
    return good ? static_cast<std::uint32_t>(std::stoul(digits)) : 0;
  };
  const std::uint32_t part = slash == std::string::npos ? 0 : number(text.substr(0, slash));
  runs.parts = slash == std::string::npos ? 0 : number(text.substr(slash + 1));
  if (part == 0 || runs.parts == 0 || part > runs.parts)
    return fail(Code::usage,
                fmt::format("'{}' is not a part of the runs: write 2/5 for the second of five", text));
  runs.part = part - 1;
  return Done{};
}

// What was asked for beside the target, where the target knows it.
Status take_choices(const ReproduceOptions& options, Target& target) {
  const bool averaging = target.paper->is("averaging");
  if (options.seeds > 0 && !averaging && !target.paper->is("cars") && !target.paper->is("criteria"))
    return fail(Code::usage,
                "--seeds is for the targets of Fed-CARS, of chapter 5 and of criteria: the others have their "
                "own seeds");
  target.seeds = options.seeds;
  target.runs = options.runs;
  if (!options.part.empty()) SOTTO_TRY_DONE(take_part(options.part, target.runs));
  const RunChoice plain;
  if (!averaging &&
      (!options.part.empty() || options.runs.rounds > 0 || options.runs.accelerator != plain.accelerator))
    return fail(Code::usage, "--part, --rounds and --accelerator are for the targets of chapter 5");
  return Done{};
}

Status run_target(const ReproduceOptions& options, const Console& console) {
  SOTTO_TRY(Target target, find_target(options.target));
  SOTTO_TRY_DONE(take_choices(options, target));
  const Effort effort = options.effort(target);
  SOTTO_TRY(const SheetFormat format, parse_sheet_format(options.format));
  SOTTO_TRY(std::vector<PaperData> found, data_for_target(target, options.folder()));
  SOTTO_TRY(const std::vector<PaperData> data,
            data_worked_on(target, std::move(found), options.only, effort));
  SOTTO_TRY(const double seconds, estimated_core_seconds(target, data, effort));
  SOTTO_TRY_DONE(make_folder(options.out));
  const std::filesystem::path out = options.out;
  SOTTO_TRY(ResultsFile results, ResultsFile::open_or_create((out / "results.sqlite").string()));
  if (!options.quiet)
    console.note(fmt::format(
        "{} on {}: about {} on {} threads if nothing of it is in {} yet", target.name, names_of(data, true),
        human_seconds(seconds / static_cast<double>(options.threads())), options.threads(), results.path()));
  SweepProgress progress(console, options.quiet);
  const InterruptGuard guard;
  StudyHooks hooks;
  hooks.on_progress = [&progress](const StudyProgress& now) { progress.update(now); };
  hooks.stop = &guard.stop();
  hooks.retry_failed = options.retry_failed;
  ThreadPool pool(options.common.threads);
  const auto reproduction = reproduce(target, data, effort, results, hooks, options.common.threads, pool);
  progress.clear();
  if (!reproduction.ok() && reproduction.error().code == Code::cancelled)
    return fail(Code::cancelled,
                fmt::format("{}; go on with: {}", reproduction.error().message, command_of(options, effort)));
  if (!reproduction.ok()) return reproduction.error();
  SOTTO_TRY(const auto written,
            write_page(page_of(*reproduction, command_of(options, effort)), out / (target.name + ".html")));
  return show(*reproduction, written, options, format, console);
}

Status reproduce_command(ReproduceOptions& options, const Console& console) {
  if (options.quick && options.full) return fail(Code::usage, "give either --quick or --full");
  return options.target == "list" ? list_targets(options, console) : run_target(options, console);
}

std::vector<std::string> target_words() {
  std::vector<std::string> words{"list"};
  for (const Target& target : targets()) words.emplace_back(target.name);
  return words;
}

}  // namespace

void add_reproduce(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<ReproduceOptions>(
      root, cli, "reproduce", "compute a table or figure of the papers beside the published one",
      reproduce_command);
  values(app->add_option("TARGET", options->target, "a target, such as thesis-4.2; list: shows them all"),
         target_words())
      ->required();
  app->add_option("--data", options->data, "the folder that holds the datasets' folders")
      ->type_name("DIR")
      ->default_str("$SOTTO_DATA, else ../shared/data");
  app->add_flag("--quick", options->quick,
                "stored plans, few values of π, one seed of Fed-CARS (the default, except for Fed-CARS)");
  app->add_flag("--full", options->full, "search the papers' grids, all values of π, three seeds: hours");
  app->add_option("--on", options->only,
                  "only these of the target's datasets (chapter 6: by default --quick takes one or two)")
      ->type_name("NAME");
  app->add_flag("--proxies", options->proxies,
                "let other data stand in for Brazil and Canada, labelled as such");
  app->add_option("-o,--out", options->out,
                  "a folder for results, page and plots; what is there is not computed again")
      ->type_name("DIR")
      ->default_str("reproduced");
  add_sheet_format(*app, options->format);
  app->add_flag("--retry-failed", options->retry_failed, "compute failed cells again");
  app->add_flag("-q,--quiet", options->quiet, "no progress");
  app->add_option("--seeds", options->seeds, "seeds of the targets of Fed-CARS, of chapter 5 and of criteria")
      ->check(CLI::Range(1, 100))
      ->default_str("3, with --quick 1");
  app->add_option("--rounds", options->runs.rounds, "chapter 5: rounds per run")
      ->check(CLI::Range(1, 100000))
      ->default_str(rounds_unless_told);
  app->add_option("--part", options->part,
                  "chapter 5: make only a part of the missing runs, such as the second of five (2/5), so "
                  "that several processes share them")
      ->type_name("K/N");
  values(app->add_option("--accelerator", options->runs.accelerator,
                         "chapter 5: where devices train, cpu or cuda"),
         {"cpu", "cuda"})
      ->type_name("KIND")
      ->default_str("cpu");
  add_common_options(*app, options->common, "has no effect here: the targets have their own seeds, 1 to 3");
  app->footer(examples({"sotto reproduce list", "sotto reproduce thesis-4.2 --data data --out reproduced",
                        "sotto reproduce fig-4.6 --proxies", "sotto reproduce thesis-6.1 --on yahoo-movies",
                        "sotto reproduce fedcars-table-1 --data data --quick",
                        "sotto reproduce thesis-5.3 --full --accelerator cuda --part 1/3 --out reproduced",
                        "sotto reproduce criteria-recommenders --data data --quick",
                        "sotto reproduce thesis-4.2 --full --format latex"}));
}

}  // namespace sotto::cli
