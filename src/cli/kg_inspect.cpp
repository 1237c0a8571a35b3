// sotto kg inspect: what is in a graph or a list of features.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/kg_command.h"
#include "data/feature_counts.h"
#include "data/item_features.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

constexpr std::size_t most_rows = 20;

struct HopCount {
  std::uint64_t found = 0, kept = 0, facts = 0;
};

// What the features are, before and after rare ones go.
struct FeatureFacts {
  std::vector<HopCount> hops;            // [hop − 1]
  std::vector<CountedFeature> common;    // the most common first
  std::uint64_t items = 0, without = 0;  // of the list, or of the data if there is any
  std::uint64_t linked = 0;              // of the data's items those that the list names
};

FeatureFacts feature_facts(const ReadKnowledge& read) {
  const FeatureList& list = read.knowledge->list;
  FeatureFacts facts;
  for (const CountedFeature& feature : count_features(list)) {
    const std::size_t hop = list.hops[feature.predicate];
    if (facts.hops.size() < hop) facts.hops.resize(hop);
    HopCount& count = facts.hops[hop - 1];
    ++count.found;
    if (!keeps(read.knowledge->filter, list, feature)) continue;
    ++count.kept;
    count.facts += feature.items;
    facts.common.push_back(feature);
  }
  std::stable_sort(facts.common.begin(), facts.common.end(),
                   [](const CountedFeature& a, const CountedFeature& b) { return a.items > b.items; });
  if (facts.common.size() > most_rows) facts.common.resize(most_rows);
  const IdTable& items = read.items.size() > 0 ? read.items : list.items;
  const ItemFeatures features(list, items, read.knowledge->filter);
  facts.items = items.size();
  facts.without = features.items_without(items.size());
  for (std::uint32_t item = 0; item < items.size(); ++item)
    facts.linked += list.items.find(items.name(item)) ? 1 : 0;
  return facts;
}

// The predicates with the most statements first.
std::vector<std::uint32_t> by_count(const Census& census) {
  std::vector<std::uint32_t> order(census.counts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t more = census.counts[a].statements, less = census.counts[b].statements;
    return more != less ? more > less : census.predicates.name(a) < census.predicates.name(b);
  });
  return order;
}

nlohmann::json census_json(Census& census) {
  nlohmann::json json{{"triples", census.statements},
                      {"literals", census.literals},
                      {"entities", census.entities.count()},
                      {"entities_exact", census.entities.exact()}};
  json["predicates"] = nlohmann::json::array();
  for (const std::uint32_t n : by_count(census))
    json["predicates"].push_back({{"predicate", std::string(census.predicates.name(n))},
                                  {"triples", census.counts[n].statements},
                                  {"examples", census.counts[n].examples}});
  return json;
}

nlohmann::json features_json(const ReadKnowledge& read) {
  const Knowledge& knowledge = *read.knowledge;
  const FeatureFacts facts = feature_facts(read);
  nlohmann::json json{{"items", facts.items},
                      {"items_linked", facts.linked},
                      {"items_without_features", facts.without},
                      {"entities_found", knowledge.report.graph.entities},
                      {"full_nodes", knowledge.report.graph.full_nodes},
                      {"cut", knowledge.report.graph.cut},
                      {"cut_items", knowledge.report.graph.cut_items},
                      {"min_items", knowledge.filter.min_items}};
  for (std::size_t hop = 0; hop < facts.hops.size(); ++hop)
    json["hops"].push_back({{"hop", hop + 1},
                            {"features_found", facts.hops[hop].found},
                            {"features", facts.hops[hop].kept},
                            {"facts", facts.hops[hop].facts}});
  json["most_common"] = nlohmann::json::array();
  for (const CountedFeature& feature : facts.common)
    json["most_common"].push_back(
        {{"predicate", std::string(knowledge.list.predicates.name(feature.predicate))},
         {"object", std::string(knowledge.list.objects.name(feature.object))},
         {"items", feature.items}});
  return json;
}

