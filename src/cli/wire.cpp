// sotto wire: what one exchange weighs, in each precision, beside the naive one and the papers' estimate.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/train_flags.h"
#include "cli/values.h"
#include "engine/plan/prepare.h"
#include "engine/terminal/interrupt.h"
#include "engine/terminal/table.h"
#include "lab/exchange_study.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct WireFlags {
  TrainFlags train;
  ExchangeRequest request;
};

Result<ExchangeRequest> request_of(const WireFlags& flags, const Console& console, DataRequest& data) {
  ExchangeRequest request = flags.request;
  SOTTO_TRY(const TrainRequest train, request_from(flags.train, console));
  if (train.model->sends != Sends::item_steps)
    return fail(Code::usage, "only fpl's exchange is measured: leave --model out");
  if (train.average_last > 0 || train.early.patience > 0 || train.dp.asked() || train.robust.asked() ||
      train.criteria.asked() || train.sum.kind != SumKind::plain || train.consent.any())
    return fail(
        Code::usage,
        "plain exchanges of whole trainings are measured: leave out early stopping, averaging, people's "
        "own terms, protections and criteria");
  data = train.data;
  request.plan = train.plan;
  SOTTO_TRY_DONE(check(request));
  return request;
}

std::string bytes_text(double bytes) { return fmt::format("{:.0f}", bytes); }

std::string cohort_text(const CohortFigures& figures, std::uint32_t cutoff, const Console& console) {
  Table table({{"model", Align::left, Tone::strong},
               {"whole", Align::right},
               {"packed", Align::right},
               {"from last", Align::right},
               {"from visit", Align::right},
               {"up", Align::right},
               {"up packed", Align::right},
               {"exchange", Align::right},
               {"less", Align::right},
               {fmt::format("P@{}", cutoff), Align::right},
               {"loss", Align::right}});
  for (const PrecisionFigures& one : figures.precisions)
    table.row({to_string(one.precision), bytes_text(one.whole), bytes_text(one.packed),
               bytes_text(one.from_last), bytes_text(one.from_visit), bytes_text(one.up),
               bytes_text(one.up_packed), bytes_text(one.exchange()),
               fmt::format("{:.1f}x", figures.times_less(one)), fmt::format("{:.5f}", one.quality),
               fmt::format("{:+.2f}%", 100.0 * figures.loss(one))});
  return fmt::format(
      "{} devices per round, {} triples, {} rounds; a device comes back after {}.\n"
      "Naively, all in floats, an exchange has {} bytes; the papers' |I| + T(1+pi) vectors have {}.\n\n{}\n",
      figures.schedule.cohort, figures.schedule.triples, figures.schedule.rounds, figures.rounds_between,
      bytes_text(figures.naive), bytes_text(figures.estimate), table.text(console));
}

nlohmann::json json_of(const CohortFigures& figures) {
  nlohmann::json precisions = nlohmann::json::array();
  for (const PrecisionFigures& one : figures.precisions)
    precisions.push_back({{"precision", to_string(one.precision)},
                          {"bytes_whole", one.whole},
                          {"bytes_packed", one.packed},
                          {"bytes_delta_from_last", one.from_last},
                          {"bytes_delta_from_visit", one.from_visit},
                          {"bytes_up", one.up},
                          {"bytes_up_packed", one.up_packed},
                          {"bytes_exchange", one.exchange()},
                          {"times_less", figures.times_less(one)},
                          {"quality", one.quality},
                          {"loss", figures.loss(one)}});
  return {{"cohort", figures.schedule.cohort}, {"triples", figures.schedule.triples},
          {"rounds", figures.schedule.rounds}, {"rounds_between_visits", figures.rounds_between},
          {"bytes_naive", figures.naive},      {"bytes_estimate", figures.estimate},
          {"precisions", precisions}};
}

Status run_wire(WireFlags& flags, const Console& console) {
  DataRequest data;
  SOTTO_TRY(const ExchangeRequest request, request_of(flags, console, data));
  SOTTO_TRY(const Prepared prepared, prepare(data));
  ThreadPool threads(flags.train.common.threads);
  const InterruptGuard guard;
  ExchangeHooks hooks;
  hooks.stop = &guard.stop();
  if (!flags.train.quiet) hooks.on_run = [&](const std::string& run) { console.note("sotto: " + run); };
  SOTTO_TRY(const std::vector<CohortFigures> all,
            run_exchange_study(request, prepared.split, threads, hooks));
  if (!flags.train.common.json) {
    for (const CohortFigures& figures : all) console.print(cohort_text(figures, request.cutoff, console));
    return Done{};
  }
  nlohmann::json cohorts = nlohmann::json::array();
  for (const CohortFigures& figures : all) cohorts.push_back(json_of(figures));
  print_json(console, {{"items", prepared.split.catalogue},
                       {"users", prepared.split.users.size()},
                       {"seeds", request.seeds},
                       {"cutoff", request.cutoff},
                       {"cohorts", cohorts}});
  return Done{};
}

}  // namespace

void add_wire(CLI::App& root, Cli& cli) {
  auto [app, flags] =
      add_command<WireFlags>(root, cli, "wire", "measure the bytes of one exchange of fpl", run_wire);
  const auto measured = [](const ModelEntry& entry) { return entry.sends == Sends::item_steps; };
  add_plan_flags(*app, flags->train, measured, {});
  add_list(*app, "--cohorts", flags->request.cohorts, "several shares of the users, instead of --cohort")
      ->group("Exchange");
  app->add_option("--seeds", flags->request.seeds, "trainings per precision; P@10 is their mean")
      ->default_str(fmt::format("{}", flags->request.seeds))
      ->group("Exchange");
  app->add_option("--samples", flags->request.samples, "rounds to measure")
      ->default_str(fmt::format("{}", flags->request.samples))
      ->group("Exchange");
  add_common_options(*app, flags->train.common, "seed of the first training; the others follow it");
  app->footer(examples({"sotto wire --data u.data --min-user 20 --variant pfpl+ --epochs 100 --init-sd 0.01",
                        "sotto wire --data u.data --min-user 20 --cohorts 0.01,0.1,1 --seeds 1 --json"}));
}

}  // namespace sotto::cli
