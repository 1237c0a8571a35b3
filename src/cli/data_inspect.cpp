// sotto data inspect: what is in these files?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/command.h"
#include "cli/contexts_text.h"
#include "cli/field_flags.h"
#include "cli/parts_text.h"
#include "data/loader.h"
#include "engine/files/files.h"
#include "engine/files/split_file.h"
#include "engine/plan/prepare.h"
#include "engine/plan/shared_fields.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

struct InspectOptions {
  CommonOptions common;
  std::vector<std::string> paths;
  FieldFlags edits;
};

struct FileFormat {
  std::string path;
  std::string format;
};

Result<std::vector<FileFormat>> formats_of(const DataRequest& request) {
  SOTTO_TRY(const auto files, data_files(request.paths));
  std::vector<FileFormat> formats;
  for (const auto& file : files) {
    SOTTO_TRY(const std::string text, read_text(file));
    SOTTO_TRY(const TextFormat format, inspect_format({file.string(), text}, {.columns = request.columns}));
    formats.push_back({file.string(), describe(format)});
  }
  return formats;
}

constexpr std::array<std::pair<const char*, double>, 7> quantile_names{
    {{"min", 0.0}, {"10%", 0.1}, {"25%", 0.25}, {"median", 0.5}, {"75%", 0.75}, {"90%", 0.9}, {"max", 1.0}}};

// Counts, ascending.
struct Counts {
  std::vector<std::uint64_t> sorted;
  explicit Counts(std::vector<std::uint64_t> counts) : sorted(std::move(counts)) {
    std::sort(sorted.begin(), sorted.end());
  }
  [[nodiscard]] std::uint64_t quantile(double share) const {
    if (sorted.empty()) return 0;
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  }
  [[nodiscard]] double mean() const {
    const auto sum = std::accumulate(sorted.begin(), sorted.end(), std::uint64_t{0});
    return sorted.empty() ? 0.0 : static_cast<double>(sum) / static_cast<double>(sorted.size());
  }
};

Counts counts_of_users(const Dataset& dataset) {
  std::vector<std::uint64_t> counts(dataset.users.size(), 0);
  for (const Interaction& interaction : dataset.interactions) ++counts[interaction.user.value];
  return Counts(std::move(counts));
}

Counts counts_of_items(const Dataset& dataset) {
  std::vector<std::uint64_t> counts(dataset.items.size(), 0);
  for (const Interaction& interaction : dataset.interactions) ++counts[interaction.item.value];
  return Counts(std::move(counts));
}

struct Bin {
  std::string label;
  std::uint64_t count = 0;
};

// Every rating by itself where there are few; else ten even stretches.
std::vector<Bin> rating_bins(const Dataset& dataset) {
  constexpr std::size_t most_values = 12, stretches = 10;
  std::map<float, std::uint64_t> values;
  if (!dataset.has_ratings) return {};
  for (const Interaction& interaction : dataset.interactions) ++values[interaction.rating];
  std::vector<Bin> bins;
  if (values.size() <= most_values) {
    for (const auto& [value, count] : values) bins.push_back({fmt::format("{}", value), count});
    return bins;
  }
  const double low = values.begin()->first, step = (values.rbegin()->first - low) / stretches;
  for (std::size_t n = 0; n < stretches; ++n) {
    const double from = low + step * static_cast<double>(n);
    bins.push_back({fmt::format("{:.3g} – {:.3g}", from, from + step), 0});
  }
  for (const auto& [value, count] : values)
    bins[std::min(static_cast<std::size_t>((value - low) / step), stretches - 1)].count += count;
  return bins;
}

std::pair<std::int64_t, std::int64_t> time_range(const Dataset& dataset) {
  const auto [first, last] =
      std::minmax_element(dataset.interactions.begin(), dataset.interactions.end(),
                          [](const Interaction& a, const Interaction& b) { return a.time < b.time; });
  return {first->time, last->time};
}

std::pair<float, float> rating_range(const Dataset& dataset) {
  const auto [first, last] =
      std::minmax_element(dataset.interactions.begin(), dataset.interactions.end(),
                          [](const Interaction& a, const Interaction& b) { return a.rating < b.rating; });
  return {first->rating, last->rating};
}

