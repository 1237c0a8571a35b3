// sotto recommend --explain and --veto, sotto features, and consent over features: a run that knows why.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::json;
constexpr const char* person = "person-00007";

// One run for all tests of this file.
class CliExplain : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shop = new Workshop;
    ASSERT_EQ(shop->sotto({"data", "generate", "--users", "150", "--items", "120", "--mean", "20", "--out",
                           "w", "--kg", "k.tsv"})
                  .code,
              0);
    const Outcome trained = train({"--model", "kgflex", "--out", "run"});
    ASSERT_EQ(trained.code, 0) << trained.err;
    ASSERT_EQ(shop->sotto({"train", "--data", "w", "--model", "toppop", "--out", "pop"}).code, 0);
  }
  static void TearDownTestSuite() {
    delete shop;
    shop = nullptr;
  }
  static Outcome train(const Words& more) {
    return shop->sotto(joined({"train", "--data", "w", "--names", "w/items.tsv", "--kg", "k.tsv",
                               "--kg-min-items", "3", "--epochs", "5", "--json"},
                              more));
  }
  static Outcome recommend(const Words& more) {
    return shop->sotto(joined({"recommend", "--run", "run", "-n", "8"}, more));
  }
  static Json list_for(const Words& more) {
    const Outcome outcome = recommend(joined({"--json", "--user", person}, more));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.json();
  }
  static Json own_features(const Words& more) {
    const Outcome outcome = shop->sotto(joined({"features", "--run", "run", "--json"}, more));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.json();
  }
  // item → "predicate object", from the list that the run was trained with.
  static std::map<std::string, std::set<std::string>> facts() {
    std::map<std::string, std::set<std::string>> facts;
    for (const auto& row : rows_of(shop->get("k.tsv")))
      if (row.size() >= 3) facts[row[0]].insert(row[1] + " " + row[2]);
    return facts;
  }
  static std::string full(const Json& reason) {
    return reason["predicate"].get<std::string>() + " " + reason["object"].get<std::string>();
  }
  static Words ids(const Json& list) {
    Words items;
    for (const Json& item : list["lists"][0]["items"]) items.push_back(item["item"]);
    return items;
  }

  static Workshop* shop;
};
Workshop* CliExplain::shop = nullptr;

// Every reason is a fact about the item, and told and untold parts add up to the score.
void expect_sound(const Json& items, const std::map<std::string, std::set<std::string>>& facts,
                  std::size_t most) {
  for (const Json& item : items) {
    double sum = item["others"]["part"], last = 1e9;
    EXPECT_LE(item["because"].size(), most);
    for (const Json& reason : item["because"]) {
      EXPECT_TRUE(
          facts.at(item["item"])
              .contains(reason["predicate"].get<std::string>() + " " + reason["object"].get<std::string>()));
      EXPECT_LE(reason["part"].get<double>(), last);
      last = reason["part"];
      sum += last;
      EXPECT_GT(reason["weight"].get<double>(), 0.0);
    }
    EXPECT_NEAR(sum, item["score"].get<double>(), 1e-4);
  }
}

TEST_F(CliExplain, reasons_are_facts_and_add_up_to_the_score) {
  const auto known = facts();
  const Json plain = list_for({}), three = list_for({"--explain"}), all = list_for({"--explain", "1000"});
  EXPECT_EQ(ids(plain), ids(three));
  EXPECT_FALSE(plain["lists"][0]["items"][0].contains("because"));
  expect_sound(three["lists"][0]["items"], known, 3);
  expect_sound(all["lists"][0]["items"], known, 1000);
  EXPECT_EQ(three["lists"][0]["items"][0]["because"].size(), 3u);
  for (const Json& item : all["lists"][0]["items"]) EXPECT_EQ(item["others"]["features"], 0);
}

