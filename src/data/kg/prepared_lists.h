// Prepared lists of item features, in the ways they come:
//
//   named    item<TAB>predicate<TAB>object under that header, chains joined by "~": what write_features
//   writes numbers  item predicate-id object-id, three numbers a line; names of predicates from a file beside
//   it lists    item, then the ids of its features, as many as it has, parted by tabs; predicate "feature"
//   tags     userId,movieId,tag,timestamp under that header (MovieLens): <tag, word> in lower case, and not
//   who
//            said it. They are public knowledge about the items: a device's own tags are no such thing, and
//            must not be taken from it for this.
//
// Law: what write_features writes reads back as the same facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "base/shared_bytes.h"
#include "data/feature_list.h"
#include "data/kg/line_stream.h"

namespace sotto::data {

enum class KnowledgeFormat : std::uint8_t { named, numbers, lists, tags, triples_tsv, ntriples, turtle };

// By the ending of the name (.nt, .ttl, each also .zst), else by the first lines of the file.
[[nodiscard]] Result<KnowledgeFormat> detect_knowledge(const std::string& name, std::string_view head);
[[nodiscard]] const char* to_string(KnowledgeFormat format);
// Whether it holds a graph, to be explored (data/kg/statement.h), and not features.
[[nodiscard]] bool is_graph(KnowledgeFormat format);

// What numbers stand for: "chain<TAB>id<TAB>hops" or "id<TAB>name" a line.
struct NumberNames {
  struct Name {
    std::string text;
    std::uint8_t hops = 0;  // 0: not said
  };
  std::unordered_map<std::string, Name> by_number;
};
[[nodiscard]] Result<NumberNames> read_number_names(NamedSource source);

struct ListOptions {
  NumberNames predicates, objects;  // of `numbers` and `lists`; those without a name stay numbers
  bool object_second = false;       // `numbers`: item, object, predicate
};

// Adds the facts of one source; the list is not settled.
[[nodiscard]] Status read_features(NamedSource source, KnowledgeFormat format, const ListOptions& options,
                                   BrokenLines& broken, FeatureList& list);

// As named lines, in pieces.
[[nodiscard]] Status write_features(const FeatureList& list, const ByteSink& sink);
[[nodiscard]] std::string features_text(const FeatureList& list);

}  // namespace sotto::data
