// sotto fedavg: a classifier trained by federated averaging, with criteria that say who counts how much.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/averaging_text.h"
#include "cli/command.h"
#include "cli/field_flags.h"
#include "cli/options.h"
#include "engine/files/files.h"
#include "engine/plan/shared_fields.h"
#include "engine/terminal/interrupt.h"
#include "lab/averaging/averaging_folder.h"
#include "lab/averaging/averaging_json.h"
#include "lab/averaging/averaging_world.h"
#include "sim/thread_pool.h"

namespace sotto {

namespace {

using Clock = std::chrono::steady_clock;

struct FedavgFlags {
  CommonOptions common;
  std::string plan_file;
  Edits<AveragingRequest> edits;
  std::vector<std::string> given;  // the fields that flags named
  FieldFlags sum;
  std::string out;
  bool resume = false;
  bool force = false;
  bool quiet = false;
  double checkpoint_seconds = 30.0;
};

// On top of `request` the plan file, then the flags.
Result<AveragingRequest> request_from(const FedavgFlags& flags, AveragingRequest request) {
  if (!flags.plan_file.empty()) {
    SOTTO_TRY(const std::string text, read_text(flags.plan_file));
    SOTTO_TRY(request, averaging_from_toml(text, flags.plan_file, std::move(request)));
  }
  SOTTO_TRY_DONE(apply_edits(flags.edits, request));
  TrainRequest like;  // the flags of a sum are those of every training
  like.sum = request.sum;
  SOTTO_TRY_DONE(apply(flags.sum, like, true));
  request.sum = like.sum;
  if (flags.common.seed_given) request.plan.seed = flags.common.seed;
  SOTTO_TRY_DONE(check(request, flags.given));
  return request;
}

// A resumed run is its own plan; flags that would change it are refused.
Result<AveragingRequest> resumed_request(const FedavgFlags& flags) {
  if (flags.out.empty()) return fail(Code::usage, "--resume needs the run to go on with: add --out DIR");
  if (flags.force)
    return fail(Code::usage, "--resume goes on with a run and --force replaces it: choose one");
  SOTTO_TRY(AveragingRequest kept, AveragingFolder(flags.out).request());
  SOTTO_TRY(const AveragingRequest asked, request_from(flags, kept));
  if (to_toml(asked) != to_toml(kept))
    return fail(Code::usage,
                "a resumed run keeps its plan: leave the other flags out, or start anew with --force");
  return kept;
}

// The hooks that keep a run in its folder.
class KeptRun {
 public:
  KeptRun(const FedavgFlags& flags, AveragingFolder folder)
      : folder_(std::move(folder)), seconds_(flags.checkpoint_seconds) {}

  [[nodiscard]] Status open_log(std::uint64_t keep) {
    SOTTO_TRY(AppendFile log, AppendFile::open(folder_.log_path(), keep));
    log_.emplace(std::move(log));
    return Done{};
  }
  [[nodiscard]] Status line(const AveragingRound& round) { return log_->line(round_line(round)); }
  [[nodiscard]] bool due() const {
    return std::chrono::duration<double>(Clock::now() - saved_).count() >= seconds_;
  }
  [[nodiscard]] Status save(const Checkpoint& checkpoint) {
    SOTTO_TRY_DONE(log_->flush());  // the rounds that the checkpoint speaks of
    SOTTO_TRY_DONE(folder_.save(checkpoint));
    saved_ = Clock::now();
    return Done{};
  }
  [[nodiscard]] Status finish(const AveragingOutcome& outcome, const nlohmann::json& summary) {
    SOTTO_TRY_DONE(log_->flush());
    return folder_.finish(outcome, summary);
  }

