#include "data/kg/feature_names.h"

#include <algorithm>

#include "base/nearest_word.h"

namespace sotto::data {

namespace {

constexpr std::size_t most_offers = 3;

char small(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_object(std::string_view object, std::string_view name) {
  return name == object || name == object_in_words(object);
}

void add_range(std::uint32_t begin, std::uint32_t end, std::vector<FeatureIndex>& out) {
  for (std::uint32_t feature = begin; feature < end; ++feature) out.push_back({feature});
}

// Of all the words that `each` hands on, those to offer.
template <class Each>
std::vector<std::string> offers(std::string_view name, const Each& each) {
  std::vector<std::string> found;
  NearestWord nearest(name);
  each([&](const std::string& words) {
    if (!name.empty() && found.size() < most_offers && holds_words(words, name)) found.push_back(words);
    if (found.empty()) nearest.look_at(words);
  });
  if (found.empty() && !nearest.word().empty()) found.push_back(nearest.word());
  return found;
}

}  // namespace

FeatureNames::FeatureNames(const ItemFeatures& features) : features_(features) {
  std::string_view last;
  for (std::uint32_t feature = 0; feature < features.features(); ++feature) {
    const std::string_view chain = features.predicate({feature});
    if (!chains_.empty() && chain == last) {
      ++chains_.back().end;
      continue;
    }
    last = chain;
    Chain& next = chains_.emplace_back();
    next.begin = feature;
    next.end = feature + 1;
    next.spellings[0] = chain;
    next.spellings[1] = predicate_in_words(chain);
    for (std::size_t begin = 0; begin <= chain.size();) {
      const std::size_t end = std::min(chain.find(chain_separator, begin), chain.size());
      const std::string_view link = chain.substr(begin, end - begin);
      next.links.emplace_back(link);
      next.links.push_back(predicate_in_words(link));
      next.spellings[2] += (begin == 0 ? "" : std::string(1, chain_separator)) + next.links.back();
      begin = end + 1;
    }
  }
}

std::vector<FeatureIndex> FeatureNames::called(std::string_view name) const {
  std::vector<FeatureIndex> found;
  for (const Chain& chain : chains_) {
    std::vector<std::string_view> objects;  // what would stand behind the chain
    for (const std::string& spelling : chain.spellings)
      if (name.starts_with(spelling) && name.size() > spelling.size() && name[spelling.size()] == ' ')
        objects.push_back(name.substr(spelling.size() + 1));
    if (objects.empty()) continue;
    for (std::uint32_t feature = chain.begin; feature < chain.end; ++feature)
      if (std::ranges::any_of(objects, [&](std::string_view object) {
            return is_object(features_.object({feature}), object);
          }))
        found.push_back({feature});
  }
  return found;
}

std::vector<FeatureIndex> FeatureNames::with_chain(std::string_view name) const {
  std::vector<FeatureIndex> found;
  for (const Chain& chain : chains_)
    if (std::find(chain.spellings.begin(), chain.spellings.end(), name) != chain.spellings.end())
      add_range(chain.begin, chain.end, found);
  return found;
}

std::vector<FeatureIndex> FeatureNames::with_predicate(std::string_view name) const {
  std::vector<FeatureIndex> found;
  for (const Chain& chain : chains_)
    if (std::find(chain.links.begin(), chain.links.end(), name) != chain.links.end())
      add_range(chain.begin, chain.end, found);
  return found;
}

std::vector<std::string> FeatureNames::like_feature(std::string_view name) const {
  return offers(name, [this](const auto& take) {
    for (std::uint32_t feature = 0; feature < features_.features(); ++feature)
      take(feature_in_words(features_, {feature}));
  });
}

std::vector<std::string> FeatureNames::like_predicate(std::string_view name) const {
  return offers(name, [this](const auto& take) {
    for (const Chain& chain : chains_) take(chain.spellings[1]);
  });
}

std::string in_question(const std::vector<std::string>& offers) {
  std::string names;
  for (const std::string& name : offers) names += (names.empty() ? "'" : " or '") + name + "'";
  return names.empty() ? "" : "; did you mean " + names + "?";
}

bool holds_words(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return small(a) == small(b); };
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace sotto::data
