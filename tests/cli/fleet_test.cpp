// `sotto fleet` and `sotto data items` from the command line; fleets that play are in tests/e2e.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class Fleet : public testing::Test {
 protected:
  Fleet() {
    EXPECT_EQ(shop_.sotto({"data", "generate", "--users", "20", "--items", "30", "--out", "world"}).code, 0);
  }
  [[nodiscard]] Outcome fleet(const Words& more) const {
    return shop_.sotto(
        joined({"fleet", "--server", "unix:nobody", "--data", "world/interactions.tsv"}, more));
  }
  Workshop shop_;
};

TEST_F(Fleet, ItemsAreTheCatalogueOfTheSplit) {
  ASSERT_EQ(
      shop_.sotto({"data", "items", "--data", "world/interactions.tsv", "--out", "items.tsv", "--json"}).code,
      0);
  const std::string names = shop_.get("items.tsv");
  const auto lines = std::count(names.begin(), names.end(), '\n');
  // Another command says how many items the training part has.
  const auto parts =
      shop_.sotto({"data", "split", "world/interactions.tsv", "--out", "s.bin", "--json"}).json();
  EXPECT_EQ(lines, parts["items"].get<long>()) << parts.dump();
}

TEST_F(Fleet, ACatalogueHasIdsAlone) {
  const Outcome named = shop_.sotto({"data", "items", "--data", "world/interactions.tsv", "--names",
                                     "world/items.tsv", "--out", "items.tsv"});
  EXPECT_EQ(named.code, 2);
  EXPECT_NE(named.err.find("leave --names out"), std::string::npos) << named.err;
  EXPECT_FALSE(shop_.has("items.tsv"));
}

TEST_F(Fleet, ATimeBelowZeroIsRefused) {
  shop_.put("tokens.txt", "one\n");
  for (const char* seconds : {"-2", "nan"}) {
    const Outcome outcome = fleet({"--tokens", "tokens.txt", "--devices", "1", "--seconds", seconds});
    EXPECT_EQ(outcome.code, 2) << seconds;
    EXPECT_NE(outcome.err.find("--seconds is a number from 0 up"), std::string::npos) << outcome.err;
  }
}

TEST_F(Fleet, LabelledExamplesAreDealtToItsDevices) {
  shop_.put("tokens.txt", "one\n");
  const auto said = [&](const Words& more) {
    const Outcome outcome =
        shop_.sotto(joined({"fleet", "--server", "unix:nobody", "--tokens", "tokens.txt"}, more));
    EXPECT_NE(outcome.code, 0);
    return outcome.err;
  };
  for (const Words& words : {Words{"--deal", "shards"}, Words{"--deal-to", "3"}, Words{"--generate"}}) {
    const std::string err = said(joined(words, {"--data", "world/interactions.tsv"}));
    EXPECT_NE(err.find(words.front() + " is about labelled examples"), std::string::npos) << err;
  }
  EXPECT_NE(said({"--collection", "digits"}).find("there is nothing to learn from"), std::string::npos);
  const std::string few =
      said({"--collection", "digits", "--generate", "--examples", "60", "--deal-to", "4", "--devices", "5"});
  EXPECT_NE(few.find("the data have 4 users"), std::string::npos) << few;
}

TEST_F(Fleet, PeopleAreThoseOfTheData) {
  shop_.put("tokens.txt", "one\n");
  shop_.put("people.csv", "user,age\nsomebody,25-34\n");
  const Words people{"--tokens", "tokens.txt", "--people", "people.csv"};
  const Outcome strangers = fleet(people);
  EXPECT_EQ(strangers.code, 1);
  EXPECT_NE(strangers.err.find("none of its people is in the data"), std::string::npos) << strangers.err;
  const Outcome examples = shop_.sotto(
      joined({"fleet", "--server", "unix:nobody", "--collection", "digits", "--generate"}, people));
  EXPECT_EQ(examples.code, 2);
  EXPECT_NE(examples.err.find("--people is about people with things"), std::string::npos) << examples.err;
}

TEST_F(Fleet, WrongUsageIsSaid) {
  EXPECT_EQ(shop_.sotto({"fleet", "--data", "world"}).code, 2);
  EXPECT_EQ(fleet({}).code, 2) << "without tokens";
  shop_.put("tokens.txt", "one\ntwo\n");
  for (const Words& words :
       {Words{"--dropout", "1.5"}, Words{"--byzantine", "-1"}, Words{"--first", "21"},
        Words{"--devices", "21"}, Words{"--mask", "perhaps"}, Words{"--pi", "2"}, Words{"--consent", "all"},
        Words{"--until-finished", "films"}, Words{"--connections", "0"}, Words{"--timeout", "0"},
        Words{"--timeout", "nan"}, Words{"--devices", "3"}}) {
    const Outcome outcome = fleet(joined({"--tokens", "tokens.txt"}, words));
    EXPECT_EQ(outcome.code, 2) << words.front() << ": " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST_F(Fleet, ACoordinatorThatIsNotThereIsSaidAndItsTokensAreNot) {
  shop_.put("tokens.txt", "sesame\n");
  const Outcome outcome = fleet({"--tokens", "tokens.txt", "--devices", "1"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err.find("sesame"), std::string::npos);
}

}  // namespace
}  // namespace sotto::cli
