// sotto audit: what a curious server learns about people from the messages of a plan.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/train_flags.h"
#include "engine/files/files.h"
#include "engine/plan/prepare.h"
#include "engine/terminal/interrupt.h"
#include "engine/terminal/table.h"
#include "lab/audit/criteria_part.h"
#include "lab/audit/full_audit.h"
#include "lab/audit/page.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct AuditFlags {
  TrainFlags train;
  std::string view = "plain";
  std::string attackers;
  std::string transcript;
  bool no_controls = false;
  bool curves = false;
  std::uint32_t canaries = 0;
  AuditRequest request;
  std::string page;
};

Result<std::vector<Attacker>> chosen_attackers(const std::string& text, SeenModel model) {
  const auto all = attackers_of(model);
  if (text.empty() || text == "all") return std::vector<Attacker>(all.begin(), all.end());
  std::vector<Attacker> chosen;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    SOTTO_TRY(const Attacker attacker, parse_attacker(text.substr(at, end - at)));
    chosen.push_back(attacker);
    at = end + 1;
  }
  return chosen;
}

Result<AuditRequest> request_of(const AuditFlags& flags, const Console& console) {
  AuditRequest request = flags.request;
  SOTTO_TRY(request.train, request_from(flags.train, console));
  SOTTO_TRY(request.view, parse_view(flags.view));
  if (request.keep_groups && request.view.group == 0)
    return fail(Code::usage, "--keep-groups needs sums over a part of the devices: choose --view groups:N");
  SOTTO_TRY(request.attack.attackers, chosen_attackers(flags.attackers, seen_model(request)));
  request.looks = true;
  SOTTO_TRY_DONE(check(request));
  if (!flags.transcript.empty() && (!request.record.empty() || flags.curves || flags.canaries > 0))
    return fail(Code::usage,
                "--transcript audits a recording: leave out --record, --curves and --canaries, which train");
  if (!flags.page.empty() && !std::filesystem::path(flags.page).has_extension())
    return fail(Code::usage, fmt::format("--out: '{0}' has no ending: write '{0}.html'", flags.page));
  return request;
}

std::string data_words(const Split& split) {
  return fmt::format("{} people, {} items, {} interactions.", human_count(split.users.size()),
                     human_count(split.catalogue), human_count(split.train.interactions()));
}

std::string with_range(const Estimate& estimate, bool sign) {
  return sign ? fmt::format("{:+.3f} ({:+.3f} to {:+.3f})", estimate.mean, estimate.range.low,
                            estimate.range.high)
              : fmt::format("{:.3f}", estimate.mean);
}

std::string attackers_text(const std::vector<AttackerSummary>& attackers, const Console& console) {
  Table table({{"", Align::left, Tone::strong},
               {"attacker"},
               {"AUC", Align::right},
               {"F1", Align::right},
               {"TPR@1%", Align::right},
               {"named", Align::right},
               {"AUC over A0", Align::right},
               {"F1 over A0", Align::right}});
  for (const AttackerSummary& one : attackers)
    table.row({code_of(one.attacker), name_of(one.attacker), with_range(one.informed.auc, false),
               with_range(one.informed.f1, false), with_range(one.informed.tpr, false),
               with_range(one.informed.named, false), with_range(one.advantage.auc, true),
               with_range(one.advantage.f1, true)});
  return table.text(console);
}

std::string report_text(const AuditReport& report, const Console& console) {
  std::string text = fmt::format("{}\n\n", verdict_of(report));
  text += attackers_text(report.main.attackers, console);
  if (!report.main.features.empty())
    text += "\nThe features that a person cares about:\n\n" + attackers_text(report.main.features, console);
  if (report.main.criteria) text += leak_text(*report.main.criteria, report.request.train.criteria.order);
  text +=
      fmt::format("\n  {} judged, {} known to the attacker, {} rounds; own updates seen: {:.1f}% of a {}\n",
                  report.main.judged, report.main.known, report.main.rounds, 100.0 * report.main.sent.mean,
                  report.main.features.empty() ? "history" : "profile");
  if (report.epsilon)
    text += fmt::format("  the {} carry noise: ε = {:.3f}, δ = {:g}\n", noisy_things(report), *report.epsilon,
                        report.request.noise.delta);
  for (const AuditControl& control : report.controls)
    text +=
        fmt::format("  {} {}: {}\n",
                    console.paint(control.held ? Tone::good : Tone::warn, control.held ? "held  " : "FAILED"),
                    control.name, control.measured);
  if (report.canaries)
    text += fmt::format("  {} canaries ({}): ε is at least {:.3f} with 95% confidence, {:.3f} is promised\n",
                        console.paint(report.canaries->held() ? Tone::good : Tone::warn,
                                      report.canaries->held() ? "held  " : "FAILED"),
                        describe(report.canaries->played), report.canaries->bound.epsilon,
                        report.canaries->promised);
  return text;
}

Result<AuditReport> audited(const AuditFlags& flags, const AuditRequest& request, const Split& split,
                            Executor& executor, const Console& console) {
  const InterruptGuard guard;
  FullAuditHooks hooks;
  hooks.audit.stop = &guard.stop();
  if (!flags.train.quiet) hooks.on_part = [&](const std::string& part) { console.note("sotto: " + part); };
  if (flags.transcript.empty())
    return run_full_audit({request, !flags.no_controls, flags.curves, flags.canaries, data_words(split)},
                          split, executor, hooks);
  SOTTO_TRY(const SharedBytes bytes, read_or_map(flags.transcript));
  SOTTO_TRY(const AuditRun run,
            audit_transcript(bytes.bytes, flags.transcript, request, split, executor, hooks.audit));
  AuditReport report;
  report.request = request;
  report.data = data_words(split);
  report.transcript = flags.transcript;
  report.main = summarise({run}, executor);
  return report;
}

