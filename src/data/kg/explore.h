// Exploration: the features of items found by walking a knowledge graph from their entities, one pass over
// all statements a hop (thesis 6.4.1). A feature is a chain of predicates and the object it ends at.
//
// Use: for each hop every statement goes through take(), in any order and from any number of files, then
// end_hop(); features() when all hops are done, or when end_hop() says that nothing leads on.
//
// Laws: the features are a function of the set of statements, whatever their order and how often one is
// repeated. A walk visits no node twice, so it never leads back to the entity it began at. Memory holds what
// is reached within the hops, not the graph. Of a node and a predicate no more than `most_objects` objects
// are followed: those with the smallest hash, so that the choice does not hang on the order either.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "data/feature_list.h"
#include "data/ids.h"
#include "data/kg/item_links.h"
#include "data/kg/statement.h"

namespace sotto::data {

struct ExploreOptions {
  static constexpr std::uint32_t most_depth = 8;

  std::uint32_t depth = 2;
  // Predicates by URI or prefixed name (dbo:starring), in every hop. Nothing included: all but the excluded.
  std::vector<std::string> include = {};
  std::vector<std::string> exclude = {};
  std::uint32_t most_objects = 10'000;    // of one node by one predicate
  std::uint64_t most_steps = 10'000'000;  // of all walks from one item
};
[[nodiscard]] Status check(const ExploreOptions& options);

// What the thesis leaves out (6.5.2): it says nothing about what an item is.
[[nodiscard]] const std::vector<std::string>& auxiliary_predicates();

struct ExploreReport {
  std::uint64_t statements = 0;  // in one pass
  std::uint64_t kept = 0;        // that a walk can take, each once
  std::uint64_t entities = 0;    // linked ones that the graph says something about
  std::uint64_t full_nodes = 0;  // pairs of node and predicate with more objects than are followed
  std::uint64_t cut = 0;         // statements left out for it; a repeated one may count again
  std::uint64_t cut_items = 0;   // items whose walks were ended early: too many
};

class Exploration {
 public:
  // The links must outlive it. The options passed check().
  Exploration(const ItemLinks& links, const ExploreOptions& options);

  void take(const Statement& statement);
  // False: another pass would find nothing.
  [[nodiscard]] bool end_hop();
  [[nodiscard]] FeatureList features();
  [[nodiscard]] const ExploreReport& report() const { return report_; }

 private:
  struct Edge {
    std::uint32_t node = 0, predicate = 0;
    std::uint32_t object = 0;
    auto operator<=>(const Edge&) const = default;
  };
  class Walk;

  [[nodiscard]] bool follows(std::uint32_t predicate);
  [[nodiscard]] bool past_cut(std::uint32_t node, std::uint32_t predicate, std::string_view object);
  void settle_edges();
  void cut_objects(std::vector<Edge>& edges);

  const ItemLinks& links_;
  ExploreOptions options_;
  IdTable nodes_, predicates_;
  std::vector<std::uint8_t> allowed_;  // of each predicate
  std::vector<std::uint8_t> state_;    // of each node: whether its statements are wanted, or already here
  std::vector<std::uint8_t> literal_;  // of each node
  std::vector<Edge> edges_;            // of this hop
  std::vector<Edge> settled_;          // of the hops before, sorted
  std::size_t settle_at_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> full_;  // node and predicate → the greatest hash followed
  std::string literal_name_;                               // of the statement at hand
  ExploreReport report_;
  std::uint32_t hop_ = 0;
};

}  // namespace sotto::data
