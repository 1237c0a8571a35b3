// sotto forget: a run as if one person had never answered.
#include "engine/train/forget.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/find_items.h"
#include "cli/run_text.h"
#include "engine/plan/model_entry.h"
#include "engine/terminal/table.h"
#include "engine/train/session.h"
#include "lab/forget_figures.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct ForgetOptions {
  CommonOptions common;
  std::string run;
  std::string user;
  bool check = false;
  bool dry_run = false;
};

nlohmann::json cost_json(const ForgetCost& cost) {
  return {{"model_hash", cost.hash},
          {"seconds", cost.seconds},
          {"rounds", cost.rounds},
          {"bytes_up", cost.bytes_up},
          {"bytes_down", cost.bytes_down}};
}

nlohmann::json report_of(const TrainRequest& request, const Forgotten& forgotten,
                         const nlohmann::json& before, const nlohmann::json& after) {
  nlohmann::json json{{"model", request.model->name},
                      {"way", forgotten.way},
                      {"forgetting", cost_json(forgotten.cost)},
                      {"kept_bytes", forgotten.kept_bytes},
                      {"metrics_before", before},
                      {"metrics_after", after}};
  json["first_round"] = forgotten.first_round ? nlohmann::json(*forgotten.first_round) : nlohmann::json();
  if (!forgotten.retrain) return json;
  json["retrain"] = cost_json(*forgotten.retrain);
  json["same_as_retrain"] = forgotten.retrain->hash == forgotten.cost.hash;
  return json;
}

// What is left of the person, and what the others lost: of a forgetting that was checked.
Status add_what_is_left(const ForgetRequest& asked, const Split& split, std::optional<Parameters> before,
                        const Forgotten& forgotten, Executor& executor, nlohmann::json& report) {
  report["a5_auc"] = nullptr;
  if (before) {
    SOTTO_TRY(const std::optional<LeftOfPerson> left, left_of_person(asked, split, *before, forgotten));
    if (left)
      report["a5_auc"] = {{"before", left->before},
                          {"after", left->after},
                          {"retrain", left->retrain},
                          {"popularity", left->popularity}};
  }
  SOTTO_TRY(const RebuiltModel old, rebuild_model(asked.request, split, std::move(before), executor));
  SOTTO_TRY(const std::vector<OthersFigure> others, others_figures(*old.model, forgotten, executor));
  for (const OthersFigure& one : others)
    report["others"][one.metric] = {{"before", one.before}, {"after", one.after}, {"change", one.change()}};
  return Done{};
}

void print_figures(const nlohmann::json& report, const Console& console) {
  const auto cell = [](const nlohmann::json& figures, const char* name) {
    const auto found = figures.find(name);
    return found == figures.end() ? std::string("n/a") : fmt::format("{:.4f}", found->get<double>());
  };
  Table table({{""}, {"before", Align::right}, {"after", Align::right}});
  const nlohmann::json left = report["a5_auc"].is_null() ? nlohmann::json::object() : report["a5_auc"];
  table.row({"the person's history, AUC of A5", cell(left, "before"), cell(left, "after")});
  for (const auto& [metric, figures] : report["others"].items())
    table.row({"the others, " + metric, cell(figures, "before"), cell(figures, "after")});
  console.print("\n" + table.text(console));
  if (!left.empty())
    console.print(
        fmt::format("  A5 ranks by the vector that their messages gave away; popularity alone gives {}\n",
                    cell(left, "popularity")));
  if (report["same_as_retrain"].get<bool>())
    console.print("  a training from the start has the same hash: the gap to it is 0 in every figure\n");
  else if (!left.empty())
    console.print(fmt::format("  A5 with the model from the start: {}\n", cell(left, "retrain")));
}

