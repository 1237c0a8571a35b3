#include "engine/plan/knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/feature_counts.h"
#include "engine/files/descriptor.h"
#include "engine/files/files.h"

namespace sotto::engine {

namespace fs = std::filesystem;

namespace {

bool has_knowledge_ending(fs::path path) {
  if (path.extension() == ".zst") path.replace_extension();
  constexpr std::array endings{".nt", ".ttl", ".tsv", ".txt"};
  const std::string ending = path.extension().string();
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

Status add_knowledge_folder(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code error;
  const std::size_t before = files.size();
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_regular_file() && has_knowledge_ending(entry->path())) files.push_back(entry->path());
  if (error) return system_error("list", folder, error.value());
  if (files.size() == before)
    return fail(Code::not_found,
                fmt::format("the folder '{}' holds no knowledge: expected .nt, .ttl, .tsv or "
                            ".txt files, plain or .zst",
                            folder.string()));
  return Done{};
}

// Enough of a file to know what it is.
Result<std::string> head_of(const fs::path& path) {
  constexpr std::size_t enough = std::size_t{1} << 16;
  SOTTO_TRY(const NamedSource source, open_stream(path));
  std::string head(enough, '\0');
  std::size_t size = 0;
  while (size < enough) {
    SOTTO_TRY(const std::size_t got, source.bytes(std::span(head).subspan(size)));
    if (got == 0) break;
    size += got;
  }
  head.resize(size);
  return head;
}

Result<ListOptions> list_options(const KnowledgeRequest& request) {
  ListOptions options;
  options.object_second = request.object_second;
  if (!request.predicates.empty()) {
    SOTTO_TRY(NamedSource source, open_stream(request.predicates));
    SOTTO_TRY(options.predicates, read_number_names(std::move(source)));
  }
  if (!request.objects.empty()) {
    SOTTO_TRY(NamedSource source, open_stream(request.objects));
    SOTTO_TRY(options.objects, read_number_names(std::move(source)));
  }
  return options;
}

// The facts of another list, with its names.
void append(const FeatureList& more, FeatureList& list) {
  std::vector<std::uint32_t> items, predicates, objects;
  for (std::uint32_t n = 0; n < more.items.size(); ++n)
    items.push_back(list.items.intern(more.items.name(n)));
  for (std::uint32_t n = 0; n < more.predicates.size(); ++n)
    predicates.push_back(list.intern_predicate(more.predicates.name(n), more.hops[n]));
  for (std::uint32_t n = 0; n < more.objects.size(); ++n)
    objects.push_back(list.objects.intern(more.objects.name(n)));
  for (const FeatureFact& fact : more.facts)
    list.facts.push_back({items[fact.item], predicates[fact.predicate], objects[fact.object]});
}

Result<ItemLinks> read_links(const KnowledgeRequest& request, const IdTable& items, BrokenLines& broken) {
  if (request.links.empty()) return links_to_themselves(items);
  ItemLinks links;
  for (const std::string& path : request.links) {
    SOTTO_TRY(NamedSource source, open_stream(path));
    SOTTO_TRY_DONE(read_item_links(std::move(source), broken, links));
  }
  if (links.pairs.empty())
    return fail(Code::bad_input,
                request.links.front() + ": no links in it; give one \"item<TAB>entity\" per line");
  return links;
}

Result<FeatureList> explore(const KnowledgeRequest& request, const std::vector<KnowledgeFile>& graphs,
                            const IdTable& items, KnowledgeReport& report, const KnowledgeHooks& hooks) {
  SOTTO_TRY(const ItemLinks links, read_links(request, items, report.broken));
  report.linked_items = links.items.size();
  Exploration exploration(links, explore_options(request));
  bool first_pass = true;
  const auto take = [&](const Statement& statement) {
    if (first_pass && hooks.on_statement) hooks.on_statement(statement);
    exploration.take(statement);
  };
  BrokenLines* broken = &report.broken;
  BrokenLines again;  // what is broken is so in every pass
  do {
    for (const KnowledgeFile& file : graphs)
      SOTTO_TRY_DONE(read_statements(file, *broken, take, hooks.progress));
    broken = &again;
    first_pass = false;
  } while (exploration.end_hop());
  report.graph = exploration.report();
  report.triples += report.graph.statements;
  if (report.graph.entities == 0)
    return fail(
        Code::bad_input,
        fmt::format("{}: the graph has no facts about any of the {} linked items: {}", graphs.front().path,
                    links.items.size(),
                    request.links.empty() ? "give links from items to entities with --kg-links"
                                          : "check that links and graph name the entities in the same way"));
  FeatureList found = exploration.features();
  report.graph.cut_items = exploration.report().cut_items;
  return found;
}

}  // namespace

Status check(const KnowledgeRequest& request) {
  if (!request.broken.empty() && request.broken != "skip" && request.broken != "fatal")
    return fail(Code::usage,
                fmt::format("what to do about broken lines is skip or fatal, not '{}'", request.broken));
  if ((request.paths.empty() && !request.links.empty()) || (!request.asked() && request.only_known))
    return fail(Code::usage, "links and --kg-only-known need a graph or a list of features: add --kg");
  return check(explore_options(request));
}

ExploreOptions explore_options(const KnowledgeRequest& request) {
  ExploreOptions options;
  options.depth = request.depth.value_or(options.depth);
  options.most_objects = request.fan_out.value_or(options.most_objects);
  options.include = request.include;
  options.exclude = request.exclude;
  if (request.exclude.empty() && request.include.empty()) options.exclude = auxiliary_predicates();
  std::erase(options.exclude, "-");
  return options;
}

FeatureFilter feature_filter(const KnowledgeRequest& request) {
  FeatureFilter filter;
  filter.min_items = request.min_items.value_or(filter.min_items);
  filter.max_hops = request.depth.value_or(filter.max_hops);
  return filter;
}

Result<std::vector<KnowledgeFile>> knowledge_files(const std::vector<std::string>& paths) {
  std::vector<fs::path> found;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      SOTTO_TRY_DONE(add_knowledge_folder(path, found));
    } else {
      found.emplace_back(path);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<KnowledgeFile> files;
  for (const fs::path& path : found) {
    SOTTO_TRY(const std::string head, head_of(path));
    SOTTO_TRY(const KnowledgeFormat format, detect_knowledge(path.string(), head));
    files.push_back({path.string(), format, static_cast<std::uint32_t>(files.size())});
  }
  return files;
}

Status read_statements(const KnowledgeFile& file, BrokenLines& broken, const StatementSink& sink,
                       const ReadProgress& progress) {
  SOTTO_TRY(NamedSource source, open_stream(file.path, progress));
  if (file.format == KnowledgeFormat::ntriples)
    return read_ntriples(std::move(source), file.number, broken, sink);
  if (file.format == KnowledgeFormat::turtle)
    return read_turtle(std::move(source), file.number, broken, sink);
  return read_triples_tsv(std::move(source), file.number, broken, sink);
}

Result<Knowledge> load_knowledge(const KnowledgeRequest& request, const IdTable& items,
                                 const KnowledgeHooks& hooks) {
  SOTTO_TRY_DONE(check(request));
  Knowledge knowledge;
  KnowledgeReport& report = knowledge.report;
  knowledge.filter = feature_filter(request);
  report.broken.fatal = request.broken == "fatal";
  SOTTO_TRY(report.files, knowledge_files(request.paths));
  SOTTO_TRY(const ListOptions options, list_options(request));
  std::vector<KnowledgeFile> graphs;
  for (const KnowledgeFile& file : report.files) {
    if (is_graph(file.format)) {
      graphs.push_back(file);
      continue;
    }
    SOTTO_TRY(NamedSource source, open_stream(file.path, hooks.progress));
    SOTTO_TRY_DONE(read_features(std::move(source), file.format, options, report.broken, knowledge.list));
  }
  report.triples = knowledge.list.facts.size();
  if (graphs.empty() && (!request.include.empty() || !request.exclude.empty() || !request.links.empty()))
    return fail(
        Code::usage,
        "predicates to follow or leave out, and links, are for graphs, and these are prepared lists: leave "
        "them out, or choose predicates when the list is made (sotto kg extract)");
  if (!graphs.empty()) {
    SOTTO_TRY(FeatureList explored, explore(request, graphs, items, report, hooks));
    if (knowledge.list.facts.empty()) {
      knowledge.list = std::move(explored);
    } else {
      append(explored, knowledge.list);
    }
  }
  knowledge.list.settle();
  return knowledge;
}

Result<FeatureReport> attach_features(const Knowledge& knowledge, Split& split) {
  const FeatureList& list = knowledge.list;
  const std::string name =
      knowledge.report.files.empty() ? "--kg-labels" : knowledge.report.files.front().path;
  FeatureReport report;
  for (std::uint32_t item = 0; item < list.items.size(); ++item)
    report.unknown_items += split.items.find(list.items.name(item)) ? 0 : 1;
  if (report.unknown_items == list.items.size())
    return fail(Code::bad_input,
                fmt::format("{}: none of its {} items is in the data: is it the right file for --kg?", name,
                            list.items.size()));
  std::uint64_t frequent = 0;
  for (const CountedFeature& feature : count_features(list)) {
    if (list.hops[feature.predicate] > knowledge.filter.max_hops) continue;
    ++(feature.items >= knowledge.filter.min_items ? frequent : report.dropped_rare);
  }
  split.features = std::make_shared<const ItemFeatures>(list, split.items, knowledge.filter);
  report.features = split.features->features();
  report.facts = split.features->facts();
  report.items_without = split.features->items_without(split.items.size());
  report.dropped_elsewhere = frequent - report.features;
  if (report.features == 0)
    return fail(Code::bad_input,
                fmt::format("{}: no feature is left: {} are rarer than {} items (--kg-min-items), and {} "
                            "belong to items that the data lacks",
                            name, report.dropped_rare, knowledge.filter.min_items, report.dropped_elsewhere));
  return report;
}

}  // namespace sotto::engine
