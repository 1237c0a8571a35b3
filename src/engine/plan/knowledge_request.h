// What a request says of the items' features.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/layers.h"

namespace sotto::engine {

// What is known about the items: a knowledge graph, or prepared lists of features. Nothing: no paths.
struct KnowledgeRequest {
  std::vector<std::string> paths;      // triples (.nt, .ttl, .tsv) or lists of item features
  std::vector<std::string> links;      // item → entity; without them the entities are the items
  std::string predicates;              // names and hops of a prepared list's predicate numbers; may be empty
  std::vector<std::string> include;    // predicates that are followed; none: all
  std::vector<std::string> exclude;    // predicates that are not; none: the thesis' list; "-": all are
  std::optional<std::uint32_t> depth;  // hops from an item; none: 2
  std::optional<std::uint32_t> min_items;  // features of fewer items are dropped; none: 10
  std::string broken;                      // a broken line: "skip" (and count) or "fatal"; empty: skip
  bool only_known = false;     // drop interactions with items without features, before any other filter
  std::string objects;         // names of a prepared list's object numbers; may be empty
  bool object_second = false;  // a list of numbers is item, object, predicate
  bool labels = false;  // categories and years of the items' names (DataRequest::names) are features too
  std::optional<std::uint32_t> fan_out;  // objects of a node by a predicate that are followed; none: 10,000

  [[nodiscard]] bool asked() const { return !paths.empty() || labels; }
};

}  // namespace sotto::engine
