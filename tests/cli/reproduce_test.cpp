// sotto reproduce on a small made-up world that lies where the papers' data would.
#include <fmt/format.h>
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
  ASSERT_EQ(json["targets"].size(), 32u);
  for (const auto& target : json["targets"]) {
    if (target["target"] == "thesis-4.2") {
      EXPECT_TRUE(target["runnable"]);
    } else if (target["target"] == "sac21") {
      EXPECT_FALSE(target["runnable"]);
    }
    for (const auto& data : target["data"]) EXPECT_EQ(data["there"], data["name"] == "Amazon DM");
  }
  const Outcome text = shop_.sotto({"reproduce", "list", "--data", "data"});
  for (const auto& target : json["targets"])
    EXPECT_NE(text.out.find("  " + target["target"].get<std::string>() + " "), std::string::npos) << target;
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
  const nlohmann::json told = table.json();
  for (const auto& cell : told["cells"]) {
    if (cell["row"] == "Amazon DM" && cell["metric"] == "users") {
      EXPECT_EQ(cell["ours"], 47);  // of the 50 so many have 20 venues or more
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

// Chapter 6 on made-up books with made-up knowledge.
TEST_F(CliReproduce, table_6_1_and_its_figures_share_their_cells) {
  const std::string books = "data/kg-facebook-books/";
  shop_.put(books + "kgflex_predicates.tsv", "none\t0\t1\n");
  const Outcome made =
      shop_.sotto({"data", "generate", "--users", "60", "--items", "120", "--mean", "30", "--out",
                   books + "kgflex_dataset.tsv", "--kg", books + "kgflex_item_features.tsv"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Outcome table = reproduce({"thesis-6.1", "--json"});
  ASSERT_EQ(table.code, 0) << table.err;
  const auto json = table.json();
  std::size_t cells = 0, best = 0;
  for (const auto& cell : json["cells"]) {
    if (cell["table"].get<std::string>().find("Facebook Books") == std::string::npos || cell["extra"])
      continue;
    ++cells;
    best += cell.value("standing", "") == "best" ? 1 : 0;
    EXPECT_TRUE(cell["ours"].is_number() || cell["metric"].get<std::string>().starts_with("Pop"))
        << cell.dump();
    EXPECT_TRUE(cell["printed"].is_number()) << cell.dump();
  }
  EXPECT_EQ(cells, 120u);  // ten models, twelve metrics
  EXPECT_GE(best, 8u);
  const Outcome figure = reproduce({"fig-6.2", "--json"});
  ASSERT_EQ(figure.code, 0) << figure.err;
  EXPECT_EQ(figure.json()["computed"], 0);
  for (const char* model : {"KGFlex", "kaHFM", "Random"})
    EXPECT_NE(shop_.get("out/fig-6.2/plots/hits-over-entropy-facebook-books.svg").find(model),
              std::string::npos);
  const Outcome kept = reproduce({"thesis-6.2", "--json"});
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_EQ(kept.json()["computed"], 0);
  const nlohmann::json told = kept.json();
  for (const auto& cell : told["cells"]) {
    EXPECT_GE(cell["ours"], 0.0) << cell.dump();
    EXPECT_LE(cell["ours"], 1.0) << cell.dump();
  }
}

// Two halves of films that know their own people, by names that can be read in the clouds.
TEST_F(CliReproduce, word_clouds_name_features) {
  std::string ratings, triples, links;
  for (int user = 0; user < 40; ++user)
    for (int film = 0; film < 12; ++film)
      ratings += fmt::format("{}\t{}\t5\n", user, film + (user % 2 == 0 ? 0 : 12));
  for (int film = 0; film < 24; ++film) {
    links += fmt::format("{0}\thttp://dbpedia.org/resource/Film_{0}\n", film);
    for (const char* kind : {film < 12 ? "Space_operas" : "Courtroom_dramas", "English-language_films"})
      triples += fmt::format(
          "http://dbpedia.org/resource/Film_{}\thttp://purl.org/dc/terms/subject\t"
          "http://dbpedia.org/resource/Category:{}\n",
          film, kind);
  }
  shop_.put("data/kg-yahoo-movies/kgflex_dataset.tsv", ratings);
  shop_.put("data/kg-yahoo-movies/dbpedia_linking.tsv", links);
  shop_.put("data/kg-movielens-1m/dbpedia_1hop_11_predicates.tsv", triples);
  const Outcome drawn = reproduce({"fig-6.4", "--json"});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  for (const char* name : {"before", "after"}) {
    const std::string svg = shop_.get(fmt::format("out/fig-6.4/plots/features-{}-yahoo-movies.svg", name));
    EXPECT_NE(svg.find(">Space operas</tspan>"), std::string::npos) << name;
    EXPECT_NE(svg.find("dct:subject Courtroom dramas"), std::string::npos) << name;
    EXPECT_EQ(svg.find(">English-language films</tspan>"), std::string::npos) << name;  // tells nobody apart
  }
}

// Two kinds of films and two kinds of people who rate them, over some weeks.
TEST_F(CliReproduce, fed_cars_in_all_its_targets) {
  std::string ratings, films;
  for (int user = 0; user < 40; ++user)
    for (int n = 0; n < 24; ++n) {
      const int film = (user * 5 + n * 7) % 60;
      const int rating = film % 2 == user % 2 ? 4 + (user + n) % 2 : 1 + (user + n) % 3;
      ratings += fmt::format("{}\t{}\t{}\t{}\n", user + 1, film + 1, rating, 880'000'000 + 40'000 * n + user);
    }
  for (int film = 0; film < 60; ++film)
    films += fmt::format("{}|Film {} ({})|01-Jan-1995||url|0|{}|{}{}\n", film + 1, film, 1990 + film % 4,
                         film % 2, 1 - film % 2, "|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0");
  shop_.put("data/movielens-100k/u.data", ratings);
  shop_.put("data/movielens-100k/u.item", films);
  EXPECT_EQ(reproduce({"thesis-4.2", "--seeds", "2"}).code, 2);
  const Outcome table = reproduce({"fedcars-table-1", "--quick", "--json"});
  ASSERT_EQ(table.code, 0) << table.err;
  std::size_t errors = 0;
  const nlohmann::json printed = table.json();
  for (const auto& cell : printed["cells"])
    if (cell["row"] == "Fed-CARS" && cell["metric"] == "MAE" && cell["ours"].is_number()) {
      ++errors;
      EXPECT_LT(cell["ours"], 1.5);
      EXPECT_EQ(cell["printed"], .7869);
    }
  EXPECT_EQ(errors, 2u);  // both protocols of one set
  const Outcome seeds = reproduce({"fedcars-fig-3", "--quick", "--seeds", "2", "--json"});
  ASSERT_EQ(seeds.code, 0) << seeds.err;
  EXPECT_EQ(seeds.json()["computed"], 8);
  for (const char* target : {"fedcars-fig-4", "fedcars-udcp", "fedcars-cold-start"}) {
    const Outcome drawn = reproduce({target, "--quick", "--json"});
    ASSERT_EQ(drawn.code, 0) << drawn.err;
    EXPECT_FALSE(drawn.json()["findings"].empty()) << target;
    const std::string page = shop_.get(std::string("out/") + target + ".html");
    EXPECT_NE(page.find("class=\"series "), std::string::npos) << target;
  }
}

}  // namespace
}  // namespace sotto::cli
