#include "privacy/personal_policy.h"

#include <gtest/gtest.h>

namespace sotto::privacy::personal_policy_test {

class PersonalPolicies : public ::testing::Test {
 protected:
  PersonalPolicies() {
    for (const char* name : {"alien", "airplane", "scream", "casablanca", "unseen"}) items_.intern(name);
  }
  [[nodiscard]] Catalogue catalogue() const { return {items_, 4, categories_}; }
  [[nodiscard]] std::vector<ItemRule> rules(const PersonalPolicy& policy) const {
    const auto terms = terms_for(policy, catalogue(), "policy.toml");
    EXPECT_TRUE(terms.ok()) << (terms.ok() ? "" : terms.error().message);
    return terms.ok() ? terms->rules : std::vector<ItemRule>();
  }
  [[nodiscard]] std::string refusal(const PersonalPolicy& policy) const {
    const auto terms = terms_for(policy, catalogue(), "policy.toml");
    EXPECT_FALSE(terms.ok());
    return terms.ok() ? "" : terms.error().message;
  }

  IdTable items_;
  std::vector<std::string> categories_{"Horror|Sci-Fi", "Comedy", "Comedy|Horror", "", "Horror"};
};

TEST_F(PersonalPolicies, WithoutRulesThereAreNone) { EXPECT_TRUE(rules({.pi = 0.5}).empty()); }

TEST_F(PersonalPolicies, ItemBeforeCategoryAndNeverBeforeAlways) {
  PersonalPolicy policy;
  policy.categories["Horror"] = {ConsentAnswer::never};
  policy.categories["Comedy"] = {ConsentAnswer::always};
  using enum ItemRule;
  EXPECT_EQ(rules(policy), (std::vector{never, always, never, none}));
  policy.items["alien"] = {ConsentAnswer::always};
  policy.items["airplane"] = {ConsentAnswer::never};
  EXPECT_EQ(rules(policy), (std::vector{always, never, never, none}));
}

TEST_F(PersonalPolicies, AskIsNeverUntilAnswered) {
  PersonalPolicy policy;
  policy.items["casablanca"] = {ConsentAnswer::ask};
  policy.categories["Comedy"] = {ConsentAnswer::ask};
  using enum ItemRule;
  EXPECT_EQ(rules(policy), (std::vector{none, never, never, never}));
}

TEST_F(PersonalPolicies, RulesForWhatIsNotThereNameFileLineAndTheNearest) {
  PersonalPolicy policy;
  policy.items["aliens"] = {ConsentAnswer::never, 7};
  EXPECT_EQ(refusal(policy),
            "policy.toml, line 7: the rule is for the item 'aliens', which these data do not have; did you "
            "mean 'alien'?");
  policy.items.clear();
  policy.categories["Horor"] = {ConsentAnswer::never, 3};
  EXPECT_NE(refusal(policy).find("line 3: the rule is for the category 'Horor'"), std::string::npos);
  EXPECT_NE(refusal(policy).find("did you mean 'Horror'?"), std::string::npos);
  categories_.clear();
  EXPECT_NE(refusal(policy).find("--names"), std::string::npos);
}

TEST_F(PersonalPolicies, AnItemThatOnlyTheTestPartHasNeedsNoRule) {
  PersonalPolicy policy;
  policy.items["unseen"] = {ConsentAnswer::never};
  EXPECT_EQ(rules(policy), std::vector<ItemRule>(4, ItemRule::none));
}

TEST_F(PersonalPolicies, PauseWithdrawalAndTheClosedLevelShareNothing) {
  PersonalPolicy policy;
  EXPECT_TRUE(policy.takes_part());
  for (bool PersonalPolicy::*reason : {&PersonalPolicy::paused, &PersonalPolicy::withdrawn}) {
    policy.*reason = true;
    EXPECT_FALSE(policy.takes_part());
    EXPECT_FALSE(terms_for(policy, catalogue(), "")->takes_part);
    policy.*reason = false;
  }
  ASSERT_TRUE(set_level(policy, "closed").ok());
  EXPECT_FALSE(terms_for(policy, catalogue(), "")->takes_part);
}

TEST_F(PersonalPolicies, LevelsSetTheShareAndLeaveTheRules) {
  PersonalPolicy policy;
  policy.items["alien"] = {ConsentAnswer::never};
  policy.paused = true;
  double last = -1.0;
  for (const ConsentLevel& level : consent_levels()) {
    ASSERT_TRUE(set_level(policy, level.name).ok());
    EXPECT_STREQ(level_of(policy), level.name);
    EXPECT_GT(policy.pi, last);
    last = policy.pi;
  }
  EXPECT_EQ(policy.items.size(), 1u);
  EXPECT_TRUE(policy.paused);
  policy.pi = 0.3;
  EXPECT_STREQ(level_of(policy), "custom");
  EXPECT_EQ(set_level(policy, "wide").error().code, Code::usage);
}

TEST_F(PersonalPolicies, AShareOutsideItsRangeIsRefused) {
  EXPECT_FALSE(check(PersonalPolicy{.pi = 1.5}).ok());
  EXPECT_NE(refusal({.pi = -1.0}).find("from 0"), std::string::npos);
}

TEST_F(PersonalPolicies, AnswersReadAndWrite) {
  for (const char* text : {"always", "never", "ask"}) EXPECT_STREQ(to_string(*parse_answer(text)), text);
  EXPECT_FALSE(parse_answer("maybe").ok());
}

TEST_F(PersonalPolicies, WhereACatalogueLacksSomethingItsRuleIsIdle) {
  PersonalPolicy policy;
  policy.items["aliens"] = {ConsentAnswer::never};
  policy.items["alien"] = {ConsentAnswer::never};
  policy.categories["Western"] = {ConsentAnswer::never};
  policy.categories["Comedy"] = {ConsentAnswer::always};
  using enum ItemRule;
  EXPECT_EQ(terms_where_known(policy, catalogue())->rules, (std::vector{never, always, always, none}));
  // Without categories nobody can tell what the rule keeps back: then nothing is promised.
  categories_.clear();
  EXPECT_FALSE(terms_where_known(policy, catalogue()).ok());
  policy.categories.erase("Western");
  EXPECT_EQ(terms_where_known(policy, catalogue())->rules, (std::vector{never, none, none, none}));
}

}  // namespace sotto::privacy::personal_policy_test
