#include "privacy/feature_consent.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace sotto::privacy::feature_consent_test {

using enum ConsentAnswer;
using Names = std::set<std::string>;

// Films: 0 is directed by Ann from Oslo, 1 by Bo from Rome; both are dramas, 1 also a comedy.
ItemFeatures films() {
  FeatureList list;
  const auto add = [&](const char* item, const char* chain, const char* object) {
    list.facts.push_back(
        {list.items.intern(item), list.intern_predicate(chain), list.objects.intern(object)});
  };
  add("first", "director", "Ann");
  add("second", "director", "Bo");
  add("first", "director~from", "Oslo");
  add("second", "director~from", "Rome");
  add("first", "subject", "Drama");
  add("second", "subject", "Drama");
  add("second", "subject", "Comedy");
  add("second", "from", "Rome");
  list.settle();
  return {list, list.items, {.min_items = 1}};
}

class FeatureRules : public ::testing::Test {
 protected:
  [[nodiscard]] Names kept_back(const PersonalPolicy& policy) const {
    Names names;
    for (const FeatureIndex feature : kept_back_features(policy, features_))
      names.insert(feature_in_words(features_, feature));
    return names;
  }
  [[nodiscard]] Catalogue catalogue() const { return {items_, 0, {}, &features_}; }

  ItemFeatures features_ = films();
  IdTable items_;
};

TEST_F(FeatureRules, WithoutRulesNothingIsKeptBack) { EXPECT_EQ(kept_back({}), Names()); }

TEST_F(FeatureRules, APredicateKeepsBackAllThatGoesThroughIt) {
  PersonalPolicy policy;
  policy.predicates["director"] = {never};
  EXPECT_EQ(kept_back(policy),
            (Names{"director Ann", "director Bo", "director › from Oslo", "director › from Rome"}));
  policy.predicates = {{"from", {ask}}};
  EXPECT_EQ(kept_back(policy), (Names{"from Rome", "director › from Oslo", "director › from Rome"}));
}

TEST_F(FeatureRules, AFeatureGoesBeforeItsPredicate) {
  PersonalPolicy policy;
  policy.predicates["subject"] = {never};
  policy.features["subject Drama"] = {always};
  EXPECT_EQ(kept_back(policy), Names{"subject Comedy"});
  policy.features["director Ann"] = {ask};
  EXPECT_EQ(kept_back(policy), (Names{"subject Comedy", "director Ann"}));
  policy.predicates["subject"] = {always};
  policy.features["subject Drama"] = {never};
  EXPECT_EQ(kept_back(policy), (Names{"subject Drama", "director Ann"}));
}

TEST_F(FeatureRules, AWholeChainGoesBeforeItsPredicates) {
  PersonalPolicy policy;
  policy.predicates["director"] = {never};
  policy.predicates["director~from"] = {always};
  EXPECT_EQ(kept_back(policy), (Names{"director Ann", "director Bo"}));
  policy.features["director › from Rome"] = {never};
  EXPECT_EQ(kept_back(policy), (Names{"director Ann", "director Bo", "director › from Rome"}));
}

TEST_F(FeatureRules, OfTwoPredicatesInAChainTheOneThatForbidsDecides) {
  PersonalPolicy policy;
  policy.predicates["director"] = {always};
  policy.predicates["from"] = {never};
  EXPECT_EQ(kept_back(policy), (Names{"from Rome", "director › from Oslo", "director › from Rome"}));
}

TEST_F(FeatureRules, TermsHoldThemAndRefuseWhatIsNotThere) {
  PersonalPolicy policy;
  policy.features["subject Comedy"] = {never, 4};
  const auto terms = terms_for(policy, catalogue(), "p.toml");
  ASSERT_TRUE(terms.ok()) << terms.error().message;
  ASSERT_EQ(terms->kept_back.size(), 1u);
  EXPECT_EQ(feature_in_words(features_, terms->kept_back[0]), "subject Comedy");
  EXPECT_TRUE(terms->rules.empty());
  policy.features["subject Comedie"] = {never, 5};
  const auto unknown = terms_for(policy, catalogue(), "p.toml");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, Code::usage);
  EXPECT_EQ(
      unknown.error().message,
      "p.toml, line 5: the rule is for the feature 'subject Comedie', which these data do not have; did "
      "you mean 'subject Comedy'?");
  policy.features.erase("subject Comedie");
  policy.predicates["direktor"] = {never, 9};
  EXPECT_EQ(terms_for(policy, catalogue(), "p.toml").error().message,
            "p.toml, line 9: the rule is for the predicate 'direktor', which these data do not have; did you "
            "mean 'director'?");
  // From elsewhere: what it lacks has no effect.
  EXPECT_EQ(terms_where_known(policy, catalogue())->kept_back, terms->kept_back);
  // Where nothing is known about items no model looks at features: the rules wait.
  const Catalogue plain{items_, 0, {}};
  ASSERT_TRUE(terms_for(policy, plain, "p.toml").ok());
  EXPECT_TRUE(terms_for(policy, plain, "p.toml")->kept_back.empty());
}

TEST(KeepsBackQuestion, IsEmptyWhereNobodyKeepsAnythingBack) {
  EXPECT_FALSE(keeps_back(ConsentPolicy{.pi = 0.5}));
  ConsentPolicy policy;
  policy.people = std::make_shared<ConsentBook>(ConsentTerms{.pi = 0.5});
  EXPECT_FALSE(keeps_back(policy));
}

RC_GTEST_PROP(FeatureConsentLaw, TheQuestionAnswersWithEachOnesTerms, ()) {
  constexpr std::uint32_t features = 30;
  std::vector<ConsentTerms> kinds(3);
  for (ConsentTerms& terms : kinds)
    for (std::uint32_t feature = 0; feature < features; ++feature)
      if (*rc::gen::inRange(0, 4) == 0) terms.kept_back.push_back({feature});
  kinds[1].kept_back.push_back({features});
  const std::vector<ConsentTerms> expected = kinds;
  const std::vector<std::uint16_t> kind_of{2, 0, 1, 0};
  KeepsBack question;
  {
    ConsentPolicy policy;
    policy.people = std::make_shared<ConsentBook>(kinds, kind_of);
    question = keeps_back(policy);
  }
  for (std::uint32_t user = 0; user < kind_of.size(); ++user)
    for (std::uint32_t feature = 0; feature <= features; ++feature) {
      const auto& own = expected[kind_of[user]].kept_back;
      RC_ASSERT(question({user}, {feature}) ==
                (std::count(own.begin(), own.end(), FeatureIndex{feature}) == 1));
    }
}

}  // namespace sotto::privacy::feature_consent_test