const char* to_text(TimeKind kind) {
  switch (kind) {
    case TimeKind::none:
      return "none";
    case TimeKind::rank:
      return "rank";
    case TimeKind::unix_seconds:
      return "unix_seconds";
  }
  return "none";
}

double density_of(const Dataset& dataset) {
  return static_cast<double>(dataset.interactions.size()) /
         (static_cast<double>(dataset.users.size()) * static_cast<double>(dataset.items.size()));
}

nlohmann::json quantiles_json(const Counts& counts) {
  nlohmann::json json{{"mean", counts.mean()}};
  for (const auto& [name, share] : quantile_names) json[name] = counts.quantile(share);
  return json;
}

nlohmann::json as_json(const std::vector<FileFormat>& formats, const LoadedData& loaded) {
  const Dataset& dataset = loaded.dataset;
  nlohmann::json json{{"users", dataset.users.size()},
                      {"items", dataset.items.size()},
                      {"interactions", dataset.interactions.size()},
                      {"repeated", dataset.repeated},
                      {"density", density_of(dataset)},
                      {"time", {{"kind", to_text(dataset.time_kind)}}},
                      {"per_user", quantiles_json(counts_of_users(dataset))},
                      {"per_item", quantiles_json(counts_of_items(dataset))},
                      {"has_names", !dataset.item_names.empty()},
                      {"has_categories", !dataset.item_categories.empty()}};
  for (const FileFormat& file : formats)
    json["files"].push_back({{"path", file.path}, {"format", file.format}});
  if (dataset.time_kind != TimeKind::none) {
    const auto [first, last] = time_range(dataset);
    json["time"].update({{"first", first}, {"last", last}});
  }
  if (dataset.has_ratings) {
    const auto [lowest, highest] = rating_range(dataset);
    json["rating_scale"] = {{"lowest", lowest}, {"highest", highest}};
  }
  json["ratings"] = nlohmann::json::array();
  for (const Bin& bin : rating_bins(dataset))
    json["ratings"].push_back({{"rating", bin.label}, {"count", bin.count}});
  json["filters"] = nlohmann::json::array();
  for (const FilterStep& step : loaded.filtered)
    json["filters"].push_back({{"filter", step.filter},
                               {"users_removed", step.users},
                               {"items_removed", step.items},
                               {"interactions_removed", step.interactions}});
  return json;
}

void print_facts(const LoadedData& loaded, const Console& console) {
  const Dataset& dataset = loaded.dataset;
  Table facts = fact_table();
  facts.row({"users", human_count(dataset.users.size())});
  facts.row({"items", human_count(dataset.items.size())});
  facts.row({"interactions", human_count(dataset.interactions.size())});
  if (dataset.repeated > 0)
    facts.row({"repeated", human_count(dataset.repeated) + " more records; the latest ones were kept"});
  facts.row({"density", fmt::format("{:.4g}%", 100.0 * density_of(dataset))});
  if (dataset.time_kind == TimeKind::none) facts.row({"times", "none: use --split random:0.8"});
  if (dataset.time_kind != TimeKind::none) {
    const auto [first, last] = time_range(dataset);
    const bool ranks = dataset.time_kind == TimeKind::rank;
    facts.row(
        {ranks ? "ranks" : "times", ranks ? fmt::format("{} to {}", first, last)
                                          : fmt::format("{} to {}", human_time(first), human_time(last))});
  }
  if (!dataset.has_ratings) facts.row({"ratings", "none"});
  if (dataset.has_ratings) {
    const auto [lowest, highest] = rating_range(dataset);
    facts.row({"ratings", fmt::format("{} to {}", lowest, highest)});
  }
  const bool names = !dataset.item_names.empty(), categories = !dataset.item_categories.empty();
  if (names || categories)
    facts.row({"labels", names && categories ? "names and categories" : names ? "names" : "categories"});
  for (const FilterStep& step : loaded.filtered)
    facts.row({"filter", fmt::format("{}: removed {} users, {} items, {} interactions", step.filter,
                                     human_count(step.users), human_count(step.items),
                                     human_count(step.interactions))});
  console.print(facts.text(console));
}

