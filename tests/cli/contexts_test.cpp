// Ratings and contexts on the command line: a generated world, what inspect says of it, and wrong input.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

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
    if (dimension["values"].empty()) continue;  // recency
    double sum = 0.0;
    for (const auto& value : dimension["values"]) sum += value["share"].get<double>();
    EXPECT_NEAR(sum, 1.0, 1e-9) << names.back();  // each record, item and person has exactly one
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"interval", "daypart", "category", "age", "occupation", "recency"}));
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
}

}  // namespace
}  // namespace sotto::cli
