// sotto compare: runs on the same split side by side, with what is significant.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/compare_text.h"
#include "cli/compared_runs.h"
#include "cli/values.h"
#include "engine/plan/request.h"
#include "metrics/metric_name.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct CompareCommandOptions {
  CommonOptions common;
  std::vector<std::string> runs;
  std::vector<std::string> metrics;
  std::string test = "t";
  double alpha = 0.05;
  bool intervals = false;
  bool pairs = false;
  std::uint32_t resamples = BootstrapOptions{}.resamples;
  std::string format = "table";
  std::string out = "-";
};

Result<CompareOptions> asked_for(const CompareCommandOptions& options) {
  CompareOptions asked;
  if (options.runs.size() < 2) return fail(Code::usage, "one run alone cannot be compared: name two or more");
  SOTTO_TRY(asked.test, parse_paired_test(options.test));
  asked.metrics = options.metrics;
  if (asked.metrics.empty()) {
    SOTTO_TRY(asked.metrics, usual_metrics(options.runs));
  }
  for (const std::string& metric : asked.metrics) {
    SOTTO_TRY(const MetricName name, parse_metric_name(metric));
    if (name.cutoff.value_or(1) > most_cutoff)
      return fail(Code::usage, fmt::format("{}: lists have at most {} items", metric, most_cutoff));
  }
  if (!(options.alpha > 0.0 && options.alpha < 1.0))
    return fail(Code::usage,
                fmt::format("--alpha {} is not a probability: give a number between 0 and 1", options.alpha));
  if (options.resamples == 0 || options.resamples > 1'000'000)
    return fail(Code::usage, "--resamples must be from 1 to 1000000");
  asked.alpha = options.alpha;
  asked.intervals = options.intervals;
  asked.pairs = options.pairs;
  asked.bootstrap.resamples = options.resamples;
  asked.bootstrap.seed = options.common.seed;
  return asked;
}

Status compare(CompareCommandOptions& options, const Console& console) {
  SOTTO_TRY(SheetFormat format, parse_sheet_format(options.format));
  if (options.common.json) format = SheetFormat::json;
  SOTTO_TRY(const CompareOptions asked, asked_for(options));
  ThreadPool threads(options.common.threads);
  std::vector<ComparedRun> runs;
  for (const std::string& path : options.runs) {
    SOTTO_TRY(ComparedRun run, read_compared_run(path, asked.metrics, threads, console));
    runs.push_back(std::move(run));
  }
  SOTTO_TRY(const Comparison comparison, compare_runs(std::move(runs), asked, threads));
  if (format == SheetFormat::json) {
    const nlohmann::json document = comparison_json(comparison);
    constexpr auto marked = nlohmann::json::error_handler_t::replace;  // a path may hold any bytes
    return write_output(console, options.out, document.dump(2, ' ', false, marked) + "\n");
  }
  return write_output(console, options.out,
                      comparison_text(comparison, format, options.out == "-" ? console : Console()));
}

}  // namespace

void add_compare(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<CompareCommandOptions>(
      root, cli, "compare", "compare runs side by side, with tests of significance", compare);
  app->add_option("RUN", options->runs, "run directories on the same split")->type_name("RUN")->required();
  values(add_list(*app, "--metrics", options->metrics, "the columns; default P, R, nDCG, IC and Gini"),
         metric_names(usual_cutoffs));
  values(
      app->add_option("--test", options->test, "t or wilcoxon, over the users' values; Holm over all pairs"),
      {"t", "wilcoxon"})
      ->type_name("TEST")
      ->default_str(options->test);
  app->add_option("--alpha", options->alpha, "level of significance; intervals cover 1 − alpha")
      ->type_name("A")
      ->default_str("0.05");
  app->add_flag("--intervals", options->intervals, "bootstrap intervals (BCa) beside the values");
  app->add_flag("--pairs", options->pairs, "every pair: difference, interval, p, adjusted p, effect sizes");
  app->add_option("--resamples", options->resamples, "of the bootstrap")
      ->default_str(fmt::format("{}", options->resamples));
  add_sheet_format(*app, options->format);
  app->add_option("-o,--out", options->out, "write it to a file; - is stdout")
      ->type_name("FILE")
      ->default_str("-");
  add_common_options(*app, options->common, "seed of the bootstrap's draws");
  app->footer(examples({"sotto compare runs/pfpl runs/bprmf runs/toppop",
                        "sotto compare runs/* --metrics P@10,nDCG@10 --test wilcoxon --pairs",
                        "sotto compare runs/* --intervals --format latex --out table.tex"}));
}

}  // namespace sotto::cli
