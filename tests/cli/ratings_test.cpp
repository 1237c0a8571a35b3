// sotto train, evaluate and compare with models that predict ratings.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliRatings : public ::testing::Test {
 protected:
  // Forty people, half of whom like even films and half odd ones.
  CliRatings() {
    std::string text = "user\titem\trating\ttimestamp\n";
    for (int user = 0; user < 40; ++user)
      for (int item = 0; item < 30; ++item)
        if ((user * 7 + item * 11) % 3 != 0)
          text += "u" + std::to_string(user) + "\ti" + std::to_string(item) + "\t" +
                  std::to_string(user % 2 == item % 2 ? 4 + (item / 2) % 2 : 1 + (item / 2) % 2) + "\t" +
                  std::to_string(1000 + (item * 17 + user) % 30) + "\n";
    shop_.put("ratings.tsv", text);
  }

  [[nodiscard]] Outcome train(const Words& more) const {
    return shop_.sotto(joined({"train", "--data", "ratings.tsv", "--split", "temporal:0.8"}, more));
  }

  Workshop shop_;
};

TEST_F(CliRatings, every_model_is_judged_by_its_errors) {
  double means = 0.0;
  for (const char* model : {"globalmean", "usermean", "itemmean", "toppop-ratings", "baseline",
                            "uknn-ratings", "iknn-ratings", "nmf", "svdpp", "biasedmf"}) {
    const Outcome outcome = train({"--model", model, "--json"});
    ASSERT_EQ(outcome.code, 0) << model << ": " << outcome.err;
    const auto metrics = outcome.json()["metrics"];
    for (const char* name : {"MAE", "RMSE", "RatedShare", "nDCGhits@10", "Coverage@10"})
      EXPECT_TRUE(metrics.contains(name)) << model << ' ' << name;
    if (std::string(model) == "globalmean") means = metrics["MAE"];
    if (std::string(model) == "biasedmf") {
      EXPECT_LT(metrics["MAE"], 0.5 * means);
    }
  }
  const Outcome paco = train({"--model", "paco", "--json"});
  ASSERT_EQ(paco.code, 0) << paco.err;
  EXPECT_FALSE(paco.json()["metrics"].contains("MAE"));
}

TEST_F(CliRatings, runs_come_back_with_their_errors_and_are_compared_by_them) {
  for (const char* model : {"itemmean", "biasedmf"}) {
    const Outcome trained = train({"--model", model, "--out", model, "--json"});
    ASSERT_EQ(trained.code, 0) << trained.err;
    const Outcome judged = shop_.sotto({"evaluate", "--run", model, "--json"});
    ASSERT_EQ(judged.code, 0) << judged.err;
    EXPECT_EQ(judged.json()["metrics"]["MAE"], trained.json()["metrics"]["MAE"]);
  }
  EXPECT_NE(shop_.get("itemmean/per_user.tsv").find("RMSE"), std::string::npos);
  const Outcome compared = shop_.sotto({"compare", "itemmean", "biasedmf", "--json"});
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(compared.json()["runs"][1]["metrics"]["MAE"]["beats"], "a");
}

TEST_F(CliRatings, data_without_ratings_is_refused) {
  std::string text = "user\titem\ttimestamp\n";
  for (int user = 0; user < 3; ++user)
    for (int item = 0; item < 10; ++item)
      text += "u" + std::to_string(user) + "\ti" + std::to_string(item) + "\t" + std::to_string(item) + "\n";
  shop_.put("plain.tsv", text);
  const Outcome outcome = shop_.sotto({"train", "--data", "plain.tsv", "--model", "biasedmf"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("rating"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace sotto::cli
