// sotto contexts: what a run knows about the circumstances of one person's ratings: how their records spread,
// what it says about them, how much of it their protocol lets in, and which items are alike in context.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/command.h"
#include "cli/find_items.h"
#include "cli/run_text.h"
#include "engine/plan/device_folder.h"
#include "engine/protect/training_consent.h"
#include "engine/train/run_dir.h"
#include "model/fedcars/context_score.h"
#include "privacy/context_consent.h"

namespace sotto::cli {

namespace {

struct ContextsOptions {
  CommonOptions common;
  std::string run;
  std::string user;
  std::string dir;
  std::uint32_t recent = 10;
  std::uint32_t count = 10;
};

// What is told about a person.
struct PersonContexts {
  ContextCounts counts;
  ContextTerms terms = {};
  std::vector<ItemIndex> recent = {};
  std::vector<ContextNeighbour> neighbours = {};
};

// What enters on this person's device: as in the run, or as the policy of a device says.
Result<ContextTerms> terms_of(const ContextsOptions& options, const TrainRequest& request, const Split& split,
                              UserIndex user) {
  if (options.dir.empty()) {
    SOTTO_TRY(const TrainRequest consented, with_people(request, split));
    return context_terms(consented.plan.consent)(user);
  }
  const DeviceFolder folder(options.dir);
  SOTTO_TRY(const PersonalPolicy policy, folder.policy());
  SOTTO_TRY_DONE(know_contexts(policy, *split.contexts, folder.vault_path().string()));
  return context_terms(policy, split.contexts.get());
}

Result<PersonContexts> look_at(const ContextsOptions& options, const TrainRequest& request,
                               const Split& split, UserIndex user) {
  const Contexts& contexts = *split.contexts;
  PersonContexts found{.counts = count_contexts(contexts, split.train, user)};
  SOTTO_TRY(found.terms, terms_of(options, request, split, user));
  found.recent = newest_items(split.train, user, options.recent);
  // What says much about the person weighs much; what they keep out, nothing.
  std::vector<double> weights;
  for (std::size_t d = 0; d < contexts.dimensions.size(); ++d)
    weights.push_back(found.terms.share(d) > 0.0f ? informativeness(found.counts.of[d]) : 0.0);
  found.neighbours = contextual_neighbours(contexts, found.recent, split.train.of(user), weights,
                                           split.catalogue, options.count);
  return found;
}

const char* source_word(ContextSource source) {
  if (source == ContextSource::record) return "rating";
  return source == ContextSource::item ? "item" : "person";
}

nlohmann::json dimension_json(const ContextDimension& dimension, const PersonContexts& found, std::size_t d) {
  nlohmann::json values = nlohmann::json::object();
  for (std::size_t v = 0; v < dimension.values.size(); ++v)
    if (found.counts.of[d][v] > 0) values[dimension.values[v]] = found.counts.of[d][v];
  return {{"name", dimension.name},
          {"of", source_word(dimension.source)},
          {"side", dimension.side == ContextSide::user ? "user" : "item"},
          {"possible", dimension.values.size()},
          {"records", found.counts.records_with[d]},
          {"values", values},
          {"informativeness", informativeness(found.counts.of[d])},
          {"share", found.terms.share(d)},
          {"choice", choice_word(double{found.terms.share(d)}, "off")}};
}

nlohmann::json as_json(const ContextsOptions& options, const Split& split, const PersonContexts& found) {
  nlohmann::json dimensions = nlohmann::json::array(), recent = dimensions, neighbours = dimensions;
  for (std::size_t d = 0; d < split.contexts->dimensions.size(); ++d)
    dimensions.push_back(dimension_json(split.contexts->dimensions[d], found, d));
  for (const ItemIndex item : found.recent) recent.push_back(item_json(split, item));
  for (const ContextNeighbour& one : found.neighbours) {
    neighbours.push_back(item_json(split, one.item));
    neighbours.back()["likeness"] = one.likeness;
  }
  const auto literal = literal_context_score(found.counts);
  return {{"run", options.run},
          {"records", found.counts.records},
          {"history", found.terms.history},
          {"dimensions", dimensions},
          {"score", context_score(found.counts)},
          {"score_as_printed", literal ? nlohmann::json(*literal) : nlohmann::json()},
          {"informativeness", 1.0 - context_score(found.counts)},
          {"recent", recent},
          {"neighbours", neighbours}};
}

// "0 days (64%), 1 day (20%), …": the three most frequent.
std::string often_text(const ContextDimension& dimension, const std::vector<std::uint32_t>& counts) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t v) { return counts[v]; });
  std::string text;
  for (std::size_t n = 0; n < order.size() && counts[order[n]] > 0; ++n) {
    if (n == 3) return text + ", …";
    text += fmt::format("{}{} ({:.0f}%)", n == 0 ? "" : ", ", dimension.values[order[n]],
                        100.0 * counts[order[n]] / all);
  }
  if (dimension.values.empty()) return "older ratings count less";
  return text.empty() ? "nothing is known" : text;
}

