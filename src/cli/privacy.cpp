// sotto privacy: plan and budget.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "engine/protect/budget_file.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

struct BudgetCommandOptions {
  CommonOptions common;
  std::string file;
  std::optional<double> epsilon;
  std::optional<double> delta;
};

std::string mechanism_of(const BudgetCharge& charge) {
  if (charge.by == ChargeBy::epsilon) return fmt::format("epsilon {:g} each", charge.epsilon);
  if (charge.releases.kind == NoiseKind::choice)
    return fmt::format("choice, epsilon {:g} each", 1.0 / charge.releases.noise);
  const char* law = charge.releases.kind == NoiseKind::laplace ? "Laplace" : "Gaussian";
  if (charge.releases.sampling >= 1.0) return fmt::format("{}, noise {:g}", law, charge.releases.noise);
  return fmt::format("{}, noise {:g}, sampling {:g}", law, charge.releases.noise, charge.releases.sampling);
}

nlohmann::json json_of(const PrivacyBudget& budget) {
  nlohmann::json document{{"epsilon", budget.goal().epsilon},
                          {"delta", budget.goal().delta},
                          {"spent", budget.spent()},
                          {"charges", nlohmann::json::array()}};
  PrivacyBudget so_far(budget.goal());
  for (const BudgetCharge& charge : budget.charges()) {
    SOTTO_ASSERT(so_far.charge(charge).ok(), "it was charged before");
    document["charges"].push_back({{"what", charge.what},
                                   {"mechanism", mechanism_of(charge)},
                                   {"times", charge.releases.times},
                                   {"spent_so_far", so_far.spent()}});
  }
  return document;
}

void print_budget(const PrivacyBudget& budget, const Console& console) {
  const nlohmann::json document = json_of(budget);
  console.print(fmt::format("epsilon {:.4f} of {:g} spent, at delta {:g}\n", budget.spent(),
                            budget.goal().epsilon, budget.goal().delta));
  Table table({{"release"}, {"times", Align::right}, {"mechanism"}, {"spent so far", Align::right}});
  for (const nlohmann::json& charge : document["charges"])
    table.row({charge["what"].get<std::string>(), human_count(charge["times"].get<std::uint64_t>()),
               charge["mechanism"].get<std::string>(),
               fmt::format("{:.4f}", charge["spent_so_far"].get<double>())});
  if (!table.empty()) console.print("\n" + table.text(console));
}

Result<BudgetFile> budget_file(const BudgetCommandOptions& options) {
  if (options.epsilon)
    return BudgetFile::create(options.file, {*options.epsilon, options.delta.value_or(1e-6)});
  if (options.delta) return fail(Code::usage, "--delta belongs to --epsilon, which starts a new budget");
  return BudgetFile::open(options.file);
}

Status show_budget(BudgetCommandOptions& options, const Console& console) {
  SOTTO_TRY(const BudgetFile file, budget_file(options));
  if (options.common.json)
    print_json(console, json_of(file.budget()));
  else
    print_budget(file.budget(), console);
  return Done{};
}

void add_privacy_budget(CLI::App& privacy, Cli& cli) {
  auto [app, options] = add_command<BudgetCommandOptions>(
      privacy, cli, "budget", "show what was spent of a privacy budget, or start one", show_budget);
  app->add_option("FILE", options->file, "the budget's file")->required();
  app->add_option("--epsilon", options->epsilon, "start a new budget with this epsilon to spend")
      ->type_name("E");
  app->add_option("--delta", options->delta, "its delta; default 1e-6")->type_name("D");
  add_common_options(*app, options->common);
  app->footer(examples({"sotto privacy budget budget.json --epsilon 8 --delta 1e-6",
                        "sotto train --data ratings.tsv --model fedease --dp central --dp-epsilon 4 "
                        "--dp-budget budget.json",
                        "sotto privacy budget budget.json --json"}));
}

}  // namespace

void add_privacy(CLI::App& root, Cli& cli) {
  CLI::App* privacy = root.add_subcommand("privacy", "plan differential privacy, and keep its budget");
  privacy->require_subcommand(1);
  add_privacy_plan(*privacy, cli);
  add_privacy_curve(*privacy, cli);
  add_privacy_budget(*privacy, cli);
}

}  // namespace sotto::cli