void print_census(Census& census, const Console& console) {
  Table facts = fact_table();
  facts.row({"triples", human_count(census.statements)});
  facts.row({"entities", (census.entities.exact() ? "" : "about ") + human_count(census.entities.count())});
  facts.row({"literals", human_count(census.literals) + " triples end at one"});
  facts.row({"predicates", human_count(census.counts.size())});
  console.print(facts.text(console));
  Table table({{"predicate"}, {"triples", Align::right}, {"for example"}});
  const std::vector<std::uint32_t> order = by_count(census);
  for (std::size_t n = 0; n < std::min(order.size(), most_rows); ++n) {
    const PredicateCount& count = census.counts[order[n]];
    std::string shown;
    for (const std::string& example : count.examples)
      shown += (shown.empty() ? "" : ", ") + object_in_words(example);
    table.row({predicate_in_words(census.predicates.name(order[n])), human_count(count.statements), shown});
  }
  console.print("\n" + table.text(console));
  if (order.size() > most_rows)
    console.print(fmt::format("  … and {} more\n", human_count(order.size() - most_rows)));
}

void print_features(const ReadKnowledge& read, const Console& console) {
  const Knowledge& knowledge = *read.knowledge;
  const FeatureFacts counted = feature_facts(read);
  Table facts = fact_table();
  facts.row({"items", human_count(counted.items)});
  if (read.items.size() > 0)
    facts.row({"linked", fmt::format("{}, and {} are not", human_count(counted.linked),
                                     human_count(counted.items - counted.linked))});
  if (knowledge.report.linked_items > 0)
    facts.row({"entities", human_count(knowledge.report.graph.entities) + " in the graph"});
  facts.row({"without features", human_count(counted.without) + " items"});
  if (knowledge.report.graph.full_nodes > 0)
    facts.row({"cut", fmt::format("{} triples, of {} nodes with very many objects per predicate",
                                  human_count(knowledge.report.graph.cut),
                                  human_count(knowledge.report.graph.full_nodes))});
  if (knowledge.report.graph.cut_items > 0)
    facts.row({"ended early",
               human_count(knowledge.report.graph.cut_items) +
                   " items, whose walks through the graph are too many: lower --depth or --fan-out"});
  console.print("\n" + facts.text(console));
  Table hops({{"hop", Align::right},
              {"features", Align::right},
              {fmt::format("of {} items or more", knowledge.filter.min_items), Align::right},
              {"facts", Align::right}});
  for (std::size_t hop = 0; hop < counted.hops.size(); ++hop)
    hops.row({fmt::format("{}", hop + 1), human_count(counted.hops[hop].found),
              human_count(counted.hops[hop].kept), human_count(counted.hops[hop].facts)});
  console.print("\n" + hops.text(console));
  Table common({{"most common features"}, {"items", Align::right}});
  for (const CountedFeature& feature : counted.common)
    common.row({predicate_in_words(knowledge.list.predicates.name(feature.predicate)) + " " +
                    object_in_words(knowledge.list.objects.name(feature.object)),
                human_count(feature.items)});
  if (!common.empty()) console.print("\n" + common.text(console));
}

Status inspect(KgOptions& options, const Console& console) {
  SOTTO_TRY(ReadKnowledge read, read_knowledge(options, true, console));
  SOTTO_TRY(const std::vector<KnowledgeFile> files, knowledge_files(read.request.paths));
  const BrokenLines& broken = read.knowledge ? read.knowledge->report.broken : read.broken;
  if (options.common.json) {
    nlohmann::json json{{"broken", broken.count}, {"first_broken", broken.first}};
    for (const KnowledgeFile& file : files)
      json["files"].push_back({{"path", file.path}, {"format", to_string(file.format)}});
    if (read.census) json["graph"] = census_json(*read.census);
    if (read.knowledge) json["features"] = features_json(read);
    print_json(console, json);
    return Done{};
  }
  for (const KnowledgeFile& file : files)
    console.print(fmt::format("{}\n  {}\n", console.paint(Tone::strong, file.path), to_string(file.format)));
  console.print("\n");
  if (broken.count > 0)
    console.print(fmt::format("  {} broken lines were skipped; the first: {}\n\n", human_count(broken.count),
                              broken.first));
  if (read.census) print_census(*read.census, console);
  if (read.knowledge) {
    print_features(read, console);
  } else {
    console.print("\nTo see the features of items, give links (--links) or data (--data).\n");
  }
  return Done{};
}

}  // namespace

void add_kg_inspect(CLI::App& kg, Cli& cli) {
  auto [app, options] =
      add_command<KgOptions>(kg, cli, "inspect", "what is in a graph or a list of features", inspect);
  add_kg_command_flags(*app, *options);
  app->footer(
      examples({"sotto kg inspect --kg films.nt.zst", "sotto kg inspect --kg features.tsv --min-items 5",
                "sotto kg inspect --kg films.ttl --links linking.tsv --data ratings.tsv --depth 1 "
                "--json"}));
}

}  // namespace sotto::cli
