// The readers of knowledge on any bytes: N-Triples, Turtle, triples in columns, prepared lists, names of
// numbers and links; the first byte chooses. What a graph says is explored from its first subjects.
// Laws checked: names that are passed on are lawful; what is explored is settled and writes back as it was;
// a refusal names its source and is one line.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "data/item_features.h"
#include "data/kg/explore.h"
#include "data/kg/prepared_lists.h"
#include "data/kg/statement.h"
#include "data/text_source.h"

namespace {

using namespace sotto::fuzz;  // NOLINT: a program of one file

void check_refusal(const Error& error) {
  SOTTO_ASSERT(error.message.starts_with("source") && error.message.find('\n') == std::string::npos,
               "a refusal names its source and is one line");
}

void check_name(std::string_view name) {
  SOTTO_ASSERT(id_fault(name) == nullptr && is_utf8(name), "names are lawful");
}

void check_list(FeatureList list) {
  list.settle();
  for (const FeatureFact& fact : list.facts)
    SOTTO_ASSERT(fact.item < list.items.size() && fact.predicate < list.hops.size() &&
                     fact.object < list.objects.size(),
                 "facts have names");
  const std::string text = features_text(list);
  FeatureList again;
  BrokenLines broken;
  SOTTO_ASSERT(read_features({"source", bytes_of(text)}, KnowledgeFormat::named, {}, broken, again).ok(),
               "what is written can be read");
  again.settle();
  SOTTO_ASSERT(broken.count == 0 && again.facts.size() == list.facts.size(), "and says the same");
  const ItemFeatures features(list, list.items, {.min_items = 1, .max_hops = 8});
  SOTTO_ASSERT(load_features(save_features(features), "features").ok(), "features come back from bytes");
}

using GraphReader = Status (*)(NamedSource, std::uint32_t, BrokenLines&, const StatementSink&);

void check_graph(GraphReader reader, std::string_view text, bool fatal) {
  ItemLinks links;
  BrokenLines broken;
  broken.fatal = fatal;
  const Status first = reader({"source", bytes_of(text)}, 0, broken, [&](const Statement& statement) {
    check_name(statement.subject);
    check_name(statement.predicate);
    check_name(statement.object);
    if (links.items.size() < 4) links.add(statement.subject, statement.subject);
  });
  if (!first.ok()) return check_refusal(first.error());
  Exploration exploration(links, {.depth = 3, .include = {}, .exclude = {}, .most_objects = 3});
  do {
    BrokenLines again;
    const Status pass = reader({"source", bytes_of(text)}, 0, again,
                               [&](const Statement& statement) { exploration.take(statement); });
    SOTTO_ASSERT(pass.ok() && again.count == broken.count, "every pass sees the same");
  } while (exploration.end_hop());
  check_list(exploration.features());
}

void check_prepared(std::string_view text, bool fatal) {
  const auto format = detect_knowledge("source", text);
  if (!format.ok()) return check_refusal(format.error());
  if (is_graph(*format)) return;
  FeatureList list;
  BrokenLines broken;
  broken.fatal = fatal;
  const Status status = read_features({"source", bytes_of(text)}, *format, {}, broken, list);
  if (!status.ok()) return check_refusal(status.error());
  check_list(std::move(list));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool fatal = (data[0] & 8) != 0;
  switch (data[0] % 8) {
    case 0:
      check_graph(read_ntriples, text, fatal);
      break;
    case 1:
      check_graph(read_turtle, text, fatal);
      break;
    case 2:
      check_graph(read_triples_tsv, text, fatal);
      break;
    case 3:
      if (const auto names = read_number_names({"source", bytes_of(text)}); !names.ok())
        check_refusal(names.error());
      break;
    case 4: {
      ItemLinks links;
      BrokenLines broken;
      broken.fatal = fatal;
      const Status status = read_item_links({"source", bytes_of(text)}, broken, links);
      if (!status.ok()) check_refusal(status.error());
      break;
    }
    default:
      check_prepared(text, fatal);
  }
  return 0;
}
