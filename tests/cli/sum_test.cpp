// `sotto sum` and the flags of a secure sum, as a person types them.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

TEST(Sum, PrintsTermsAndCost) {
  const Workshop workshop;
  const Outcome text = workshop.sotto({"sum", "--devices", "1000", "--rows", "1000", "--width", "100",
                                       "--secure-limit", "1000", "--secure-bits", "32"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("1000 devices"), std::string::npos);
  const auto json =
      workshop
          .sotto({"sum", "--devices", "1000", "--rows", "1000", "--width", "100", "--secure-limit", "1000",
                  "--secure-bits", "32", "--secure-block", "10", "--json"})
          .json();
  EXPECT_EQ(json["blocks"].size(), 2u);
  EXPECT_EQ(json["blocks"][0]["bytes_dense"], 400000);
  EXPECT_LT(json["blocks"][0]["expansion"], 1.3);  // what is asked of 100,000 entries
  EXPECT_GT(json["degree"], json["threshold"]);
  EXPECT_EQ(json["least_survivors"], 700);
}

TEST(Sum, WhatCannotHoldIsWrongUsage) {
  const Workshop workshop;
  EXPECT_EQ(workshop.sotto({"sum", "--devices", "3"}).code, 2);
  EXPECT_EQ(workshop.sotto({"sum", "--secure-bits", "16"}).code, 2);
  EXPECT_EQ(workshop.sotto({"sum", "--secure-corrupt", "2"}).code, 2);
  EXPECT_EQ(workshop.sotto({"train", "--data", "x.tsv", "--sum", "guess"}).code, 2);
  EXPECT_EQ(workshop.sotto({"train", "--data", "x.tsv", "--model", "ease", "--sum", "secure"}).code, 2);
  const Outcome ring =
      workshop.sotto({"train", "--data", "x.tsv", "--sum", "paillier", "--secure-bits", "40"});
  EXPECT_EQ(ring.code, 2);
  EXPECT_NE(ring.err.find("leave --secure-bits out"), std::string::npos) << ring.err;
}

TEST(Sum, ASecureRunHasThePlainModel) {
  const Workshop workshop;
  ASSERT_EQ(workshop.sotto({"data", "generate", "--users", "40", "--items", "30", "--out", "world.tsv"}).code,
            0);
  const auto train = [&](const std::string& out, const std::string& kind) {
    const Outcome outcome = workshop.sotto({"train", "--data", "world.tsv", "--variant", "pfpl+", "--factors",
                                            "4", "--epochs", "1", "--sum", kind, "--out", out, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.json();
  };
  const auto plain = train("plain", "plain"), secure = train("secure", "secure");
  ASSERT_TRUE(plain.contains("model_hash")) << plain.dump();
  EXPECT_EQ(plain["model_hash"], secure["model_hash"]);
  EXPECT_NE(workshop.get("secure/plan.toml").find("kind = 'secure'"), std::string::npos);
}

TEST(Sum, PairsArePaidForInBytesThatAreBounded) {
  const Workshop workshop;
  ASSERT_EQ(workshop.sotto({"data", "generate", "--users", "40", "--items", "60", "--out", "world.tsv"}).code,
            0);
  const auto train = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"train", "--data", "world.tsv", "--model", "fedease", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return workshop.sotto(words);
  };
  const auto plain = train({}).json(), products = train({"--sum", "products"}).json();
  EXPECT_EQ(plain["model_hash"], products["model_hash"]);
  const Outcome whole = train({"--sum", "shares", "--pair-bytes", "1000"});
  EXPECT_EQ(whole.code, 2);
  const auto at = whole.err.find("--pair-items ");
  ASSERT_NE(at, std::string::npos) << whole.err;
  const std::string items = std::to_string(std::stoul(whole.err.substr(at + 13)));
  const Outcome fits =
      train({"--sum", "shares", "--pair-bytes", "1000", "--pair-items", items, "--out", "run"});
  ASSERT_EQ(fits.code, 0) << fits.err;
  const std::string plan = workshop.get("run/plan.toml");
  EXPECT_NE(plan.find("[pairs]\nitems = " + items), std::string::npos) << plan;
  EXPECT_NE(plan.find("pair_bytes = 1000"), std::string::npos) << plan;
  const Outcome again = workshop.sotto({"train", "--plan", "run/plan.toml", "--json"});
  EXPECT_EQ(again.json()["model_hash"], fits.json()["model_hash"]) << again.err;
}

}  // namespace
}  // namespace sotto::cli
