#include "privacy/criteria_choice.h"

#include <gtest/gtest.h>

#include "privacy/personal_policy.h"

namespace sotto::privacy::criteria_choice_test {

CriteriaTerms terms_at(const char* level, CriteriaChoices choices = {}) {
  PersonalPolicy policy;
  EXPECT_TRUE(set_level(policy, level).ok());
  policy.criteria = std::move(choices);
  const IdTable items;
  const auto terms = terms_for(policy, {items, 0, {}}, "policy");
  EXPECT_TRUE(terms.ok());
  return terms->criteria;
}

TEST(CriteriaChoice, LevelDecidesWhereNobodyNamedAny) {
  EXPECT_TRUE(terms_at("open").tells("size"));
  EXPECT_FALSE(terms_at("balanced").tells("size"));
  EXPECT_FALSE(terms_at("careful").tells("size"));
  EXPECT_FALSE(terms_at("closed").tells("size"));
}

TEST(CriteriaChoice, NamedChoicesWinOverTheLevelAndLeaveTheOthersToIt) {
  const CriteriaTerms open = terms_at("open", {{"size", false}});
  EXPECT_FALSE(open.tells("size"));
  EXPECT_TRUE(open.tells("novelty"));
  const CriteriaTerms careful = terms_at("careful", {{"size", true}});
  EXPECT_TRUE(careful.tells("size"));
  EXPECT_FALSE(careful.tells("novelty"));
}

TEST(CriteriaChoice, TheChoiceForAllOthersStandsBetweenThem) {
  const CriteriaTerms terms = terms_at("open", {{"*", false}, {"trust", true}});
  EXPECT_TRUE(terms.tells("trust"));
  EXPECT_FALSE(terms.tells("size"));
}

TEST(CriteriaChoice, WordsReadAsTheyAreWritten) {
  for (const bool tells : {true, false}) {
    const auto read = parse_telling(telling_word(tells));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, tells);
  }
  EXPECT_FALSE(parse_telling("perhaps").ok());
}

TEST(CriteriaChoice, WhoHasNoPolicyTellsAll) { EXPECT_TRUE(ConsentTerms{}.criteria.tells("size")); }

}  // namespace sotto::privacy::criteria_choice_test
