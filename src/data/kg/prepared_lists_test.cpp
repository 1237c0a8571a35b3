#include "data/kg/prepared_lists.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

namespace sotto::data::prepared_lists_test {

using Named = std::tuple<std::string, std::string, std::string>;

std::set<Named> facts_of(const FeatureList& list) {
  std::set<Named> facts;
  for (const FeatureFact& fact : list.facts)
    facts.emplace(list.items.name(fact.item), list.predicates.name(fact.predicate),
                  list.objects.name(fact.object));
  return facts;
}

FeatureList read(const std::string& text, KnowledgeFormat format, BrokenLines& broken,
                 const ListOptions& options = {}) {
  FeatureList list;
  EXPECT_TRUE(read_features({"f", bytes_of(text)}, format, options, broken, list).ok());
  list.settle();
  return list;
}

TEST(PreparedLists, EachFormatIsKnownByItsContent) {
  const auto format = [](const char* text) { return detect_knowledge("f", text).value(); };
  EXPECT_EQ(format("item\tpredicate\tobject\n1\ta\tb\n"), KnowledgeFormat::named);
  EXPECT_EQ(format("90\t0\t0\n90\t2\t2\n"), KnowledgeFormat::numbers);
  EXPECT_EQ(format("90 0 0\n90 2 2\n"), KnowledgeFormat::numbers);
  EXPECT_EQ(format("m1\t1\t2\t3\t4\nm2\t1\nm3\t5\t6\t7\t8\t9\n"), KnowledgeFormat::lists);
  EXPECT_EQ(format("http://a/x\thttp://a/p\thttp://a/y\n"), KnowledgeFormat::triples_tsv);
  EXPECT_EQ(format("# remark\n@prefix a: <http://a/> .\n"), KnowledgeFormat::turtle);
  EXPECT_EQ(format("<http://a/x> <http://a/p> \"two words\" .\n"), KnowledgeFormat::ntriples);
  EXPECT_EQ(detect_knowledge("graph.nt.zst", "anything").value(), KnowledgeFormat::ntriples);
  EXPECT_EQ(detect_knowledge("graph.ttl", "").value(), KnowledgeFormat::turtle);
  EXPECT_FALSE(detect_knowledge("f", "").ok());
  EXPECT_FALSE(detect_knowledge("f", "no columns at all, and more than three words\n").ok());
}

TEST(PreparedLists, NumbersGetTheNamesOfTheirFile) {
  ListOptions options;
  options.predicates =
      read_number_names({"p", bytes_of("http://a/p~http://a/q\t0\t2\nhttp://a/r\t6\t1\n")}).value();
  BrokenLines broken;
  const FeatureList list = read("90\t0\t0\n90\t6\t5\n91\t7\t5\n", KnowledgeFormat::numbers, broken, options);
  EXPECT_EQ(
      facts_of(list),
      (std::set<Named>{{"90", "http://a/p~http://a/q", "0"}, {"90", "http://a/r", "5"}, {"91", "7", "5"}}));
  EXPECT_EQ(list.hops[*list.predicates.find("http://a/p~http://a/q")], 2);
  EXPECT_EQ(list.hops[*list.predicates.find("7")], 1);
  EXPECT_EQ(broken.count, 0u);
}

TEST(PreparedLists, ObjectsMayComeSecondAndHaveNames) {
  ListOptions options;
  options.object_second = true;
  options.predicates = read_number_names({"r", bytes_of("2\thttp://a/author\n")}).value();
  options.objects = read_number_names({"e", bytes_of("13000\thttp://a/Somebody\n")}).value();
  BrokenLines broken;
  EXPECT_EQ(facts_of(read("6181\t13000\t2\n", KnowledgeFormat::numbers, broken, options)),
            (std::set<Named>{{"6181", "http://a/author", "http://a/Somebody"}}));
}

TEST(PreparedLists, ListsOfAnyLength) {
  BrokenLines broken;
  EXPECT_EQ(facts_of(read("m1\t7\t8\nm2\t8\nm3\n", KnowledgeFormat::lists, broken)),
            (std::set<Named>{{"m1", "feature", "7"}, {"m1", "feature", "8"}, {"m2", "feature", "8"}}));
  EXPECT_EQ(broken.count, 1u);
  EXPECT_EQ(broken.first, "f, line 3: a line is an item and the ids of its features");
}

TEST(PreparedLists, BrokenLinesAreCountedOrFatal) {
  const std::string text = "item\tpredicate\tobject\na\tp\to\nb\tp\n\nc\tp\t\nd\tp\to\n";
  BrokenLines skipping;
  EXPECT_EQ(read(text, KnowledgeFormat::named, skipping).facts.size(), 2u);
  EXPECT_EQ(skipping.count, 2u);
  EXPECT_EQ(skipping.first, "f, line 3: a line is an item, a predicate and an object");

  BrokenLines strict{.fatal = true, .count = 0, .first = ""};
  FeatureList list;
  const Status read = read_features({"f", bytes_of(text)}, KnowledgeFormat::named, {}, strict, list);
  ASSERT_FALSE(read.ok());
  EXPECT_TRUE(read.error().message.starts_with("f, line 3: ")) << read.error().message;
}

TEST(PreparedLists, NamesOfNumbersAreCheckedLineByLine) {
  for (const char* text : {"http://a/p\tx\t1\n", "one\n", "http://a/p\t1\t0\n", "http://a/p\t1\t999\n"}) {
    const auto names = read_number_names({"p", bytes_of(text)});
    ASSERT_FALSE(names.ok()) << text;
    EXPECT_TRUE(names.error().message.starts_with("p, line 1: "));
  }
}

RC_GTEST_PROP(PreparedLists, WhatIsWrittenReadsBackTheSame, ()) {
  const auto name =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc/~ :#"))));
  FeatureList list;
  const auto count = *rc::gen::inRange(0, 30);
  for (int n = 0; n < count; ++n) {
    // A blank at an end is no part of a name in text.
    const auto word = [&] { return "x" + *name + "x"; };
    list.facts.push_back(
        {list.items.intern(word()), list.intern_predicate(word()), list.objects.intern(word())});
  }
  list.settle();
  const std::string text = features_text(list);
  BrokenLines broken;
  FeatureList again;
  RC_ASSERT(read_features({"f", bytes_of(text)}, KnowledgeFormat::named, {}, broken, again).ok());
  RC_ASSERT(broken.count == 0u);
  RC_ASSERT(facts_of(again) == facts_of(list));
}

TEST(LineStream, LinesAreTheSameHoweverTheTextArrives) {
  const std::string text = "\xEF\xBB\xBFone\r\n\n  \ntwo\nthree";
  for (std::size_t size = 1; size < text.size() + 2; ++size) {
    LineStream lines(
        {"f", [rest = std::string_view(text), size](std::span<char> buffer) mutable -> Result<std::size_t> {
           const std::size_t count = std::min({size, rest.size(), buffer.size()});
           std::copy_n(rest.begin(), count, buffer.begin());
           rest.remove_prefix(count);
           return count;
         }});
    std::vector<std::pair<std::string, std::size_t>> seen;
    std::string_view line;
    while (*lines.next(line)) seen.emplace_back(line, lines.number());
    const std::vector<std::pair<std::string, std::size_t>> expected{{"one", 1}, {"two", 4}, {"three", 5}};
    EXPECT_EQ(seen, expected) << size;
  }
}

TEST(PreparedLists, TagsAreWordsOfItemsAndNotOfPeople) {
  const std::string text =
      "userId,movieId,tag,timestamp\n"
      "2,60756,funny,1445714994\n"
      "7,60756, FUNNY ,1445714999\n"
      "2,60756,\"so, so\",1445714996\n"
      "3,1,Pixar,1445714996\n"
      "3,1,,1445714996\n";
  EXPECT_EQ(detect_knowledge("tags.csv", text).value(), KnowledgeFormat::tags);
  EXPECT_FALSE(is_graph(KnowledgeFormat::tags));
  FeatureList list;
  BrokenLines broken;
  ASSERT_TRUE(read_features({"tags.csv", bytes_of(text)}, KnowledgeFormat::tags, {}, broken, list).ok());
  list.settle();
  EXPECT_EQ(features_text(list),
            "item\tpredicate\tobject\n60756\ttag\tfunny\n60756\ttag\tso, so\n1\ttag\tpixar\n");
  EXPECT_EQ(broken.count, 1u) << "an empty tag";
  EXPECT_EQ(broken.first.substr(0, 16), "tags.csv, line 6") << broken.first;
}

}  // namespace sotto::data::prepared_lists_test
