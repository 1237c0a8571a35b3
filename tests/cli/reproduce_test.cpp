// sotto reproduce on a small made-up world that lies where the papers' data would.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliReproduce : public ::testing::Test {
 protected:
  // A world in the folder of a dataset.
  void lay_out(const std::string& folder) const {
    const Outcome made = shop_.sotto(
        {"data", "generate", "--users", "50", "--items", "150", "--mean", "45", "--out", "data/" + folder});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  [[nodiscard]] Outcome reproduce(Words words) const {
    words.insert(words.begin(), "reproduce");
    words.insert(words.end(), {"--data", "data", "--out", "out", "-q"});
    return shop_.sotto(words);
  }

  Workshop shop_;
};

TEST_F(CliReproduce, list_says_what_is_there_and_what_is_not) {
  lay_out("amazon-digital-music");
  const Outcome listed = shop_.sotto({"reproduce", "list", "--data", "data", "--json"});
  ASSERT_EQ(listed.code, 0) << listed.err;
  const auto json = listed.json();
  ASSERT_EQ(json["targets"].size(), 19u);
  for (const auto& target : json["targets"]) {
    if (target["target"] == "thesis-4.2") {
      EXPECT_TRUE(target["runnable"]);
    } else if (target["target"] == "sac21") {
      EXPECT_FALSE(target["runnable"]);
    }
    for (const auto& data : target["data"]) EXPECT_EQ(data["there"], data["name"] == "Amazon DM");
  }
  const Outcome text = shop_.sotto({"reproduce", "list", "--data", "data"});
  EXPECT_NE(text.out.find("fig-4.6"), std::string::npos);
}

TEST_F(CliReproduce, wrong_words_and_missing_data_are_told_before_anything_runs) {
  EXPECT_EQ(reproduce({"thesis-4.9"}).code, 2);
  EXPECT_EQ(reproduce({"thesis-4.2", "--quick", "--full"}).code, 2);
  EXPECT_EQ(reproduce({"thesis-4.2", "--format", "clay"}).code, 2);
  const Outcome none = reproduce({"thesis-4.2"});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("movielens-1m"), std::string::npos) << none.err;
  EXPECT_FALSE(shop_.has("out/results.sqlite"));
}

TEST_F(CliReproduce, table_4_1_counts) {
  lay_out("amazon-digital-music");
  const Outcome table = reproduce({"4.1", "--json"});
  ASSERT_EQ(table.code, 0) << table.err;
  for (const auto& cell : table.json()["cells"]) {
    if (cell["row"] == "Amazon DM" && cell["metric"] == "users") {
      EXPECT_EQ(cell["ours"], 50);
      EXPECT_EQ(cell["printed"], 1835);
      EXPECT_EQ(cell["verdict"], "below");
    }
    if (cell["row"] == "Brazil") {
      EXPECT_EQ(cell["verdict"], "data absent");
    }
  }
}

TEST_F(CliReproduce, table_4_2_gives_every_row_and_never_computes_twice) {
  lay_out("amazon-digital-music");
  const Outcome first = reproduce({"thesis-4.2", "--json"});
  ASSERT_EQ(first.code, 0) << first.err;
  const auto json = first.json();
  std::size_t rows = 0, extras = 0;
  for (const auto& cell : json["cells"]) {
    if (cell["table"] != "Amazon DM" || cell["metric"] != "P@10") continue;
    ++(cell["extra"] ? extras : rows);
    EXPECT_TRUE(cell["ours"].is_number()) << cell.dump();
  }
  EXPECT_EQ(rows, 11u);
  EXPECT_EQ(extras, 5u);
  EXPECT_EQ(json["findings"].size(), 4u);
  EXPECT_NE(shop_.get("out/thesis-4.2.html").find("Amazon DM"), std::string::npos);
  EXPECT_GT(json["computed"], 30);
  // Again, and for a table and a figure that need the same cells: nothing is trained.
  const Outcome again = reproduce({"thesis-4.2", "--json", "--threads", "1"});
  EXPECT_EQ(again.json()["computed"], 0);
  EXPECT_EQ(again.json()["cells"], json["cells"]);
  EXPECT_EQ(again.json()["findings"], json["findings"]);
  for (const char* other : {"thesis-4.3", "fig-4.2"})
    EXPECT_EQ(reproduce({other, "--json"}).json()["computed"], 0) << other;
  const Outcome cells = reproduce({"thesis-4.2", "--format", "tsv"});
  EXPECT_EQ(rows_of(cells.out).size(), json["cells"].size() + 1);
}

TEST_F(CliReproduce, figures_are_drawn) {
  lay_out("amazon-digital-music");
  for (const char* figure : {"fig-4.2", "fig-4.4", "fig-4.5"}) {
    const Outcome drawn = reproduce({figure, "--json"});
    ASSERT_EQ(drawn.code, 0) << drawn.err;
    const std::string page = shop_.get(std::string("out/") + figure + ".html");
    EXPECT_NE(page.find("<svg"), std::string::npos) << figure;
    EXPECT_NE(page.find("class=\"series "), std::string::npos) << figure;
  }
}

TEST_F(CliReproduce, brazil_may_be_replaced_and_says_so) {
  lay_out("foursquare-italy");
  const Outcome costs = reproduce({"fig-4.6", "--json"});
  ASSERT_EQ(costs.code, 0) << costs.err;
  const auto json = costs.json();
  std::size_t formula = 0, other = 0;
  for (const auto& cell : json["cells"]) {
    formula += cell["verdict"] == "reached" ? 1 : 0;
    other += cell["verdict"] == "other data" ? 1 : 0;
  }
  EXPECT_EQ(formula, 40u);  // printed costs follow from printed counts
  EXPECT_GT(other, 0u);
  EXPECT_NE(json["notes"].dump().find("Brazil is absent"), std::string::npos);
  const Outcome bias = reproduce({"thesis-4.5", "--json"});
  EXPECT_EQ(bias.code, 0) << bias.err;
}

}  // namespace
}  // namespace sotto::cli
