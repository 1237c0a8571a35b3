// sotto poison: what malicious devices reach, without a defence and with one.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/train_flags.h"
#include "cli/values.h"
#include "engine/plan/prepare.h"
#include "engine/terminal/interrupt.h"
#include "engine/terminal/table.h"
#include "lab/poison/poison_page.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct PoisonFlags {
  TrainFlags train;
  PoisonRequest request;
  std::vector<std::string> attacks{"all"};
  std::string page;
};

Result<PoisonRequest> request_of(const PoisonFlags& flags, const Console& console) {
  PoisonRequest request = flags.request;
  SOTTO_TRY(request.train, request_from(flags.train, console));
  if (flags.attacks != std::vector<std::string>{"all"}) {
    request.attacks.clear();
    for (const std::string& name : flags.attacks) {
      SOTTO_TRY(const PoisonAttack attack, parse_attack(name));
      request.attacks.push_back(attack);
    }
  }
  SOTTO_TRY_DONE(check(request));
  return request;
}

std::string outcome_text(const PoisonOutcome& outcome, const Console& console) {
  const std::string k = fmt::format("@{}", outcome.cutoff);
  Table table({{"", Align::left, Tone::strong},
               {"ER" + k, Align::right},
               {"HR" + k, Align::right},
               {"HR change", Align::right},
               {"P" + k, Align::right},
               {"nDCG" + k, Align::right}});
  const auto row = [&](const std::string& name, const PoisonFigures& figures) {
    table.row({name, fmt::format("{:.4f}", figures.exposure), fmt::format("{:.4f}", figures.hit_rate),
               fmt::format("{:+.1f}%", 100.0 * (0.0 - hit_rate_loss(outcome, figures))),
               fmt::format("{:.4f}", figures.precision), fmt::format("{:.4f}", figures.ndcg)});
  };
  row("clean", outcome.clean);
  row("clean, defended", outcome.clean_defended);
  for (const AttackOutcome& attack : outcome.attacks) {
    row(to_string(attack.attack), attack.attacked);
    row(fmt::format("{}, defended", to_string(attack.attack)), attack.defended);
  }
  const std::size_t targets = outcome.attacks.front().targets.size();
  return fmt::format(
      "{} of {} devices are malicious; {} {}. ER{}: honest people who are shown the target.\n"
      "Defence: {}.\n\n{}",
      outcome.malicious, outcome.users, targets, targets == 1 ? "target" : "targets", k,
      defence_text(outcome.defence), table.text(console));
}

Status run_poison(PoisonFlags& flags, const Console& console) {
  SOTTO_TRY(const PoisonRequest request, request_of(flags, console));
  SOTTO_TRY(const Prepared prepared, prepare(request.train.data));
  ThreadPool threads(flags.train.common.threads);
  const InterruptGuard guard;
  PoisonHooks hooks;
  hooks.stop = &guard.stop();
  if (!flags.train.quiet) hooks.on_run = [&](const std::string& run) { console.note("sotto: " + run); };
  SOTTO_TRY(const PoisonOutcome outcome, run_poison_study(request, prepared.split, threads, hooks));
  if (!flags.page.empty()) {
    SOTTO_TRY(const auto written,
              write_page(poison_page(outcome, prepared.split, console.typed()), flags.page));
    if (!flags.train.quiet) console.note(fmt::format("sotto: the page is {}", written.back().string()));
  }
  if (flags.train.common.json) {
    print_json(console, to_json(outcome, prepared.split));
  } else {
    console.print(outcome_text(outcome, console));
  }
  return Done{};
}

void add_attack_flags(CLI::App& app, PoisonFlags& flags) {
  app.option_defaults()->group("Attack");
  const PoisonRequest defaults;
  values(add_list(app, "--attack", flags.attacks, "some of boost, pieck-ipe, pieck-uea, random; or all"),
         {"boost", "pieck-ipe", "pieck-uea", "random", "all"})
      ->default_str("all");
  app.add_option("--malicious", flags.request.malicious,
                 "share of the users whose devices are the attacker's")
      ->type_name("SHARE")
      ->default_str(fmt::format("{}", defaults.malicious));
  app.add_option("--targets", flags.request.targets,
                 "number of targets, each attacked in a training of its own")
      ->default_str(fmt::format("{}", defaults.targets));
  app.add_option("--least", flags.request.least, "training interactions that a target has, at least")
      ->default_str("0");
  app.add_option("--cold", flags.request.cold, "and at most: by default targets are cold items")
      ->default_str(fmt::format("{}", defaults.cold));
  app.add_option("--strength", flags.request.strength,
                 "length of a malicious message (pieck-ipe has its own)")
      ->type_name("L")
      ->default_str(fmt::format("{}", defaults.strength));
  app.add_option("-o,--out", flags.page, "a page with tables and plots")->type_name("FILE");
}

}  // namespace

void add_poison(CLI::App& root, Cli& cli) {
  auto [app, flags] = add_command<PoisonFlags>(
      root, cli, "poison", "measure what malicious devices achieve, and what stops them", run_poison);
  const auto attacked = [](const ModelEntry& entry) { return entry.sends == Sends::item_steps; };
  add_plan_flags(*app, flags->train, attacked, {"Robust sums"});
  add_attack_flags(*app, *flags);
  add_common_options(*app, flags->train.common,
                     "seed of the training, the attacker's devices and the targets");
  app->footer(
      "Robust sums are the defence; without any of their flags it is a row clip of 1 and a minimum "
      "of\ncontributors that follows from --malicious.\n\n" +
      examples({"sotto poison --data world --variant pfpl+ --epochs 30 --init-sd 0.01",
                "sotto poison --data u.data --min-user 20 --variant pfpl+ --epochs 100 --init-sd 0.01 --out "
                "poison.html",
                "sotto poison --data u.data --attack boost --groups 200 --across trimmed:0.3 --json"}));
}

}  // namespace sotto::cli
