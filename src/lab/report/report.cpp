#include "lab/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/version.h"
#include "engine/terminal/console.h"
#include "lab/report/markup.h"

namespace sotto::lab {

namespace {

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", human_count(count), count == 1 ? one : many);
}

std::string data_sentence(const DatasetRuns& runs) {
  if (runs.facts == nullptr) return "Nothing is known of the split.";
  const SplitFacts& facts = *runs.facts;
  if (runs.classifies)
    return fmt::format("{} devices, {} training, {} validation and {} test examples.",
                       human_count(facts.users), human_count(facts.train), human_count(facts.validation),
                       human_count(facts.test));
  return fmt::format("{} people, {} items, {} training, {} validation and {} test interactions. Lists of {}.",
                     human_count(facts.users), human_count(facts.catalogue), human_count(facts.train),
                     human_count(facts.validation), human_count(facts.test), runs.cutoff);
}

std::string best_sentence(const DatasetRuns& runs) {
  const RunGroup* best = nullptr;
  const std::string f1 = runs.metric("F1means");
  for (const RunGroup* group : runs.best_groups())
    if (best == nullptr || group->mean(f1) > best->mean(f1)) best = group;
  return fmt::format("On {} the best {} is {:.5f}, by {}.", runs.dataset, f1, best->mean(f1), best->name());
}

// Where a gap stands alone the figures' gaps are collected at the end, so that the page reads without holes.
void add_figures(std::vector<PageBlock>& blocks, std::vector<PageGap>& gaps, std::vector<PageBlock> figures) {
  for (PageBlock& block : figures) {
    if (const PageGap* gap = std::get_if<PageGap>(&block)) {
      gaps.push_back(*gap);
    } else {
      blocks.push_back(std::move(block));
    }
  }
}

void add_dataset(Page& page, const DatasetRuns& runs, bool alone, std::vector<PageGap>& gaps) {
  const std::string of = alone ? "" : ", " + runs.dataset;
  const std::size_t first_gap = gaps.size();
  PageSection results{"Results" + of, {PageText{data_sentence(runs)}, best_table(runs)}};
  if (runs.groups.size() > runs.configurations().size()) results.blocks.emplace_back(all_table(runs));
  page.sections.push_back(std::move(results));
  const auto section = [&](const char* title, std::vector<PageBlock> figures) {
    PageSection made{title + of, {}};
    add_figures(made.blocks, gaps, std::move(figures));
    if (!made.blocks.empty()) page.sections.push_back(std::move(made));
  };
  if (!runs.classifies) {
    section("What π does", accuracy_figures(runs));
    section("Items: updated and recommended", item_figures(runs));
  }
  std::vector<PageBlock> cost = cost_figures(runs);
  if (PageTable table = cost_table(runs); !table.rows.empty()) cost.emplace_back(std::move(table));
  section("Communication", std::move(cost));
  if (!runs.classifies) section("Bias", bias_figures(runs));
  section("Learning", learning_figures(runs));
  section(runs.classifies ? "Devices" : "Users", user_figures(runs));
  if (runs.classifies)
    gaps.erase(gaps.begin() + static_cast<std::ptrdiff_t>(first_gap),
               gaps.end());  // what would fill them is of recommenders
  if (!alone)
    for (std::size_t gap = first_gap; gap < gaps.size(); ++gap)
      gaps[gap].what = fmt::format("{}: {}", runs.dataset, gaps[gap].what);
}

PageTable run_table(const ReportData& data) {
  PageTable table;
  table.caption = "The runs, with the hashes that name their split and their model.";
  table.columns = {{"run"}, {"dataset"}, {"model"}, {"π", true}, {"seed", true}, {"split"}, {"model hash"}};
  for (const ReportRun& run : data.runs)
    table.rows.push_back(
        {{.text = run.source},
         {.text = run.place.dataset},
         {.text = run.configuration},
         {.text = run.pi ? short_number(*run.pi) : "", .value = run.pi},
         {.text = std::to_string(run.place.seed), .value = static_cast<double>(run.place.seed)},
         {.text = run.result.split_hash.substr(0, 12), .hint = run.result.split_hash},
         {.text = run.result.model_hash.substr(0, 12), .hint = run.result.model_hash}});
  return table;
}

PageSection made_section(const ReportData& data, const std::string& command) {
  PageSection section{"How this was made", {}};
  section.blocks.emplace_back(PageText{fmt::format("Sotto {}. The page is made again by:", version)});
  section.blocks.emplace_back(PageListing{"command", command});
  section.blocks.emplace_back(run_table(data));
  // One plan a configuration: the others differ in π and seed only.
  std::set<std::pair<std::string, std::string>> shown;
  for (const ReportRun& run : data.runs)
    if (shown.emplace(run.place.dataset, run.configuration).second)
      section.blocks.emplace_back(
          PageListing{fmt::format("plan of {}, {} ({})", run.configuration, run.place.dataset, run.source),
                      run.result.request});
  return section;
}

}  // namespace

Page report_page(const ReportData& data, const std::string& command) {
  Page page;
  page.title = fmt::format("Report: {}", data.title);
  const std::vector<DatasetRuns> datasets = datasets_of(data);
  std::size_t configurations = 0;
  for (const DatasetRuns& runs : datasets) configurations += runs.configurations().size();
  page.summary.push_back(fmt::format("{} of {} on {}.", counted(data.runs.size(), "run", "runs"),
                                     counted(configurations, "configuration", "configurations"),
                                     counted(datasets.size(), "dataset", "datasets")));
  if (data.search_cells > 0)
    page.summary.back() += fmt::format(" {} judged on the validation part to choose settings are left out.",
                                       counted(data.search_cells, "cell", "cells"));
  std::vector<PageGap> gaps;
  for (const DatasetRuns& runs : datasets) {
    page.summary.push_back(best_sentence(runs));
    add_dataset(page, runs, datasets.size() == 1, gaps);
  }
  if (!data.troubles.empty()) {
    PageSection section{"What was left out", {}};
    for (const std::string& trouble : data.troubles) section.blocks.emplace_back(PageText{trouble});
    page.sections.push_back(std::move(section));
  }
  if (!gaps.empty()) {
    PageSection section{"What is missing", {PageText{"These figures need data that is not here."}}};
    for (PageGap& gap : gaps) section.blocks.emplace_back(std::move(gap));
    page.sections.push_back(std::move(section));
  }
  page.sections.push_back(made_section(data, command));
  return page;
}

}  // namespace sotto::lab
