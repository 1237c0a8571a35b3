#include "lab/audit/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/version.h"
#include "engine/terminal/console.h"
#include "lab/audit/criteria_part.h"

namespace sotto::lab {

namespace {

std::string percent(double share) {
  return fmt::format("{:.{}f}%", 100.0 * share, std::abs(share) < 0.0995 ? 1 : 0);
}

std::string points(double share) { return fmt::format("{:+.1f}", 100.0 * share); }

PageCell figure_cell(const Estimate& estimate) {
  return {.text = fmt::format("{:.3f}", estimate.mean),
          .value = estimate.mean,
          .detail = fmt::format("{:.3f} to {:.3f}", estimate.range.low, estimate.range.high)};
}

PageCell gain_cell(const Estimate& gain) {
  return {.text = points(gain.mean),
          .value = gain.mean,
          .detail = fmt::format("{} to {}", points(gain.range.low), points(gain.range.high)),
          .hint = "percentage points more than popularity alone finds; 95% interval"};
}

// `what`: a person's "history" of items, or "profile" of features.
PageTable main_table(const std::vector<AttackerSummary>& attackers, const std::string& what,
                     const std::string& things) {
  PageTable table;
  table.caption = fmt::format(
      "One line an attacker. “Found” is the share of a person's {0} that the attacker names when it names as "
      "many {1} as the {0} has, using what everybody knows (popularity) and what the server saw. Each figure "
      "has its 95% interval over people.",
      what, things);
  table.columns = {{"attacker"},
                   {"what it does"},
                   {"found", true, fmt::format("F1 at as many guesses as the {} has {}", what, things)},
                   {"more than guessing", true, "percentage points over A0, person by person"},
                   {"surely named", true, fmt::format("share of a {} named with 95% precision", what)},
                   {"meaning"}};
  for (const AttackerSummary& one : attackers) {
    const bool prior = one.attacker == Attacker::popularity;
    table.rows.push_back({{.text = code_of(one.attacker)},
                          {.text = name_of(one.attacker)},
                          {.text = percent(one.informed.f1.mean), .value = one.informed.f1.mean},
                          prior ? PageCell{.text = "–", .value = 0.0} : gain_cell(one.advantage.f1),
                          {.text = percent(one.informed.named.mean), .value = one.informed.named.mean},
                          {.text = meaning_of(one)}});
  }
  return table;
}

PageTable figures_table(const std::vector<AttackerSummary>& attackers, bool alone) {
  PageTable table;
  table.caption =
      alone ? "Evidence alone: what the messages give away without knowing which items are popular."
            : "Informed: evidence and popularity, weighed on the people whose history the attacker knows.";
  table.columns = {{"attacker"},
                   {"what it does"},
                   {"AUC", true, "chance that what is the person's stands above another"},
                   {"F1", true, "at as many guesses as the person has"},
                   {"TPR at 1% FPR", true, "share found while 1% of the others are wrongly accused"},
                   {"named", true, "largest share at the top of the list with 95% precision"}};
  for (const AttackerSummary& one : attackers) {
    if (alone && one.attacker == Attacker::popularity) continue;
    const LeakEstimates& figures = alone ? one.alone : one.informed;
    table.rows.push_back({{.text = code_of(one.attacker)},
                          {.text = name_of(one.attacker)},
                          figure_cell(figures.auc),
                          figure_cell(figures.f1),
                          figure_cell(figures.tpr),
                          figure_cell(figures.named)});
  }
  return table;
}

PageTable control_table(const std::vector<AuditControl>& controls) {
  PageTable table;
  table.caption = "Runs whose outcome is known beforehand if the audit works.";
  table.columns = {{"control"}, {"expected"}, {"measured"}, {"verdict"}};
  for (const AuditControl& control : controls)
    table.rows.push_back({{.text = control.name},
                          {.text = control.expected},
                          {.text = control.measured},
                          {.text = control.held ? "held" : "FAILED",
                           .standing = control.held ? RankMark::best : RankMark::plain}});
  return table;
}

XyChart rounds_chart(const AuditSummary& summary) {
  XyChart chart;
  chart.head = {"leak-over-rounds", "What has been found after so many rounds",
                "Share of a history that each attacker finds (F1, with popularity known). The line of A0 is "
                "what anybody "
                "would guess."};
  chart.x = {.label = "rounds", .scale = ScaleKind::log};
  chart.y = {.label = "share of a history found", .from_zero = true, .high = 1.0};
  std::map<Attacker, ChartSeries> series;
  for (const LookSummary& look : summary.looks)
    for (const auto& [attacker, f1] : look.f1) {
      ChartSeries& line = series[attacker];
      line.name = fmt::format("{} {}", code_of(attacker), name_of(attacker));
      line.spread = PointSpread::band;
      line.points.push_back({static_cast<double>(look.round), f1.mean, f1.range});
    }
  for (auto& [attacker, line] : series) chart.series.push_back(std::move(line));
  return chart;
}

// A curve of one figure for each series of points.
void add_series(XyChart& chart, const std::vector<AuditPoint>& points, const std::string& what,
                const std::function<Estimate(const AuditSummary&)>& figure) {
  std::map<std::string, ChartSeries> lines;
  for (const AuditPoint& point : points) {
    ChartSeries& line = lines[point.series];
    line.name = what.empty() ? point.series : fmt::format("{}, {}", what, point.series);
    line.spread = PointSpread::bars;
    const Estimate estimate = figure(point.summary);
    line.points.push_back({point.x, estimate.mean, estimate.range});
  }
  for (auto& [name, line] : lines) {
    std::sort(line.points.begin(), line.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    chart.series.push_back(std::move(line));
  }
}

XyChart pi_chart(const std::vector<AuditPoint>& points, SeenModel model) {
  const bool kgflex = model == SeenModel::kgflex;
  const Attacker reader = kgflex ? Attacker::feature_shadow : Attacker::match;
  XyChart chart;
  chart.head = {
      "leak-over-pi", "What π alone protects against a server that reads single messages",
      kgflex
          ? "Sent: share of a profile whose rows left the device. Found: share of a history that B4 finds "
            "through them. Sticky decides once an item, round once in each round, redraw at every "
            "update."
          : "Sent: share of a history whose own update left the device, what π means to limit. Found: what "
            "A3 finds in the negative updates that leave at any π. Sticky decides once an item, round once "
            "in each round, redraw at every update."};
  chart.x = {.label = "π, the share of positive updates that may leave", .low = 0.0, .high = 1.0};
  chart.y = {.label = kgflex ? "share of a profile, of a history" : "share of a history",
             .from_zero = true,
             .high = 1.0};
  add_series(chart, points, "sent", [](const AuditSummary& one) { return one.sent; });
  add_series(chart, points, fmt::format("found by {}", code_of(reader)),
             [reader](const AuditSummary& one) { return one.of(reader)->informed.f1; });
  return chart;
}

// Gains near 0 are drawn as such, not on an axis that ends at them or at 1.
ChartAxis gain_axis(const std::vector<AuditPoint>& points, SeenModel model) {
  constexpr double least_top = 0.02;
  double top = 0.0;
  for (const AuditPoint& point : points)
    top = std::max(top, point.summary.of(shadow_of(model))->advantage.auc.range.high);
  ChartAxis axis;
  axis.label = "AUC gained on A0";
  axis.from_zero = true;
  if (top < least_top) axis.high = least_top;
  return axis;
}

// What the shadow attacker, which weighs all evidence, gains along an axis.
XyChart gain_chart(ChartHead head, ChartAxis x, const std::vector<AuditPoint>& points, SeenModel model) {
  XyChart chart;
  chart.head = std::move(head);
  chart.x = std::move(x);
  chart.y = gain_axis(points, model);
  add_series(chart, points, "",
             [model](const AuditSummary& one) { return one.of(shadow_of(model))->advantage.auc; });
  return chart;
}

XyChart epsilon_chart(const std::vector<AuditPoint>& points, SeenModel model) {
  return gain_chart(
      {"leak-over-epsilon", "What noise protects",
       "Gain over popularity of the shadow attacker, which weighs all evidence, against the ε of "
       "the whole training. Small ε is much noise. It is added to each message, or shared by the "
       "devices of a secure sum."},
      {.label = "ε of the whole training", .scale = ScaleKind::log}, points, model);
}

XyChart group_chart(const std::vector<AuditPoint>& points, SeenModel model) {
  return gain_chart(
      {"leak-over-group", "What a secure sum protects, by the number of devices in it",
       "Gain over popularity of the shadow attacker, which weighs all evidence. A sum over few people still "
       "tells about each of them, and more so where everybody is dealt into new groups every round: sums "
       "that "
       "overlap in ever new ways can be subtracted from each other."},
      {.label = "devices in a sum", .scale = ScaleKind::log}, points, model);
}

XyChart silent_chart(const std::vector<AuditPoint>& points, SeenModel model) {
  return gain_chart(
      {"leak-over-silent", "What a secure sum over everybody tells when devices fall silent",
       "Gain over popularity of the shadow attacker, which weighs all evidence. The server sees who is "
       "missing "
       "in a sum and compares the rounds with somebody to those without; evidence that does not help on the "
       "people it knows is left aside (a gain of exactly 0). Where nobody is ever missing all people look "
       "alike."},
      {.label = "share of the devices that fall silent in a round", .from_zero = true}, points, model);
}

std::string view_text(const AuditRequest& request) {
  std::string text =
      to_string(request.view) + (request.keep_groups ? ", the same groups in every round" : "");
  if (request.silent > 0.0)
    text += fmt::format(", {} of the devices silent in each round", percent(request.silent));
  return text;
}

std::string model_words(const AuditRequest& request) {
  return seen_model(request) == SeenModel::kgflex ? "KGFlex" : "FPL " + variant_of(request.train.plan);
}

PageSection about_section(const AuditReport& report, const std::string& command) {
  const Plan& plan = report.request.train.plan;
  PageSection section{"What was audited", {}};
  section.blocks.emplace_back(PageText{fmt::format(
      "{} The plan: {} with {} factors, {} rounds, π = {} ({}), seed {}{}. The server's view: {}. Of {} "
      "attacked "
      "people the attacker knows the history of {}, to learn from; {} others are judged.",
      report.data, model_words(report.request), plan.fpl.factors, report.main.rounds, plan.consent.pi,
      to_string(plan.consent.mask), plan.seed,
      report.request.seeds > 1 ? fmt::format(" and {} more", report.request.seeds - 1) : "",
      view_text(report.request), report.main.known * report.request.seeds + report.main.judged,
      report.main.known * report.request.seeds, report.main.judged)});
  section.blocks.emplace_back(PageListing{"The command", command});
  section.blocks.emplace_back(PageText{
      "An audit shows leaks; it proves none absent. What bounds every attacker, also those of tomorrow, is "
      "differential privacy; what hides single messages is the secure sum."});
  return section;
}

// Whether all that was seen are sums over the same people, everybody.
bool one_sum_of_all(const AuditRequest& request) {
  return request.view.view == View::secure && request.view.group == 0 && everybody_in_every_round(request);
}

PageSection canary_section(const CanaryOutcome& canaries) {
  return {"Canaries: is the promised ε true?",
          {PageText{fmt::format(
              "In {} trials, each {}, a canary took part in half of them. Whoever looks at what the server "
              "sees raises the alarm in {} of the runs with the canary and in {} of those without. This "
              "proves, with 95% confidence, an ε of at least {:.2f}; promised for such a trial is {:.2f} (δ "
              "= {:g}). {}",
              human_count(canaries.bound.trials), describe(canaries.played), percent(canaries.bound.hits),
              percent(canaries.bound.false_alarms), canaries.bound.epsilon, canaries.promised,
              canaries.played.noise.delta,
              canaries.held() ? "The promise holds." : "THE PROMISE IS BROKEN: the noise is too small.")}}};
}

}  // namespace

const char* noisy_things(const AuditReport& report) { return report.request.local ? "messages" : "sums"; }

std::string meaning_of(const AttackerSummary& attacker) {
  if (attacker.attacker == Attacker::popularity) return "what anybody guesses without any message";
  const Estimate& gain = attacker.advantage.f1;
  if (attacker.advantage.auc.range.low <= 0.0 && gain.range.low <= 0.0)
    return "learns nothing that can be shown";
  if (attacker.informed.f1.mean > 0.9) return "reads nearly the whole history";
  if (gain.mean > 0.1) return "learns much about a person";
  return gain.range.low > 0.0
             ? "learns a little: more than chance explains"
             : fmt::format("orders things a little better (AUC {:+.3f}), too little for a list",
                           attacker.advantage.auc.mean);
}

namespace {

std::string finding_of(const AuditReport& report) {
  const AttackerSummary* best = report.main.strongest();
  if (best == nullptr) return "Only popularity was asked for: nothing was attacked.";
  const double prior = report.main.attackers.front().informed.f1.mean;
  if (report.main.shows_no_leak())
    return fmt::format(
        "No attacker learns anything about a person that popularity does not tell: all find {} of a history, "
        "as guessing does, and every interval of the gain reaches down to 0.{}",
        percent(prior),
        one_sum_of_all(report.request) ? " Under one sum a round everybody's evidence is the same, so "
                                         "nothing can differ between people: "
                                         "that is a consequence of the view, not a measurement."
                                       : "");
  return fmt::format(
      "The strongest attacker ({}, {}) finds {} of a person's history; guessing by popularity finds {}. The "
      "gain of {} "
      "percentage points has the 95% interval {} to {}.",
      code_of(best->attacker), name_of(best->attacker), percent(best->informed.f1.mean), percent(prior),
      points(best->advantage.f1.mean), points(best->advantage.f1.range.low),
      points(best->advantage.f1.range.high));
}

}  // namespace

namespace {

// What the rows of a feature model say about profiles, in a sentence; nothing of other models.
std::string features_finding(const AuditReport& report) {
  const AttackerSummary* best = nullptr;
  for (const AttackerSummary& one : report.main.features)
    if (best == nullptr || one.informed.f1.mean > best->informed.f1.mean) best = &one;
  if (best == nullptr) return "";
  return fmt::format(
      " Of the features that a person cares about {} finds {} and surely names {}; guessing finds {}.",
      code_of(best->attacker), percent(best->informed.f1.mean), percent(best->informed.named.mean),
      percent(report.main.features.front().informed.f1.mean));
}

}  // namespace

std::string verdict_of(const AuditReport& report) {
  const bool sound = std::all_of(report.controls.begin(), report.controls.end(),
                                 [](const AuditControl& control) { return control.held; });
  return (sound ? "" : "A control failed: what follows is not to be relied on. ") + finding_of(report) +
         features_finding(report);
}

Page audit_page(const AuditReport& report, const std::string& command) {
  Page page;
  page.title = "Leakage audit";
  page.summary = {
      verdict_of(report),
      fmt::format("A curious server was given everything that it sees (view: {}) and tried to find out what "
                  "people consumed.{}",
                  view_text(report.request),
                  report.epsilon
                      ? fmt::format(" The {} carry noise: ε = {:.2f}, δ = {:g}.", noisy_things(report),
                                    *report.epsilon, report.request.noise.delta)
                      : "")};
  page.sections.push_back({"Who finds how much", {main_table(report.main.attackers, "history", "items")}});
  if (!report.main.features.empty())
    page.sections.push_back({"What people care about: who finds their features",
                             {main_table(report.main.features, "profile", "features")}});
  if (report.main.criteria)
    page.sections.push_back(leak_section(*report.main.criteria, report.request.train.criteria.order));
  if (!report.controls.empty())
    page.sections.push_back({"Can the audit be believed?", {control_table(report.controls)}});
  const SeenModel model = seen_model(report.request);
  PageSection curves{"How the leak grows", {}};
  if (!report.main.looks.empty()) curves.blocks.emplace_back(Chart(rounds_chart(report.main)));
  if (!report.over_pi.empty()) curves.blocks.emplace_back(Chart(pi_chart(report.over_pi, model)));
  if (!report.over_epsilon.empty())
    curves.blocks.emplace_back(Chart(epsilon_chart(report.over_epsilon, model)));
  if (!report.over_group.empty()) curves.blocks.emplace_back(Chart(group_chart(report.over_group, model)));
  if (!report.over_silent.empty()) curves.blocks.emplace_back(Chart(silent_chart(report.over_silent, model)));
  if (report.over_pi.empty())
    curves.blocks.emplace_back(
        PageGap{"The leak over π and over ε was not measured.", command + " --curves"});
  page.sections.push_back(std::move(curves));
  if (report.canaries) page.sections.push_back(canary_section(*report.canaries));
  page.sections.push_back(
      {"All figures",
       {figures_table(report.main.attackers, false), figures_table(report.main.attackers, true)}});
  if (!report.main.features.empty())
    page.sections.push_back(
        {"All figures about features",
         {figures_table(report.main.features, false), figures_table(report.main.features, true)}});
  page.sections.push_back(about_section(report, command));
  return page;
}

}  // namespace sotto::lab
