// sotto similar: the items that a trained model finds most alike to one.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/find_items.h"
#include "cli/run_text.h"
#include "engine/train/run_dir.h"
#include "metrics/top_k.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct SimilarOptions {
  CommonOptions common;
  std::string run;
  std::string item;
  std::uint32_t count = 10;
};

void print_alike(const std::vector<ScoredItem>& alike, const Split& split, const Console& console) {
  const bool names = !split.item_names.empty(), categories = !split.item_categories.empty();
  std::vector<TableColumn> columns{{"#", Align::right, Tone::dim}, {"item"}};
  if (names) columns.push_back({"name"});
  if (categories) columns.push_back({"category"});
  columns.push_back({"likeness", Align::right});
  Table table(std::move(columns));
  for (std::size_t n = 0; n < alike.size(); ++n) {
    const auto& [item, likeness] = alike[n];
    std::vector<std::string> cells{fmt::format("{}", n + 1), std::string(split.items.name(item.value))};
    if (names) cells.push_back(split.item_names[item.value]);
    if (categories) cells.push_back(item_category(split, item));
    cells.push_back(fmt::format("{:.3f}", likeness));
    table.row(std::move(cells));
  }
  console.print(table.text(console));
}

Status find_similar(SimilarOptions& options, const Console& console) {
  if (options.count == 0) return fail(Code::usage, "-n 0 makes an empty list: give a number from 1 up");
  ThreadPool threads(options.common.threads);
  SOTTO_TRY(const LoadedRun run, load_run(options.run, threads));
  const Split& split = *run.split;
  SOTTO_TRY(const ItemIndex item, find_item(split, options.item));
  std::vector<float> likeness(run.model->catalogue());
  SOTTO_TRY_DONE(run.model->similar(item, likeness));
  const std::vector<ScoredItem> alike = top_items(std::move(likeness), std::span(&item, 1), options.count);
  if (options.common.json) {
    nlohmann::json items = nlohmann::json::array();
    for (const auto& [other, score] : alike) {
      items.push_back(item_json(split, other));
      items.back()["likeness"] = score;
    }
    print_json(console, {{"run", options.run}, {"to", item_json(split, item)}, {"items", items}});
    return Done{};
  }
  const std::string category = item_category(split, item);
  console.print(console.paint(Tone::strong, fmt::format("Like {}{}\n", item_title(split, item),
                                                        category.empty() ? "" : " (" + category + ")")));
  print_alike(alike, split, console);
  return Done{};
}

}  // namespace

void add_similar(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<SimilarOptions>(root, cli, "similar",
                                                    "list items that the model finds similar", find_similar);
  app->add_option("--run", options->run, "a run directory")->type_name("RUN")->required();
  app->add_option("--item", options->item, "the id of an item")->type_name("ID")->required();
  app->add_option("-n", options->count, "how many")->default_str("10");
  add_common_options(*app, options->common);
  app->footer(examples({"sotto similar --run runs/demo --item venue-00317",
                        "sotto similar --run runs/demo --item venue-00317 -n 3 --json"}));
}

}  // namespace sotto::cli
