#include "device/consent_file.h"

#include <gtest/gtest.h>

namespace sotto::device::consent_file_test {
namespace {

TEST(ConsentFile, WhatIsWrittenReadsBackTheSame) {
  PersonalPolicy policy{.pi = 0.25, .mask = MaskKind::redraw, .paused = true};
  policy.items["a \"quoted\" id"] = {ConsentAnswer::never};
  policy.items["50"] = {ConsentAnswer::always};
  policy.categories["Sci-Fi"] = {ConsentAnswer::ask};
  policy.features["dct:subject \"Quoted\" films"] = {ConsentAnswer::never};
  policy.predicates["dbo:director › dbo:birthPlace"] = {ConsentAnswer::ask};
  policy.contexts["place"] = {1.0};
  policy.contexts["time"] = {0.0};
  policy.contexts["daypart"] = {0.5};
  policy.contexts["interval"] = {0.3};
  policy.contexts["*"] = {0.7};
  policy.history = 0.25;
  policy.secure_only = true;
  policy.least_crowd = 40;
  policy.evaluation = true;
  const std::string text = to_toml(policy);
  const auto again = read_policy(text, "consent.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(to_toml(*again), text);
  EXPECT_EQ(again->pi, 0.25);
  EXPECT_EQ(again->mask, MaskKind::redraw);
  EXPECT_TRUE(again->paused && !again->withdrawn && again->shares);
  EXPECT_EQ(again->items.at("a \"quoted\" id").answer, ConsentAnswer::never);
  EXPECT_EQ(again->categories.at("Sci-Fi").answer, ConsentAnswer::ask);
  EXPECT_EQ(again->features.at("dct:subject \"Quoted\" films").answer, ConsentAnswer::never);
  EXPECT_EQ(again->predicates.at("dbo:director › dbo:birthPlace").answer, ConsentAnswer::ask);
  EXPECT_EQ(again->history, 0.25);
  EXPECT_TRUE(again->secure_only);
  EXPECT_EQ(again->least_crowd, 40u);
  EXPECT_TRUE(again->evaluation);
  EXPECT_FALSE(read_policy("level = \"open\"", "consent.toml")->evaluation);  // no level says so
  for (const char* wrong :
       {"sums = \"plain\"", "sums = true", "evaluation = true", "evaluation = \"perhaps\"",
        "least_crowd = -1", "least_crowd = \"many\"", "least_crowd = 9999999", "least_crowd = 2.5"})
    EXPECT_FALSE(read_policy(wrong, "consent.toml").ok()) << wrong;
  ASSERT_EQ(again->contexts.size(), policy.contexts.size());
  for (const auto& [name, choice] : policy.contexts) EXPECT_EQ(again->contexts.at(name).share, choice.share);
}

TEST(ConsentFile, ContextsAreWordsOrNumbersAndOldOnesStillRead) {
  const auto policy = read_policy(
      "level = \"open\"\nhistory = \"partial\"\n[contexts]\nplace = true\ntime = false\na = \"full\"\n"
      "b = \"partial\"\nc = \"partial:0.2\"\nd = \"off\"\ne = 0.3\nf = 1\n\"*\" = 0\n",
      "p.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_EQ(policy->history, 0.5);
  EXPECT_EQ(policy->contexts.at("e").line, 10u);
  for (const auto& [name, share] : std::map<std::string, double>{{"place", 1.0},
                                                                 {"time", 0.0},
                                                                 {"a", 1.0},
                                                                 {"b", 0.5},
                                                                 {"c", 0.2},
                                                                 {"d", 0.0},
                                                                 {"e", 0.3},
                                                                 {"f", 1.0},
                                                                 {"*", 0.0}})
    EXPECT_EQ(policy->contexts.at(name).share, share) << name;
  const std::string text = to_toml(*policy);
  for (const char* line : {"history = \"partial\"\n", "'place' = \"full\"\n", "'time' = \"off\"\n",
                           "'b' = \"partial\"\n", "'c' = 0.2\n", "'e' = 0.3\n"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
  EXPECT_FALSE(read_policy("level = \"open\"\nhistory = \"none\"\n", "p.toml")->takes_part());
}

TEST(ConsentFile, CriteriaReadAsTheyAreWritten) {
  const auto policy =
      read_policy("level = \"open\"\n[criteria]\nDS = \"keep\"\n\"*\" = \"tell\"\n", "p.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_EQ(policy->criteria, (CriteriaChoices{{"size", false}, {"*", true}})) << "by either name";
  EXPECT_EQ(read_policy(to_toml(*policy), "p.toml")->criteria, policy->criteria);
}

TEST(ConsentFile, ALevelIsAStartThatSingleSettingsChange) {
  const auto policy = read_policy("pi = 0.2\nlevel = \"balanced\"\n[items]\n\n\"7\" = \"never\"\n", "p.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_EQ(policy->pi, 0.2);
  EXPECT_EQ(policy->mask, MaskKind::sticky);
  EXPECT_EQ(policy->items.at("7").line, 5u);
  EXPECT_FALSE(read_policy("level = \"closed\"", "p.toml")->takes_part());
}

TEST(ConsentFile, WhatNobodySeesHasNoLines) {
  const std::string text =
      "pi = 0.2\n[items]\n7 = \"never\"\n[categories]\nb = \"ask\"\n[features]\nf = \"never\"\n"
      "[predicates]\np = \"never\"\n[contexts]\nc = 0.3\n";
  const auto policy = read_kept_policy(text, "vault.db");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_EQ(to_toml(*policy), to_toml(*read_policy(text, "p.toml")));
  for (const PersonalRules* rules :
       {&policy->items, &policy->categories, &policy->features, &policy->predicates}) {
    ASSERT_EQ(rules->size(), 1u);
    EXPECT_EQ(rules->begin()->second.line, 0u);
  }
  EXPECT_EQ(policy->contexts.at("c").line, 0u);
}

TEST(ConsentFile, WithoutAShareNothingIsShared) {
  for (const char* text : {"", "# nothing yet\n", "mask = \"redraw\"\n", "[items]\n\"7\" = \"always\"\n"}) {
    const auto policy = read_policy(text, "p.toml");
    ASSERT_TRUE(policy.ok()) << policy.error().message;
    EXPECT_FALSE(policy->takes_part()) << text;
  }
  for (const char* text : {"shares = true\n", "pi = 0.5\n", "level = \"careful\"\n"})
    EXPECT_TRUE(read_policy(text, "p.toml")->takes_part()) << text;
}

TEST(ConsentFile, WhatIsWrongNamesFileAndLine) {
  struct Case {
    const char* text;
    const char* says;
  };
  for (const Case& wrong :
       {Case{"pi = 0.5\nitem = 3\n", "p.toml, line 2: unknown key 'item'; did you mean 'items'? Known are "},
        Case{"pi = 1.5\n", "p.toml, line 1: pi: pi is 1.5"}, Case{"pi = \"half\"\n", "a number from 0 to 1"},
        Case{"\nlevel = \"wide\"\n", "p.toml, line 2: level: unknown level 'wide'"},
        Case{"[items]\n\"7\" = \"maybe\"\n", "p.toml, line 2: items: unknown rule 'maybe'"},
        Case{"[features]\n\"a b\" = \"no\"\n", "p.toml, line 2: features: unknown rule 'no'"},
        Case{"predicates = 3\n", "p.toml, line 1: predicates: a section"},
        Case{"[items]\n\"7\" = 3\n", "a word in quotes"}, Case{"paused = 1\n", "true or false"},
        Case{"[contexts]\nplace = \"on\"\n", "p.toml, line 2: contexts: unknown choice 'on'"},
        Case{"[contexts]\nplace = 1.5\n", "p.toml, line 2: contexts: 1.5 is no share"},
        Case{"[contexts]\nplace = []\n", "p.toml, line 2: contexts: full, partial, off or a number"},
        Case{"[criteria]\nsize = \"hide\"\n", "p.toml, line 2: criteria: unknown choice 'hide'"},
        Case{"[criteria]\nshoes = \"keep\"\n", "p.toml, line 2: criteria: 'shoes' is no criterion"},
        Case{"criteria = 3\n", "p.toml, line 1: criteria: a section"},
        Case{"history = true\n", "p.toml, line 1: history: full, partial, none or a number"},
        Case{"history = \"off\"\n", "p.toml, line 1: history: unknown choice 'off'"},
        Case{"pi = \n", "p.toml, line 1: not valid TOML"}}) {
    const auto policy = read_policy(wrong.text, "p.toml");
    ASSERT_FALSE(policy.ok()) << wrong.text;
    EXPECT_EQ(policy.error().code, Code::usage);
    EXPECT_NE(policy.error().message.find(wrong.says), std::string::npos) << policy.error().message;
  }
}

}  // namespace
}  // namespace sotto::device::consent_file_test
