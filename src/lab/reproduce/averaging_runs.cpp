#include "lab/reproduce/averaging_runs.h"

#include <fmt/core.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "engine/averaging/averaging_json.h"
#include "engine/averaging/averaging_world.h"
#include "engine/files/files.h"
#include "lab/report/markup.h"

namespace sotto::lab {

namespace {

using nlohmann::json;

constexpr int kept_format = 1;
// What pictures of digits must be for the numbers to stand beside the print.
constexpr IdxOptions printed_pictures{.height = 28, .width = 28};

KeptAveraging kept_from(const json& document) {
  KeptAveraging run;
  run.plan = document.at("plan").get<std::string>();
  run.rounds = document.at("rounds").get<std::vector<std::uint32_t>>();
  run.accuracy = document.at("accuracy").get<std::vector<double>>();
  for (const json& target : document.at("rounds_until")) {
    auto& rounds = run.until[target.at("accuracy").get<std::uint32_t>()];
    const json& list = target.at("rounds");
    for (std::size_t n = 0; n < rounds.size(); ++n)
      if (!list.at(n).is_null()) rounds[n] = list.at(n).get<std::uint32_t>();
  }
  run.best_round = document.at("best_round").get<std::uint32_t>();
  run.most_rounds = document.at("most_rounds").get<std::uint32_t>();
  run.seconds = document.at("seconds").get<double>();
  return run;
}

// Everything about one run of a target.
struct PlannedRun {
  std::string setting;
  std::uint64_t seed = 1;
  TrainRequest request;
  std::filesystem::path path;
};

Result<std::vector<PlannedRun>> planned_runs(const Target& target, const PaperData& data, Effort effort,
                                             const std::filesystem::path& folder) {
  std::vector<PlannedRun> planned;
  for (const std::uint64_t seed : seeds_of(target, effort))
    for (const std::string& setting : experiment_on(data.name).settings) {
      auto request = averaging_request(target, data, setting, seed, effort);
      if (!request.ok()) return request.error();
      SOTTO_TRY_DONE(settle(*request));
      planned.push_back(
          {setting, seed, std::move(*request), folder / kept_name(data.name, setting, seed, effort)});
    }
  return planned;
}

// The run's file, where it is there and of the same plan.
Result<std::optional<KeptAveraging>> kept_at(const PlannedRun& run) {
  SOTTO_TRY(const bool there, is_there(run.path));
  if (!there) return std::optional<KeptAveraging>();
  SOTTO_TRY(const std::string text, read_text(run.path));
  SOTTO_TRY(KeptAveraging kept, kept_from_text(text, run.path.string()));
  if (kept.plan != averaging_plan_hash(run.request)) return std::optional<KeptAveraging>();
  return std::optional(std::move(kept));
}

// Trains with examples that are read once for all runs of a dataset.
class RunMaker {
 public:
  explicit RunMaker(Executor& executor) : executor_(executor) {}

  [[nodiscard]] Result<KeptAveraging> make(const PlannedRun& run, const StudyHooks& hooks,
                                           const std::function<void(const AveragingRound&)>& tell) {
    SOTTO_TRY(const AveragingRequest asked, averaging_of(run.request));
    if (examples_ == nullptr) {
      SOTTO_TRY(examples_, read_examples(run.request.data, printed_pictures));
    }
    SOTTO_TRY(const Split split, deal_examples(run.request.data, examples_));
    SOTTO_TRY_DONE(check_measurable(asked.criteria.order, *split.examples->examples));
    SOTTO_TRY(const auto world, AveragingWorld::make(asked.classifier, split.examples));
    AveragingHooks own;
    own.stop = hooks.stop;
    own.on_round = [&](const AveragingRound& round) -> Status { return tell(round), Done{}; };
    SOTTO_TRY(const AveragingOutcome outcome, run_averaging(asked, world->parts({}), executor_, own));
    KeptAveraging kept = kept_of(run.request, outcome);
    SOTTO_TRY_DONE(write_file(run.path, std::string_view(kept_text(kept))));
    return kept;
  }

