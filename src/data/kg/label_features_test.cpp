#include "data/kg/label_features.h"

#include <gtest/gtest.h>

#include <set>

namespace sotto::data::label_features_test {

TEST(LabelFeatures, AreCategoriesYearsAndDecades) {
  IdTable items;
  for (const char* name : {"1", "2", "3", "4"}) items.intern(name);
  const std::vector<std::string> names{"Heat (1995)", "2001: A Space Odyssey (1968) ", "No year (19x5)", ""};
  const std::vector<std::string> categories{"Action|Crime", "Sci-Fi", "", "||Drama"};
  FeatureList list;
  list.facts.push_back({list.items.intern("2"), list.intern_predicate("by"), list.objects.intern("Kubrick")});
  add_label_features(items, names, categories, list);
  std::set<std::string> facts;
  for (const FeatureFact& fact : list.facts)
    facts.insert(std::string(list.items.name(fact.item)) + " " +
                 std::string(list.predicates.name(fact.predicate)) + " " +
                 std::string(list.objects.name(fact.object)));
  EXPECT_EQ(facts, (std::set<std::string>{"1 category Action", "1 category Crime", "1 year 1995",
                                          "1 decade 1990s", "2 by Kubrick", "2 category Sci-Fi",
                                          "2 year 1968", "2 decade 1960s", "4 category Drama"}));
  FeatureList bare;
  add_label_features(items, {}, {}, bare);
  EXPECT_TRUE(bare.facts.empty());
}

}  // namespace sotto::data::label_features_test
