#include "lab/poison/poison_page.h"

#include <fmt/core.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/version.h"

namespace sotto::lab {

namespace {

nlohmann::json figures_json(const PoisonFigures& figures, std::uint32_t cutoff) {
  const auto name = [cutoff](const char* metric) { return fmt::format("{}@{}", metric, cutoff); };
  return {{name("ER"), figures.exposure},
          {name("HR"), figures.hit_rate},
          {name("P"), figures.precision},
          {name("nDCG"), figures.ndcg}};
}

nlohmann::json defence_json(const RobustOptions& defence) {
  nlohmann::json json = nlohmann::json::object();
  if (defence.row_clip) json["row_clip"] = *defence.row_clip;
  if (defence.clip) json["clip"] = *defence.clip;
  if (defence.min_contributors) json["min_contributors"] = *defence.min_contributors;
  if (defence.groups) json["groups"] = *defence.groups;
  if (defence.across) json["across"] = to_string(*defence.across);
  return json;
}

std::vector<PageCell> row_of(const std::string& name, const PoisonOutcome& outcome,
                             const PoisonFigures& figures) {
  const auto cell = [](double value) { return PageCell{fmt::format("{:.4f}", value), value}; };
  const double loss = hit_rate_loss(outcome, figures);
  return {{name},
          cell(figures.exposure),
          cell(figures.hit_rate),
          {fmt::format("{:+.1f}%", 100.0 * (0.0 - loss)), 0.0 - loss},
          cell(figures.precision),
          cell(figures.ndcg)};
}

PageTable figures_table(const PoisonOutcome& outcome) {
  PageTable table;
  table.caption = "Means over the targets, judged over the honest people.";
  const std::string k = fmt::format("@{}", outcome.cutoff);
  table.columns = {{"run"},
                   {"ER" + k, true, "share of people who are shown the target and do not have it"},
                   {"HR" + k, true, "share of people with a hit in their list"},
                   {"HR change", true, "against the clean run without a defence"},
                   {"P" + k, true},
                   {"nDCG" + k, true}};
  table.rows.push_back(row_of("clean", outcome, outcome.clean));
  table.rows.push_back(row_of("clean, defended", outcome, outcome.clean_defended));
  for (const AttackOutcome& attack : outcome.attacks) {
    table.rows.push_back(row_of(to_string(attack.attack), outcome, attack.attacked));
    table.rows.push_back(
        row_of(fmt::format("{}, defended", to_string(attack.attack)), outcome, attack.defended));
  }
  return table;
}

PageTable targets_table(const PoisonOutcome& outcome, const Split& split) {
  PageTable table;
  table.caption = "Each target: an item that the attacker wants in everybody's list.";
  const std::string er = fmt::format("ER@{}", outcome.cutoff);
  table.columns = {{"attack"}, {"target"}, {"interactions", true}, {er, true}, {er + " defended", true}};
  const auto cell = [](double value) { return PageCell{fmt::format("{:.4f}", value), value}; };
  for (const AttackOutcome& attack : outcome.attacks)
    for (const TargetOutcome& one : attack.targets)
      table.rows.push_back({{to_string(attack.attack)},
                            {std::string(split.items.name(one.target.value))},
                            {std::to_string(one.interactions), static_cast<double>(one.interactions)},
                            cell(one.attacked.exposure),
                            cell(one.defended.exposure)});
  return table;
}

// Bars without and with the defence, a group an attack.
BarChart bars(const PoisonOutcome& outcome, ChartHead head, const std::string& axis,
              double PoisonFigures::*figure) {
  BarChart chart;
  chart.head = std::move(head);
  chart.value.label = axis;
  chart.series = {{"undefended", {}}, {"defended", {}}};
  const auto group = [&](const char* name, const PoisonFigures& open, const PoisonFigures& defended) {
    chart.categories.emplace_back(name);
    chart.series[0].bars.push_back({open.*figure});
    chart.series[1].bars.push_back({defended.*figure});
  };
  group("clean", outcome.clean, outcome.clean_defended);
  for (const AttackOutcome& attack : outcome.attacks)
    group(to_string(attack.attack), attack.attacked, attack.defended);
  return chart;
}

}  // namespace

double hit_rate_loss(const PoisonOutcome& outcome, const PoisonFigures& figures) {
  return outcome.clean.hit_rate > 0.0 ? 1.0 - figures.hit_rate / outcome.clean.hit_rate : 0.0;
}

std::string defence_text(const RobustOptions& defence) {
  std::string text;
  const auto say = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (defence.row_clip) say(fmt::format("row clip {}", *defence.row_clip));
  if (defence.clip) say(fmt::format("clip {}", *defence.clip));
  if (defence.min_contributors) say(fmt::format("at least {} contributors a row", *defence.min_contributors));
  if (defence.groups) say(fmt::format("{} groups", *defence.groups));
  if (defence.across) say(fmt::format("{} across groups", to_string(*defence.across)));
  return text;
}

nlohmann::json to_json(const PoisonOutcome& outcome, const Split& split) {
  nlohmann::json json{{"users", outcome.users},
                      {"malicious", outcome.malicious},
                      {"candidates", outcome.candidates},
                      {"defence", defence_json(outcome.defence)},
                      {"clean", figures_json(outcome.clean, outcome.cutoff)},
                      {"clean_defended", figures_json(outcome.clean_defended, outcome.cutoff)},
                      {"attacks", nlohmann::json::array()},
                      {"seconds", outcome.seconds}};
  for (const AttackOutcome& attack : outcome.attacks) {
    nlohmann::json made{{"attack", to_string(attack.attack)},
                        {"attacked", figures_json(attack.attacked, outcome.cutoff)},
                        {"defended", figures_json(attack.defended, outcome.cutoff)},
                        {"hr_loss_defended", hit_rate_loss(outcome, attack.defended)},
                        {"targets", nlohmann::json::array()}};
    for (const TargetOutcome& one : attack.targets)
      made["targets"].push_back({{"item", split.items.name(one.target.value)},
                                 {"interactions", one.interactions},
                                 {"attacked", figures_json(one.attacked, outcome.cutoff)},
                                 {"defended", figures_json(one.defended, outcome.cutoff)}});
    json["attacks"].push_back(std::move(made));
  }
  return json;
}

Page poison_page(const PoisonOutcome& outcome, const Split& split, const std::string& command) {
  Page page;
  page.title = "Poisoning";
  double worst = 0.0, strongest = 0.0, loss = 0.0;
  for (const AttackOutcome& attack : outcome.attacks) {
    strongest = std::max(strongest, attack.attacked.exposure);
    worst = std::max(worst, attack.defended.exposure);
    loss = std::max(loss, hit_rate_loss(outcome, attack.defended));
  }
  page.summary.push_back(fmt::format(
      "{} of {} devices are an attacker's. Without a defence the strongest attack puts its target "
      "into the lists of {:.1f}% of the honest people; behind the defence ({}) the strongest "
      "reaches {:.1f}%, and the hit rate is {:.1f}% below that of the clean run at worst.",
      outcome.malicious, outcome.users, 100.0 * strongest, defence_text(outcome.defence), 100.0 * worst,
      100.0 * loss));
  const std::string k = fmt::format("@{}", outcome.cutoff);
  PageSection results{"Before and after", {}};
  results.blocks.emplace_back(figures_table(outcome));
  results.blocks.emplace_back(Chart(
      bars(outcome, {"exposure", "Who is shown the target", "Lower is better: the attacker wants long bars."},
           "ER" + k, &PoisonFigures::exposure)));
  results.blocks.emplace_back(
      Chart(bars(outcome, {"hit-rate", "What is left of the recommendations", "Higher is better."}, "HR" + k,
                 &PoisonFigures::hit_rate)));
  page.sections.push_back(std::move(results));
  page.sections.push_back({"Targets", {targets_table(outcome, split)}});
  PageSection made{"How this was made", {}};
  made.blocks.emplace_back(PageText{
      fmt::format("sotto {}. Malicious devices are drawn from the users and send the attacker's messages "
                  "instead of their own; targets are drawn from {} items.",
                  version, outcome.candidates)});
  made.blocks.emplace_back(PageListing{"The command", command});
  page.sections.push_back(std::move(made));
  return page;
}

}  // namespace sotto::lab
