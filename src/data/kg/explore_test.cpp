#include "data/kg/explore.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "data/item_features.h"

namespace sotto::data::explore_test {

struct Line {
  std::string subject, predicate, object;
  bool literal = false;
  auto operator<=>(const Line&) const = default;
};
using Named = std::tuple<std::string, std::string, std::string>;  // item, chain, object

std::set<Named> facts_of(const FeatureList& list) {
  std::set<Named> facts;
  for (const FeatureFact& fact : list.facts)
    facts.emplace(list.items.name(fact.item), list.predicates.name(fact.predicate),
                  list.objects.name(fact.object));
  EXPECT_EQ(facts.size(), list.facts.size()) << "each fact once";
  return facts;
}

struct Explored {
  std::set<Named> facts;
  ExploreReport report;
  int passes = 0;
};

Explored explore(const ItemLinks& links, const std::vector<Line>& graph, const ExploreOptions& options) {
  Exploration exploration(links, options);
  Explored explored;
  do {
    for (const Line& line : graph)
      exploration.take({line.subject, line.predicate, line.object, line.literal});
    ++explored.passes;
  } while (exploration.end_hop());
  explored.facts = facts_of(exploration.features());
  explored.report = exploration.report();
  return explored;
}

ItemLinks linked(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  ItemLinks links;
  for (const auto& [item, entity] : pairs) links.add(item, entity);
  return links;
}

// Thirty nodes that all lead to each other: more walks than anybody can take.
TEST(Exploration, EndsTheWalksOfAnItemThatAreTooManyAndSaysSo) {
  std::vector<Line> clique;
  for (int from = 0; from < 30; ++from)
    for (int to = 0; to < 30; ++to)
      if (from != to) clique.push_back({"n" + std::to_string(from), "p", "n" + std::to_string(to)});
  clique.push_back({"alone", "p", "n0"});
  const ItemLinks links = linked({{"i", "n0"}, {"j", "alone"}});
  ExploreOptions options{.depth = 2};
  EXPECT_EQ(explore(links, clique, options).report.cut_items, 0u);
  options = {.depth = 6, .most_steps = 5'000};
  const Explored explored = explore(links, clique, options);
  EXPECT_EQ(explored.report.cut_items, 2u);
  EXPECT_TRUE(explored.facts.contains({"i", "p", "n1"}));
  options.depth = 1;
  EXPECT_EQ(explore(links, clique, options).report.cut_items, 0u) << "each item has its own steps";
}

// Every walk, one after another, over a plain list of lines.
void walk(const std::vector<Line>& graph, const ExploreOptions& options, const std::string& item,
          std::vector<std::string> path, const std::string& chain, std::set<Named>& facts) {
  if (path.size() > options.depth) return;
  for (const Line& line : graph) {
    const auto listed = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), line.predicate) != names.end();
    };
    if (line.subject != path.back() || listed(options.exclude)) continue;
    if (!options.include.empty() && !listed(options.include)) continue;
    const std::string object = line.literal ? "\"" + line.object : line.object;
    if (std::find(path.begin(), path.end(), object) != path.end()) continue;
    const std::string longer = chain.empty() ? line.predicate : chain + "~" + line.predicate;
    facts.emplace(item, longer, line.object);
    if (line.literal) continue;
    auto further = path;
    further.push_back(object);
    walk(graph, options, item, further, longer, facts);
  }
}

TEST(Exploration, TheMuseumOfTheThesis) {
  const std::vector<Line> graph{{"Vondelpark", "type", "Location"},
                                {"Vondelpark", "location", "Amsterdam"},
                                {"Vondelpark", "type", "Urban Park"},
                                {"Amsterdam", "country", "Netherlands"},
                                {"Rome", "country", "Italy"}};
  const ItemLinks links = linked({{"v", "Vondelpark"}});
  EXPECT_EQ(explore(links, graph, {.depth = 1}).facts,
            (std::set<Named>{
                {"v", "type", "Location"}, {"v", "location", "Amsterdam"}, {"v", "type", "Urban Park"}}));
  const Explored deeper = explore(links, graph, {.depth = 2});
  EXPECT_EQ(deeper.facts.size(), 4u);
  EXPECT_TRUE(deeper.facts.contains({"v", "location~country", "Netherlands"}));
  EXPECT_EQ(deeper.report.statements, 5u);
  EXPECT_EQ(deeper.report.kept, 4u);
}

