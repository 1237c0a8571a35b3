// sotto kg: knowledge graphs. Here: what the commands share, and extract.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/compression.h"
#include "cli/kg_command.h"
#include "cli/reading_progress.h"
#include "data/feature_counts.h"
#include "engine/files/files.h"
#include "engine/plan/prepare.h"
#include "engine/plan/shared_fields.h"

namespace sotto::cli {

namespace {

// The facts by names, so that the file is the same whatever the order of the graph's lines.
void sort_by_name(FeatureList& list) {
  const auto ranks = [](const IdTable& names) {
    std::vector<std::uint32_t> order(names.size()), rank(names.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return names.name(a) < names.name(b); });
    for (std::uint32_t n = 0; n < order.size(); ++n) rank[order[n]] = n;
    return rank;
  };
  const auto items = ranks(list.items), predicates = ranks(list.predicates), objects = ranks(list.objects);
  std::sort(list.facts.begin(), list.facts.end(), [&](const FeatureFact& a, const FeatureFact& b) {
    return std::tuple(items[a.item], list.hops[a.predicate], predicates[a.predicate], objects[a.object]) <
           std::tuple(items[b.item], list.hops[b.predicate], predicates[b.predicate], objects[b.object]);
  });
}

// Piece by piece, each its own zstd frame where the name asks for it: memory does not grow with the file.
Status write_list(const std::string& path, const FeatureList& list, const Console& console) {
  if (path == "-") return write_output(console, path, features_text(list));
  const bool packed = path.ends_with(".zst");
  return write_file(path, [&](const ByteSink& sink) {
    if (!packed) return write_features(list, sink);
    return write_features(list, [&](std::span<const std::byte> bytes) { return sink(compress(bytes)); });
  });
}

Status extract(KgOptions& options, const Console& console) {
  SOTTO_TRY(ReadKnowledge read, read_knowledge(options, false, console));
  if (!read.knowledge)
    return fail(Code::usage,
                "a graph is explored from the items' entities: give links with --links, or the items with "
                "--data");
  FeatureList& list = read.knowledge->list;
  const std::size_t features_found = count_features(list).size();
  drop_rare(list, read.knowledge->filter);
  if (list.facts.empty())
    return fail(Code::bad_input, fmt::format("no feature is left: {} were found, none of at least {} items; "
                                             "lower --min-items",
                                             features_found, read.knowledge->filter.min_items));
  sort_by_name(list);
  SOTTO_TRY_DONE(write_list(options.out, list, console));
  std::vector<std::uint8_t> known(list.items.size(), 0);
  for (const FeatureFact& fact : list.facts) known[fact.item] = 1;
  const auto items = static_cast<std::size_t>(std::count(known.begin(), known.end(), 1));
  const std::size_t features = count_features(list).size();
  const KnowledgeReport& report = read.knowledge->report;
  if (options.common.json && options.out != "-") {
    print_json(console, {{"file", options.out},
                         {"facts", list.facts.size()},
                         {"features", features},
                         {"features_found", features_found},
                         {"items", items},
                         {"items_without", list.items.size() - items},
                         {"triples", report.triples},
                         {"broken", report.broken.count},
                         {"full_nodes", report.graph.full_nodes},
                         {"cut", report.graph.cut}});
    return Done{};
  }
  tell_left_out(report, console);
  if (options.out == "-") return Done{};
  console.print(fmt::format("{} features of {} items, {} facts, in {}\n", human_count(features),
                            human_count(items), human_count(list.facts.size()), options.out));
  console.print(fmt::format("{} rarer features and {} items without any were left out\n",
                            human_count(features_found - features), human_count(list.items.size() - items)));
  return Done{};
}

}  // namespace

void tell_left_out(const KnowledgeReport& report, const Console& console) {
  if (report.broken.count > 0)
    console.note(fmt::format("sotto: {} broken lines of the knowledge were skipped; the first: {}",
                             human_count(report.broken.count), report.broken.first));
  if (report.graph.cut > 0)
    console.note(
        fmt::format("sotto: {} triples were left out, of nodes with more objects per predicate than are "
                    "followed (fan-out)",
                    human_count(report.graph.cut)));
  if (report.graph.cut_items > 0)
    console.note(
        fmt::format("sotto: the walks of {} items through the graph were ended early, because there are too "
                    "many: lower depth or fan-out",
                    human_count(report.graph.cut_items)));
}

void add_kg_command_flags(CLI::App& app, KgOptions& options) {
  Fields rows = fields::knowledge_fields();
  std::erase_if(rows,
                [](const Field& row) { return row.flag == "--kg-labels" || row.flag == "--kg-only-known"; });
  add_field_flags(app, options.edits, rows, "kg-");
  app.get_option("--kg")->required();
  add_field_flags(app, options.edits,
                  {fields::data_fields().front().with_help("interactions whose items to look for")});
  app.add_flag("-q,--quiet", options.quiet, "no progress");
  add_common_options(app, options.common);
}

Result<ReadKnowledge> read_knowledge(const KgOptions& options, bool counting, const Console& console) {
  DataRequest data;
  SOTTO_TRY_DONE(apply(options.edits, data));
  ReadKnowledge read;
  read.request = data.kg;
  SOTTO_TRY_DONE(check(read.request));
  if (!data.paths.empty()) {
    data.kg = {};
    SOTTO_TRY(const LoadedData loaded, load_data(data));
    read.items = loaded.dataset.items;
  }
  SOTTO_TRY(const std::vector<KnowledgeFile> files, knowledge_files(read.request.paths));
  const auto is_graph_file = [](const KnowledgeFile& file) { return is_graph(file.format); };
  const bool any_graph = std::any_of(files.begin(), files.end(), is_graph_file);
  ReadingProgress progress(console, options.quiet || options.common.json);
  KnowledgeHooks hooks{progress.hook(), {}};
  if (counting && any_graph) {
    read.census = std::make_unique<Census>();
    hooks.on_statement = [&census = *read.census](const Statement& statement) { census.add(statement); };
  }
  if (!any_graph || !read.request.links.empty() || read.items.size() > 0) {
    SOTTO_TRY(read.knowledge, load_knowledge(read.request, read.items, hooks));
    return read;
  }
  if (!counting) return read;
  BrokenLines broken;
  broken.fatal = read.request.broken == "fatal";
  for (const KnowledgeFile& file : files)
    if (is_graph_file(file))
      SOTTO_TRY_DONE(read_statements(file, broken, hooks.on_statement, hooks.progress));
  read.broken = std::move(broken);
  return read;
}

void add_kg(CLI::App& root, Cli& cli) {
  CLI::App* kg = root.add_subcommand("kg", "inspect knowledge graphs and extract features from them");
  kg->require_subcommand(1);
  add_kg_inspect(*kg, cli);
  auto [app, options] =
      add_command<KgOptions>(*kg, cli, "extract", "explore a graph and write the items' features", extract);
  add_kg_command_flags(*app, *options);
  app->add_option(
         "-o,--out", options->out,
         "the .tsv file to write, optionally .zst, with item, predicate and object per line; -: stdout")
      ->type_name("FILE")
      ->required();
  app->footer(
      examples({"sotto kg extract --kg dbpedia.nt.zst --links linking.tsv --out features.tsv.zst",
                "sotto kg extract --kg films.ttl --links linking.tsv --include dbo:starring dct:subject "
                "--depth 1 --min-items 5 --out features.tsv"}));
}

}  // namespace sotto::cli
