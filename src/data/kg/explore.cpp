#include "data/kg/explore.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/item_features.h"
#include "data/kg/name_hash.h"

namespace sotto::data {

namespace {

enum NodeState : std::uint8_t { unknown = 0, wanted = 1, expanded = 2 };

constexpr std::size_t first_settling = std::size_t{1} << 20;

std::uint64_t pair_key(std::uint32_t node, std::uint32_t predicate) {
  return std::uint64_t{node} << 32 | predicate;
}

// The separator of chains does not occur in their parts.
std::string chain_part(std::string_view predicate) {
  std::string part;
  for (const char letter : predicate) letter == chain_separator ? part += "%7E" : part += letter;
  return part;
}

}  // namespace

Status check(const ExploreOptions& options) {
  if (options.depth == 0 || options.depth > ExploreOptions::most_depth)
    return fail(Code::usage, fmt::format("a graph is explored to a depth from 1 to {}, not {}",
                                         ExploreOptions::most_depth, options.depth));
  if (options.most_objects == 0)
    return fail(Code::usage, "at least one object of a node and a predicate is followed: give 1 or more");
  return Done{};
}

const std::vector<std::string>& auxiliary_predicates() {
  static const std::vector<std::string> names{"dbo:wikiPageWikiLink",
                                              "owl:sameAs",
                                              "rdf:type",
                                              "gold:hypernym",
                                              "rdfs:seeAlso",
                                              "dbp:wordnet_type",
                                              "dbo:wikiPageExternalLink",
                                              "dbo:thumbnail",
                                              "prov:wasDerivedFrom",
                                              "dbp:wikiPageUsesTemplate"};
  return names;
}

Exploration::Exploration(const ItemLinks& links, const ExploreOptions& options)
    : links_(links), options_(options), settle_at_(first_settling) {
  for (std::string& name : options_.include) name = full_name(name);
  for (std::string& name : options_.exclude) name = full_name(name);
  for (std::uint32_t entity = 0; entity < links.entities.size(); ++entity)
    nodes_.intern(links.entities.name(entity));  // entities are the first nodes, in their numbers
  state_.assign(nodes_.size(), wanted);
  literal_.assign(nodes_.size(), 0);
}

bool Exploration::follows(std::uint32_t predicate) {
  if (predicate < allowed_.size()) return allowed_[predicate] != 0;
  const std::string_view name = predicates_.name(predicate);
  const auto is_in = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  allowed_.push_back((options_.include.empty() || is_in(options_.include)) && !is_in(options_.exclude));
  return allowed_.back() != 0;
}

bool Exploration::past_cut(std::uint32_t node, std::uint32_t predicate, std::string_view object) {
  if (full_.empty()) return false;
  const auto full = full_.find(pair_key(node, predicate));
  return full != full_.end() && name_hash(object) > full->second;
}

void Exploration::take(const Statement& statement) {
  if (hop_ == 0) ++report_.statements;
  const auto node = nodes_.find(statement.subject);
  if (!node || state_[*node] != wanted) return;
  const std::uint32_t predicate = predicates_.intern(statement.predicate);
  if (!follows(predicate) || statement.object.empty()) return;
  // A literal has a name that no node can have.
  if (statement.literal) literal_name_.assign(1, '"').append(statement.object);
  const std::string_view name = statement.literal ? std::string_view(literal_name_) : statement.object;
  if (past_cut(*node, predicate, name)) {
    ++report_.cut;
    return;
  }
  const std::uint32_t object = nodes_.intern(name);
  if (object == state_.size()) {
    state_.push_back(unknown);
    literal_.push_back(statement.literal ? 1 : 0);
  }
  edges_.push_back({*node, predicate, object});
  if (edges_.size() >= settle_at_) settle_edges();
}

// Of each node and predicate the objects with the smallest hashes stay. `edges` are sorted and distinct.
void Exploration::cut_objects(std::vector<Edge>& edges) {
  std::size_t kept = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ranked;  // hash, object
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = begin;
    while (end < edges.size() && edges[end].node == edges[begin].node &&
           edges[end].predicate == edges[begin].predicate)
      ++end;
    const Edge first = edges[begin];
    if (end - begin > options_.most_objects) {
      ranked.clear();
      for (std::size_t n = begin; n < end; ++n)
        ranked.emplace_back(name_hash(nodes_.name(edges[n].object)), edges[n].object);
      std::sort(ranked.begin(), ranked.end());
      full_[pair_key(first.node, first.predicate)] = ranked[options_.most_objects - 1].first;
      report_.cut += ranked.size() - options_.most_objects;
      ranked.resize(options_.most_objects);
      for (const auto& [hash, object] : ranked) edges[kept++] = {first.node, first.predicate, object};
    } else {
      for (std::size_t n = begin; n < end; ++n) edges[kept++] = edges[n];
    }
    begin = end;
  }
  edges.resize(kept);
}

void Exploration::settle_edges() {
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  cut_objects(edges_);
  settle_at_ = std::max(first_settling, edges_.size() * 2);
}

