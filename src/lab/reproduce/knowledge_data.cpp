#include "lab/reproduce/knowledge_data.h"

#include <fmt/core.h>

#include <array>

#include "base/assert.h"

namespace sotto {

namespace {

struct SetFile {
  const char* folder = nullptr;  // none: not needed
  const char* name = nullptr;
};

struct KnowledgeSet {
  std::string_view name;
  const char* shown;
  SetFile ratings;
  SetFile features;    // triples, or a prepared list
  SetFile links;       // item → entity
  SetFile predicates;  // names of a prepared list's numbers
  std::uint32_t core;
  float min_rating;         // 0: all
  std::uint32_t min_items;  // of a feature
  std::uint32_t hops;
  const char* source;
  const char* caveat;
};

constexpr SetFile film_triples{"kg-movielens-1m", "dbpedia_1hop_11_predicates.tsv"};
constexpr const char* yahoo_caveat =
    "Only features of depth 1 are here, by number and of all predicates; the print rests on depth 2, without "
    "some predicates. Compare VSM, kaHFM and KGFlex with the other models here rather than with print.";
constexpr const char* depth_caveat =
    "Only features of depth 1 are here (11 predicates of DBpedia); the print rests on depth 2. Compare VSM, "
    "kaHFM and KGFlex with the other models here rather than with print.";

constexpr std::array knowledge_sets{
    // The authors' code drops features of ten items too.
    KnowledgeSet{facebook_books,
                 "Facebook Books",
                 {"kg-facebook-books", "kgflex_dataset.tsv"},
                 {"kg-facebook-books", "kgflex_item_features.tsv"},
                 {},
                 {"kg-facebook-books", "kgflex_predicates.tsv"},
                 5,
                 0.0f,
                 11,
                 2,
                 "Facebook Books of the ESWC 2015 challenge with the features of the KGFlex repository",
                 ""},
    // More features than the triples have, but no names.
    KnowledgeSet{yahoo_movies,
                 "Yahoo! Movies",
                 {"kg-yahoo-movies", "kgflex_dataset.tsv"},
                 {"kg-yahoo-movies", "item_1hop_feature_ids.tsv"},
                 {},
                 {},
                 10,
                 3.0f,
                 10,
                 1,
                 "Yahoo! Webscope movie ratings with numbered features of DBpedia",
                 yahoo_caveat},
    KnowledgeSet{yahoo_named,
                 "Yahoo! Movies",
                 {"kg-yahoo-movies", "kgflex_dataset.tsv"},
                 film_triples,
                 {"kg-yahoo-movies", "dbpedia_linking.tsv"},
                 {},
                 10,
                 3.0f,
                 10,
                 1,
                 "Yahoo! Webscope movie ratings with DBpedia links, and triples of the films",
                 depth_caveat},
    KnowledgeSet{movielens_liked,
                 "MovieLens 1M",
                 {"movielens-1m", "ratings_ranked.tsv"},
                 film_triples,
                 {"kg-movielens-1m", "dbpedia_linking.tsv"},
                 {},
                 10,
                 3.0f,
                 10,
                 1,
                 "https://grouplens.org/datasets/movielens/1m/ with DBpedia links, and triples of the films",
                 depth_caveat},
};

const KnowledgeSet* set_called(std::string_view name) {
  for (const KnowledgeSet& set : knowledge_sets)
    if (set.name == name) return &set;
  return nullptr;
}

// Appends the file's path to `paths`; whether it is there, or is not needed.
Result<bool> look_for(const std::filesystem::path& root, const SetFile& file,
                      std::vector<std::string>& paths) {
  if (file.name == nullptr) return true;
  SOTTO_TRY(const std::string found, plain_or_packed(root / file.folder, file.name));
  if (!found.empty()) paths.push_back(found);
  return !found.empty();
}

}  // namespace

bool is_knowledge_data(std::string_view name) { return set_called(name) != nullptr; }

Result<PaperData> find_knowledge_data(std::string_view name, const DataFolder& folder) {
  const KnowledgeSet* set = set_called(name);
  SOTTO_ASSERT(set != nullptr, "asked for after is_knowledge_data()");
  PaperData found;
  found.name = std::string(name);
  found.shown = set->shown;
  found.hops = set->hops;
  found.caveat = set->caveat;
  found.remedy = fmt::format("{}: put {} into {} and {} into {}", set->source, set->ratings.name,
                             (folder.root / set->ratings.folder).string(), set->features.name,
                             (folder.root / set->features.folder).string());
  DataRequest data;
  std::vector<std::string> predicates;
  SOTTO_TRY(const bool ratings, look_for(folder.root, set->ratings, data.paths));
  SOTTO_TRY(const bool features, look_for(folder.root, set->features, data.kg.paths));
  SOTTO_TRY(const bool links, look_for(folder.root, set->links, data.kg.links));
  SOTTO_TRY(const bool named, look_for(folder.root, set->predicates, predicates));
  found.there = ratings && features && links && named;
  if (!found.there) return found;
  if (!predicates.empty()) data.kg.predicates = predicates.front();
  data.kg.min_items = set->min_items;
  data.kg.depth = set->hops;
  data.filter.core = set->core;
  if (set->min_rating > 0.0f) data.filter.min_rating = set->min_rating;
  data.split.rule = RandomHoldout{0.8};
  found.data = std::move(data);
  return found;
}

}  // namespace sotto
