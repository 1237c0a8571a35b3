// sotto results: what studies found out, listed, gathered over seeds, exported.
#include "cli/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cli/values.h"
#include "metrics/metric_name.h"

namespace sotto::cli {

namespace {

SheetCell spread_cell(const std::string& metric, const Spread& spread) {
  if (spread.count == 0) return {nullptr, "n/a"};
  SheetCell cell = value_cell(metric, spread.mean);
  if (spread.count > 1) cell.text += " ± " + value_cell(metric, spread.sd).text;
  return cell;
}

Sheet group_sheet(const std::vector<SeedGroup>& groups, const std::vector<StoredCell>& cells,
                  const std::vector<std::string>& metrics) {
  const PlaceColumns places(cells, false);
  Sheet sheet;
  places.add_to(sheet);
  sheet.columns.push_back({"seeds", true});
  for (const std::string& metric : metrics) {
    sheet.columns.push_back({metric, true});
    sheet.columns.push_back({metric + " sd", true, Readers::programs});
  }
  for (const SeedGroup& group : groups) {
    std::vector<SheetCell> row = places.cells(group.place());
    row.push_back(count_cell(group.cells.size()));
    for (const std::string& metric : metrics) {
      const Spread spread = group.metric(metric);
      row.push_back(spread_cell(metric, spread));
      row.push_back(spread.count > 1 ? value_cell(metric, spread.sd) : SheetCell{nullptr, ""});
    }
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

// Best and second of each dataset, metric by metric. `first` is the first metric's column; each takes two.
void mark_best(Sheet& sheet, const std::vector<SeedGroup>& groups, std::size_t first) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> rows;
  for (std::size_t n = 0; n < groups.size(); ++n)
    rows[{groups[n].place().study, groups[n].place().dataset}].push_back(n);
  for (auto& [dataset, places] : rows)
    for (std::size_t column = first; column < sheet.columns.size(); column += 2) {
      const auto better = [&metric = sheet.columns[column].title](double a, double b) {
        return is_better(metric, a, b);
      };
      std::set<double, decltype(better)> values(better);
      for (const std::size_t n : places)
        if (const auto& value = sheet.rows[n][column].value; value.is_number())
          values.insert(value.get<double>());
      if (places.size() < 2) continue;
      for (const std::size_t n : places) {
        const auto& value = sheet.rows[n][column].value;
        if (!value.is_number()) continue;
        const auto place = std::distance(values.begin(), values.find(value.get<double>()));
        if (place < 2) sheet.rows[n][column].emphasis = place == 0 ? Emphasis::best : Emphasis::second;
      }
    }
}

void sort_groups(std::vector<SeedGroup>& groups, const std::string& metric) {
  if (metric.empty()) return;
  std::stable_sort(groups.begin(), groups.end(), [&](const SeedGroup& a, const SeedGroup& b) {
    const Spread left = a.metric(metric), right = b.metric(metric);
    if (left.count == 0 || right.count == 0) return left.count > right.count;
    return is_better(metric, left.mean, right.mean);
  });
}

Status list_cells(ResultsOptions& options, const Console& console) {
  SOTTO_TRY(const ResultsFile file, ResultsFile::open(options.file));
  SOTTO_TRY(std::vector<StoredCell> cells, asked_cells(file, options));
  SOTTO_TRY(const std::vector<std::string> metrics, asked_metrics(cells, options));
  if (!options.sort.empty())
    std::stable_sort(cells.begin(), cells.end(), [&](const StoredCell& a, const StoredCell& b) {
      return is_better(options.sort, a.result.metric(options.sort).value_or(NAN),
                       b.result.metric(options.sort).value_or(NAN));
    });
  const PlaceColumns places(cells, true);
  Sheet sheet;
  places.add_to(sheet);
  sheet.columns.push_back({"status"});
  for (const std::string& metric : metrics) sheet.columns.push_back({metric, true});
  for (const StoredCell& cell : cells) {
    std::vector<SheetCell> row = places.cells(cell.place);
    row.push_back(word_cell(cell.result.done ? "done" : "failed: " + cell.result.reason));
    for (const std::string& metric : metrics) {
      const std::optional<double> value = cell.result.metric(metric);
      row.push_back(value ? value_cell(metric, *value) : SheetCell{nullptr, ""});
    }
    sheet.rows.push_back(std::move(row));
  }
  return answer(sheet, options, console);
}

Status show_means(ResultsOptions& options, const Console& console) {
  SOTTO_TRY(const ResultsFile file, ResultsFile::open(options.file));
  SOTTO_TRY(const std::vector<StoredCell> cells, asked_cells(file, options));
  SOTTO_TRY(const std::vector<std::string> metrics, asked_metrics(cells, options));
  std::vector<SeedGroup> groups = by_seed(cells);
  sort_groups(groups, options.sort);
  return answer(group_sheet(groups, cells, metrics), options, console);
}

Status show_best(ResultsOptions& options, const Console& console) {
  SOTTO_TRY(const ResultsFile file, ResultsFile::open(options.file));
  if (options.phase.empty()) options.phase = to_string(Phase::final);
  SOTTO_TRY(const std::vector<StoredCell> cells, asked_cells(file, options));
  SOTTO_TRY(const std::vector<std::string> metrics, asked_metrics(cells, options));
  const std::string decides = !options.sort.empty() ? options.sort : metrics.empty() ? "" : metrics.front();
  const std::vector<SeedGroup> competing = by_seed(cells);
  std::vector<SeedGroup> groups = best_groups(competing, decides);
  const auto judged = std::ranges::count_if(
      competing, [&](const SeedGroup& group) { return group.metric(decides).count > 0; });
  if (options.phase == to_string(Phase::final) && static_cast<std::size_t>(judged) > groups.size())
    console.note(
        "sotto: the best settings were chosen on the test part, which flatters them: a study with a "
        "[search] chooses on a validation part");
  sort_groups(groups, options.sort);
  Sheet sheet = group_sheet(groups, cells, metrics);
  mark_best(sheet, groups, sheet.columns.size() - 2 * metrics.size());
  return answer(sheet, options, console);
}

using ResultsCommand = Status (*)(ResultsOptions&, const Console&);

Command<ResultsOptions> add_results_command(CLI::App& results, Cli& cli, const char* name, const char* about,
                                            ResultsCommand run) {
  auto command = add_command<ResultsOptions>(results, cli, name, about, run);
  ResultsOptions& options = *command.options;
  CLI::App& app = *command.app;
  app.add_option("FILE", options.file, "a results file of 'sotto sweep'")->required();
  app.add_option("--where", options.where,
                 "cells with this study, dataset, model, phase, seed, status or setting; may be repeated")
      ->type_name("KEY=VALUE");
  values(app.add_option("--phase", options.phase, "search or final"), {"search", "final"})
      ->type_name("PHASE");
  add_sheet_format(app, options.format);
  app.add_option("--out", options.out, "a file to write instead of stdout; packed if it ends in .zst")
      ->type_name("FILE");
  add_common_options(app, options.common);
  return command;
}

void add_metric_options(CLI::App& app, ResultsOptions& options, const char* sort) {
  values(add_list(app, "--metrics", options.metrics, "the metrics to show, such as P@10,nDCG@10"),
         metric_names(usual_cutoffs));
  values(app.add_option("--sort", options.sort, sort), metric_names(usual_cutoffs))->type_name("METRIC");
}

}  // namespace

void add_results(CLI::App& root, Cli& cli) {
  CLI::App* results = root.add_subcommand("results", "list, average and export the results of studies");
  results->require_subcommand(1);

  auto list = add_results_command(*results, cli, "list", "every cell", list_cells);
  add_metric_options(*list.app, *list.options, "best first");
  values(list.app->add_option("--status", list.options->status, "done or failed"), {"done", "failed"})
      ->type_name("STATUS");
  list.app->footer(examples({"sotto results list r.sqlite --where model=sFPL+ --where consent.pi=0.5",
                             "sotto results list r.sqlite --status failed"}));

  auto means =
      add_results_command(*results, cli, "means", "mean ± standard deviation over seeds", show_means);
  add_metric_options(*means.app, *means.options, "best mean first");
  means.app->footer(examples({"sotto results means r.sqlite --phase final --sort P@10",
                              "sotto results means r.sqlite --metrics F1@10,IC@10 --format tsv"}));

  auto best =
      add_results_command(*results, cli, "best", "the best setting of each model on each dataset", show_best);
  add_metric_options(*best.app, *best.options,
                     "the metric to choose and sort by; default: the first one shown");
  best.app->footer(examples({"sotto results best r.sqlite",
                             "sotto results best r.sqlite --sort P@10 "
                             "--metrics P@10,R@10,IC@10 --format latex"}));

  auto curves =
      add_results_command(*results, cli, "curves", "learning curves, one row per epoch", show_curves);
  curves.app->footer(
      examples({"sotto results curves r.sqlite --where seed=1 --format tsv --out curves.tsv"}));

  auto all = add_results_command(*results, cli, "export", "everything; the same study gives the same bytes",
                                 export_results);
  all.options->format = "tsv";
  all.app->add_flag("--times", all.options->times, "seconds too, which differ from run to run");
  all.app->add_flag("--per-user", all.options->per_user, "JSON: each judged user's values");
  all.app->add_flag("--items", all.options->items, "JSON: popularity, updates and recommendations of items");
  all.app->footer(examples({"sotto results export r.sqlite --out cells.tsv",
                            "sotto results export r.sqlite --format json --per-user --out cells.json.zst"}));
}

}  // namespace sotto::cli
