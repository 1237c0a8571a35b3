// FeatureNames: features and predicates by the names that people write.
//
// A predicate is written in full or with its prefix ("dbo:director"), a chain with '~' or " › " between its
// predicates; an object in full or in words; a feature is a predicate, a space and an object:
// "dct:subject American science fiction films".
// Laws: what feature_in_words() gives, and both names in full, find the feature; features that are called the
// same are all found, ascending; letters count as they are written.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "data/item_features.h"

namespace sotto::data {

class FeatureNames {
 public:
  explicit FeatureNames(const ItemFeatures& features);  // which outlives it

  [[nodiscard]] std::vector<FeatureIndex> called(std::string_view name) const;
  // The features of this whole chain, and those in whose chain this one predicate stands.
  [[nodiscard]] std::vector<FeatureIndex> with_chain(std::string_view name) const;
  [[nodiscard]] std::vector<FeatureIndex> with_predicate(std::string_view name) const;

  // What to offer somebody who wrote a name that there is not: features (predicates) whose words hold it, or
  // else the one that is nearest; few, perhaps none.
  [[nodiscard]] std::vector<std::string> like_feature(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> like_predicate(std::string_view name) const;

 private:
  // Features of one chain lie side by side.
  struct Chain {
    std::array<std::string, 3> spellings;  // in full, in words, prefixes with '~'
    std::vector<std::string> links;        // each predicate in full, then with its prefix
    std::uint32_t begin = 0, end = 0;
  };
  const ItemFeatures& features_;
  std::vector<Chain> chains_;
};

// Such offers at the end of a sentence: "; did you mean 'a' or 'b'?", "" for none.
[[nodiscard]] std::string in_question(const std::vector<std::string>& offers);

// Whether `text` holds `part`, small and capital letters (of ASCII) taken as the same.
[[nodiscard]] bool holds_words(std::string_view text, std::string_view part);

}  // namespace sotto::data
