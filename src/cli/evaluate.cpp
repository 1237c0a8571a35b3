// sotto evaluate: judge a trained run again, at other cut-offs or on the other part; or judge lists that
// another program made.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/field_flags.h"
#include "cli/run_text.h"
#include "cli/values.h"
#include "engine/files/files.h"
#include "engine/plan/prepare.h"
#include "engine/plan/shared_fields.h"
#include "engine/protect/lambda_choice.h"
#include "engine/train/session.h"
#include "lab/trec.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct EvaluateCommandOptions {
  CommonOptions common;
  std::string run;
  std::vector<std::uint32_t> cutoffs;
  std::optional<std::uint32_t> eval_users;
  std::string part = "test";
  std::string per_user;
  std::string qrels;
  std::string recs;
  std::string recs_columns;
  std::string short_lists = "refuse";
  FieldFlags data;

  [[nodiscard]] Part judged() const { return part == "test" ? Part::test : Part::validation; }
};

// What is judged: a run; or lists, and then there is no model.
using Exhibit = LoadedRun;

Status check(const EvaluateCommandOptions& options) {
  if (options.part != "test" && options.part != "validation")
    return fail(Code::usage, fmt::format("unknown part '{}': choose test or validation", options.part));
  if (options.short_lists != "refuse" && options.short_lists != "allow")
    return fail(Code::usage, fmt::format("--short-lists {}: choose refuse or allow", options.short_lists));
  if (options.recs.empty() && options.run.empty())
    return fail(Code::usage, "--run is required: name a run directory, or judge other lists with --recs");
  if (options.recs.empty() && !options.data.typed.empty())
    return fail(Code::usage,
                "a run is judged on its own split: --data, --split-file and the like go with --recs");
  if (!options.recs.empty() && options.run.empty() == options.data.typed.empty())
    return fail(Code::usage,
                "the lists need a split to be judged on: give one of --run DIR (its split), --split-file "
                "FILE, or --data");
  for (const auto& [flag, file] : {std::pair("--per-user", &options.per_user), {"--qrels", &options.qrels}})
    if (*file == "-" && options.common.json)
      return fail(Code::usage, fmt::format("{} - and --json both write to stdout: give a file name", flag));
  return Done{};
}

Result<Exhibit> open_exhibit(const EvaluateCommandOptions& options, Executor& executor) {
  Exhibit exhibit;
  if (options.recs.empty()) {
    return load_run(options.run, executor);
  }
  if (!options.run.empty()) {
    SOTTO_TRY(exhibit.request, RunDir(options.run).request());
    SOTTO_TRY(Split split, RunDir(options.run).split());
    exhibit.split = std::make_unique<Split>(std::move(split));
    return exhibit;
  }
  exhibit.request.plan.seed = exhibit.request.data.split.seed = options.common.seed;
  SOTTO_TRY_DONE(apply(options.data, exhibit.request.data));
  if (exhibit.request.data.paths.empty() && exhibit.request.data.split_file.empty())
    return fail(Code::usage, "no data is given: name it with --data or --split-file");
  SOTTO_TRY_DONE(settle(exhibit.request));
  SOTTO_TRY(Prepared prepared, prepare(exhibit.request.data));
  exhibit.split = std::make_unique<Split>(std::move(prepared.split));
  return exhibit;
}

Result<EvaluateOptions> asked_for(const EvaluateCommandOptions& options, const Exhibit& exhibit) {
  TrainRequest request = exhibit.request;
  if (!options.cutoffs.empty()) request.cutoffs = options.cutoffs;
  if (options.eval_users) request.eval_users = *options.eval_users;
  SOTTO_TRY_DONE(settle(request));
  if (options.judged() == Part::validation && exhibit.split->validation.interactions() == 0)
    return fail(Code::usage,
                options.run.empty()
                    ? "the split has no validation part: make one with 'sotto data split --validation 0.2'"
                    : "the run has no validation part: train with --validation 0.2 to have one");
  SOTTO_TRY_DONE(check_judged(request, options.judged()));
  return evaluate_options(request, *exhibit.split, options.judged());
}

Result<Evaluation> judge_given(const EvaluateCommandOptions& options, const Exhibit& exhibit,
                               const EvaluateOptions& asked, nlohmann::json& document) {
  SOTTO_TRY(const std::string text, read_text(options.recs));
  SOTTO_TRY(const GivenLists lists,
            load_given_lists({options.recs, text}, *exhibit.split, masked_parts(*exhibit.split, asked.part),
                             options.recs_columns));
  document = {{"file", options.recs}, {"lists", lists.lists}, {"reordered", lists.reordered}};
  const ShortLists policy = options.short_lists == "allow" ? ShortLists::allow : ShortLists::refuse;
  auto evaluation = evaluate_lists(lists, *exhibit.split, asked, policy);
  if (!evaluation.ok()) return chained(evaluation.error(), options.recs);
  return evaluation;
}

