// Knowledge: what a KnowledgeRequest names, read into one FeatureList: graphs are explored from the items'
// entities, prepared lists are taken as they are, several files add up.
//
// Law: no file is held in memory; graphs are read once a hop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/feature_list.h"
#include "data/item_features.h"
#include "data/kg/explore.h"
#include "data/kg/prepared_lists.h"
#include "data/split.h"
#include "engine/files/file_stream.h"
#include "engine/plan/request.h"

namespace sotto::engine {

struct KnowledgeFile {
  std::string path;
  KnowledgeFormat format = KnowledgeFormat::named;
  std::uint32_t number = 0;  // among the files: keeps their blank nodes apart
};

struct KnowledgeReport {
  std::vector<KnowledgeFile> files;
  std::uint64_t triples = 0;       // statements and facts read
  BrokenLines broken;              // lines that were skipped, links included
  std::uint64_t linked_items = 0;  // items with an entity, of graphs
  ExploreReport graph;
};

struct Knowledge {
  FeatureList list;
  FeatureFilter filter;
  KnowledgeReport report;
};

// What can be wrong before anything is read.
[[nodiscard]] Status check(const KnowledgeRequest& request);
[[nodiscard]] ExploreOptions explore_options(const KnowledgeRequest& request);
[[nodiscard]] FeatureFilter feature_filter(const KnowledgeRequest& request);
// The files that `paths` mean (of a folder: .nt .ttl .tsv .txt, each also .zst) with what they hold.
[[nodiscard]] Result<std::vector<KnowledgeFile>> knowledge_files(const std::vector<std::string>& paths);
// Passes every statement of a graph's file on.
[[nodiscard]] Status read_statements(const KnowledgeFile& file, BrokenLines& broken,
                                     const StatementSink& sink, const ReadProgress& progress = {});

// What the caller wants to hear while files are read. Both may be empty.
struct KnowledgeHooks {
  ReadProgress progress;
  StatementSink on_statement;  // each statement of a graph once
};

// `items` are the entities of a graph that comes without links.
[[nodiscard]] Result<Knowledge> load_knowledge(const KnowledgeRequest& request, const IdTable& items,
                                               const KnowledgeHooks& hooks = {});

// What became of the features when a split got them.
struct FeatureReport {
  std::uint64_t features = 0;  // that the split's items have
  std::uint64_t facts = 0;
  std::uint64_t items_without = 0;      // items of the split, of all parts, without a feature
  std::uint64_t dropped_rare = 0;       // features of fewer items than the filter asks for
  std::uint64_t dropped_elsewhere = 0;  // features that no item of the split has
  std::uint64_t unknown_items = 0;      // items of the list that the split lacks
};

// Gives the split its features. Fails if none of the list's items is in it, or if no feature stays.
[[nodiscard]] Result<FeatureReport> attach_features(const Knowledge& knowledge, Split& split);

}  // namespace sotto::engine
