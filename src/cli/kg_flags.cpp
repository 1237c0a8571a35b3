#include "cli/kg_flags.h"

#include <fmt/format.h>

#include "engine/plan/knowledge.h"

namespace sotto {

namespace {

constexpr const char* group = "Knowledge";
using Names = std::vector<std::string>;

template <class Value>
CLI::Option* add(CLI::App& app, Edits<DataRequest>& edits, const std::string& name, const char* type,
                 const std::string& help, auto KnowledgeRequest::*member) {
  return add_edit<Value>(app, edits, name, help,
                         [member](DataRequest& data, const Value& value) { data.kg.*member = value; })
      ->type_name(type)
      ->group(group);
}

void add_switch(CLI::App& app, Edits<DataRequest>& edits, const std::string& name, const std::string& help,
                bool KnowledgeRequest::*member) {
  app.add_flag_callback(
         name,
         [&edits, member] {
           edits.push_back([member](DataRequest& data) -> Status {
             data.kg.*member = true;
             return Done{};
           });
         },
         help)
      ->group(group);
}

}  // namespace

void add_kg_reading_flags(CLI::App& app, Edits<DataRequest>& edits, const std::string& prefix) {
  const auto flag = [&](const char* name) { return "--" + prefix + name; };
  add<Names>(app, edits, flag("links"), "FILE",
             "lines of item, …, entity; without them the items are entities", &KnowledgeRequest::links);
  add<std::string>(app, edits, flag("predicates"), "FILE", "names and hops of a list's predicate numbers",
                   &KnowledgeRequest::predicates);
  add<std::string>(app, edits, flag("objects"), "FILE", "names of a list's object numbers",
                   &KnowledgeRequest::objects);
  add_switch(app, edits, flag("object-second"), "lists of numbers are item, object, predicate",
             &KnowledgeRequest::object_second);
  add<Names>(app, edits, flag("include"), "P", "follow these predicates alone, such as dbo:starring",
             &KnowledgeRequest::include);
  add<Names>(app, edits, flag("exclude"), "P",
             "follow all but these; default: what the thesis leaves out (rdf:type, owl:sameAs, …); -: all",
             &KnowledgeRequest::exclude);
  add<std::uint32_t>(app, edits, flag("depth"), "N", "hops from an item", &KnowledgeRequest::depth)
      ->default_str(fmt::format("{}", ExploreOptions{}.depth));
  add<std::uint32_t>(app, edits, flag("fan-out"), "N", "objects that are followed of a node by one predicate",
                     &KnowledgeRequest::fan_out)
      ->default_str(fmt::format("{}", ExploreOptions{}.most_objects));
  add<std::uint32_t>(app, edits, flag("min-items"), "N", "drop features of fewer items",
                     &KnowledgeRequest::min_items)
      ->default_str(fmt::format("{}", FeatureFilter{}.min_items));
  add<std::string>(app, edits, flag("broken"), "skip|fatal", "what to do about broken lines",
                   &KnowledgeRequest::broken)
      ->default_str("skip");
}

void add_kg_flags(CLI::App& app, Edits<DataRequest>& edits) {
  add<Names>(app, edits, "--kg", "PATH",
             "a knowledge graph (.nt, .ttl, triples in .tsv) or lists of item features, plain or .zst",
             &KnowledgeRequest::paths);
  add_kg_reading_flags(app, edits, "kg-");
  add_switch(app, edits, "--kg-labels", "categories and years of the items' names (--names) are features too",
             &KnowledgeRequest::labels);
  add_switch(app, edits, "--kg-only-known", "leave out items without features, before any other filter",
             &KnowledgeRequest::only_known);
}

}  // namespace sotto