void print_evaluation(const EvaluateCommandOptions& options, const Evaluation& evaluation, std::size_t users,
                      const nlohmann::json& document, const Console& console) {
  console.print(fmt::format(
      "{} of {} users judged on the {} part; {} have nothing there, {} nothing to learn from\n",
      human_count(evaluation.users), human_count(users), options.part,
      human_count(evaluation.users_without_test), human_count(evaluation.users_without_training)));
  if (const auto given = document.find("recs"); given != document.end())
    console.print(fmt::format("{} lists in {}; {} were not best first and were sorted by score\n",
                              human_count((*given)["lists"].get<std::uint64_t>()), options.recs,
                              human_count((*given)["reordered"].get<std::uint64_t>())));
  console.print("\n" + metrics_text(document["metrics"], console));
  for (std::size_t n = 0; n < evaluation.cutoffs.size(); ++n)
    if (evaluation.short_lists[n] > 0)
      console.print(fmt::format("\n{} users have fewer than {} items {}; their lists are shorter.\n",
                                human_count(evaluation.short_lists[n]), evaluation.cutoffs[n],
                                options.recs.empty() ? "left to recommend" : "in their lists"));
}

Status judge(EvaluateCommandOptions& options, const Console& console) {
  SOTTO_TRY_DONE(check(options));
  ThreadPool threads(options.common.threads);
  SOTTO_TRY(const Exhibit exhibit, open_exhibit(options, threads));
  SOTTO_TRY(const EvaluateOptions asked, asked_for(options, exhibit));
  nlohmann::json given;
  SOTTO_TRY(const Evaluation evaluation, exhibit.model
                                             ? evaluate(*exhibit.model, *exhibit.split, asked, threads)
                                             : judge_given(options, exhibit, asked, given));
  if (!options.per_user.empty())
    SOTTO_TRY_DONE(write_output(console, options.per_user, per_user_tsv(evaluation, *exhibit.split)));
  if (!options.qrels.empty()) {
    const Histories& part = asked.part == Part::test ? exhibit.split->test : exhibit.split->validation;
    SOTTO_TRY(const std::string qrels, trec_qrels(*exhibit.split, part, evaluation.per_user.users));
    SOTTO_TRY_DONE(write_output(console, options.qrels, qrels));
  }
  nlohmann::json document = metrics_of(evaluation, asked.part);
  if (!given.is_null()) document["recs"] = given;
  if (options.common.json) {
    print_json(console, document);
  } else {
    print_evaluation(options, evaluation, exhibit.split->users.size(), document, console);
  }
  return Done{};
}

void add_list_options(CLI::App& app, EvaluateCommandOptions& options) {
  app.option_defaults()->group("Lists of other programs");
  app.add_option("--recs", options.recs,
                 "judge the lists in this file: user, item, score, or a TREC run (optionally .zst)")
      ->type_name("FILE");
  app.add_option("--recs-columns", options.recs_columns,
                 "what its columns mean, such as user=1,item=2,rating=3; else detected")
      ->type_name("LIST");
  values(app.add_option(
             "--short-lists", options.short_lists,
             "lists with fewer items than asked for: refuse, or allow (the missing places are misses)"),
         {"refuse", "allow"})
      ->type_name("WHAT")
      ->default_str("refuse");
}

}  // namespace

void add_evaluate(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<EvaluateCommandOptions>(
      root, cli, "evaluate", "judge a trained run again, or lists of another program", judge);
  app->add_option("--run", options->run, "a run directory; with --recs only its split counts")
      ->type_name("RUN");
  add_list(*app, "--cutoffs", options->cutoffs, "lengths of the judged lists; default: the run's, or 10");
  app->add_option("--eval-users", options->eval_users, "judge a sample of N users; default: the run's");
  values(app->add_option("--part", options->part, "test or validation"), {"test", "validation"})
      ->type_name("PART")
      ->default_str("test");
  app->add_option("--per-user", options->per_user, "write a TSV with the values per user (optionally .zst)")
      ->type_name("FILE");
  app->add_option("--qrels", options->qrels,
                  "write what the users are judged on as TREC qrels (optionally .zst)")
      ->type_name("FILE");
  add_list_options(*app, *options);
  add_field_flags(*app, options->data, fields::data_fields());
  add_common_options(*app, options->common, "for the random split rules of --data");
  app->footer(examples({"sotto evaluate --run runs/demo --cutoffs 5,10,20",
                        "sotto evaluate --run runs/first --part validation --json",
                        "sotto evaluate --run runs/first --per-user users.tsv --qrels qrels.txt",
                        "sotto evaluate --recs lists.tsv --split-file split/split.bin",
                        "sotto evaluate --recs run.trec --data split/train.tsv --test split/test.tsv"}));
}

}  // namespace sotto::cli
