// sotto train: data and a plan in, a judged model and a run directory out.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/kg_command.h"
#include "cli/run_text.h"
#include "cli/train_flags.h"
#include "data/forget_user.h"
#include "engine/plan/prepare.h"
#include "engine/protect/training_consent.h"
#include "engine/train/memory_plan.h"
#include "engine/train/session.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct Job {
  TrainRequest request;
  Split split;
  SessionOptions session;
};

// Said before anything starts, or is written.
Status check_room(const TrainFlags& flags, const Job& job, std::size_t threads) {
  if (flags.memory_gb && !(*flags.memory_gb > 0.0))
    return fail(Code::usage, "--memory must be a number of gigabytes above 0");
  if (!flags.scratch.empty() && !job.request.model->scratch)
    return fail(Code::usage,
                fmt::format("--scratch keeps the private rows of {}; {} has none in a file: leave it out",
                            model_names([](const ModelEntry& entry) { return entry.scratch; }),
                            job.request.model->name));
  const std::optional<double> available = flags.memory_gb ? *flags.memory_gb * 1e9 : available_memory();
  if (!available) return Done{};
  MemoryFacts facts = memory_facts(job.request, job.split, threads);
  facts.keeps_checkpoints = !flags.out.empty();
  facts.scratch = !flags.scratch.empty();
  return check_memory(job.request, facts, *available);
}

// What was read about the items, and what of it was left out.
void tell_knowledge(const Prepared& prepared, const Console& console) {
  if (!prepared.features || prepared.knowledge == nullptr) return;
  const FeatureReport& report = *prepared.features;
  console.note(fmt::format(
      "sotto: {} features of the items, {} facts; left out: {} features that too few items have, {} of "
      "items that are not in the data; {} items have no feature",
      human_count(report.features), human_count(report.facts), human_count(report.dropped_rare),
      human_count(report.dropped_elsewhere), human_count(report.items_without)));
  tell_left_out(prepared.knowledge->report, console);
}

Result<Job> new_job(const TrainFlags& flags, std::size_t threads, const Console& console) {
  Job job;
  SOTTO_TRY(job.request, request_from(flags, console));
  // Said before data are read, which may take long.
  if (const RunDir out(flags.out); !flags.out.empty())
    SOTTO_TRY_DONE(flags.force ? out.check_clear() : out.check_free());
  SOTTO_TRY(Prepared prepared, prepare(job.request.data));
  if (!flags.quiet) tell_knowledge(prepared, console);
  job.split = std::move(prepared.split);
  if (job.split.examples == nullptr && job.split.test.interactions() == 0)
    return fail(Code::bad_input,
                "the test part is empty: there would be nothing to judge; choose another --split");
  SOTTO_TRY_DONE(check_room(flags, job, threads));
  // A rule that cannot be followed is said before there is a folder.
  if (const auto people = with_people(job.request, job.split); !people.ok()) return people.error();
  if (job.request.model->check_data) SOTTO_TRY_DONE(job.request.model->check_data(job.request, job.split));
  if (flags.out.empty()) return job;
  job.session.run.emplace(flags.out);
  if (flags.force) SOTTO_TRY_DONE(job.session.run->clear());
  SOTTO_TRY_DONE(job.session.run->begin(job.request, job.split));
  return job;
}

// A resumed run is charged to the budget it began with: `asked` may name that one alone.
Result<std::string> budget_of(const RunDir& run, const std::string& asked) {
  SOTTO_TRY(std::string begun, run.budget());
  std::error_code ignored;  // a path that cannot be followed is compared as it is
  const auto same = [&] {
    return std::filesystem::weakly_canonical(asked, ignored) ==
           std::filesystem::weakly_canonical(begun, ignored);
  };
  if (asked.empty() || (!begun.empty() && same())) return begun;
  if (begun.empty())
    return fail(Code::usage,
                "the run began without a budget, so its first rounds were charged to none: leave --dp-budget "
                "out, or start again with --force");
  return fail(Code::usage, fmt::format("the run is charged to {}: leave --dp-budget out", begun));
}

