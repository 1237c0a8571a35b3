#include "data/kg/feature_names.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace sotto::data::feature_names_test {

constexpr const char* director = "http://dbpedia.org/ontology/director";
constexpr const char* subject = "http://purl.org/dc/terms/subject";
constexpr const char* born = "http://dbpedia.org/ontology/birthPlace";
constexpr const char* resource = "http://dbpedia.org/resource/";

class NamedFeatures : public ::testing::Test {
 protected:
  NamedFeatures() {
    FeatureList list;
    const std::uint32_t item = list.items.intern("matrix");
    const auto add = [&](const std::string& chain, const std::string& object) {
      list.facts.push_back({item, list.intern_predicate(chain), list.objects.intern(resource + object)});
    };
    add(director, "The_Wachowskis");
    add(subject, "Category:American_films");
    add(subject, "American_films");
    add(std::string(director) + "~" + born, "Chicago");
    add(born, "Chicago");
    list.settle();
    features_ = ItemFeatures(list, list.items, {.min_items = 1});
  }
  [[nodiscard]] std::multiset<std::string> words(const std::vector<FeatureIndex>& found) const {
    std::multiset<std::string> names;
    for (const FeatureIndex feature : found) names.insert(feature_in_words(features_, feature));
    return names;
  }
  using Names = std::multiset<std::string>;

  ItemFeatures features_;
};

TEST_F(NamedFeatures, AreFoundInFullInWordsAndMixed) {
  const FeatureNames names(features_);
  const Names one{"dbo:director The Wachowskis"};
  for (const std::string& name :
       {std::string("dbo:director The Wachowskis"), std::string(director) + " " + resource + "The_Wachowskis",
        "dbo:director " + std::string(resource) + "The_Wachowskis",
        std::string(director) + " The Wachowskis"})
    EXPECT_EQ(words(names.called(name)), one) << name;
  for (const char* name : {"dbo:director", "dbo:director ", "dbo:director The", "The Wachowskis", "",
                           "dbo:director the wachowskis", "dbo:directorThe Wachowskis"})
    EXPECT_TRUE(names.called(name).empty()) << name;
}

TEST_F(NamedFeatures, ThatAreCalledTheSameAreAllMeantUnlessTheFullNameIsGiven) {
  const FeatureNames names(features_);
  EXPECT_EQ(names.called("dct:subject American films").size(), 2u);
  EXPECT_EQ(names.called("dct:subject " + std::string(resource) + "Category:American_films").size(), 1u);
}

TEST_F(NamedFeatures, AChainHasThreeSpellings) {
  const FeatureNames names(features_);
  const Names chain{"dbo:director › dbo:birthPlace Chicago"};
  for (const std::string& spelling :
       {std::string("dbo:director › dbo:birthPlace"), std::string("dbo:director~dbo:birthPlace"),
        std::string(director) + "~" + born}) {
    EXPECT_EQ(words(names.called(spelling + " Chicago")), chain) << spelling;
    EXPECT_EQ(words(names.with_chain(spelling)), chain) << spelling;
    EXPECT_TRUE(names.with_predicate(spelling).empty()) << spelling;
  }
}

TEST_F(NamedFeatures, APredicateStandsInItsChains) {
  const FeatureNames names(features_);
  EXPECT_EQ(words(names.with_predicate("dbo:director")),
            (Names{"dbo:director The Wachowskis", "dbo:director › dbo:birthPlace Chicago"}));
  EXPECT_EQ(words(names.with_predicate(born)),
            (Names{"dbo:birthPlace Chicago", "dbo:director › dbo:birthPlace Chicago"}));
  EXPECT_EQ(words(names.with_chain("dbo:director")), Names{"dbo:director The Wachowskis"});
  EXPECT_TRUE(names.with_predicate("director").empty());
}

TEST_F(NamedFeatures, WhatIsNotThereIsOfferedFromWhatIs) {
  const FeatureNames names(features_);
  EXPECT_EQ(names.like_feature("wachowski"), std::vector<std::string>{"dbo:director The Wachowskis"});
  EXPECT_EQ(names.like_feature("dbo:direktor The Wachovskis"),
            std::vector<std::string>{"dbo:director The Wachowskis"});
  EXPECT_EQ(names.like_predicate("dct:subjekt"), std::vector<std::string>{"dct:subject"});
  EXPECT_EQ(in_question(names.like_feature("Chicago")),
            "; did you mean 'dbo:birthPlace Chicago' or 'dbo:director › dbo:birthPlace Chicago'?");
  EXPECT_TRUE(names.like_feature("nothing of the kind at all").empty());
}

// However features are named, their words and their full names find them.
RC_GTEST_PROP(FeatureNamesLaw, WordsAndFullNamesFindTheFeature, ()) {
  FeatureList list;
  const std::uint32_t item = list.items.intern("i");
  const auto part = [] {
    return *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab:_/#%C")));
  };
  for (int n = *rc::gen::inRange(1, 8); n > 0; --n) {
    std::string chain = "p" + part();
    if (*rc::gen::arbitrary<bool>()) chain += "~" + std::string(resource) + part();
    list.facts.push_back({item, list.intern_predicate(chain), list.objects.intern("o" + part())});
  }
  list.settle();
  const ItemFeatures features(list, list.items, {.min_items = 1});
  const FeatureNames names(features);
  for (std::uint32_t n = 0; n < features.features(); ++n) {
    const std::string full = std::string(features.predicate({n})) + " " + std::string(features.object({n}));
    for (const std::string& name : {feature_in_words(features, {n}), full}) {
      const auto found = names.called(name);
      RC_ASSERT(std::is_sorted(found.begin(), found.end()));
      RC_ASSERT(std::adjacent_find(found.begin(), found.end()) == found.end());
      RC_ASSERT(std::find(found.begin(), found.end(), FeatureIndex{n}) != found.end());
    }
  }
}

}  // namespace sotto::data::feature_names_test