std::string choice_text(float share) {
  if (share >= 1.0f || share <= 0.0f) return share >= 1.0f ? "full" : "off";
  return fmt::format("partial, {:.4g}%", double{share} * 100.0);
}

std::string as_text(const Split& split, const PersonContexts& found, const Console& console) {
  Table table({{"context"},
               {"of the"},
               {"records", Align::right},
               {"most often"},
               {"says", Align::right},
               {"lets in"}});
  for (std::size_t d = 0; d < split.contexts->dimensions.size(); ++d) {
    const ContextDimension& dimension = split.contexts->dimensions[d];
    const bool known = found.counts.records_with[d] > 0;
    table.row({dimension.name, source_word(dimension.source), std::to_string(found.counts.records_with[d]),
               often_text(dimension, found.counts.of[d]),
               known ? fmt::format("{:.3f}", informativeness(found.counts.of[d])) : "",
               choice_text(found.terms.share(d))});
  }
  std::string text = table.text(console);
  text += fmt::format(
      "  says: how much the value reveals about this person, from 0 (all equally often) to 1 (always the "
      "same); "
      "in all {:.3f}\n",
      1.0 - context_score(found.counts));
  if (found.terms.history < 1.0f)
    text +=
        fmt::format("  only the newest {:.4g}% of the history enters\n", double{found.terms.history} * 100.0);
  if (found.neighbours.empty())
    return text +
           "\nNo items are alike in context: they have no contexts, or the protocol keeps these out.\n";
  text += "\n" + console.paint(Tone::strong,
                               fmt::format("Alike in context to the {} newest\n", found.recent.size()));
  Table alike({{"#", Align::right, Tone::dim}, {"item"}, {"likeness", Align::right}});
  for (std::size_t n = 0; n < found.neighbours.size(); ++n)
    alike.row({std::to_string(n + 1), item_title(split, found.neighbours[n].item),
               fmt::format("{:.3f}", found.neighbours[n].likeness)});
  return text + alike.text(console);
}

Status show_contexts(ContextsOptions& options, const Console& console) {
  if (options.count == 0 || options.recent == 0)
    return fail(Code::usage, "-n 0 and --recent 0 show nothing: give numbers from 1 up");
  const RunDir run(options.run);
  SOTTO_TRY(const TrainRequest request, run.request());
  SOTTO_TRY(const Split split, run.split());
  if (split.contexts == nullptr || split.contexts->dimensions.empty())
    return fail(
        Code::usage,
        fmt::format("the run in '{}' has no contexts: train with --contexts interval,daypart and a model "
                    "that needs ratings ('sotto models')",
                    options.run));
  SOTTO_TRY(const std::vector<UserIndex> users, find_users(split, given_ids("--user", {options.user})));
  SOTTO_TRY(const PersonContexts found, look_at(options, request, split, users.front()));
  if (options.common.json) {
    print_json(console, as_json(options, split, found));
  } else {
    console.print(as_text(split, found, console));
  }
  return Done{};
}

}  // namespace

void add_contexts(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<ContextsOptions>(
      root, cli, "contexts", "one person's contexts, and what their protocol lets in", show_contexts);
  app->add_option("--run", options->run, "a run directory")->type_name("RUN")->required();
  app->add_option("--user", options->user, "one of the run's users")->type_name("ID")->required();
  app->add_option("--dir", options->dir, "the person's device: its policy instead of the run's")
      ->type_name("DIR");
  app->add_option("--recent", options->recent, "compare the N newest items with others")->default_str("10");
  app->add_option("-n", options->count, "list at most N items that are alike")->default_str("10");
  add_common_options(*app, options->common, "has no effect here: a run draws with its own seed");
  app->footer(examples({"sotto contexts --run runs/films --user 42",
                        "sotto contexts --run runs/films --user 42 --dir my-device --json"}));
}

}  // namespace sotto::cli