void print_distributions(const Dataset& dataset, const Console& console) {
  std::vector<TableColumn> columns{{""}, {"mean", Align::right}};
  for (const auto& [name, share] : quantile_names) columns.push_back({name, Align::right});
  Table table(std::move(columns));
  const auto add = [&](const char* name, const Counts& counts) {
    std::vector<std::string> cells{name, fmt::format("{:.1f}", counts.mean())};
    for (const auto& [title, share] : quantile_names) cells.push_back(human_count(counts.quantile(share)));
    table.row(std::move(cells));
  };
  add("items per user", counts_of_users(dataset));
  add("users per item", counts_of_items(dataset));
  console.print("\n" + table.text(console));

  const std::vector<Bin> bins = rating_bins(dataset);
  if (bins.empty()) return;
  std::uint64_t most = 1;
  for (const Bin& bin : bins) most = std::max(most, bin.count);
  Table ratings({{"rating", Align::right}, {"count", Align::right}, {"", Align::left, Tone::accent}});
  for (const Bin& bin : bins) {
    std::string bar;
    for (std::uint64_t n = 0; n < (bin.count * 40 + most - 1) / most; ++n) bar += "▇";
    ratings.row({bin.label, human_count(bin.count), bar});
  }
  console.print("\n" + ratings.text(console));
}

// A saved split: every byte checked, and what is in it.
Status inspect_split(const std::string& path, bool json, const Console& console) {
  SOTTO_TRY(const Split split, open_split_file(path, SplitCheck::whole));
  if (json) {
    nlohmann::json facts = parts_json(split);
    facts.update({{"split_file", path}, {"checked", true}});
    print_json(console, facts);
    return Done{};
  }
  console.print(fmt::format("{}\n  a saved split; every byte of it was checked\n\n",
                            console.paint(Tone::strong, path)));
  print_parts(split, console);
  return Done{};
}

Status inspect(InspectOptions& options, const Console& console) {
  if (options.paths.size() == 1 && is_split_file(options.paths[0]))
    return inspect_split(options.paths[0], options.common.json, console);
  DataRequest request;
  request.paths = options.paths;
  SOTTO_TRY_DONE(apply(options.edits, request));
  SOTTO_TRY(const std::vector<FileFormat> formats, formats_of(request));
  SOTTO_TRY(const LoadedData loaded, load_data(request));
  SOTTO_TRY(const std::optional<Split> rated, split_for_contexts(request, loaded));
  if (options.common.json) {
    nlohmann::json json = as_json(formats, loaded);
    if (rated) json["contexts"] = contexts_json(*rated);
    print_json(console, json);
    return Done{};
  }
  for (const FileFormat& file : formats)
    console.print(fmt::format("{}\n  {}\n", console.paint(Tone::strong, file.path), file.format));
  console.print("\n");
  print_facts(loaded, console);
  print_distributions(loaded.dataset, console);
  if (rated) console.print("\n" + contexts_table(*rated, console));
  return Done{};
}

}  // namespace

void add_data_inspect(CLI::App& data, Cli& cli) {
  auto [app, options] = add_command<InspectOptions>(data, cli, "inspect", "what is in these files", inspect);
  app->add_option("PATH", options->paths, "files or folders of interactions, plain or .zst; or a saved split")
      ->required();
  add_field_flags(*app, options->edits, fields::reading_fields());
  add_field_flags(*app, options->edits, fields::knowledge_fields());
  add_field_flags(*app, options->edits, fields::context_fields());
  add_common_options(*app, options->common);
  app->footer(examples({"sotto data inspect ratings.dat", "sotto data inspect world --names world/items.tsv",
                        "sotto data inspect ratings.csv.zst --min-user 20 --core 5 --json",
                        "sotto data inspect ml-100k/u.data --contexts interval,daypart --utc-offset -6"}));
}

}  // namespace sotto::cli
