#include "engine/plan/consent_request.h"

#include <gtest/gtest.h>

#include <map>

#include "data/generate.h"

namespace sotto::engine {
namespace {

const Split& consent_world() {
  static const Split split =
      split_dataset(generate_world({.users = 400, .items = 90, .mean_interactions = 15.0, .seed = 3}).value(),
                    {})
          .value();
  return split;
}

ConsentRequest with_policy(const std::string& policy) {
  ConsentRequest request;
  request.policy = policy;
  request.policy_name = "p.toml";
  return request;
}

TEST(ConsentRequests, NothingAskedForIsNoBook) {
  EXPECT_EQ(book_for({}, {}, consent_world(), 1).value(), nullptr);
}

TEST(ConsentRequests, AMixIsDrawnOnceByItsShares) {
  ConsentRequest request;
  request.mix = "open=0.5,careful=0.25,closed=0.25";
  ASSERT_TRUE(check(request, {}).ok());
  const auto book = book_for(request, {}, consent_world(), 7).value();
  std::vector<int> counts(3, 0);
  for (std::uint32_t user = 0; user < 400; ++user) ++counts[book->kind_of({user})];
  // Binomial with sd ≤ 10: five of them.
  EXPECT_NEAR(counts[0], 200, 50);
  EXPECT_NEAR(counts[1], 100, 45);
  EXPECT_NEAR(counts[2], 100, 45);
  EXPECT_EQ(book->kinds()[1].pi, 0.1);
  EXPECT_FALSE(book->kinds()[2].takes_part);
  const auto again = book_for(request, {}, consent_world(), 7).value(),
             other = book_for(request, {}, consent_world(), 8).value();
  int moved = 0;
  for (std::uint32_t user = 0; user < 400; ++user) {
    EXPECT_EQ(book->kind_of({user}), again->kind_of({user}));
    moved += book->kind_of({user}) != other->kind_of({user}) ? 1 : 0;
  }
  EXPECT_GT(moved, 100);
}

Split with_contexts() {
  Split split = consent_world();
  Contexts contexts;
  for (const char* name : {"interval", "daypart"}) contexts.dimensions.push_back({.name = name});
  split.contexts = std::make_shared<const Contexts>(std::move(contexts));
  return split;
}

TEST(ConsentRequests, ProtocolsAreDrawnOnceByTheirSharesApartFromLevels) {
  const Split split = with_contexts();
  ConsentRequest request;
  request.mix = "balanced=0.5,closed=0.5";
  request.udcp = "full=0.5,partial:0.3=0.25,none=0.25";
  ASSERT_TRUE(check(request, {}).ok());
  const auto book = book_for(request, {}, split, 7).value(), again = book_for(request, {}, split, 7).value();
  std::map<std::pair<double, std::vector<float>>, int> counts;
  for (std::uint32_t user = 0; user < 400; ++user) {
    const ConsentTerms& terms = book->of({user});
    ++counts[{terms.pi, terms.contexts.shares}];
    EXPECT_EQ(terms.contexts.history, 1.0f);
    EXPECT_EQ(terms.contexts.shares, again->of({user}).contexts.shares);
  }
  // Binomial with sd ≤ 9: five of them.
  for (const double pi : {0.5, 0.0}) {
    EXPECT_NEAR((counts[{pi, {}}]), 100, 45);
    EXPECT_NEAR((counts[{pi, {0.3f, 0.3f}}]), 50, 35);
    EXPECT_NEAR((counts[{pi, {0.0f, 0.0f}}]), 50, 35);
  }
  EXPECT_EQ(counts.size(), 6u);
  // Alone it leaves what is shared as the plan has it, and a mix of levels lets all contexts in.
  request.mix = "";
  EXPECT_EQ(book_for(request, {.pi = 0.4}, split, 7).value()->of({5}).pi, 0.4);
  EXPECT_FALSE(book_for(request, {.pi = 0.4}, split, 7).value()->of({5}).contexts.whole);
  EXPECT_TRUE(book_for(request, {}, split, 7).value()->of({5}).contexts.whole);
  request.udcp = "";
  request.mix = "careful=1";
  EXPECT_TRUE(book_for(request, {}, split, 7).value()->of({5}).contexts.shares.empty());
  EXPECT_FALSE(book_for(request, {}, split, 7).value()->of({5}).contexts.whole);
}

TEST(ConsentRequests, AProtocolNeedsContextsAndNoSecondVoice) {
  ConsentRequest request;
  request.udcp = "full=0.5,none=0.5";
  const auto book = book_for(request, {}, consent_world(), 1);
  ASSERT_FALSE(book.ok());
  EXPECT_NE(book.error().message.find("uses none"), std::string::npos) << book.error().message;
  request.policy = "pi = 0.5\n";
  EXPECT_NE(check(request, {}).error().message.find("leave --udcp out"), std::string::npos);
  request.policy = "";
  for (const char* wrong : {"full", "full=0.5", "all=1", "full=0.5,off=0.5", "partial:2=1"}) {
    request.udcp = wrong;
    EXPECT_EQ(check(request, {}).error().code, Code::usage) << wrong;
    EXPECT_NE(check(request, {}).error().message.find("udcp: "), std::string::npos);
  }
}

TEST(ConsentRequests, APoliciesContextsAreEverybodys) {
  const Split split = with_contexts();
  const auto book =
      book_for(with_policy("pi = 1\nhistory = 0.25\n[contexts]\ndaypart = \"partial\"\n"), {}, split, 1);
  ASSERT_TRUE(book.ok()) << book.error().message;
  EXPECT_EQ((*book)->of({3}).contexts.shares, (std::vector{0.0f, 0.5f}));
  EXPECT_EQ((*book)->of({3}).contexts.history, 0.25f);
  const auto wrong = book_for(with_policy("pi = 1\n[contexts]\ndaypat = \"off\"\n"), {}, split, 1);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(
      wrong.error().message,
      "p.toml, line 3: the rule is for the context 'daypat', which these data do not have; did you mean "
      "'daypart'?");
}

TEST(ConsentRequests, APolicyIsEverybodysWithItsRules) {
  const std::string item(consent_world().items.name(5)), category = consent_world().item_categories[9];
  const auto book = book_for(with_policy("pi = 0.3\n[items]\n\"" + item +
                                         "\" = \"always\"\n[categories]\n\"" + category + "\" = \"never\"\n"),
                             {}, consent_world(), 1);
  ASSERT_TRUE(book.ok()) << book.error().message;
  const ConsentTerms& terms = (*book)->of(UserIndex{11});
  EXPECT_EQ(terms.pi, 0.3);
  EXPECT_EQ(terms.rules[5], ItemRule::always);
  EXPECT_EQ(terms.rules[9], ItemRule::never);
  const auto unknown =
      book_for(with_policy("\n[items]\n\"no such thing\" = \"never\"\n"), {}, consent_world(), 1);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("p.toml, line 3"), std::string::npos) << unknown.error().message;
}

TEST(ConsentRequests, ARuleForAFeatureHoldsWhereTheDataHaveFeatures) {
  const ConsentRequest request = with_policy("pi = 1\n[features]\n\"kind Bar\" = \"never\"\n");
  ASSERT_TRUE(book_for(request, {}, consent_world(), 1).ok());
  Split split = consent_world();
  FeatureList list;
  list.facts.push_back(
      {list.items.intern(split.items.name(3)), list.intern_predicate("kind"), list.objects.intern("Bar")});
  split.features = std::make_shared<ItemFeatures>(list, split.items, FeatureFilter{.min_items = 1});
  const auto book = book_for(request, {}, split, 1);
  ASSERT_TRUE(book.ok()) << book.error().message;
  EXPECT_EQ((*book)->of(UserIndex{7}).kept_back, std::vector{FeatureIndex{0}});
  const auto unknown = book_for(with_policy("pi = 1\n[predicates]\n\"sort\" = \"never\"\n"), {}, split, 1);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("p.toml, line 3: the rule is for the predicate 'sort'"),
            std::string::npos)
      << unknown.error().message;
}

