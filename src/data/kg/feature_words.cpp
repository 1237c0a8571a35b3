// Features in words: namespaces as prefixes, objects as people read them.
#include <algorithm>
#include <array>

#include "data/item_features.h"

namespace sotto::data {

namespace {

struct Prefix {
  std::string_view space, shorter;
};
constexpr std::array prefixes{
    Prefix{"http://dbpedia.org/ontology/", "dbo:"},
    Prefix{"http://dbpedia.org/property/", "dbp:"},
    Prefix{"http://dbpedia.org/resource/", ""},
    Prefix{"http://purl.org/dc/terms/", "dct:"},
    Prefix{"http://purl.org/dc/elements/1.1/", "dc:"},
    Prefix{"http://www.w3.org/2004/02/skos/core#", "skos:"},
    Prefix{"http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"},
    Prefix{"http://www.w3.org/2000/01/rdf-schema#", "rdfs:"},
    Prefix{"http://www.w3.org/2002/07/owl#", "owl:"},
    Prefix{"http://xmlns.com/foaf/0.1/", "foaf:"},
    Prefix{"http://schema.org/", "schema:"},
    Prefix{"http://www.wikidata.org/prop/direct/", "wdt:"},
    Prefix{"http://www.wikidata.org/entity/", "wd:"},
    Prefix{"http://purl.org/linguistics/gold/", "gold:"},
    Prefix{"http://www.w3.org/ns/prov#", "prov:"},
};

std::string shortened(std::string_view name) {
  for (const Prefix& prefix : prefixes)
    if (name.starts_with(prefix.space))
      return std::string(prefix.shorter) + std::string(name.substr(prefix.space.size()));
  const std::size_t cut = name.starts_with("http") ? name.find_last_of("/#") : std::string_view::npos;
  return std::string(cut == std::string_view::npos || cut + 1 == name.size() ? name : name.substr(cut + 1));
}

int digit_of(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

// "%C3%A9" as the letters it stands for.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const bool code =
        text[n] == '%' && n + 2 < text.size() && digit_of(text[n + 1]) >= 0 && digit_of(text[n + 2]) >= 0;
    if (!code) {
      plain += text[n];
      continue;
    }
    plain += static_cast<char>(digit_of(text[n + 1]) * 16 + digit_of(text[n + 2]));
    n += 2;
  }
  return plain;
}

}  // namespace

std::string predicate_in_words(std::string_view chain) {
  std::string words;
  while (true) {
    const std::size_t end = chain.find(chain_separator);
    words += shortened(chain.substr(0, end));
    if (end == std::string_view::npos) return words;
    words += " › ";
    chain.remove_prefix(end + 1);
  }
}

std::string object_in_words(std::string_view object) {
  std::string words = shortened(object);
  if (words.starts_with("Category:")) words.erase(0, 9);
  std::replace(words.begin(), words.end(), '_', ' ');
  return unescaped(words);
}

std::string full_name(const std::string& prefixed) {
  if (prefixed.starts_with("dbr:")) return "http://dbpedia.org/resource/" + prefixed.substr(4);
  for (const Prefix& prefix : prefixes)
    if (!prefix.shorter.empty() && prefixed.starts_with(prefix.shorter))
      return std::string(prefix.space) + prefixed.substr(prefix.shorter.size());
  return prefixed;
}

std::string feature_in_words(const ItemFeatures& features, FeatureIndex feature) {
  return predicate_in_words(features.predicate(feature)) + " " + object_in_words(features.object(feature));
}

}  // namespace sotto::data
