#include "privacy/context_consent.h"

#include <gtest/gtest.h>

namespace sotto::privacy::context_consent_test {

class ContextConsent : public ::testing::Test {
 protected:
  ContextConsent() {
    for (const char* name : {"interval", "daypart", "genre"}) contexts_.dimensions.push_back({.name = name});
    items_.intern("alien");
  }
  [[nodiscard]] Catalogue catalogue() const { return {items_, 1, {}, nullptr, &contexts_}; }
  [[nodiscard]] std::vector<float> shares(const PersonalPolicy& policy) const {
    const auto terms = terms_for(policy, catalogue(), "policy.toml");
    EXPECT_TRUE(terms.ok()) << (terms.ok() ? "" : terms.error().message);
    return terms.ok() ? terms->contexts.shares : std::vector<float>();
  }

  IdTable items_;
  Contexts contexts_;
};

using Shares = std::vector<float>;

TEST_F(ContextConsent, TheChoiceThenAllOthersThenOff) {
  PersonalPolicy policy;
  policy.contexts["daypart"] = {0.3};
  EXPECT_EQ(shares(policy), (Shares{0.0f, 0.3f, 0.0f}));
  policy.contexts["*"] = {1.0};
  EXPECT_EQ(shares(policy), (Shares{1.0f, 0.3f, 1.0f}));
  policy.contexts["daypart"] = {1.0};
  EXPECT_EQ(shares(policy), Shares{});  // all full
  policy.contexts["*"] = {0.0};
  EXPECT_EQ(shares(policy), (Shares{0.0f, 1.0f, 0.0f}));
}

TEST_F(ContextConsent, TheLevelDecidesWhereNothingIsNamed) {
  PersonalPolicy policy;
  const auto at = [&](const char* level) {
    EXPECT_TRUE(set_level(policy, level).ok());
    return shares(policy);
  };
  EXPECT_EQ(at("open"), Shares{});
  EXPECT_EQ(at("balanced"), Shares(3, 0.5f));
  EXPECT_EQ(at("careful"), Shares(3, 0.0f));
  EXPECT_EQ(at("closed"), Shares(3, 0.0f));
  policy.contexts["genre"] = {1.0};
  for (const ConsentLevel& level : consent_levels()) EXPECT_EQ(at(level.name), (Shares{0.0f, 0.0f, 1.0f}));
}

TEST_F(ContextConsent, AnUnknownDimensionNamesFileLineAndTheNearest) {
  PersonalPolicy policy;
  policy.contexts["dayparts"] = {0.0, 9};
  const auto terms = terms_for(policy, catalogue(), "policy.toml");
  ASSERT_FALSE(terms.ok());
  EXPECT_EQ(terms.error().message,
            "policy.toml, line 9: the rule is for the context 'dayparts', which these data do not have; did "
            "you mean 'daypart'?");
  // Where the catalogue came from elsewhere, and where no model looks at contexts, it is idle.
  EXPECT_EQ(terms_where_known(policy, catalogue())->contexts.shares, Shares(3, 0.0f));
  const Catalogue plain{items_, 1, {}};
  EXPECT_TRUE(terms_for(policy, plain, "policy.toml")->contexts.shares.empty());
}

TEST_F(ContextConsent, WithoutHistoryAPersonTakesNoPart) {
  PersonalPolicy policy{.history = 0.25};
  EXPECT_EQ(terms_for(policy, catalogue(), "")->contexts.history, 0.25f);
  EXPECT_TRUE(terms_for(policy, catalogue(), "")->takes_part);
  policy.history = 0.0;
  EXPECT_FALSE(terms_for(policy, catalogue(), "")->takes_part);
  policy.history = 1.5;
  EXPECT_FALSE(check(policy).ok());
  policy.history = 1.0;
  policy.contexts["daypart"] = {-0.1};
  EXPECT_FALSE(check(policy).ok());
}

TEST_F(ContextConsent, TheModelAsksForEverybodys) {
  const ContextTermsOf all = context_terms(ConsentPolicy{.pi = 0.1});
  EXPECT_TRUE(all(UserIndex{3}).shares.empty());
  EXPECT_EQ(all(UserIndex{3}).history, 1.0f);
  ContextTermsOf own;
  {
    std::vector<ConsentTerms> kinds(2);
    kinds[1].contexts = {.shares = {0.0f, 1.0f, 0.5f}, .history = 0.5f};
    own = context_terms(
        {.people = std::make_shared<ConsentBook>(std::move(kinds), std::vector<std::uint16_t>{0, 1})});
  }
  EXPECT_EQ(own(UserIndex{0}).share(0), 1.0f);
  EXPECT_EQ(own(UserIndex{1}).share(0), 0.0f);
  EXPECT_EQ(own(UserIndex{1}).share(2), 0.5f);
  EXPECT_EQ(own(UserIndex{1}).history, 0.5f);
}

TEST(ContextChoice, WordsReadAndWrite) {
  for (const char* word : {"full", "partial", "partial:0.3", "off"})
    EXPECT_EQ(choice_word(*parse_choice(word, "off"), "off"), word);
  EXPECT_EQ(*parse_choice("partial", "none"), 0.5);
  EXPECT_EQ(*parse_choice("none", "none"), 0.0);
  for (const char* wrong :
       {"", "half", "none", "partial:", "partial:0", "partial:1", "partial:0.3x", "partial:nan"})
    EXPECT_FALSE(parse_choice(wrong, "off").ok()) << wrong;
}

}  // namespace sotto::privacy::context_consent_test
