// sotto data inspect, convert, split, generate.
#include <gtest/gtest.h>

#include <set>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

// Three people, four things, one repeated pair.
constexpr const char* rating_lines =
    "user,item,rating,time\n"
    "ann,tea,5,100000001\nann,rye,3,100000002\nann,oat,4,100000003\n"
    "bob,tea,4,100000004\nbob,fig,1,100000005\nbob,tea,2,100000006\n"
    "eve,oat,5,100000007\n";

TEST(CliData, inspect_counts_what_is_there) {
  const Workshop shop;
  shop.put("r.csv", rating_lines);
  const Outcome outcome = shop.sotto({"data", "inspect", "r.csv", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["users"], 3);
  EXPECT_EQ(json["items"], 4);
  EXPECT_EQ(json["interactions"], 6);
  EXPECT_EQ(json["repeated"], 1);
  EXPECT_NEAR(json["density"].get<double>(), 6.0 / 12.0, 1e-12);
  EXPECT_EQ(json["time"]["first"], 100000001);
  EXPECT_EQ(json["time"]["last"], 100000007);
  EXPECT_EQ(json["per_user"]["max"], 3);
  EXPECT_EQ(json["per_user"]["min"], 1);
  std::map<std::string, int> histogram;
  for (const auto& bin : json["ratings"]) histogram[bin["rating"]] = bin["count"];
  EXPECT_EQ(histogram, (std::map<std::string, int>{{"1", 1}, {"2", 1}, {"3", 1}, {"4", 1}, {"5", 2}}));
}

TEST(CliData, inspect_filters_and_prints_a_table) {
  const Workshop shop;
  shop.put("r.csv", rating_lines);
  const auto json = shop.sotto({"data", "inspect", "r.csv", "--min-rating", "4", "--json"}).json();
  EXPECT_EQ(json["interactions"], 3);  // tea and oat of ann, oat of eve: bob's last word on tea is 2
  EXPECT_EQ(json["filters"].size(), 1u);
  const Outcome table = shop.sotto({"data", "inspect", "r.csv"});
  EXPECT_EQ(table.code, 0);
  EXPECT_NE(table.out.find("items per user"), std::string::npos);
  EXPECT_EQ(table.out.find('\033'), std::string::npos) << "colours only on a terminal";
}

TEST(CliData, bad_lines_are_named_without_their_ids) {
  const Workshop shop;
  shop.put("r.csv", "user,item,rating,time\nann,tea,five,100000001\n");
  const Outcome outcome = shop.sotto({"data", "inspect", "r.csv"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("r.csv, line 2"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("ann"), std::string::npos) << outcome.err;
}

TEST(CliData, convert_there_and_back) {
  const Workshop shop;
  shop.put("r.csv", rating_lines);
  ASSERT_EQ(shop.sotto({"data", "convert", "r.csv", "--out", "one.tsv.zst"}).code, 0);
  ASSERT_EQ(shop.sotto({"data", "convert", "one.tsv.zst", "--out", "two.csv"}).code, 0);
  ASSERT_EQ(shop.sotto({"data", "convert", "two.csv", "--out", "three.tsv"}).code, 0);
  const Outcome direct = shop.sotto({"data", "convert", "r.csv", "--out", "-"});
  EXPECT_EQ(direct.out, shop.get("three.tsv"));
  EXPECT_EQ(rows_of(direct.out).size(), 7u);
  EXPECT_EQ(rows_of(direct.out)[0], (std::vector<std::string>{"user", "item", "rating", "time"}));
  EXPECT_TRUE(shop.get("one.tsv.zst").starts_with("\x28\xB5\x2F\xFD"));
}

TEST(CliData, csv_fields_with_commas_and_quotes_survive) {
  const Workshop shop;
  shop.put("r.tsv", "user\titem\ttime\nu1\tTea, \"green\"\t100000001\nu1\tplain\t100000002\n");
  ASSERT_EQ(shop.sotto({"data", "convert", "r.tsv", "--out", "r2.csv"}).code, 0);
  EXPECT_EQ(shop.sotto({"data", "convert", "r2.csv", "--out", "-"}).out, shop.get("r.tsv"));
}

TEST(CliData, convert_refuses_an_unknown_ending_and_writes_nothing) {
  const Workshop shop;
  shop.put("r.csv", rating_lines);
  EXPECT_EQ(shop.sotto({"data", "convert", "r.csv", "--out", "r.xls"}).code, 2);
  EXPECT_FALSE(shop.has("r.xls"));
}

TEST(CliData, split_parts_are_disjoint_and_complete) {
  const Workshop shop;
  ASSERT_EQ(shop.sotto({"data", "generate", "--users", "50", "--items", "80", "--out", "w"}).code, 0);
  const Outcome outcome = shop.sotto(
      {"data", "split", "w", "--split", "temporal:0.8", "--validation", "0.2", "--out", "s", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::set<std::vector<std::string>> pairs, all;
  std::size_t lines = 0;
  for (const char* part : {"s/train.tsv", "s/validation.tsv", "s/test.tsv"})
    for (const auto& row : rows_of(shop.get(part))) {
      pairs.insert(row);
      ++lines;
    }
  for (const auto& row : rows_of(shop.get("w/interactions.tsv")))
    if (row[0] != "user") all.insert({row[0], row[1]});
  EXPECT_EQ(pairs, all);
  EXPECT_EQ(lines, all.size());
  const auto json = outcome.json();
  EXPECT_EQ(json["train_interactions"], rows_of(shop.get("s/train.tsv")).size());
  EXPECT_EQ(json["test_interactions"], rows_of(shop.get("s/test.tsv")).size());
}

TEST(CliData, split_refuses_a_bad_rule_and_data_without_times) {
  const Workshop shop;
  shop.put("r.tsv", "u1\ta\nu1\tb\nu2\ta\nu2\tc\n");
  EXPECT_EQ(shop.sotto({"data", "split", "r.tsv", "--split", "sideways", "--out", "s"}).code, 2);
  EXPECT_NE(shop.sotto({"data", "split", "r.tsv", "--split", "temporal:0.5", "--out", "s"}).code, 0);
  EXPECT_FALSE(shop.has("s"));
  EXPECT_EQ(shop.sotto({"data", "split", "r.tsv", "--split", "random:0.5", "--out", "s.bin"}).code, 0);
  EXPECT_TRUE(shop.has("s.bin"));
}

TEST(CliData, generate_is_a_function_of_its_seed) {
  const Workshop shop;
  const std::vector<std::string> words{"data", "generate", "--users", "40",   "--items",
                                       "60",   "--mean",   "12",      "--out"};
  const auto generate = [&](const std::string& out, const std::string& seed) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {out, "--seed", seed});
    EXPECT_EQ(shop.sotto(all).code, 0);
  };
  generate("a", "1");
  generate("b.tsv", "1");
  generate("c", "2");
  EXPECT_EQ(shop.get("a/interactions.tsv"), shop.get("b.tsv"));
  EXPECT_EQ(shop.get("a/items.tsv"), shop.get("b.items.tsv"));
  EXPECT_NE(shop.get("a/interactions.tsv"), shop.get("c/interactions.tsv"));
  EXPECT_EQ(rows_of(shop.get("a/items.tsv"))[0], (std::vector<std::string>{"item", "name", "category"}));
  EXPECT_NE(shop.sotto({"data", "generate", "--users", "0", "--out", "d"}).code, 0);
  EXPECT_FALSE(shop.has("d"));
}

}  // namespace
}  // namespace sotto::cli
