// sotto features: what a run knows about its items, and how much a person cares about each of it: what can be
// vetoed, or kept back by consent.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/find_items.h"
#include "cli/recommend_lists.h"
#include "cli/recommend_text.h"
#include "data/kg/feature_names.h"
#include "engine/terminal/table.h"
#include "engine/train/run_dir.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct FeaturesOptions {
  CommonOptions common;
  std::string run;
  std::string user;
  std::vector<std::string> history;
  std::string find;
  std::uint32_t count = 20;

  [[nodiscard]] bool of_a_person() const { return !user.empty() || !history.empty(); }
};

struct KnownFeature {
  FeatureIndex feature;
  std::string words;
  std::size_t items = 0;
  float weight = 0.0f;  // of a person's own
};

KnownFeature known(const ItemFeatures& features, FeatureIndex feature, float weight) {
  return {feature, feature_in_words(features, feature), features.items_with(feature).size(), weight};
}

// A person's features are those of the items they have; each is a reason for one of them.
std::vector<KnownFeature> own_features(const ItemFeatures& features,
                                       const std::vector<std::vector<Reason>>& for_own_items) {
  std::map<FeatureIndex, float> weights;
  for (const std::vector<Reason>& reasons : for_own_items)
    for (const Reason& reason : reasons)
      if (reason.weight != 0.0f) weights[reason.feature] = reason.weight;
  std::vector<KnownFeature> own;
  for (const auto& [feature, weight] : weights) own.push_back(known(features, feature, weight));
  std::ranges::stable_sort(own, std::greater(), &KnownFeature::weight);
  return own;
}

Result<std::vector<KnownFeature>> find_features(const FeaturesOptions& options, const LoadedRun& run) {
  const Split& split = *run.split;
  if (split.features == nullptr)
    return fail(Code::usage,
                fmt::format("the run in '{}' has no features of its items: train with --kg", options.run));
  std::vector<KnownFeature> found;
  if (!options.of_a_person()) {
    for (std::uint32_t feature = 0; feature < split.features->features(); ++feature)
      found.push_back(known(*split.features, {feature}, 0.0f));
    std::ranges::stable_sort(found, std::greater(), &KnownFeature::items);
    return found;
  }
  SOTTO_TRY(const Explainer* explainer, explainer_of(run));
  if (!options.history.empty()) {
    SOTTO_TRY(const std::vector<ItemIndex> history,
              find_history(split, given_ids("--history", options.history)));
    return own_features(*split.features, explainer->reasons_for_history(history, history));
  }
  SOTTO_TRY(const std::vector<UserIndex> users, find_users(split, given_ids("--user", {options.user})));
  std::vector<std::vector<Reason>> for_own_items;
  for (const ItemIndex item : split.train.of(users.front()))
    for_own_items.push_back(explainer->reasons(users.front(), item));
  return own_features(*split.features, for_own_items);
}

void keep_those_with(const std::string& text, const ItemFeatures& features,
                     std::vector<KnownFeature>& found) {
  std::erase_if(found, [&](const KnownFeature& one) {
    return !holds_words(one.words, text) && !holds_words(features.predicate(one.feature), text) &&
           !holds_words(features.object(one.feature), text);
  });
}

nlohmann::json as_json(const FeaturesOptions& options, const ItemFeatures& features,
                       const std::vector<KnownFeature>& shown, std::size_t all) {
  nlohmann::json json{{"run", options.run}, {"found", all}, {"features", nlohmann::json::array()}};
  for (const KnownFeature& one : shown) {
    json["features"].push_back(feature_json(features, one.feature));
    json["features"].back()["hops"] = features.hops(one.feature);
    json["features"].back()["items"] = one.items;
    if (options.of_a_person()) json["features"].back()["weight"] = one.weight;
  }
  return json;
}

std::string as_text(const FeaturesOptions& options, const std::vector<KnownFeature>& shown, std::size_t all,
                    const Console& console) {
  if (shown.empty() && options.of_a_person() && options.find.empty())
    return "No feature tells these items apart: the list shows what others care about.\n";
  if (shown.empty()) return "No such feature.\n";
  std::vector<TableColumn> columns{{"feature"}, {"items with it", Align::right}};
  if (options.of_a_person()) columns.push_back({"weight", Align::right});
  Table table(std::move(columns));
  for (const KnownFeature& one : shown) {
    std::vector<std::string> cells{one.words, human_count(one.items)};
    if (options.of_a_person()) cells.push_back(fmt::format("{:.3f}", one.weight));
    table.row(std::move(cells));
  }
  std::string text = table.text(console);
  if (shown.size() < all)
    text += fmt::format("  … {} more: -n shows them, --find TEXT looks for some\n",
                        human_count(all - shown.size()));
  return text;
}

Status run_features(FeaturesOptions& options, const Console& console) {
  if (options.count == 0) return fail(Code::usage, "-n 0 shows nothing: give a number from 1 up");
  if (!options.user.empty() && !options.history.empty())
    return fail(Code::usage, "--user and --history are two people: give one of them");
  ThreadPool threads(options.common.threads);
  SOTTO_TRY(const LoadedRun run, load_run(options.run, threads));
  SOTTO_TRY(std::vector<KnownFeature> found, find_features(options, run));
  keep_those_with(options.find, *run.split->features, found);
  const std::size_t all = found.size();
  found.resize(std::min<std::size_t>(all, options.count));
  if (options.common.json) {
    print_json(console, as_json(options, *run.split->features, found, all));
  } else {
    console.print(as_text(options, found, all, console));
  }
  return Done{};
}

}  // namespace

void add_features(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<FeaturesOptions>(
      root, cli, "features", "what a run knows about its items, and what a person cares about", run_features);
  app->add_option("--run", options->run, "a run directory")->type_name("RUN")->required();
  app->add_option("--user", options->user, "the features of one of the run's users, by weight")
      ->type_name("ID");
  app->add_option("--history", options->history, "the features of a new user who has these items")
      ->type_name("ITEM");
  app->add_option("--find", options->find, "only features whose names contain this")->type_name("TEXT");
  app->add_option("-n", options->count, "list at most N features")->default_str("20");
  add_common_options(*app, options->common, "has no effect here: a run draws with its own seed");
  app->footer(examples({"sotto features --run runs/films --user 42",
                        "sotto features --run runs/films --find 'science fiction'",
                        "sotto features --run runs/films --user 42 --find dbo:director --json"}));
}

}  // namespace sotto::cli