void print_report(const nlohmann::json& report, const Console& console) {
  const bool subtracts = report["way"] == "subtract";
  console.print(subtracts ? "The person's pairs were taken back from the sum, and the model solved again.\n\n"
                          : "The rounds since the person's first answer ran again without them.\n\n");
  Table table({{""},
               {"seconds", Align::right},
               {"rounds", Align::right},
               {"sent again", Align::right},
               {"sent out", Align::right},
               {"model"}});
  const auto row = [&](const char* name, const nlohmann::json& cost) {
    table.row({name, fmt::format("{:.3f}", cost["seconds"].get<double>()),
               human_count(cost["rounds"].get<std::uint64_t>()),
               human_bytes(static_cast<double>(cost["bytes_up"].get<std::uint64_t>())),
               human_bytes(static_cast<double>(cost["bytes_down"].get<std::uint64_t>())),
               cost["model_hash"].get<std::string>().substr(0, 16)});
  };
  row("forgetting", report["forgetting"]);
  if (report.contains("retrain")) row("from the start", report["retrain"]);
  console.print(table.text(console));
  if (report.contains("retrain"))
    console.print(report["same_as_retrain"].get<bool>() ? "  the two models are the same, bit for bit\n"
                                                        : "  THE TWO MODELS DIFFER\n");
  if (report.contains("others")) print_figures(report, console);
  Table metrics({{"metric"}, {"before", Align::right}, {"after", Align::right}});
  for (const auto& [name, value] : report["metrics_after"].items())
    metrics.row({name, metric_cell(name, report["metrics_before"].value(name, nlohmann::json())),
                 metric_cell(name, value)});
  console.print("\n" + metrics.text(console));
}

Status run_forget(ForgetOptions& options, const Console& console) {
  const RunDir run(options.run);
  SOTTO_TRY(const nlohmann::json summary, run.summary());
  ForgetRequest asked;
  asked.check = options.check;
  SOTTO_TRY(asked.request, run.request());
  if (asked.request.model->needs_examples)
    return fail(Code::usage, fmt::format("{}: {} is a classifier of labelled examples, which people are not "
                                         "taken out of: train it again without theirs",
                                         options.run, asked.request.model->name));
  if (summary.contains("released"))
    return fail(
        Code::usage,
        fmt::format("{}: this run is of a version that a coordinator released, and nobody here trained "
                    "it: make it again from data without the person",
                    options.run));
  SOTTO_TRY(const Split split, run.split());
  SOTTO_TRY(const std::vector<UserIndex> users, find_users(split, given_ids("--user", {options.user})));
  asked.user = users.front();
  asked.kept.emplace(run.path());
  ThreadPool threads(options.common.threads);
  std::optional<Parameters> before;
  if (options.check) {
    SOTTO_TRY(before, run.parameters(asked.request, split));
  }
  SOTTO_TRY(Forgotten forgotten, forget(asked, split, threads));
  nlohmann::json figures;
  if (options.check)
    SOTTO_TRY_DONE(add_what_is_left(asked, split, std::move(before), forgotten, threads, figures));
  Session session{std::move(forgotten.trained), {}};
  const Split& rest = *forgotten.split;
  SOTTO_TRY(session.evaluation, evaluate(*session.trained.model, rest,
                                         evaluate_options(forgotten.request, rest, Part::test), threads));
  const nlohmann::json after = metrics_of(session.evaluation, Part::test);
  nlohmann::json report = report_of(forgotten.request, forgotten, summary["metrics"], after["metrics"]);
  if (options.check) report.update(figures);
  const bool differs = forgotten.retrain && forgotten.retrain->hash != forgotten.cost.hash;
  if (!options.dry_run && !differs) {
    SOTTO_TRY_DONE(run.clear());
    SOTTO_TRY_DONE(run.begin(forgotten.request, rest));
    SOTTO_TRY_DONE(run.finish(rest, session.trained, session.evaluation, after,
                              summary_of(forgotten.request, rest, session)));
  }
  if (options.common.json)
    print_json(console, report);
  else
    print_report(report, console);
  if (differs)
    return fail(Code::incompatible,
                "forgetting and training from the start gave two models: nothing was changed");
  if (options.common.json) return Done{};
  console.print(options.dry_run ? "\nNothing was changed (--dry-run).\n"
                                : fmt::format("\n{} holds no interaction, vector or id of this person any "
                                              "more, and no kept checkpoint. The files it "
                                              "was trained from may: remove them there too.\n",
                                              options.run));
  return Done{};
}

}  // namespace

void add_forget(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<ForgetOptions>(
      root, cli, "forget", "take one person and their past effect out of a run", run_forget);
  app->add_option("--run", options->run, "the run directory")->type_name("RUN")->required();
  app->add_option("--user", options->user, "the person to forget, by the id in the data")
      ->type_name("ID")
      ->required();
  app->add_flag("--check", options->check,
                "also train from the start without them, and compare the hash and the cost; report what is "
                "left of the person (A5), and the others' P@10 and nDCG@10 before and after");
  app->add_flag("--dry-run", options->dry_run, "report, and change nothing");
  add_common_options(*app, options->common, "has no effect here: the run's own seed is used");
  app->footer(examples({"sotto forget --run runs/first --user 42",
                        "sotto forget --run runs/first --user 42 --check --dry-run --json"}));
}

}  // namespace sotto::cli
