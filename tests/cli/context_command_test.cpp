// sotto contexts, and protocols for contexts that people draw.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

TEST(CliContexts, a_run_without_contexts_says_so) {
  const Workshop shop;
  ASSERT_EQ(shop.sotto({"data", "generate", "--users", "40", "--items", "40", "--out", "w"}).code, 0);
  const Words train{"train", "--data", "w", "--model", "fpl", "--epochs", "1", "--factors", "2"};
  ASSERT_EQ(shop.sotto(joined(train, {"--out", "run"})).code, 0);
  const Outcome none = shop.sotto({"contexts", "--run", "run", "--user", "person-00007"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("has no contexts"), std::string::npos) << none.err;
  const Outcome udcp = shop.sotto(joined(train, {"--udcp", "full=0.5,none=0.5"}));
  EXPECT_EQ(udcp.code, 2);
  EXPECT_NE(udcp.err.find("leave --udcp out"), std::string::npos) << udcp.err;
  const Outcome sum = shop.sotto(joined(train, {"--udcp", "full=0.5,none=0.2"}));
  EXPECT_EQ(sum.code, 2);
  EXPECT_NE(sum.err.find("add up to 0.7"), std::string::npos) << sum.err;
}

constexpr std::int64_t saturday_noon = 1609588800;  // 2 January 2021

// Twelve people who rate fifteen films each; p3 one a week, on Saturdays at noon.
std::string some_ratings() {
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
  shop.put("r.tsv", some_ratings());
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
  for (const char* part : {"weekend, day (100%)", "1.000", "partial, 30%", "No items are alike"})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
  EXPECT_EQ(shop.sotto({"contexts", "--run", "run", "--user", "nobody"}).code, 1);
}

}  // namespace
}  // namespace sotto::cli