 private:
  AveragingFolder folder_;
  double seconds_;
  std::optional<AppendFile> log_;
  Clock::time_point saved_ = Clock::now();
};

Status show(const nlohmann::json& summary, const FedavgFlags& flags, const Console& console) {
  if (flags.common.json) return print_json(console, summary), Done{};
  console.print(averaging_text(summary, console));
  if (!flags.out.empty())
    console.print(fmt::format("\nThe run lies in {}. See this again with: sotto fedavg --resume --out {}\n",
                              flags.out, shell_word(flags.out)));
  return Done{};
}

Result<AveragingOutcome> train(const AveragingRequest& request, const FedavgFlags& flags,
                               const AveragingParts& parts, std::optional<KeptRun>& kept,
                               std::optional<AveragingBefore> before, const Console& console) {
  ThreadPool threads(flags.common.threads);
  const InterruptGuard guard;
  AveragingProgress progress(console, request.rounds, flags.quiet);
  AveragingHooks hooks;
  hooks.stop = &guard.stop();
  hooks.on_round = [&](const AveragingRound& round) -> Status {
    progress.update(round);
    return kept ? kept->line(round) : Done{};
  };
  if (kept) {
    hooks.checkpoint_due = [&] { return kept->due(); };
    hooks.on_checkpoint = [&](const Checkpoint& checkpoint) { return kept->save(checkpoint); };
  }
  return run_averaging(request, parts, threads, hooks, std::move(before));
}

Status run_fedavg(FedavgFlags& flags, const Console& console) {
  if (!(flags.checkpoint_seconds >= 0.0))
    return fail(Code::usage, "--checkpoint-seconds must be a number from 0 up");
  SOTTO_TRY(const AveragingRequest request,
            flags.resume ? resumed_request(flags) : request_from(flags, AveragingRequest{}));
  const AveragingFolder folder(flags.out);
  if (flags.resume) {
    SOTTO_TRY(const bool whole, folder.is_whole());
    if (whole) {
      console.note(fmt::format("sotto: the run in {} is complete, there is nothing to resume", flags.out));
      SOTTO_TRY(const nlohmann::json summary, folder.summary());
      return show(summary, flags, console);
    }
  }
  // What is refused is refused before examples are read or made.
  if (!flags.out.empty() && !flags.resume)
    SOTTO_TRY_DONE(flags.force ? folder.check_clear() : folder.check_free());
  SOTTO_TRY_DONE(check_accelerator(request));
  SOTTO_TRY(const std::unique_ptr<AveragingWorld> world, AveragingWorld::make(request));
  SOTTO_TRY_DONE(check_cohort(request, world->dealt().devices()));
  // The folder is begun when nothing is left that could be refused.
  SOTTO_TRY(const std::unique_ptr<LocalTask> task, world->start_task(request));
  SOTTO_TRY_DONE(check_run(request, *task));
  std::optional<KeptRun> kept;
  std::optional<AveragingBefore> before;
  if (!flags.out.empty()) {
    if (flags.force) SOTTO_TRY_DONE(folder.clear());
    if (!flags.resume) SOTTO_TRY_DONE(folder.begin(request));
    SOTTO_TRY(before, folder.before());
    kept.emplace(flags, folder);
    SOTTO_TRY_DONE(kept->open_log(before ? before->checkpoint.log_lines : 0));
  }
  const auto outcome = train(request, flags, world->parts(*task), kept, std::move(before), console);
  if (!outcome.ok() && outcome.error().code == Code::cancelled && kept)
    return fail(Code::cancelled, fmt::format("{}; go on with: sotto fedavg --resume --out {}",
                                             outcome.error().message, shell_word(flags.out)));
  if (!outcome.ok()) return outcome.error();
  const nlohmann::json summary = outcome_json(request, *outcome);
  if (kept) SOTTO_TRY_DONE(kept->finish(*outcome, summary));
  return show(summary, flags, console);
}

void add_fields(CLI::App& app, FedavgFlags& flags) {
  const AveragingRequest defaults;
  for (const AveragingField& field : averaging_fields()) {
    const std::string name = "--" + field.name;
    const auto edit = [&flags, set = field.set, field_name = field.name](const std::string& text) {
      flags.given.push_back(field_name);
      flags.edits.push_back([set, text](AveragingRequest& request) { return set(request, text); });
    };
    if (field.type.empty()) {
      app.add_flag_callback(
             name, [edit] { edit("true"); }, field.about)
          ->group(field.group);
    } else {
      app.add_option_function<std::string>(name, edit, field.about)
          ->type_name(field.type)
          ->default_str(field.show(defaults))
          ->group(field.group);
    }
  }
}

}  // namespace

void add_fedavg(CLI::App& root, Cli& cli) {
  auto [app, flags] = add_command<FedavgFlags>(
      root, cli, "fedavg", "train a classifier by federated averaging, with criteria", run_fedavg);
  add_fields(*app, *flags);
  add_field_flags(*app, flags->sum, fields::sum_fields());
  app->add_option("--plan", flags->plan_file, "a plan in TOML; flags win over it")->type_name("FILE");
  app->add_option("-o,--out", flags->out, "a folder for plan, rounds, model and summary")->type_name("DIR");
  app->add_flag("--resume", flags->resume, "go on with the run in --out");
  app->add_flag("--force", flags->force, "replace the run in --out");
  app->add_flag("-q,--quiet", flags->quiet, "no progress");
  app->add_option("--checkpoint-seconds", flags->checkpoint_seconds, "seconds between checkpoints")
      ->type_name("S")
      ->default_str("30");
  add_common_options(*app, flags->common, "of the deal, the first model, cohorts and local order");
  app->footer(examples(
      {"sotto fedavg --generate --deal shards --devices 20 --cohort 0.25 --rounds 20 --model dense "
       "--criteria 'LD>MW'",
       "sotto fedavg --data mnist --deal shards --lr 0.1 --criteria 'DS>LD>MW' --until 50%@90%",
       "sotto fedavg --data celeba-meta --deal people --model dense --hidden 64 --criteria 'DS>CB>IS' --json",
       "sotto fedavg --data mnist --deal shards --criteria 'DS>LD>MW' --choose-order --validation 0.1",
       "sotto fedavg --data mnist --deal iid --lr 0.215 --sum secure --cohort 0.5 --out run"}));
}

}  // namespace sotto
