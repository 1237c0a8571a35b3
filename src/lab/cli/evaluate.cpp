// sotto evaluate: judge a trained run again, at other cut-offs or on the other part.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/cli/command.h"
#include "lab/cli/run_text.h"
#include "lab/cli/session.h"
#include "sim/thread_pool.h"

namespace sotto {

namespace {

struct EvaluateCommandOptions {
  CommonOptions common;
  std::string run;
  std::vector<std::uint32_t> cutoffs;
  std::optional<std::uint32_t> eval_users;
  std::string part = "test";
  std::string per_user;
};

Result<EvaluateOptions> asked_for(const EvaluateCommandOptions& options, const LoadedRun& run) {
  TrainRequest request = run.request;
  if (!options.cutoffs.empty()) request.cutoffs = options.cutoffs;
  if (options.eval_users) request.eval_users = *options.eval_users;
  SOTTO_TRY_DONE(settle(request));
  const Part part = options.part == "test" ? Part::test : Part::validation;
  if (part == Part::validation && run.split->validation.interactions() == 0)
    return fail(Code::usage, "the run has no validation part: train with --validation 0.2 to have one");
  return evaluate_options(request, *run.split, part);
}

Status judge(EvaluateCommandOptions& options, const Console& console) {
  ThreadPool threads(options.common.threads);
  if (options.part != "test" && options.part != "validation")
    return fail(Code::usage, fmt::format("unknown part '{}': choose test or validation", options.part));
  SOTTO_TRY(const LoadedRun run, load_run(options.run, threads));
  SOTTO_TRY(const EvaluateOptions asked, asked_for(options, run));
  SOTTO_TRY(const Evaluation evaluation, evaluate(*run.model, *run.split, asked, threads));
  if (!options.per_user.empty())
    SOTTO_TRY_DONE(write_output(console, options.per_user, per_user_tsv(evaluation, *run.split)));
  const nlohmann::json document = metrics_of(evaluation, asked.part);
  if (options.common.json) {
    print_json(console, document);
    return Done{};
  }
  console.print(fmt::format(
      "{} of {} users judged on the {} part; {} have nothing there, {} nothing to learn from\n\n",
      human_count(evaluation.users), human_count(run.split->users.size()), options.part,
      human_count(evaluation.users_without_test), human_count(evaluation.users_without_training)));
  console.print(metrics_text(document["metrics"], console));
  for (std::size_t n = 0; n < evaluation.cutoffs.size(); ++n)
    if (evaluation.short_lists[n] > 0)
      console.print(
          fmt::format("\n{} users have fewer than {} items left to recommend; their lists are shorter.\n",
                      human_count(evaluation.short_lists[n]), evaluation.cutoffs[n]));
  return Done{};
}

}  // namespace

void add_evaluate(CLI::App& root, Cli& cli) {
  auto [app, options] =
      add_command<EvaluateCommandOptions>(root, cli, "evaluate", "judge a trained run again", judge);
  app->add_option("--run", options->run, "a run directory")->type_name("DIR")->required();
  app->add_option("--cutoffs", options->cutoffs, "lengths of the judged lists; default: the run's")
      ->delimiter(',')
      ->type_name("LIST");
  app->add_option("--eval-users", options->eval_users, "judge a sample of so many users; default: the run's")
      ->type_name("N");
  app->add_option("--part", options->part, "test or validation")->type_name("PART")->default_str("test");
  app->add_option("--per-user", options->per_user, "write a TSV with each user's values (perhaps .zst)")
      ->type_name("FILE");
  add_common_options(*app, options->common, "taken by every command; here nothing is drawn");
  app->footer(examples({"sotto evaluate --run runs/demo --cutoffs 5,10,20",
                        "sotto evaluate --run runs/first --part validation --json",
                        "sotto evaluate --run runs/first --per-user users.tsv"}));
}

}  // namespace sotto