TEST(Exploration, AWalkVisitsNoNodeTwice) {
  const std::vector<Line> graph{
      {"a", "p", "a"}, {"a", "p", "b"}, {"b", "p", "a"}, {"b", "p", "b"}, {"b", "q", "c"}};
  EXPECT_EQ(explore(linked({{"1", "a"}}), graph, {.depth = 4}).facts,
            (std::set<Named>{{"1", "p", "b"}, {"1", "p~q", "c"}}));
}

TEST(Exploration, LiteralsEndAWalk) {
  const std::vector<Line> graph{{"a", "p", "b", true}, {"b", "q", "c"}, {"a", "p", "", true}};
  const Explored found = explore(linked({{"1", "a"}}), graph, {.depth = 2});
  EXPECT_EQ(found.facts, (std::set<Named>{{"1", "p", "b"}}));
  EXPECT_EQ(found.passes, 1) << "nothing leads on";
}

TEST(Exploration, PredicatesAreNamedInFullOrByPrefix) {
  const std::vector<Line> graph{{"a", "http://dbpedia.org/ontology/starring", "b"},
                                {"b", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "c"},
                                {"a", "http://purl.org/dc/terms/subject", "d"}};
  const ItemLinks links = linked({{"1", "a"}});
  EXPECT_EQ(explore(links, graph, {.include = {"dbo:starring"}}).facts.size(), 1u);
  EXPECT_EQ(explore(links, graph, {.exclude = {"http://purl.org/dc/terms/subject"}}).facts.size(), 2u);
  EXPECT_EQ(explore(links, graph, {.exclude = auxiliary_predicates()}).facts.size(), 2u) << "in every hop";
}

TEST(Exploration, ASeparatorInAPredicateIsWrittenOtherwise) {
  const auto facts = explore(linked({{"1", "a"}}), {{"a", "http://x/~p", "b"}}, {}).facts;
  EXPECT_EQ(facts, (std::set<Named>{{"1", "http://x/%7Ep", "b"}}));
}

TEST(Exploration, ManyObjectsAreCutTheSameWayInAnyOrder) {
  std::vector<Line> graph;
  for (int n = 0; n < 100; ++n) graph.push_back({"hub", "p", "object-" + std::to_string(n), n % 2 == 0});
  graph.push_back({"hub", "q", "other"});
  const ItemLinks links = linked({{"1", "hub"}});
  const Explored found = explore(links, graph, {.depth = 1, .most_objects = 10});
  EXPECT_EQ(found.facts.size(), 11u);
  EXPECT_EQ(found.report.cut, 90u);
  EXPECT_EQ(found.report.full_nodes, 1u);
  std::reverse(graph.begin(), graph.end());
  EXPECT_EQ(explore(links, graph, {.depth = 1, .most_objects = 10}).facts, found.facts);
}

TEST(Exploration, OptionsAreChecked) {
  EXPECT_TRUE(check(ExploreOptions{}).ok());
  EXPECT_EQ(check(ExploreOptions{.depth = 0}).error().code, Code::usage);
  EXPECT_EQ(check(ExploreOptions{.depth = 9}).error().code, Code::usage);
  EXPECT_EQ(check(ExploreOptions{.most_objects = 0}).error().code, Code::usage);
}

std::vector<Line> any_graph() {
  const auto number = [](int end) { return std::to_string(*rc::gen::inRange(0, end)); };
  std::vector<Line> graph;
  const auto count = *rc::gen::inRange(0, 40);
  for (int n = 0; n < count; ++n)
    graph.push_back({"n" + number(7), "p" + number(3), "n" + number(7), *rc::gen::inRange(0, 5) == 0});
  return graph;
}

RC_GTEST_PROP(Exploration, FindsWhatAllWalksFind, ()) {
  std::vector<Line> graph = any_graph();
  ExploreOptions options;
  options.depth = *rc::gen::inRange(1u, 4u);
  if (*rc::gen::arbitrary<bool>()) options.include = {"p0", "p1"};
  if (*rc::gen::arbitrary<bool>()) options.exclude = {"p1"};
  const ItemLinks links = linked({{"1", "n0"}, {"2", "n1"}, {"2", "n2"}, {"3", "n0"}, {"4", "nowhere"}});
  std::set<Named> slow;
  for (const auto& [item, entity] : links.pairs)
    walk(graph, options, std::string(links.items.name(item)), {std::string(links.entities.name(entity))}, "",
         slow);
  RC_ASSERT(explore(links, graph, options).facts == slow);
  // Neither the order of the lines nor repeating one matters.
  std::sort(graph.begin(), graph.end());
  if (!graph.empty()) graph.push_back(graph.front());
  RC_ASSERT(explore(links, graph, options).facts == slow);
}

}  // namespace sotto::data::explore_test
