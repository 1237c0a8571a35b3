// `sotto kg`, and training with what is known about items.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

// Four films and who plays in them; line 5 is broken.
constexpr const char* some_films =
    "<http://x/A> <http://dbpedia.org/ontology/starring> <http://x/Ann> .\n"
    "<http://x/B> <http://dbpedia.org/ontology/starring> <http://x/Ann> .\n"
    "<http://x/C> <http://dbpedia.org/ontology/starring> <http://x/Bob> .\n"
    "<http://x/Ann> <http://x/born> \"Rome\"@it .\n"
    "<http://x/Bob> <http://x/born>\n"
    "<http://x/Bob> <http://x/born> \"Rome\" .\n"
    "<http://x/A> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://x/Film> .\n";
constexpr const char* some_links =
    "1\tFilm A\thttp://x/A\n2\tFilm B\thttp://x/B\n3\tFilm C\thttp://x/C\n4\tD\thttp://x/D\n";

TEST(Kg, ExtractWritesWhatTheWalksFind) {
  const Workshop workshop;
  workshop.put("films.nt", some_films);
  workshop.put("links.tsv", some_links);
  const Outcome made = workshop.sotto({"kg", "extract", "--kg", "films.nt", "--links", "links.tsv",
                                       "--min-items", "1", "--out", "features.tsv", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(workshop.get("features.tsv"),
            "item\tpredicate\tobject\n"
            "1\thttp://dbpedia.org/ontology/starring\thttp://x/Ann\n"
            "1\thttp://dbpedia.org/ontology/starring~http://x/born\tRome\n"
            "2\thttp://dbpedia.org/ontology/starring\thttp://x/Ann\n"
            "2\thttp://dbpedia.org/ontology/starring~http://x/born\tRome\n"
            "3\thttp://dbpedia.org/ontology/starring\thttp://x/Bob\n"
            "3\thttp://dbpedia.org/ontology/starring~http://x/born\tRome\n");
  EXPECT_EQ(made.json()["triples"], 6);
  EXPECT_EQ(made.json()["broken"], 1);
  EXPECT_EQ(made.json()["items_without"], 1);

  // What was written is itself something to extract from: the features of two items or more.
  const Outcome again = workshop.sotto(
      {"kg", "extract", "--kg", "features.tsv", "--min-items", "2", "--out", "common.tsv.zst", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json()["features"], 2);
  EXPECT_EQ(again.json()["facts"], 5);
}

TEST(Kg, BrokenTriplesAreFatalIfAskedFor) {
  const Workshop workshop;
  workshop.put("films.nt", some_films);
  workshop.put("links.tsv", some_links);
  const Outcome made = workshop.sotto({"kg", "extract", "--kg", "films.nt", "--links", "links.tsv",
                                       "--broken", "fatal", "--out", "features.tsv"});
  EXPECT_EQ(made.code, 1);
  EXPECT_NE(made.err.find("films.nt, line 5: "), std::string::npos) << made.err;
  EXPECT_FALSE(workshop.has("features.tsv"));
}

TEST(Kg, InspectCounts) {
  const Workshop workshop;
  workshop.put("films.nt", some_films);
  workshop.put("links.tsv", some_links);
  const Words words{"kg", "inspect", "--kg", "films.nt", "--links", "links.tsv", "--min-items", "2"};
  const auto json = workshop.sotto(joined(words, {"--json"})).json();
  EXPECT_EQ(json["broken"], 1);
  EXPECT_EQ(json["graph"]["triples"], 6);
  EXPECT_EQ(json["graph"]["entities"], 6);
  EXPECT_EQ(json["graph"]["literals"], 2);
  EXPECT_EQ(json["graph"]["predicates"][0]["predicate"], "http://dbpedia.org/ontology/starring");
  EXPECT_EQ(json["graph"]["predicates"][0]["triples"], 3);
  EXPECT_EQ(json["features"]["items"], 4);
  EXPECT_EQ(json["features"]["entities_found"], 3);
  EXPECT_EQ(json["features"]["hops"][0]["features_found"], 2);
  EXPECT_EQ(json["features"]["hops"][0]["features"], 1);
  EXPECT_EQ(json["features"]["hops"][1]["features"], 1);
  EXPECT_EQ(json["features"]["most_common"][0]["items"], 3);
  const Outcome table = workshop.sotto(words);
  EXPECT_NE(table.out.find("dbo:starring Ann"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("films.nt, line 5: "), std::string::npos) << table.out;
}

TEST(Kg, ErrorsSayWhatToDo) {
  const Workshop workshop;
  workshop.put("films.nt", some_films);
  workshop.put("other.tsv", "1\thttp://y/A\n");
  workshop.put("data.tsv", "user\titem\n1\t7\n1\t8\n");
  workshop.put("list.tsv", "item\tpredicate\tobject\n1\tp\to\n");
  const Outcome nowhere = workshop.sotto({"kg", "extract", "--kg", "films.nt", "--out", "f.tsv"});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_NE(nowhere.err.find("--links"), std::string::npos) << nowhere.err;
  const Outcome unlinked =
      workshop.sotto({"kg", "extract", "--kg", "films.nt", "--links", "other.tsv", "--out", "f.tsv"});
  EXPECT_EQ(unlinked.code, 1);
  EXPECT_NE(unlinked.err.find("has no facts about any of the 1 linked items"), std::string::npos)
      << unlinked.err;
  const Outcome wrong =
      workshop.sotto({"train", "--data", "data.tsv", "--split", "random:0.5", "--kg", "list.tsv"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("none of its 1 items is in the data"), std::string::npos) << wrong.err;
  const Outcome without = workshop.sotto({"train", "--model", "vsm", "--data", "data.tsv"});
  EXPECT_EQ(without.code, 2);
  EXPECT_NE(without.err.find("--kg"), std::string::npos) << without.err;
}

TEST(Kg, ARunKeepsItsFeatures) {
  const Workshop workshop;
  ASSERT_EQ(workshop
                .sotto({"data", "generate", "--users", "60", "--items", "80", "--mean", "12", "--out",
                        "world", "--kg", "known.tsv"})
                .code,
            0);
  const Outcome trained = workshop.sotto({"train", "--model", "vsm", "--data", "world", "--kg", "known.tsv",
                                          "--kg-min-items", "2", "--out", "run"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(workshop.has("run/features.bin"));
  std::filesystem::remove(workshop.folder() / "known.tsv");
  const Outcome asked = workshop.sotto({"recommend", "--run", "run", "--user", "person-00003"});
  EXPECT_EQ(asked.code, 0) << asked.err;
}

}  // namespace
}  // namespace sotto::cli
