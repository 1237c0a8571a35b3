#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "data/kg/statement.h"
#include "data/text_source.h"

namespace sotto::data::rdf_test {

struct Read {
  std::vector<std::string> lines;  // "subject predicate object", a literal's object in quotes
  BrokenLines broken;
  Status status = Done{};
};

using Reader = Status (*)(NamedSource, std::uint32_t, BrokenLines&, const StatementSink&);

Read read(Reader reader, const std::string& text, bool fatal = false, std::uint32_t file = 0) {
  Read result;
  result.broken.fatal = fatal;
  result.status = reader({"f", bytes_of(text)}, file, result.broken, [&](const Statement& statement) {
    const std::string mark = statement.literal ? "\"" : "";
    result.lines.push_back(std::string(statement.subject) + " " + std::string(statement.predicate) + " " +
                           mark + std::string(statement.object) + mark);
  });
  return result;
}

using Lines = std::vector<std::string>;

TEST(NTriples, TermsOfEachKind) {
  const Read found =
      read(read_ntriples,
           "# a remark\n"
           "<http://a/x> <http://a/p> <http://a/y> .\n"
           "\n"
           "<http://a/x> <http://a/p> \"caf\\u00E9\\t\\\"x\\\"\"@fr . # behind\n"
           "_:b1 <http://a/p> _:b2 .\n"
           "<http://a/\\u00E9> <http://a/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
           "<http://a/x> <http://a/p> \"\" .\n");
  EXPECT_TRUE(found.status.ok());
  EXPECT_EQ(found.lines, (Lines{"http://a/x http://a/p http://a/y", "http://a/x http://a/p \"café \"x\"\"",
                                "_:f0-b1 http://a/p _:f0-b2", "http://a/é http://a/p \"1\""}));
  EXPECT_EQ(found.broken.count, 0u) << found.broken.first;
}

TEST(NTriples, ABrokenLineDoesNotTouchTheNext) {
  const std::string text =
      "<http://a/x> <http://a/p> <http://a/1> .\n"
      "<http://a/x> <http://a/p> .\n"
      "<http://a/x> <http://a/p> \"open .\n"
      "rubbish\n"
      "<http://a/x> <http://a/p> <http://a/2>\n"
      "\"text\" <http://a/p> <http://a/3> .\n"
      "<http://a/x> <http://a/p> <http://a/4> . <http://a/x> <http://a/p> <http://a/5> .\n"
      "<http://a/x> <http://a/p> <http://a/6> .";
  const Read found = read(read_ntriples, text);
  EXPECT_EQ(found.lines, (Lines{"http://a/x http://a/p http://a/1", "http://a/x http://a/p http://a/6"}));
  EXPECT_EQ(found.broken.count, 6u);
  EXPECT_TRUE(found.broken.first.starts_with("f, line 2: ")) << found.broken.first;
  const Read strict = read(read_ntriples, text, true);
  ASSERT_FALSE(strict.status.ok());
  EXPECT_TRUE(strict.status.error().message.starts_with("f, line 2: ")) << strict.status.error().message;
}

TEST(NTriples, BlankNodesOfTwoFilesAreNotTheSame) {
  const std::string text = "_:b1 <http://a/p> <http://a/x> .\n";
  EXPECT_NE(read(read_ntriples, text, false, 0).lines, read(read_ntriples, text, false, 1).lines);
}

TEST(NTriples, LongLiteralsAreCutBetweenLetters) {
  std::string text = "<http://a/x> <http://a/p> \"";
  for (int n = 0; n < 3000; ++n) text += "é";
  const Read found = read(read_ntriples, text + "\" .\n");
  ASSERT_EQ(found.lines.size(), 1u);
  const std::string object = found.lines[0].substr(found.lines[0].find('"'));
  EXPECT_EQ(object.size(), longest_id + 2);
  EXPECT_TRUE(is_utf8(object));
}

TEST(Turtle, PrefixesListsAndNestedNodes) {
  const Read found = read(read_turtle,
                          "@base <http://base/> .\n"
                          "@prefix a: <http://a/> .\n"
                          "PREFIX b: <http://b/>\n"
                          "a:film a a:Film ;\n"
                          "  b:title \"\"\"two\n lines\"\"\"@en , 'café' ;\n"
                          "  b:place [ b:city <Rome> ] ;\n"
                          "  b:cast ( a:one ) ;\n"
                          "  b:year 1999 .\n");
  EXPECT_TRUE(found.status.ok());
  EXPECT_EQ(found.broken.count, 0u) << found.broken.first;
  const std::string rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
  Lines expected{"http://a/film " + rdf + "type http://a/Film", "http://a/film http://b/title \"two  lines\"",
                 "http://a/film http://b/title \"café\"",       "http://a/film http://b/place _:f0-b1",
                 "_:f0-b1 http://b/city http://base/Rome",      "http://a/film http://b/cast _:f0-b2",
                 "_:f0-b2 " + rdf + "first http://a/one",       "_:f0-b2 " + rdf + "rest " + rdf + "nil",
                 "http://a/film http://b/year \"1999\""};
  EXPECT_EQ(found.lines, expected);
}

TEST(Turtle, GoesOnAfterSomethingBroken) {
  const std::string text =
      "@prefix a: <http://a/> .\n"
      "a:x a:p a:1 .\n"
      "a:x a:p ;;; rubbish rubbish\n"
      "a:x unknown:p a:2 .\n"
      "a:x a:p a:3 .\n"
      "a:x a:p \"open\n"
      "a:x a:p a:4 .\n";
  const Read found = read(read_turtle, text);
  EXPECT_TRUE(found.status.ok());
  const auto has = [&](const char* line) {
    return std::find(found.lines.begin(), found.lines.end(), line) != found.lines.end();
  };
  EXPECT_TRUE(has("http://a/x http://a/p http://a/1"));
  EXPECT_TRUE(has("http://a/x http://a/p http://a/3"));
  EXPECT_TRUE(has("http://a/x http://a/p http://a/4"));
  EXPECT_EQ(found.broken.count, 3u);
  EXPECT_TRUE(found.broken.first.starts_with("f, line 3: ")) << found.broken.first;
}

TEST(Turtle, FatalEndsAtTheLine) {
  const Read found = read(read_turtle, "@prefix a: <http://a/> .\na:x b:p a:1 .\na:x a:p a:2 .\n", true);
  ASSERT_FALSE(found.status.ok());
  EXPECT_TRUE(found.status.error().message.starts_with("f, line 2: a prefix"))
      << found.status.error().message;
  EXPECT_TRUE(found.lines.empty());
}

TEST(Turtle, TextThatEndsInTheMiddleIsBrokenAndEnds) {
  for (const char* text : {"<http://a/x> <http://a/p>", "<http://a/x> <http://a/p> \"\"\"long\n",
                           "<http://a/x", "@prefix a: ", "<http://a/x> <http://a/p> ( <http://a/y> ", "["}) {
    const Read found = read(read_turtle, text);
    EXPECT_TRUE(found.status.ok());
    EXPECT_GE(found.broken.count, 1u) << text;
  }
}

TEST(Turtle, WhatTheSourceFailsAtIsTheResult) {
  BrokenLines broken;
  const Status status = read_turtle(
      {"f", [](std::span<char>) -> Result<std::size_t> { return fail(Code::io, "the disk is gone"); }}, 0,
      broken, [](const Statement&) {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "the disk is gone");
}

TEST(TriplesTsv, NamesMarksAndTexts) {
  const Read found = read(read_triples_tsv,
                          "subject\tpredicate\tobject\n"
                          "http://a/x\thttp://a/p\thttp://a/y\n"
                          "<http://a/x>\t<http://a/p>\t<urn:y>\n"
                          "http://a/x\thttp://a/p\t\"see http://a/z\"@en\n"
                          "http://a/x\thttp://a/p\tsome words\n"
                          "http://a/x\thttp://a/p\n"
                          "_:b\tp\t_:c\n");
  EXPECT_EQ(found.lines, (Lines{"http://a/x http://a/p http://a/y", "http://a/x http://a/p urn:y",
                                "http://a/x http://a/p \"see http://a/z\"",
                                "http://a/x http://a/p \"some words\"", "_:f0-b p _:f0-c"}));
  EXPECT_EQ(found.broken.count, 1u);
  EXPECT_EQ(found.broken.first, "f, line 6: a triple has three columns parted by tabs");
}

// The same triples in all three formats.
RC_GTEST_PROP(Rdf, TheFormatsSayTheSame, ()) {
  const auto letters = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'e')));
  std::string triples, turtle = "@prefix x: <http://x/> .\n", columns;
  Lines expected;
  const int count = *rc::gen::inRange(0, 12);
  for (int n = 0; n < count; ++n) {
    const std::string s = *letters, p = *letters, o = *letters;
    const bool literal = *rc::gen::arbitrary<bool>();
    triples += "<http://x/" + s + "> <http://x/" + p + "> " +
               (literal ? "\"" + o + "\"@en" : "<http://x/" + o + ">") + " .\n";
    turtle += "x:" + s + "\n x:" + p + " " + (literal ? "\"" + o + "\"" : "x:" + o) + " .\n";
    columns += "http://x/" + s + "\thttp://x/" + p + "\t" + (literal ? o : "http://x/" + o) + "\n";
    expected.push_back("http://x/" + s + " http://x/" + p + " " +
                       (literal ? "\"" + o + "\"" : "http://x/" + o));
  }
  RC_ASSERT(read(read_ntriples, triples).lines == expected);
  RC_ASSERT(read(read_turtle, triples).lines == expected);
  RC_ASSERT(read(read_turtle, turtle).lines == expected);
  RC_ASSERT(read(read_triples_tsv, columns).lines == expected);
}

}  // namespace sotto::data::rdf_test
