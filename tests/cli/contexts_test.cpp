<<<<<<< HEAD
// sotto contexts, and protocols for contexts that people draw.
#include <fmt/format.h>
=======
// Ratings and contexts on the command line: a generated world, what inspect says of it, and wrong input.
>>>>>>> cars-data
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

<<<<<<< HEAD
TEST(CliContexts, a_run_without_contexts_says_so) {
  const Workshop shop;
  ASSERT_EQ(shop.sotto({"data", "generate", "--users", "40", "--items", "40", "--out", "w"}).code, 0);
  const Words train{"train", "--data", "w", "--model", "fpl", "--epochs", "1", "--factors", "2"};
  ASSERT_EQ(shop.sotto(joined(train, {"--out", "run"})).code, 0);
  const Outcome none = shop.sotto({"contexts", "--run", "run", "--user", "person-00007"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("looks at no contexts"), std::string::npos) << none.err;
  const Outcome udcp = shop.sotto(joined(train, {"--udcp", "full=0.5,none=0.5"}));
  EXPECT_EQ(udcp.code, 2);
  EXPECT_NE(udcp.err.find("leave --udcp out"), std::string::npos) << udcp.err;
  const Outcome sum = shop.sotto(joined(train, {"--udcp", "full=0.5,none=0.2"}));
  EXPECT_EQ(sum.code, 2);
  EXPECT_NE(sum.err.find("add up to 0.7"), std::string::npos) << sum.err;
}

constexpr std::int64_t saturday_noon = 1609588800;  // 2 January 2021

// Twelve people who rate fifteen films each; p3 one a week, on Saturdays at noon.
std::string ratings() {
  std::string text;
  for (int person = 0; person < 12; ++person)
    for (int n = 0; n < 15; ++n) {
      const int film = (person + n) % 20;
      const std::int64_t time =
          saturday_noon + (person == 3 ? n * 7 * 86400 : person * 100000 + n * 5000 * n);
      text += fmt::format("p{}\tf{}\t{}\t{}\n", person, film, 1 + (person * film + n) % 5, time);
    }
  return text;
}

TEST(CliContexts, a_person_sees_what_their_records_say_and_what_they_let_in) {
  const Workshop shop;
  shop.put("r.tsv", ratings());
  const Words train{"train",   "--data",     "r.tsv",           "--columns", "user=1,item=2,rating=3,time=4",
                    "--model", "fedcars",    "--epochs",        "1",         "--factors",
                    "2",       "--contexts", "interval,daypart"};
  const Outcome trained = shop.sotto(joined(train, {"--udcp", "none=1", "--out", "run"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Outcome shown = shop.sotto({"contexts", "--run", "run", "--user", "p3", "--json"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  const auto json = shown.json();
  EXPECT_EQ(json["records"], 12);
  ASSERT_EQ(json["dimensions"].size(), 2u);
  EXPECT_EQ(json["dimensions"][1]["name"], "daypart");
  EXPECT_EQ(json["dimensions"][1]["values"], (nlohmann::json{{"weekend, day", 12}}));
  EXPECT_EQ(json["dimensions"][1]["informativeness"], 1.0);
  EXPECT_EQ(json["dimensions"][0]["values"]["first"], 1);
  EXPECT_EQ(json["dimensions"][0]["values"].size(), 2u);
  EXPECT_EQ(json["dimensions"][0]["choice"], "off");
  EXPECT_TRUE(json["neighbours"].empty());  // nothing is known about the films
  // Another policy, of a device.
  const auto device = [&](const Words& words) {
    return shop.sotto(joined(joined({"device"}, words), {"--dir", "d"})).code;
  };
  ASSERT_EQ(device({"init"}), 0);
  ASSERT_EQ(device({"consent", "preset", "open"}), 0);
  ASSERT_EQ(device({"consent", "context", "daypart", "partial:0.3"}), 0);
  const auto own = shop.sotto({"contexts", "--run", "run", "--user", "p3", "--dir", "d", "--json"}).json();
  EXPECT_EQ(own["dimensions"][0]["choice"], "off");
  EXPECT_NEAR(own["dimensions"][1]["share"].get<double>(), 0.3, 1e-6);
  const Outcome text = shop.sotto({"contexts", "--run", "run", "--user", "p3", "--dir", "d"});
  for (const char* part : {"weekend, day (100%)", "1.000", "partial, 30%", "No item is alike"})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
  EXPECT_EQ(shop.sotto({"contexts", "--run", "run", "--user", "nobody"}).code, 1);
=======
TEST(Contexts, AGeneratedWorldIsInspectedWithItsContexts) {
  const Workshop workshop;
  const Outcome made =
      workshop.sotto({"data", "generate", "--ratings", "--users", "60", "--items", "80", "--mean", "12",
                      "--out", "world.tsv", "--people", "people.tsv", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(workshop.get("world.tsv").substr(0, 22), "user\titem\trating\ttime\n");
  EXPECT_EQ(workshop.get("people.tsv").substr(0, 20), "user\tage\toccupation\n");
  const Outcome seen =
      workshop.sotto({"data", "inspect", "world.tsv", "--names", "world.items.tsv", "--kg-labels",
                      "--kg-min-items", "1", "--contexts", "all", "--people", "people.tsv", "--json"});
  ASSERT_EQ(seen.code, 0) << seen.err;
  const auto facts = seen.json();
  EXPECT_EQ(facts["rating_scale"]["lowest"], 1.0);
  EXPECT_EQ(facts["rating_scale"]["highest"], 5.0);
  std::vector<std::string> names;
  for (const auto& dimension : facts["contexts"]) {
    names.push_back(dimension["name"]);
    double sum = 0.0;
    for (const auto& value : dimension["values"]) sum += value["share"].get<double>();
    EXPECT_NEAR(sum, 1.0, 1e-9) << names.back();  // each record, item and person has exactly one
  }
  EXPECT_EQ(names, (std::vector<std::string>{"interval", "daypart", "category", "age", "occupation"}));
  const Outcome table = workshop.sotto({"data", "inspect", "world.tsv", "--contexts", "daypart"});
  EXPECT_NE(table.out.find("weekend, night"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("1 to 5"), std::string::npos) << table.out;
}

TEST(Contexts, ARunKeepsThem) {
  const Workshop workshop;
  workshop.put("r.csv",
               "u,a,5,900000001,rain\nu,b,4,900100002,sun\nu,c,1,900300003,\nv,a,2,900000004,sun\n"
               "v,b,3,900500005,rain\nv,c,3,900600006,rain\n");
  const Outcome trained =
      workshop.sotto({"train", "--data", "r.csv", "--columns", "user=1,item=2,rating=3,time=4,context.sky=5",
                      "--contexts", "interval,columns", "--rating-scale", "1:5", "--most-test", "1",
                      "--split", "temporal:0.5", "--model", "toppop", "--out", "run", "--json"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(workshop.has("run/records.bin"));
  EXPECT_TRUE(trained.json().contains("records_hash"));
  EXPECT_TRUE(trained.json().contains("contexts_hash"));
  EXPECT_NE(workshop.get("run/plan.toml").find("[contexts]"), std::string::npos);
  EXPECT_EQ(workshop.sotto({"evaluate", "--run", "run", "--json"}).code, 0);
}

TEST(Contexts, WrongInputIsRefusedWithWhatToDo) {
  const Workshop workshop;
  workshop.put("r.csv", "u,a,5,900000001\nu,b,9,900100002\nv,a,2,900000004\n");
  workshop.put("plain.csv", "user,item,rating\nu,a,5\nu,b,4\nv,a,3\nv,b,2\n");
  workshop.put("strangers.csv", "user,age\nnobody,4\n");
  const auto refused = [&](std::vector<std::string> words, int code, const char* part) {
    words.insert(words.begin(), {"train", "--model", "toppop", "--split", "random:0.5"});
    const Outcome outcome = workshop.sotto(words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  };
  refused({"--data", "r.csv", "--rating-scale", "1:5"}, 1, "r.csv, line 2");
  refused({"--data", "r.csv", "--rating-scale", "5"}, 2, "1:5");
  refused({"--data", "plain.csv", "--contexts", "interval"}, 1, "--columns");
  refused({"--data", "plain.csv", "--contexts", "mood"}, 2, "mood");
  refused({"--data", "plain.csv", "--contexts", "person"}, 2, "--people");
  refused({"--data", "plain.csv", "--contexts", "person", "--people", "strangers.csv"}, 1, "strangers.csv");
  refused({"--data", "plain.csv", "--contexts", "item"}, 1, "--kg");
  const Outcome saved =
      workshop.sotto({"train", "--model", "toppop", "--split-file", "s.bin", "--contexts", "interval"});
  EXPECT_EQ(saved.code, 2);
  EXPECT_NE(saved.err.find("--data"), std::string::npos) << saved.err;
>>>>>>> cars-data
}

}  // namespace
}  // namespace sotto::cli