 private:
  Executor& executor_;
  std::shared_ptr<const OwnedExamples> examples_;
};

}  // namespace

std::string kept_text(const KeptAveraging& run) {
  json until = json::array();
  for (const auto& [accuracy, rounds] : run.until) {
    json list = json::array();
    for (const auto& round : rounds) list.push_back(round ? json(*round) : json(nullptr));
    until.push_back({{"accuracy", accuracy}, {"rounds", std::move(list)}});
  }
  const json document{{"format", kept_format},
                      {"plan", run.plan},
                      {"rounds", run.rounds},
                      {"accuracy", run.accuracy},
                      {"rounds_until", std::move(until)},
                      {"best_round", run.best_round},
                      {"test_examples", run.best_right.size()},
                      {"right", bits_text(run.best_right)},
                      {"most_rounds", run.most_rounds},
                      {"seconds", run.seconds}};
  return document.dump() + "\n";
}

Result<KeptAveraging> kept_from_text(const std::string& text, const std::string& name) {
  const auto damaged_file = [&] {
    return fail(Code::bad_input,
                fmt::format("{}: not a run of chapter 5: remove it to have it made anew", name));
  };
  try {
    const json document = json::parse(text);
    if (document.at("format").get<int>() != kept_format) return damaged_file();
    KeptAveraging run = kept_from(document);
    auto right = bits_from_text(document.at("right").get<std::string>(),
                                document.at("test_examples").get<std::size_t>());
    if (!right.ok() || run.rounds.size() != run.accuracy.size()) return damaged_file();
    run.best_right = std::move(*right);
    return run;
  } catch (const json::exception&) {
    return damaged_file();
  }
}

KeptAveraging kept_of(const TrainRequest& request, const AveragingOutcome& outcome) {
  KeptAveraging run;
  run.plan = averaging_plan_hash(request);
  for (const AccuracyLook& look : outcome.curve.looks) {
    run.rounds.push_back(look.round);
    run.accuracy.push_back(global_accuracy(outcome.curve.examples, look));
  }
  for (const std::uint32_t accuracy : accuracy_targets)
    run.until[accuracy] = rounds_until_shares(outcome.curve, accuracy);
  run.best_round = outcome.best_round;
  run.best_right = outcome.best_right;
  run.most_rounds = static_cast<std::uint32_t>(outcome.rounds.size());
  run.seconds = outcome.seconds;
  return run;
}

std::string averaging_plan_hash(TrainRequest request) {
  request.data.paths.clear();
  request.model.own<AveragingOptions>().classifier.accelerator = Accelerator::cpu;
  Hasher hasher;
  hasher.text(to_toml(request));
  return std::move(hasher).hex();
}

std::string kept_name(std::string_view dataset, std::string_view setting, std::uint64_t seed, Effort effort) {
  return fmt::format("{}_{}_seed-{}_{}.json", slug(dataset), slug(setting), seed, to_string(effort));
}

Result<AveragingRuns> averaging_runs(const Target& target, const PaperData& data, Effort effort,
                                     const std::filesystem::path& folder, const StudyHooks& hooks,
                                     Executor& executor, std::uint64_t& computed) {
  SOTTO_TRY_DONE(make_folder(folder));
  SOTTO_TRY(const std::vector<PlannedRun> planned, planned_runs(target, data, effort, folder));
  RunMaker maker(executor);
  AveragingRuns runs;
  StudyProgress progress;
  progress.total = planned.size();
  progress.left_seconds = std::numeric_limits<double>::quiet_NaN();
  double seconds = 0.0;  // of the runs made here
  std::uint64_t made = 0;
  const auto tell = [&](std::string note) {
    progress.note = std::move(note);
    if (hooks.on_progress) hooks.on_progress(progress);
  };
  for (std::size_t n = 0; n < planned.size(); ++n) {
    const PlannedRun& run = planned[n];
    SOTTO_TRY(std::optional<KeptAveraging> kept, kept_at(run));
    progress.found += kept ? 1 : 0;
    if (!kept && n % target.runs.parts == target.runs.part) {
      progress.running = 1;
      const std::string about = fmt::format("{} on {}, seed {}", run.setting, data.shown, run.seed);
      tell(about);
      SOTTO_TRY(kept, maker.make(run, hooks, [&](const AveragingRound& round) {
        tell(fmt::format("{}: round {} of {}, accuracy {:.1f}%", about, round.round,
                         run.request.model.own<AveragingOptions>().rounds, 100.0 * round.accuracy));
      }));
      progress.running = 0;
      ++computed;
      ++made;
      seconds += kept->seconds;
      const auto left = static_cast<double>(planned.size() - n - 1) / target.runs.parts;
      progress.left_seconds = seconds / static_cast<double>(made) * left;
    }
    ++progress.finished;
    if (kept) runs[run.setting][run.seed] = std::move(*kept);
  }
  return runs;
}

Result<Reproduction> reproduce_averaging(const Target& target, const std::vector<PaperData>& data,
                                         Effort effort, const std::filesystem::path& folder,
                                         const StudyHooks& hooks, Executor& executor) {
  Reproduction out;
  out.target = target;
  out.effort = effort;
  for (const PaperData& one : data) {
    if (!one.there) {
      out.absent.push_back(fmt::format("{}: {}", one.name, one.remedy));
      continue;
    }
    SOTTO_TRY(const AveragingRuns runs,
              averaging_runs(target, one, effort, folder / "averaging", hooks, executor, out.computed));
    add_averaging(target, one, runs, out);
    if (!one.caveat.empty()) out.notes.push_back(one.caveat);
  }
  return out;
}

}  // namespace sotto::lab