TEST(ConsentRequests, WhatCannotBeIsRefusedBeforeDataIsRead) {
  const auto refused = [](const ConsentRequest& request, const ConsentPolicy& everybody = {}) {
    const Status status = check(request, everybody);
    return !status.ok() && status.error().code == Code::usage;
  };
  for (const char* mix :
       {"open", "open=0.5", "open=2,closed=-1", "wide=1", "open=x", "open=0.5,careful=0.6"}) {
    ConsentRequest request;
    request.mix = mix;
    EXPECT_TRUE(refused(request)) << mix;
  }
  EXPECT_TRUE(refused(with_policy("level = \"closed\"")));
  EXPECT_TRUE(refused(with_policy("[items]\n\"7\" = \"never\"\n")));
  EXPECT_TRUE(refused(with_policy("pi = 2")));
  EXPECT_TRUE(refused(with_policy("pi = 0.5"), {.pi = 0.2}));
  EXPECT_FALSE(refused(with_policy("pi = 0.5")));
  ConsentRequest both = with_policy("pi = 0.5");
  both.mix = "open=1";
  EXPECT_TRUE(refused(both));
  ConsentRequest device;
  device.device = "42";
  EXPECT_TRUE(refused(device));
}

}  // namespace
}  // namespace sotto::engine