TEST_F(CliExplain, reasons_are_told_in_words) {
  const Json first = list_for({"--explain"})["lists"][0]["items"][0];
  const Outcome text = recommend({"--user", person, "--explain", "2"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("  1. " + first["name"].get<std::string>() + "  ("), std::string::npos);
  EXPECT_NE(text.out.find("     because you care about " + first["because"][0]["feature"].get<std::string>() +
                          " ("),
            std::string::npos)
      << text.out;
}

TEST_F(CliExplain, everybodys_lists_have_a_column_of_reasons) {
  const auto plain = rows_of(recommend({"--all"}).out), why = rows_of(recommend({"--all", "--explain"}).out);
  ASSERT_EQ(plain.size(), why.size());
  EXPECT_EQ(why[0].back(), "because");
  for (std::size_t row = 1; row < plain.size(); ++row) {
    EXPECT_EQ(plain[row], std::vector(why[row].begin(), why[row].end() - 1));
    EXPECT_FALSE(why[row].back().empty());
  }
}

TEST_F(CliExplain, somebody_new_is_told_why_too) {
  const Json list = recommend({"--json", "--explain", "--history", "venue-00003", "venue-00017"}).json();
  expect_sound(list["lists"][0]["items"], facts(), 3);
  EXPECT_TRUE(list["lists"][0]["user"].is_null());
}

TEST_F(CliExplain, a_veto_takes_a_feature_out_and_says_what_changes) {
  const Json before = list_for({"--explain"});
  const Json vetoed = before["lists"][0]["items"][0]["because"][0];
  const Json after = list_for({"--explain", "1000", "--veto", vetoed["feature"]});
  for (const Json& item : after["lists"][0]["items"])
    for (const Json& reason : item["because"]) EXPECT_NE(reason["feature"], vetoed["feature"]);
  expect_sound(after["lists"][0]["items"], facts(), 1000);
  EXPECT_EQ(after["vetoed"][0]["object"], vetoed["object"]);
  // What it says has changed is what differs between the two lists.
  const Words old_list = ids(before), new_list = ids(after);
  EXPECT_NE(old_list, new_list);
  const auto rank = [](const Words& list, const std::string& item) {
    const auto at = std::find(list.begin(), list.end(), item);
    return at == list.end() ? Json() : Json(at - list.begin() + 1);
  };
  std::set<std::string> told;
  for (const Json& change : after["lists"][0]["changes"]) {
    told.insert(change["item"]);
    EXPECT_EQ(change["before"], rank(old_list, change["item"]));
    EXPECT_EQ(change["after"], rank(new_list, change["item"]));
  }
  for (const Words& list : {old_list, new_list})
    for (const std::string& item : list)
      EXPECT_EQ(told.contains(item), rank(old_list, item) != rank(new_list, item)) << item;
  // By its full name it is the same feature.
  EXPECT_EQ(list_for({"--veto", full(vetoed)})["lists"][0]["changes"], after["lists"][0]["changes"]);
  const Outcome text = recommend({"--user", person, "--veto", vetoed["feature"]});
  EXPECT_NE(text.out.find("Changed by the veto: "), std::string::npos) << text.out;
  EXPECT_EQ(rows_of(recommend({"--all", "--veto", vetoed["feature"]}).out)[0].back(), "before");
}

TEST_F(CliExplain, a_predicate_is_vetoed_with_its_chains) {
  const Json after = list_for({"--explain", "1000", "--veto-predicate", "category"});
  for (const Json& item : after["lists"][0]["items"])
    for (const Json& reason : item["because"])
      EXPECT_EQ(reason["predicate"].get<std::string>().find("/category"), std::string::npos) << reason;
}

TEST_F(CliExplain, what_cannot_be_explained_or_vetoed_is_said) {
  const Outcome silent = shop->sotto({"recommend", "--run", "pop", "--user", person, "--explain"});
  EXPECT_EQ(silent.code, 2);
  EXPECT_NE(silent.err.find("cannot give reasons"), std::string::npos) << silent.err;
  EXPECT_NE(silent.err.find("kgflex"), std::string::npos) << silent.err;
  const Outcome unknown = recommend({"--user", person, "--veto", "category Muzeum"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.err.find("did you mean 'category Museum'?"), std::string::npos) << unknown.err;
  EXPECT_EQ(recommend({"--user", person, "--veto-predicate", "categories"}).code, 1);
  EXPECT_EQ(recommend({"--user", person, "--explain", "0"}).code, 2);
  EXPECT_EQ(recommend({"--all", "--explain", "--format", "trec"}).code, 2);
  EXPECT_EQ(shop->sotto({"features", "--run", "pop"}).code, 2);
  const Outcome stranger = shop->sotto({"features", "--run", "run", "--user", "secret-person"});
  EXPECT_EQ(stranger.code, 1);
  EXPECT_EQ(stranger.err.find("secret-person"), std::string::npos) << stranger.err;
}

TEST_F(CliExplain, features_are_those_that_explain) {
  const Json own = own_features({"--user", person, "-n", "1000"});
  std::map<std::string, double> weights;
  double last = 1e9;
  for (const Json& feature : own["features"]) {
    weights[feature["feature"]] = feature["weight"];
    EXPECT_LE(feature["weight"].get<double>(), last);
    last = feature["weight"];
  }
  for (const Json& item : list_for({"--explain"})["lists"][0]["items"])
    for (const Json& reason : item["because"])
      EXPECT_EQ(weights.at(reason["feature"]), reason["weight"].get<double>());
  // All features of the run, with the items that have them.
  std::map<std::string, std::size_t> holders;
  for (const auto& [item, known] : facts())
    for (const std::string& fact : known) ++holders[fact];
  const Json found = own_features({"--find", "museum", "-n", "1000"});
  EXPECT_GT(found["found"], 0u);
  for (const Json& feature : found["features"]) {
    EXPECT_NE(feature["feature"].get<std::string>().find("Museum"), std::string::npos);
    EXPECT_EQ(holders.at(full(feature)), feature["items"].get<std::size_t>());
  }
  const Outcome text = shop->sotto({"features", "--run", "run", "--user", person, "-n", "3"});
  EXPECT_NE(text.out.find("more: -n shows them"), std::string::npos) << text.out;
}

TEST_F(CliExplain, what_consent_keeps_back_is_neither_learned_nor_a_reason) {
  const std::string kept = own_features({"--user", person})["features"][0]["feature"];
  shop->put("mine.toml", "level = \"open\"\n\n[features]\n\"" + kept +
                             "\" = \"never\"\n\n[predicates]\n\"city\" = \"never\"\n");
  const Outcome trained = train({"--model", "kgflex", "--out", "kept", "--consent", "mine.toml"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Json own =
      shop->sotto({"features", "--run", "kept", "--user", person, "-n", "1000", "--json"}).json()["features"];
  EXPECT_FALSE(own.empty());
  for (const Json& feature : own) {
    EXPECT_NE(feature["feature"], kept);
    EXPECT_FALSE(feature["feature"].get<std::string>().starts_with("city ")) << feature;
  }
  // A rule for what is not there does not pass in silence; models without features have no use for rules.
  shop->put("typo.toml", "level = \"open\"\n\n[features]\n\"category Muzeum\" = \"never\"\n");
  const Outcome typo = train({"--model", "kgflex", "--out", "typo", "--consent", "typo.toml"});
  EXPECT_EQ(typo.code, 2);
  EXPECT_NE(typo.err.find("typo.toml, line 4: the rule is for the feature 'category Muzeum'"),
            std::string::npos)
      << typo.err;
  EXPECT_EQ(
      shop->sotto({"train", "--data", "w", "--epochs", "1", "--consent", "typo.toml", "--out", "fpl"}).code,
      0);
}

}  // namespace
}  // namespace sotto::cli
