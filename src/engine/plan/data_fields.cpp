// The rows of where the data come from: [data], [split], [kg] and [contexts].
#include "data/context_schema.h"
#include "data/kg/explore.h"
#include "engine/plan/knowledge.h"
#include "engine/plan/shared_fields.h"

namespace sotto::engine::fields {

namespace {

Field as_file(Field field) {
  field.is_file = true;
  return field;
}

template <class T>
Field data_row(const char* path, const char* flag, const char* type, const char* help,
               T DataRequest::*member) {
  return field(
             {path, flag, type, help}, [member](auto& request) -> auto& { return request.data.*member; })
      .in_group("Data");
}

template <class T>
Field filter_row(const char* key, const char* flag, const char* type, const char* help,
                 T FilterOptions::*member) {
  return field(
             {std::string("data.") + key, flag, type, help},
             [member](auto& request) -> auto& { return request.data.filter.*member; })
      .in_group("Data");
}

template <class T>
auto of_knowledge(T KnowledgeRequest::*member) {
  return [member](auto& request) -> auto& { return request.data.kg.*member; };
}

template <class T>
Field knowledge_row(const char* key, const char* flag, const char* type, const char* help,
                    T KnowledgeRequest::*member, const std::string& standard = "") {
  return field({std::string("kg.") + key, flag, type, help}, of_knowledge(member))
      .with_standard(standard)
      .in_group("Knowledge");
}

Field knowledge_toggle(const char* key, const char* flag, const char* help, bool KnowledgeRequest::*member) {
  return unless_usual(
      toggle({std::string("kg.") + key, flag, "", help}, of_knowledge(member)).in_group("Knowledge"));
}

template <class T>
auto of_contexts(T ContextRequest::*member) {
  return [member](auto& request) -> auto& { return request.data.contexts.*member; };
}

template <class T>
Field context_row(const char* key, const char* flag, const char* type, const char* help,
                  T ContextRequest::*member, const std::string& standard = "") {
  return field({std::string("contexts.") + key, flag, type, help}, of_contexts(member))
      .with_standard(standard)
      .in_group("Ratings and contexts");
}

}  // namespace

Fields reading_fields() {
  return {
      data_row("data.columns", "--columns", "LIST", "what the columns mean, such as user=1,item=2,time=4",
               &DataRequest::columns)
          .with_standard("detected"),
      as_file(data_row("data.names", "--names", "FILE", "files with the items' names and categories",
                       &DataRequest::names)),
      filter_row("min_rating", "--min-rating", "R", "keep ratings of R and above",
                 &FilterOptions::min_rating),
      filter_row("min_user", "--min-user", "N", "keep users with at least N items", &FilterOptions::min_user),
      filter_row("core", "--core", "K", "keep users and items with at least K of each other",
                 &FilterOptions::core)};
}

Fields split_fields() {
  return {named(
              {"split.rule", "--split", "RULE",
               "temporal:SHARE, random:SHARE, leave-one-out or at:DATE; SHARE is for training"},
              [](auto& request) -> auto& { return request.data.split.rule; }, parse_split_rule)
              .in_group("Data"),
          field(
              {"split.validation_share", "--validation", "SHARE",
               "share of the training part to hold out for validation"},
              [](auto& request) -> auto& { return request.data.split.validation_share; })
              .in_group("Data"),
          as_file(data_row("data.test", "--test", "FILE", "files with the test part; nothing is split then",
                           &DataRequest::test)),
          as_file(data_row("data.validation", "--validation-data", "FILE",
                           "files with the validation part; needs --test", &DataRequest::validation))};
}

Fields data_fields() {
  return joined(
      {{as_file(data_row("data.paths", "--data", "PATH", "files or folders of interactions, plain or .zst",
                         &DataRequest::paths)),
        as_file(data_row("data.split_file", "--split-file", "FILE",
                         "a split made by 'sotto data split', instead of --data", &DataRequest::split_file))},
       reading_fields(),
       split_fields()});
}

Fields knowledge_fields() {
  using Of = KnowledgeRequest;
  Field broken =
      knowledge_row("broken", "--kg-broken", "KIND", "what to do about broken lines", &Of::broken, "skip");
  broken.values = {"skip", "fatal"};
  return {
      as_file(knowledge_row(
          "paths", "--kg", "PATH",
          "a knowledge graph (.nt, .ttl, triples in .tsv) or lists of item features, plain or .zst",
          &Of::paths)),
      as_file(knowledge_row("links", "--kg-links", "FILE",
                            "lines of item, …, entity; without them the items are entities", &Of::links)),
      as_file(knowledge_row("predicates", "--kg-predicates", "FILE",
                            "names and hops of a list's predicate numbers", &Of::predicates)),
      as_file(
          knowledge_row("objects", "--kg-objects", "FILE", "names of a list's object numbers", &Of::objects)),
      knowledge_toggle("object_second", "--kg-object-second", "lists of numbers are item, object, predicate",
                       &Of::object_second),
      knowledge_row("include", "--kg-include", "P", "follow only these predicates, such as dbo:starring",
                    &Of::include),
      knowledge_row("exclude", "--kg-exclude", "P", "follow all predicates except these; -: follow all",
                    &Of::exclude, "what the thesis leaves out (rdf:type, owl:sameAs, …)"),
      knowledge_row("depth", "--kg-depth", "N", "hops from an item", &Of::depth,
                    fmt::format("{}", ExploreOptions{}.depth)),
      knowledge_row("fan_out", "--kg-fan-out", "N", "objects to follow per node and predicate, at most",
                    &Of::fan_out, fmt::format("{}", ExploreOptions{}.most_objects)),
      knowledge_row("min_items", "--kg-min-items", "N", "drop features that fewer than N items have",
                    &Of::min_items, fmt::format("{}", FeatureFilter{}.min_items)),
      std::move(broken),
      knowledge_toggle("labels", "--kg-labels",
                       "use categories and years in the items' names (--names) as features too", &Of::labels),
      knowledge_toggle("only_known", "--kg-only-known",
                       "leave out items without features, before any other filter", &Of::only_known)};
}

Fields context_fields() {
  using Of = ContextRequest;
  const ContextSchema usual;
  return {
      with_commas(context_row(
          "of", "--contexts", "LIST",
          "contexts to use: interval, daypart, columns, item, person, recency; or all, or none", &Of::of)),
      as_file(context_row("people", "--people", "FILE",
                          "people's attributes: u.user, users.dat, or a table of users under a header",
                          &Of::people)),
      context_row("interval_hours", "--interval-hours", "H", "width of the bins of time between two ratings",
                  &Of::interval_hours, fmt::format("{}", usual.bin_hours)),
      context_row("interval_bins", "--interval-bins", "N",
                  "number of bins; each is twice as wide as the one before", &Of::interval_bins,
                  fmt::format("{}", usual.bins)),
      unless_usual(toggle({"contexts.interval_exact", "--interval-exact", "", "bins of equal width"},
                          of_contexts(&Of::interval_exact))
                       .in_group("Ratings and contexts")),
      context_row("day", "--day", "H-H", "hours that count as day; the others are night", &Of::day,
                  fmt::format("{}-{}", usual.day_from, usual.night_from)),
      context_row("utc_offset", "--utc-offset", "H",
                  "hours that people's clocks are ahead of UTC, for weekends and nights", &Of::utc_offset,
                  "0"),
      data_row("data.rating_scale", "--rating-scale", "LOW:HIGH", "lowest and highest rating, such as 1:5",
               &DataRequest::rating_scale)
          .with_standard("those of the data")
          .in_group("Ratings and contexts"),
      unless_usual(
          field(
              {"split.most_test", "--most-test", "N",
               "judge at most N test items per user, drawn at random, and train on the others; 0: judge all"},
              [](auto& request) -> auto& { return request.data.split.most_test; })
              .in_group("Ratings and contexts"))};
}

}  // namespace sotto::engine::fields