Status run_audit(AuditFlags& flags, const Console& console) {
  SOTTO_TRY(const AuditRequest request, request_of(flags, console));
  SOTTO_TRY(const Prepared prepared, prepare(request.train.data));
  ThreadPool threads(flags.train.common.threads);
  SOTTO_TRY(const AuditReport report, audited(flags, request, prepared.split, threads, console));
  if (!flags.page.empty()) {
    SOTTO_TRY(const auto written, write_page(audit_page(report, console.typed()), flags.page));
    if (!flags.train.quiet) console.note(fmt::format("sotto: the page is {}", written.back().string()));
  }
  if (flags.train.common.json) {
    print_json(console, to_json(report));
  } else {
    console.print(report_text(report, console));
  }
  for (const AuditControl& control : report.controls)
    if (!control.held)
      return fail(Code::bad_input, fmt::format("the audit is not reliable, because a control failed ({}): "
                                               "try more people (--users-sample) or more rounds (--epochs)",
                                               control.name.substr(0, control.name.find(':'))));
  if (report.canaries && !report.canaries->held())
    return fail(Code::bad_input, "the promised ε is broken: the canaries prove a larger one");
  return Done{};
}

void add_view_flags(CLI::App& app, AuditFlags& flags) {
  app.option_defaults()->group("Audit");
  app.add_option(
         "--view", flags.view,
         "what the server sees: plain, shuffled, secure (one sum per round), secure:N (the same, of at least "
         "N devices), groups:N (sums over groups of at least N); the last three also with noise: secure+dp …")
      ->type_name("VIEW")
      ->default_str("plain");
  app.add_flag("--keep-groups", flags.request.keep_groups, "groups:N: the same groups in every round");
  app.add_option("--secure-dropout", flags.request.silent,
                 "secure, groups: share of each sum's devices that drop out in each round, at least one "
                 "device; the server sees which")
      ->type_name("SHARE")
      ->default_str("0");
  app.add_option("--noise", flags.request.noise.multiplier,
                 "+dp, --noisy-messages: noise of a sum, as a multiple of the clip")
      ->type_name("SIGMA");
  app.add_option("--clip", flags.request.noise.clip,
                 "+dp, --noisy-messages: largest length of a whole contribution")
      ->type_name("L")
      ->default_str("1");
  app.add_option("--delta", flags.request.noise.delta, "+dp, --noisy-messages: δ")
      ->type_name("P")
      ->default_str("1e-06");
  app.add_flag("--noisy-messages", flags.request.local,
               "the noise is added to each message, not shared within a sum");
}

void add_attack_flags(CLI::App& app, AuditFlags& flags) {
  app.add_option("--attackers", flags.attackers,
                 "some of A1,A2,A3,A3',A4,A5,A6 (fpl), B1,B2,B3,B4,B5,B6 (kgflex); A0 always takes part")
      ->type_name("LIST")
      ->default_str("all");
  app.add_option("--users-sample", flags.request.attack.people,
                 "people to attack: half are known to the attacker, half are judged; 0: everybody")
      ->default_str("400");
  app.add_option("--seeds", flags.request.seeds, "trainings, with seeds from --seed on")->default_str("1");
  app.add_flag("--no-controls", flags.no_controls, "leave out the runs that show whether the audit works");
  app.add_flag("--curves", flags.curves,
               "also measure the leak by π, ε, the size of a sum and dropouts (fifty short audits)");
  app.add_option("--canaries", flags.canaries,
                 "trials of A7, canary users against the ε that the noise promises (at most 20 rounds each)")
      ->default_str("0");
  app.add_option("--record", flags.request.record, "write what the server sees to a file, for --transcript")
      ->type_name("FILE");
  app.add_option("--transcript", flags.transcript, "audit such a file instead of a plan")->type_name("FILE");
  app.add_option("-o,--out", flags.page, "a page with tables and plots")->type_name("FILE");
}

}  // namespace

void add_audit(CLI::App& root, Cli& cli) {
  auto [app, flags] =
      add_command<AuditFlags>(root, cli, "audit", "what a curious server learns about people", run_audit);
  const auto attacked = [](const ModelEntry& entry) {
    return entry.sends == Sends::item_steps || entry.sends == Sends::shared_steps;
  };
  add_plan_flags(*app, flags->train, attacked, {"Knowledge", "Consent", "Criteria"});
  add_view_flags(*app, *flags);
  add_attack_flags(*app, *flags);
  add_common_options(*app, flags->train.common, "seed of the training, the groups and the people to attack");
  app->footer(examples(
      {"sotto audit --data world --variant pfpl+ --pi 0 --epochs 10 --out audit.html",
       "sotto audit --data u.data --min-user 20 --variant pfpl+ --factors 20 --epochs 30 --view secure:50",
       "sotto audit --data u.data --min-user 20 --variant pfpl+ --view groups:50 --secure-dropout 0.05",
       "sotto audit --data u.data --variant pfpl+ --view secure+dp --noise 3 --canaries 2000 --json",
       "sotto audit --data world --kg features.tsv --model kgflex --cohort 0.1 --epochs 10",
       "sotto audit --data u.data --variant pfpl --epochs 5 --criteria \"size>novelty\"",
       "sotto audit --data u.data --pi 0.1 --record seen.bin",
       "sotto audit --data u.data --transcript seen.bin"}));
}

}  // namespace sotto::cli
