// sotto audit, with good and bad input.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

std::vector<std::string> audit(std::initializer_list<const char*> more, const char* epochs = "2") {
  std::vector<std::string> words{"audit", "--data", "world",    "--variant", "pfpl+",          "--factors",
                                 "6",     "-q",     "--epochs", epochs,      "--users-sample", "40"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void make_world(const Workshop& shop) {
  ASSERT_EQ(shop.sotto({"data", "generate", "--users", "80", "--items", "120", "--out", "world"}).code, 0);
}

TEST(CliAudit, tells_figures_controls_and_draws_a_page) {
  const Workshop shop;
  make_world(shop);
  const Outcome outcome =
      shop.sotto(audit({"--pi", "0", "--attackers", "A1,A3", "--json", "--out", "audit.html"}, "12"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json told = outcome.json();
  ASSERT_EQ(told["audit"]["attackers"].size(), 3u);
  EXPECT_EQ(told["audit"]["attackers"][2]["code"], "A3");
  EXPECT_EQ(told["audit"]["sent_share"]["mean"], 0.0);
  EXPECT_EQ(told["controls"].size(), 3u);
  EXPECT_NE(shop.get("audit.html").find("Who finds how much"), std::string::npos);
  EXPECT_TRUE(shop.has("audit/plots/leak-over-rounds.svg"));
  const Outcome again =
      shop.sotto(audit({"--pi", "0", "--attackers", "A1,A3", "--json", "--threads", "1"}, "12"));
  EXPECT_EQ(again.out, outcome.out);
}

TEST(CliAudit, an_audit_whose_control_failed_fails_and_says_what_to_do) {
  const Workshop shop;
  make_world(shop);
  const Outcome outcome = shop.sotto(audit({"--lr", "1e-6", "--json", "--out", "my audit.html"}, "1"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_FALSE(outcome.json()["controls"][0]["held"]);
  EXPECT_NE(outcome.err.find("a control failed (The attack works): try more people"), std::string::npos)
      << outcome.err;
  // The page has the command as it was typed.
  EXPECT_NE(shop.get("my audit.html").find("--users-sample 40 --lr 1e-6 --json --out"), std::string::npos);
}

TEST(CliAudit, a_recorded_transcript_gives_the_same_figures) {
  const Workshop shop;
  make_world(shop);
  const Outcome live = shop.sotto(audit({"--no-controls", "--json", "--record", "seen.bin"}));
  ASSERT_EQ(live.code, 0) << live.err;
  const Outcome again = shop.sotto(audit({"--json", "--transcript", "seen.bin"}));
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json()["audit"]["attackers"], live.json()["audit"]["attackers"]);
  shop.put("cut.bin", shop.get("seen.bin").substr(0, 5000));
  const Outcome cut = shop.sotto(audit({"--transcript", "cut.bin"}));
  EXPECT_EQ(cut.code, 1);
  EXPECT_NE(cut.err.find("cut.bin: transcript refused"), std::string::npos) << cut.err;
}

TEST(CliAudit, noise_and_canaries) {
  const Workshop shop;
  make_world(shop);
  const Outcome outcome = shop.sotto(audit({"--view", "secure+dp", "--noise", "2", "--no-controls",
                                            "--attackers", "A1,A6", "--canaries", "300", "--json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json told = outcome.json();
  EXPECT_TRUE(told["canaries"]["held"]);
  EXPECT_EQ(told["canaries"]["played"], "2 rounds of 10 devices, distributed noise");
  EXPECT_EQ(told["canaries"]["epsilon_promised"], told["epsilon"]);
}

TEST(CliAudit, curves_are_drawn) {
  const Workshop shop;
  make_world(shop);
  const Outcome outcome = shop.sotto(audit({"--no-controls", "--curves", "--json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["over_epsilon"].size(), 10u);
  EXPECT_EQ(outcome.json()["over_silent"].size(), 12u);
}

TEST(CliAudit, a_plans_protections_are_refused) {
  const Workshop shop;
  make_world(shop);
  for (const char* part : {"[sum]\nkind = \"secure\"\n", "[robust]\ngroups = 5\n"}) {
    shop.put("plan.toml", part);
    const Outcome outcome = shop.sotto(audit({"--plan", "plan.toml", "--no-controls"}));
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("the audit's own --view"), std::string::npos) << outcome.err;
  }
}

TEST(CliAudit, wrong_usage_is_told) {
  const Workshop shop;
  make_world(shop);
  for (const auto& [words, says] : std::vector<std::pair<std::vector<std::string>, const char*>>{
           {audit({"--view", "glass"}), "unknown view"},
           {audit({"--attackers", "A1,A9"}), "unknown attacker"},
           {audit({"--view", "secure+dp"}), "needs its noise"},
           {audit({"--noise", "1"}), "belongs to a view with noise"},
           {audit({"--model", "ease"}), "ease has no such option"},
           {audit({"--clip", "20", "--canaries", "100"}), "none is promised"},
           {audit({"--keep-groups"}), "choose --view groups:N"},
           {audit({"--view", "secure:500", "--no-controls"}), "and a round has"},
           {audit({"--secure-dropout", "0.1"}), "is of secure sums"},
           {audit({"--view", "groups:2", "--secure-dropout", "0.3", "--no-controls"}),
            "less than one device"},
           {audit({"--view", "groups:2", "--secure-dropout", "0.5", "--no-controls"}),
            "under seed 1 round 1 refused: 1 device is in a group of it, fewer than the 2"},
           {audit({"--transcript", "x", "--curves"}), "audits a recording"}}) {
    const Outcome outcome = shop.sotto(words);
    EXPECT_EQ(outcome.code, 2) << says;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace sotto::cli
