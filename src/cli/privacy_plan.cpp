// sotto privacy plan: what a noise level costs, and what noise an ε needs.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/values.h"
#include "engine/terminal/table.h"
#include "lab/report/page.h"
#include "privacy/dp/calibrate.h"

namespace sotto::cli {

namespace {

struct PlanCommandOptions {
  CommonOptions common;
  std::uint64_t population = 0;
  std::uint64_t cohort = 0;
  std::optional<double> sampling;
  std::uint32_t rounds = 1;
  double delta = 1e-6;
  std::string kind = "gaussian";
  std::vector<double> noises;
  std::vector<double> epsilons;
  std::string out;
};

struct Cost {
  double noise, rdp, pld;  // infinite: PLD cannot tell
  double pure;             // without delta; infinite: Gaussian noise
};
struct Need {
  double epsilon, rdp, pld;  // infinite: PLD cannot tell
};
struct PrivacyPlan {
  double sampling = 1.0;
  std::uint32_t rounds = 1;
  double delta = 1e-6;
  NoiseKind kind = NoiseKind::gaussian;
  std::vector<Cost> costs = {};
  std::vector<Need> needs = {};

  [[nodiscard]] bool has_pure() const { return kind != NoiseKind::gaussian; }
};

Result<double> sampling_of(const PlanCommandOptions& options) {
  if (options.sampling) {
    if (options.cohort != 0 || options.population != 0)
      return fail(Code::usage, "give --sampling, or --cohort and --population, not both");
    return *options.sampling;
  }
  if (options.cohort == 0 && options.population == 0) return 1.0;
  if (options.cohort == 0 || options.cohort > options.population)
    return fail(Code::usage, "--cohort is a number of people from 1 to --population");
  return static_cast<double>(options.cohort) / static_cast<double>(options.population);
}

Result<PrivacyPlan> plan_of(const PlanCommandOptions& options) {
  SOTTO_TRY(const double sampling, sampling_of(options));
  if (options.rounds == 0 || options.rounds > 10'000'000)
    return fail(Code::usage, "--rounds is a number from 1 to 10000000");
  if (!(options.delta >= 1e-9 && options.delta < 1.0))
    return fail(Code::usage,
                "--delta lies between 1e-9 and 1; less than one in the number of people is usual");
  SOTTO_TRY(const NoiseKind kind, parse_noise_kind(options.kind));
  SOTTO_TRY_DONE(check(NoisyReleases{1.0, sampling, options.rounds, kind}));
  PrivacyPlan plan{sampling, options.rounds, options.delta, kind};
  const double least = plan.has_pure() ? 0.02 : 0.2;
  for (const double noise : options.noises) {
    const NoisyReleases releases{noise, sampling, options.rounds, kind};
    SOTTO_TRY_DONE(check(releases));
    if (noise < least || noise > 1e5)
      return fail(Code::usage, fmt::format("--noise lies between {} and 100000", least));
    RdpLedger ledger;
    ledger.add(releases);
    plan.costs.push_back({noise, ledger.epsilon(options.delta),
                          cost_of(releases, options.delta, Accountant::pld), ledger.pure_epsilon()});
  }
  for (const double epsilon : options.epsilons) {
    const PrivacyGoal goal{epsilon, options.delta};
    SOTTO_TRY_DONE(check(goal));
    if (epsilon < 0.01 || epsilon > 50.0) return fail(Code::usage, "--epsilon lies between 0.01 and 50");
    SOTTO_TRY(const double rdp, noise_for(goal, sampling, options.rounds, Accountant::rdp, kind));
    const auto pld = noise_for(goal, sampling, options.rounds, Accountant::pld, kind);
    plan.needs.push_back({epsilon, rdp, pld.ok() ? *pld : std::numeric_limits<double>::infinity()});
  }
  return plan;
}

std::string noise_text(double noise) { return std::isfinite(noise) ? fmt::format("{:g}", noise) : "–"; }
std::string cost_text(double cost) { return std::isfinite(cost) ? fmt::format("{:.4f}", cost) : "–"; }

nlohmann::json json_of(const PrivacyPlan& plan) {
  nlohmann::json document{{"kind", to_string(plan.kind)},
                          {"sampling", plan.sampling},
                          {"rounds", plan.rounds},
                          {"delta", plan.delta}};
  document["costs"] = nlohmann::json::array();
  for (const Cost& cost : plan.costs) {
    document["costs"].push_back(
        {{"noise", cost.noise}, {"epsilon_rdp", cost.rdp}, {"epsilon_pld", cost.pld}});
    if (plan.has_pure()) document["costs"].back()["epsilon_without_delta"] = cost.pure;
  }
  document["needs"] = nlohmann::json::array();
  for (const Need& need : plan.needs)
    document["needs"].push_back(
        {{"epsilon", need.epsilon}, {"noise_rdp", need.rdp}, {"noise_pld", need.pld}});
  return document;
}

std::string headline(const PrivacyPlan& plan) {
  return fmt::format(
      "{} release{} at delta {:g}; {}", human_count(plan.rounds), plan.rounds == 1 ? "" : "s", plan.delta,
      plan.sampling >= 1.0
          ? std::string("everybody takes part in each")
          : fmt::format("each person takes part in each with chance {:g}, by a coin of their own",
                        plan.sampling));
}

const char* explanation_of(const PrivacyPlan& plan) {
  if (plan.kind == NoiseKind::choice)
    return "A choice (the exponential mechanism) of what suits most people; 1/noise is the epsilon of one "
           "choice "
           "without delta. RDP bounds the cost and is what budgets are charged by; PLD is nearer to the cost "
           "of a single choice.";
  if (plan.kind == NoiseKind::laplace)
    return "Noise is the scale of the Laplace law on each number of the sum, as a multiple of the most that "
           "one person changes all of them together, by absolute value (the clip). RDP bounds the cost, "
           "never "
           "above the epsilon that needs no delta, and is what budgets are charged by; PLD is close to the "
           "true cost (–: it cannot tell).";
  return "Noise is the standard deviation of the Gaussian on the sum, as a multiple of the most that one "
         "person changes it (the clip). RDP bounds the cost and is what budgets are charged by; PLD is close "
         "to the true cost (–: it cannot tell).";
}

std::vector<std::string> cells_of(const PrivacyPlan& plan, const Cost& cost) {
  std::vector<std::string> cells{fmt::format("{:g}", cost.noise), cost_text(cost.rdp), cost_text(cost.pld)};
  if (plan.has_pure()) cells.push_back(cost_text(cost.pure));
  return cells;
}

void print_plan(const PrivacyPlan& plan, const Console& console) {
  console.print(headline(plan) + "\n\n");
  std::vector<TableColumn> columns{
      {"noise", Align::right}, {"epsilon (RDP)", Align::right}, {"epsilon (PLD)", Align::right}};
  if (plan.has_pure()) columns.push_back({"without delta", Align::right});
  Table costs(std::move(columns));
  for (const Cost& cost : plan.costs) costs.row(cells_of(plan, cost));
  if (!costs.empty()) console.print("What a noise level costs\n" + costs.text(console) + "\n");
  Table needs({{"epsilon", Align::right}, {"noise (RDP)", Align::right}, {"noise (PLD)", Align::right}});
  for (const Need& need : plan.needs)
    needs.row({fmt::format("{:g}", need.epsilon), fmt::format("{:g}", need.rdp), noise_text(need.pld)});
  if (!needs.empty()) console.print("What noise an epsilon needs\n" + needs.text(console) + "\n");
  console.print(fmt::format("{}\n", explanation_of(plan)));
}

XyChart chart_of(const PrivacyPlan& plan) {
  XyChart chart{
      .head = {.name = "epsilon-by-noise",
               .title = "What a noise level costs",
               .caption =
                   "Less noise costs more. The gap between the curves is what the looser bound gives away."},
      .x = {.label = "noise, multiples of the clip", .scale = ScaleKind::log},
      .y = {.label = "epsilon", .scale = ScaleKind::log},
      .series = {{.name = "RDP", .points = {}}, {.name = "PLD", .points = {}}}};
  for (const Cost& cost : plan.costs) {
    chart.series[0].points.push_back({.x = cost.noise, .y = cost.rdp});
    chart.series[1].points.push_back({.x = cost.noise, .y = cost.pld});
  }
  return chart;
}

Page page_of(const PrivacyPlan& plan) {
  PageTable costs{.caption = "What a noise level costs",
                  .columns = {{"noise", true}, {"epsilon (RDP)", true}, {"epsilon (PLD)", true}},
                  .rows = {}};
  if (plan.has_pure()) costs.columns.push_back({"without delta", true});
  for (const Cost& cost : plan.costs) {
    const std::vector<std::string> cells = cells_of(plan, cost);
    const double values[] = {cost.noise, cost.rdp, cost.pld, cost.pure};
    auto& row = costs.rows.emplace_back();
    for (std::size_t n = 0; n < cells.size(); ++n) row.push_back({cells[n], values[n]});
  }
  PageTable needs{.caption = "What noise an epsilon needs",
                  .columns = {{"epsilon", true}, {"noise (RDP)", true}, {"noise (PLD)", true}},
                  .rows = {}};
  for (const Need& need : plan.needs)
    needs.rows.push_back({{fmt::format("{:g}", need.epsilon), need.epsilon},
                          {fmt::format("{:g}", need.rdp), need.rdp},
                          {noise_text(need.pld), need.pld}});
  return {.title = "Privacy plan",
          .summary = {headline(plan) + ".", explanation_of(plan)},
          .sections = {{"Costs", {Chart(chart_of(plan)), costs}}, {"Needs", {needs}}}};
}

Status plan_privacy(PlanCommandOptions& options, const Console& console) {
  if (!options.out.empty() && !std::filesystem::path(options.out).has_extension())
    return fail(Code::usage, fmt::format("--out: '{0}' has no ending: write '{0}.html'", options.out));
  if (options.noises.empty() && (options.epsilons.empty() || !options.out.empty()))
    options.noises = {0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0};
  if (options.epsilons.empty()) options.epsilons = {0.5, 1.0, 2.0, 4.0, 8.0};
  SOTTO_TRY(const PrivacyPlan plan, plan_of(options));
  nlohmann::json document = json_of(plan);
  if (!options.out.empty()) {
    SOTTO_TRY(const auto written, write_page(page_of(plan), options.out));
    document["page"] = written.back().string();
  }
  if (options.common.json) {
    print_json(console, document);
    return Done{};
  }
  print_plan(plan, console);
  if (!options.out.empty()) console.print(fmt::format("{}\n", console.paint(Tone::strong, options.out)));
  return Done{};
}

}  // namespace

void add_privacy_plan(CLI::App& privacy, Cli& cli) {
  auto [app, options] = add_command<PlanCommandOptions>(
      privacy, cli, "plan", "what a noise level costs, and what noise an epsilon needs", plan_privacy);
  app->add_option("--population", options->population, "number of people");
  app->add_option("--cohort", options->cohort, "people who take part in a round, on average; default all");
  app->add_option("--sampling", options->sampling, "chance to take part in a round, instead of both")
      ->type_name("Q");
  app->add_option("--rounds", options->rounds, "releases")->default_str("1");
  app->add_option("--delta", options->delta, "chance that the bound does not hold")
      ->type_name("D")
      ->default_str("1e-6");
  values(app->add_option("--kind", options->kind,
                         "the law of the noise: gaussian or laplace; choice: private choices"),
         {"gaussian", "laplace", "choice"})
      ->type_name("KIND")
      ->default_str("gaussian");
  add_list(*app, "--noise", options->noises, "noise levels, multiples of the clip");
  add_list(*app, "--epsilon", options->epsilons, "epsilons to find the noise for; default 0.5,1,2,4,8");
  app->add_option("-o,--out", options->out, "a page with both tables and a plot")->type_name("FILE");
  add_common_options(*app, options->common);
  app->footer(examples({"sotto privacy plan --population 6040 --cohort 302 --rounds 200",
                        "sotto privacy plan --sampling 0.01 --rounds 120 --delta 1e-5 --noise 0.7,1,2 --json",
                        "sotto privacy plan --kind laplace --rounds 30 --epsilon 1,8",
                        "sotto privacy plan --kind choice --noise 10 --epsilon 0.1",
                        "sotto privacy plan --epsilon 1,8 --out plan.html"}));
}

}  // namespace sotto::cli