bool Exploration::end_hop() {
  settle_edges();
  std::sort(edges_.begin(), edges_.end());
  if (hop_ == 0)
    for (std::size_t n = 0; n < edges_.size(); ++n)
      report_.entities += n == 0 || edges_[n - 1].node != edges_[n].node ? 1 : 0;
  report_.kept += edges_.size();
  report_.full_nodes = full_.size();
  for (std::uint8_t& state : state_)
    if (state == wanted) state = expanded;
  bool more = false;
  for (const Edge& edge : edges_) {
    if (state_[edge.object] != unknown || literal_[edge.object] != 0) continue;
    state_[edge.object] = wanted;
    more = true;
  }
  settled_.insert(settled_.end(), edges_.begin(), edges_.end());
  std::sort(settled_.begin(), settled_.end());
  edges_.clear();
  edges_.shrink_to_fit();
  settle_at_ = first_settling;
  ++hop_;
  return more && hop_ < options_.depth;
}

// All walks from one entity; each ends a feature.
class Exploration::Walk {
 public:
  Walk(const Exploration& graph, FeatureList& list) : graph_(graph), list_(list) {
    begins_.assign(graph.nodes_.size() + 1, 0);
    for (const Edge& edge : graph.settled_) ++begins_[edge.node + 1];
    for (std::size_t n = 1; n < begins_.size(); ++n) begins_[n] += begins_[n - 1];
  }

  // The walks of one item begin. Many may end at one feature, so what they found is gathered now and then.
  void begin_item() {
    begin_ = list_.facts.size();
    gather_at_ = begin_ + first_gathering;
    steps_ = 0;
  }
  void gather() {
    const auto first = list_.facts.begin() + static_cast<std::ptrdiff_t>(begin_);
    std::sort(first, list_.facts.end());
    list_.facts.erase(std::unique(first, list_.facts.end()), list_.facts.end());
    gather_at_ = begin_ + std::max(first_gathering, 2 * (list_.facts.size() - begin_));
  }
  [[nodiscard]] bool cut() const { return steps_ > graph_.options_.most_steps; }

  void from(std::uint32_t item, std::uint32_t entity) {
    path_.assign(1, entity);
    step(item, no_chain);
  }

 private:
  static constexpr std::uint32_t no_chain = 0xFFFF'FFFF;
  static constexpr std::size_t first_gathering = std::size_t{1} << 16;

  void step(std::uint32_t item, std::uint32_t chain) {
    const std::uint32_t node = path_.back();
    for (std::size_t n = begins_[node]; n < begins_[node + 1]; ++n) {
      if (++steps_ > graph_.options_.most_steps) return;
      const Edge& edge = graph_.settled_[n];
      if (std::find(path_.begin(), path_.end(), edge.object) != path_.end()) continue;
      const std::uint32_t longer = chain_of(chain, edge.predicate);
      list_.facts.push_back({item, longer, object_of(edge.object)});
      if (list_.facts.size() >= gather_at_) gather();
      if (path_.size() == graph_.options_.depth) continue;
      path_.push_back(edge.object);
      step(item, longer);
      path_.pop_back();
    }
  }

  std::uint32_t chain_of(std::uint32_t chain, std::uint32_t predicate) {
    const auto [known, is_new] = chains_.try_emplace(pair_key(chain, predicate), 0);
    if (!is_new) return known->second;
    std::string name = chain_part(graph_.predicates_.name(predicate));
    if (chain != no_chain) name = std::string(list_.predicates.name(chain)) + chain_separator + name;
    return known->second = list_.intern_predicate(name);
  }

  std::uint32_t object_of(std::uint32_t node) {
    if (objects_.empty()) objects_.assign(graph_.nodes_.size(), no_chain);
    if (objects_[node] != no_chain) return objects_[node];
    std::string_view name = graph_.nodes_.name(node);
    if (graph_.literal_[node] != 0) name.remove_prefix(1);
    return objects_[node] = list_.objects.intern(name);
  }

  const Exploration& graph_;
  FeatureList& list_;
  std::vector<std::uint64_t> begins_;  // of each node's edges
  std::vector<std::uint32_t> path_;
  std::unordered_map<std::uint64_t, std::uint32_t> chains_;
  std::vector<std::uint32_t> objects_;
  std::size_t begin_ = 0, gather_at_ = 0;  // of the item's facts
  std::uint64_t steps_ = 0;
};

FeatureList Exploration::features() {
  FeatureList list;
  Walk walk(*this, list);
  auto pairs = links_.pairs;
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  for (std::uint32_t item = 0; item < links_.items.size(); ++item) list.items.intern(links_.items.name(item));
  walk.begin_item();
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    walk.from(pairs[n].first, pairs[n].second);
    if (n + 1 < pairs.size() && pairs[n + 1].first == pairs[n].first) continue;
    walk.gather();
    report_.cut_items += walk.cut() ? 1 : 0;
    walk.begin_item();
  }
  return list;
}

}  // namespace sotto::data