// A resumed run is its own plan and split; flags that would change it are refused.
Result<Job> resumed_job(const TrainFlags& flags, std::size_t threads, const Console& console) {
  if (flags.out.empty()) return fail(Code::usage, "--resume needs the run to go on with: add --out DIR");
  if (flags.force)
    return fail(Code::usage, "--resume goes on with a run and --force replaces it: choose one");
  Job job;
  job.session.run.emplace(flags.out);
  job.session.resume = true;
  SOTTO_TRY(job.request, job.session.run->request());
  SOTTO_TRY(const TrainRequest asked, request_from(flags, console, job.request));
  if (to_toml(asked) != to_toml(job.request))
    return fail(Code::usage,
                "a resumed run keeps its plan: leave the other flags out, or start again with --force");
  SOTTO_TRY(job.request.dp.budget, budget_of(*job.session.run, asked.dp.budget));
  SOTTO_TRY(job.split, job.session.run->split());
  // A forgetting that was cut short leaves a split whose plan is another.
  if (has_forgotten(job.split) && !job.session.run->has_checkpoint() && job.request.model->in_steps())
    return fail(Code::usage,
                fmt::format("{}: forgetting a person began here and did not finish; the rest cannot be "
                            "replayed: train again without them, with --split-file {} and another --out",
                            flags.out, shell_word((job.session.run->path() / "split.bin").string())));
  SOTTO_TRY_DONE(check_room(flags, job, threads));
  return job;
}

Status show_outcome(const nlohmann::json& summary, const TrainFlags& flags, const Console& console) {
  if (flags.common.json) {
    print_json(console, summary);
    return Done{};
  }
  console.print(summary_text(summary, console));
  if (!flags.out.empty())
    console.print(fmt::format("\nThe run is in {}. Look at it with: sotto show {}\n", flags.out,
                              shell_word(flags.out)));
  return Done{};
}

Status run_train(TrainFlags& flags, const Console& console) {
  if (!(flags.checkpoint_seconds >= 0.0))
    return fail(Code::usage, "--checkpoint-seconds must be a number from 0 up");
  if (flags.resume && !flags.out.empty() && RunDir(flags.out).is_whole()) {
    SOTTO_TRY(const nlohmann::json summary, RunDir(flags.out).summary());
    console.note(fmt::format("sotto: the run in {} is complete, there is nothing to resume", flags.out));
    return show_outcome(summary, flags, console);
  }
  ThreadPool threads(flags.common.threads);
  SOTTO_TRY(Job job, flags.resume ? resumed_job(flags, threads.threads(), console)
                                  : new_job(flags, threads.threads(), console));
  job.session.quiet = flags.quiet;
  job.session.scratch = flags.scratch;
  job.session.keep_epochs = flags.keep_epochs;
  job.session.checkpoint_seconds = flags.checkpoint_seconds;
  SOTTO_TRY(const Session session, run_session(job.request, job.split, job.session, threads, console));
  return show_outcome(summary_of(job.request, job.split, session), flags, console);
}

}  // namespace

void add_train(CLI::App& root, Cli& cli) {
  auto [app, flags] = add_command<TrainFlags>(root, cli, "train", "train a model and judge it", run_train);
  add_train_flags(*app, *flags);
  app->footer(
      "A model's own options: 'sotto train --model NAME --help'; 'sotto models' lists the models. Options of "
      "knowledge graphs and contexts are listed with the models that use them.\n\n" +
      examples({"sotto train --data world --variant pfpl+ --pi 0.5 --out runs/first",
                "sotto train --data ratings.dat --min-user 20 --split temporal:0.8 --model bprmf --json",
                "sotto train --plan runs/first/plan.toml --seed 2 --out runs/second",
                "sotto train --data world --model fpl --dp local --dp-kind laplace --dp-noise 8",
                "sotto train --data world --model fedease --validation 0.05 --dp central --dp-epsilon 8 "
                "--dp-lambdas 30,100,300",
                "sotto train --resume --out runs/first"}));
}

}  // namespace sotto::cli
