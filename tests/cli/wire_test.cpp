// `sotto wire`, and the precision of a model on its way down, as a person types them.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliWire : public ::testing::Test {
 protected:
  CliWire() {
    EXPECT_EQ(shop_.sotto({"data", "generate", "--users", "80", "--items", "60", "--out", "w"}).code, 0);
  }
  Workshop shop_;
};

TEST_F(CliWire, prints_what_an_exchange_weighs) {
  const Words words{"wire", "--data",  "w", "--factors", "5", "--epochs",
                    "2",    "--seeds", "1", "--samples", "2"};
  const Outcome text = shop_.sotto(words);
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char* word : {"f32", "f16", "i8", "P@10", "Naively"})
    EXPECT_NE(text.out.find(word), std::string::npos) << word;
  const auto json = shop_.sotto(joined(words, {"--cohorts", "0.2,1", "--json"})).json();
  ASSERT_EQ(json["cohorts"].size(), 2u);
  const auto& rows = json["cohorts"][1]["precisions"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2]["precision"], "i8");
  EXPECT_EQ(rows[0]["bytes_whole"], 16 + json["items"].get<int>() * 6 * 4);
  EXPECT_EQ(rows[2]["bytes_whole"], 16 + json["items"].get<int>() * (6 + 4));
  EXPECT_GT(rows[2]["times_less"], rows[0]["times_less"]);
}

TEST_F(CliWire, wrong_flags_are_refused) {
  EXPECT_EQ(shop_.sotto({"wire", "--data", "w", "--cohorts", "2"}).code, 2);
  EXPECT_EQ(shop_.sotto({"wire", "--data", "w", "--samples", "0"}).code, 2);
  EXPECT_EQ(shop_.sotto({"wire", "--data", "w", "--model", "bprmf"}).code, 2);
  EXPECT_EQ(shop_.sotto({"wire", "--data", "w", "--average-last", "3"}).code, 2);
  EXPECT_EQ(shop_.sotto({"wire", "--data", "w", "--sum", "secure"}).code, 2);
  EXPECT_EQ(shop_.sotto({"train", "--data", "w", "--down-precision", "f8"}).code, 2);
  EXPECT_EQ(shop_.sotto({"train", "--data", "w", "--model", "fcf", "--down-precision", "i8"}).code, 2);
}

TEST_F(CliWire, a_rounded_run_is_the_same_over_the_wire_and_counts_its_bytes) {
  const Words words{"train", "--data",           "w",  "--factors", "5", "--epochs",
                    "2",     "--down-precision", "i8", "--json"};
  const auto fast = shop_.sotto(joined(words, {"--threads", "2", "--out", "run"})).json();
  const auto wire = shop_.sotto(joined(words, {"--wire"})).json();
  EXPECT_EQ(fast["model_hash"], wire["model_hash"]);
  EXPECT_NE(shop_.get("run/plan.toml").find("down_precision = 'i8'"), std::string::npos);
  EXPECT_EQ(shop_.sotto({"evaluate", "--run", "run", "--json"}).json()["metrics"], fast["metrics"]);
}

}  // namespace
}  // namespace sotto::cli
