// sotto device, and what a device has to do with training and forgetting.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

bool contains(const Words& words, const char* word) { return std::ranges::find(words, word) != words.end(); }

class CliDevice : public ::testing::Test {
 protected:
  CliDevice() {
    EXPECT_EQ(
        shop_.sotto({"data", "generate", "--users", "60", "--items", "50", "--mean", "15", "--out", "w"})
            .code,
        0);
    EXPECT_EQ(shop_.sotto({"data", "split", "w", "--out", "s"}).code, 0);
    const auto rows = rows_of(shop_.get("s/train.tsv"));
    user_ = rows.at(40).at(0);
    for (const auto& row : rows)
      if (row.at(0) == user_) history_.insert(row.at(1));
    EXPECT_EQ(shop_.sotto({"device", "init", "--dir", "d"}).code, 0);
  }
  [[nodiscard]] Outcome consent(Words words) const {
    words.insert(words.begin(), {"device", "consent"});
    words.insert(words.end(), {"--dir", "d", "--json"});
    return shop_.sotto(words);
  }
  [[nodiscard]] nlohmann::json ledger() const {
    const Outcome listed = shop_.sotto({"device", "ledger", "list", "--dir", "d", "--json"});
    EXPECT_EQ(listed.code, 0) << listed.err;
    return listed.json();
  }
  [[nodiscard]] Outcome train(Words more) const {
    const bool has_factors = !contains(more, "fedease") && !contains(more, "feditemknn");
    if (has_factors) more.insert(more.begin(), {"--epochs", "2", "--factors", "4"});
    more.insert(more.begin(), {"train", "--split-file", "s/split.bin", "--json"});
    more.insert(more.end(), {"--device", user_ + "=d"});
    return shop_.sotto(more);
  }

  Workshop shop_;
  std::string user_;
  std::set<std::string> history_;
};

TEST_F(CliDevice, consent_is_closed_until_chosen_and_each_change_is_kept) {
  EXPECT_EQ(consent({"show"}).json()["level"], "closed");
  EXPECT_EQ(consent({"preset", "balanced"}).json()["pi"], 0.5);
  EXPECT_EQ(consent({"item", "7", "never"}).json()["items"]["7"], "never");
  EXPECT_EQ(consent({"category", "Bar", "ask"}).json()["categories"]["Bar"], "ask");
  EXPECT_EQ(consent({"feature", "dbo:director Ann", "never"}).json()["features"]["dbo:director Ann"],
            "never");
  EXPECT_EQ(consent({"predicate", "dct:subject", "ask"}).json()["predicates"]["dct:subject"], "ask");
  EXPECT_EQ(consent({"context", "place", "on"}).json()["contexts"]["place"], true);
  const auto chosen = consent({"context", "daypart", "partial:0.3"}).json();
  EXPECT_EQ(chosen["contexts"]["daypart"], true);
  EXPECT_EQ(chosen["protocol"]["contexts"]["daypart"],
            (nlohmann::json{{"choice", "partial"}, {"share", 0.3}}));
  EXPECT_EQ(chosen["protocol"]["others"]["choice"], "off");
  EXPECT_EQ(consent({"context", "*", "full"}).json()["protocol"]["others"]["choice"], "full");
  EXPECT_EQ(consent({"context", "*", "unset"}).json()["protocol"]["others"]["choice"], "off");
  EXPECT_EQ(consent({"history", "none"}).json()["takes_part"], false);
  EXPECT_EQ(consent({"history", "partial"}).json()["protocol"]["history"]["share"], 0.5);
  EXPECT_EQ(consent({"sums", "secure"}).json()["secure_only"], true);
  EXPECT_EQ(consent({"crowd", "50"}).json()["least_crowd"], 50);
  EXPECT_EQ(consent({"crowd", "many"}).code, 2);
  EXPECT_EQ(consent({"sums", "open"}).code, 2);
  EXPECT_EQ(consent({"set", "--pi", "0.3", "--mask", "redraw"}).json()["level"], "custom");
  EXPECT_EQ(consent({"pause"}).json()["takes_part"], false);
  EXPECT_EQ(consent({"resume"}).json()["takes_part"], true);
  EXPECT_EQ(consent({"item", "7", "none"}).json()["items"].size(), 0u);
  EXPECT_EQ(consent({"withdraw"}).json()["takes_part"], false);
  EXPECT_EQ(consent({"resume"}).code, 2);
  EXPECT_EQ(consent({"preset", "open"}).json()["takes_part"], true);
  const auto shown = consent({"show"}).json();
  EXPECT_EQ(shown["categories"]["Bar"], "ask");
  EXPECT_EQ(shown["levels"].size(), 4u);
  for (const auto& level : shown["levels"]) EXPECT_GT(level["measured"]["P@10"].get<double>(), 0.0);
  const Outcome text = shop_.sotto({"device", "consent", "show", "--dir", "d"});
  for (const char* part :
       {"closed", "careful", "balanced", "open", "Bar", "place: full", "daypart: partial, with 30%",
        "all other contexts: off", "your history: its newest 50%", "features never shared: dbo:director Ann",
        "only in secure sums", "a crowd of at least 50", "predicates not until you are asked: dct:subject",
        "good ones of ten", "no more than by guessing"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part;
}

TEST_F(CliDevice, a_mistyped_folder_is_no_new_device) {
  for (const Words& words :
       {Words{"device", "consent", "preset", "open", "--dir", "typo"},
        Words{"device", "consent", "show", "--dir", "typo"},
        Words{"device", "enrol", "--server", "unix:nobody", "--token", "t", "--dir", "typo"},
        Words{"train", "--split-file", "s/split.bin", "--device", user_ + "=typo"}}) {
    const Outcome refused = shop_.sotto(words);
    EXPECT_EQ(refused.code, 1) << words[1];
    EXPECT_NE(refused.err.find("make one with 'sotto device init --dir typo'"), std::string::npos)
        << refused.err;
  }
  EXPECT_FALSE(shop_.has("typo"));
}

TEST_F(CliDevice, a_change_says_what_is_chosen_and_leaves_the_rest_to_show) {
  const auto said = [&](Words words) {
    words.insert(words.begin(), {"device", "consent"});
    words.insert(words.end(), {"--dir", "d"});
    const Outcome outcome = shop_.sotto(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  const std::string level = said({"preset", "careful"});
  EXPECT_NE(level.find("10% of the things"), std::string::npos) << level;
  EXPECT_EQ(level.find("MovieLens"), std::string::npos) << level;
  EXPECT_NE(level.find("'sotto device consent show --dir d'"), std::string::npos) << level;
  EXPECT_NE(said({"show"}).find("MovieLens"), std::string::npos);
  EXPECT_NE(said({"criteria", "size", "keep"}).find("kept (your choice)"), std::string::npos);
  // Closed is said in one way.
  ASSERT_FALSE(said({"preset", "closed"}).empty());
  const std::string closed = said({"show"});
  EXPECT_NE(closed.find("asks nobody"), std::string::npos) << closed;
  EXPECT_EQ(closed.find("receives"), std::string::npos) << closed;
}

TEST_F(CliDevice, a_rule_that_the_data_lack_names_the_vault_and_no_line) {
  ASSERT_EQ(consent({"preset", "open"}).code, 0);
  ASSERT_EQ(consent({"item", "no-such-thing", "never"}).code, 0);
  const Outcome refused = train({});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("d/vault.db: the rule is for the item 'no-such-thing'"), std::string::npos)
      << refused.err;
}

TEST_F(CliDevice, what_a_person_asks_of_sums_holds_in_a_simulation_too) {
  ASSERT_EQ(consent({"preset", "open"}).code, 0);
  ASSERT_EQ(train({}).code, 0);
  ASSERT_EQ(consent({"sums", "secure"}).code, 0);
  const Outcome plain = train({});
  EXPECT_EQ(plain.code, 2);
  EXPECT_NE(plain.err.find("add --sum secure"), std::string::npos) << plain.err;
  ASSERT_EQ(consent({"sums", "any"}).code, 0);
  ASSERT_EQ(consent({"crowd", "50"}).code, 0);
  const Outcome small = train({"--sum", "secure"});
  EXPECT_EQ(small.code, 2);
  EXPECT_NE(small.err.find("--secure-crowd 50"), std::string::npos) << small.err;
}

TEST_F(CliDevice, wrong_words_are_usage_errors) {
  for (const Words& words :
       {Words{"preset", "wide"}, Words{"item", "7", "maybe"}, Words{"context", "place", "yes"},
        Words{"context", "place", "partial:7"}, Words{"history", "off"}, Words{"set"},
        Words{"set", "--pi", "2"}, Words{"set", "--mask", "glued"}})
    EXPECT_EQ(consent(words).code, 2) << words[0];
  EXPECT_EQ(shop_.sotto({"device", "consent", "show"}).code, 2);
  EXPECT_EQ(shop_.sotto({"device", "ledger", "list", "--dir", "nowhere"}).code, 1);
}

TEST_F(CliDevice, training_writes_what_left_and_nothing_that_is_forbidden) {
  const std::string kept_back = *history_.begin();
  ASSERT_EQ(consent({"preset", "open"}).code, 0);
  ASSERT_EQ(consent({"item", kept_back, "never"}).code, 0);
  std::size_t lines = 0;
  for (const Words& model :
       {Words{"--model", "fpl", "--variant", "pfpl+"}, Words{"--model", "fcf"},
        Words{"--model", "fedals", "--wire"}, Words{"--model", "fedease"}, Words{"--model", "feditemknn"}}) {
    const Outcome trained = train(model);
    ASSERT_EQ(trained.code, 0) << trained.err;
    const auto written = ledger();
    ASSERT_GT(written["lines"].get<std::size_t>(), lines) << model[1];
    lines = written["lines"].get<std::size_t>();
    const auto last = written["entries"].back();
    EXPECT_EQ(last["task"], model[1]);
    EXPECT_EQ(last["mechanism"], "plain, no noise");
    EXPECT_TRUE(last["epsilon"].is_null());
    EXPECT_GT(last["bytes"], 0u);
    std::set<std::string> items;
    for (const auto& item : last["items"]) items.insert(item.get<std::string>());
    EXPECT_FALSE(items.contains(kept_back)) << model[1];
    EXPECT_FALSE(items.empty());
    for (const std::string& item : items) EXPECT_TRUE(history_.contains(item));
    // Those that answer with their whole history sent all the rest of it.
    if (model[1] != "fpl") {
      EXPECT_EQ(items.size(), history_.size() - 1) << model[1];
    }
  }
  EXPECT_EQ(shop_.sotto({"device", "ledger", "verify", "--dir", "d"}).code, 0);
}

TEST_F(CliDevice, the_ledger_counts_the_round_at_hand_and_leaves_out_what_it_cannot_know) {
  ASSERT_EQ(consent({"preset", "open"}).code, 0);
  const Outcome trained = train({"--model", "fedease", "--dp", "central", "--dp-epsilon", "4"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto last = ledger()["entries"].back();
  EXPECT_DOUBLE_EQ(last["epsilon"].get<double>(), trained.json()["epsilon"].get<double>());
  EXPECT_TRUE(last["bytes"].is_null());
  const Outcome listed = shop_.sotto({"device", "ledger", "list", "--dir", "d"});
  EXPECT_NE(listed.out.find("not counted"), std::string::npos) << listed.out;
}

TEST_F(CliDevice, a_vault_that_lost_its_key_is_not_begun_anew) {
  ASSERT_EQ(consent({"preset", "open"}).code, 0);
  ASSERT_EQ(train({"--model", "fedease"}).code, 0);
  std::filesystem::remove(shop_.folder() / "d" / "vault.key");
  const Outcome refused = train({"--model", "fedease"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("vault.key"), std::string::npos) << refused.err;
}

TEST_F(CliDevice, who_shares_nothing_has_an_empty_ledger) {
  ASSERT_EQ(train({"--model", "fedals"}).code, 0);
  EXPECT_EQ(ledger()["lines"], 0u);
}

TEST_F(CliDevice, a_ledger_verifies_against_its_own_key_alone) {
  ASSERT_EQ(consent({"preset", "open"}).code, 0);
  ASSERT_EQ(train({"--model", "fedals"}).code, 0);
  const auto verify = [&](const Words& more) {
    Words words{"device", "ledger", "verify", "--dir", "d"};
    words.insert(words.end(), more.begin(), more.end());
    return shop_.sotto(words);
  };
  const auto exported = shop_.sotto({"device", "ledger", "export", "--dir", "d"}).json();
  EXPECT_EQ(verify({"--key", exported["public_key"].get<std::string>()}).code, 0);
  EXPECT_EQ(verify({"--key", std::string(64, 'a')}).code, 1);
  const auto lines = exported["signed_lines"].get<std::string>();
  EXPECT_EQ(static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')),
            exported["lines"].get<std::size_t>());
  // Neither the ledger's words nor the person's things are in the open.
  for (const char* file : {"d/vault.db", "d/vault.db-wal"}) {
    if (!shop_.has(file)) continue;
    EXPECT_EQ(shop_.get(file).find("fedals"), std::string::npos) << file;
  }
}

TEST_F(CliDevice, the_ledger_lists_everything_that_left_and_says_what_is_not_known) {
  ASSERT_EQ(consent({"preset", "open"}).code, 0);
  ASSERT_EQ(train({"--model", "fedease", "--sum", "secure"}).code, 0);
  const auto listed = [&] {
    const Outcome outcome = shop_.sotto({"device", "ledger", "list", "--items", "--dir", "d"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  const std::string secure = listed();
  for (const std::string& item : history_)
    EXPECT_NE(secure.find(item), std::string::npos) << item << " left\n" << secure;
  for (const char* words : {"1 line, bytes not counted,", "secure, no noise", "ε of all: no bound",
                            "ε no bound: a simulation without noise"})
    EXPECT_NE(secure.find(words), std::string::npos) << words << "\n" << secure;
  EXPECT_EQ(secure.find("ask its operator"), std::string::npos) << "there is none\n" << secure;
  ASSERT_EQ(train({"--model", "fedease"}).code, 0);
  const std::string both = listed();
  EXPECT_NE(both.find(" sent (not counting 1 of them)"), std::string::npos) << both;
}

TEST_F(CliDevice, a_changed_vault_is_found) {
  ASSERT_EQ(consent({"preset", "open"}).code, 0);
  std::string bytes = shop_.get("d/vault.db");
  ASSERT_GT(bytes.size(), 8192u);
  // Every page after the schema: whatever is sealed there does not open any more.
  for (std::size_t at = 4096 + 2048; at < bytes.size(); at += 64)
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
  shop_.put("d/vault.db", bytes);
  const Outcome shown = consent({"show"});
  EXPECT_EQ(shown.code, 1);
  EXPECT_NE(shown.err.find("vault"), std::string::npos) << shown.err;
}

TEST_F(CliDevice, policies_and_mixes_of_everybody) {
  const auto judged = [&](const Words& more) {
    Words words{"train", "--split-file", "s/split.bin", "--model", "fedease", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = shop_.sotto(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.json();
  };
  shop_.put("open.toml", "level = \"open\"\n");
  shop_.put("some.toml", "pi = 0.5\n[items]\n\"" + *history_.begin() + "\" = \"never\"\n");
  shop_.put("wrong.toml", "pi = 0.5\n\n[items]\n\"no-such-item\" = \"never\"\n");
  const auto usual = judged({});
  EXPECT_EQ(judged({"--consent", "open.toml"})["metrics"], usual["metrics"]);
  const auto some = judged({"--consent", "some.toml"});
  EXPECT_NE(some["model_hash"], usual["model_hash"]);
  EXPECT_LT(some["bytes_up"], usual["bytes_up"]);
  const auto mixed = judged({"--consent-mix", "open=0.5,closed=0.5"});
  EXPECT_LT(mixed["exchanges"], usual["exchanges"]);
  const Outcome wrong =
      shop_.sotto({"train", "--split-file", "s/split.bin", "--model", "fedease", "--consent", "wrong.toml"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("wrong.toml, line 4"), std::string::npos) << wrong.err;
  shop_.put("empty.toml", "");
  shop_.put("rules.toml", "[items]\n\"" + *history_.begin() + "\" = \"never\"\n");
  for (const char* file : {"empty.toml", "rules.toml"})
    EXPECT_EQ(
        shop_.sotto({"train", "--split-file", "s/split.bin", "--model", "fedease", "--consent", file}).code,
        2)
        << file;
  EXPECT_EQ(
      shop_.sotto({"train", "--split-file", "s/split.bin", "--model", "ease", "--consent", "open.toml"}).code,
      2);
  // A plan holds the whole policy: the run can be made again without the file.
  ASSERT_EQ(judged({"--consent", "some.toml", "--out", "r"})["model_hash"], some["model_hash"]);
  std::filesystem::remove(shop_.folder() / "some.toml");
  const Outcome again = shop_.sotto({"train", "--plan", "r/plan.toml", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json()["model_hash"], some["model_hash"]);
}

TEST_F(CliDevice, forgetting_somebody_unknown_advises_what_it_can_do) {
  ASSERT_EQ(shop_.sotto({"train", "--split-file", "s/split.bin", "--model", "fedease", "--out", "r"}).code,
            0);
  const Outcome nobody = shop_.sotto({"forget", "--run", "r", "--user", "nobody"});
  EXPECT_EQ(nobody.code, 1);
  EXPECT_NE(nobody.err.find("write ids as in the training data"), std::string::npos) << nobody.err;
  EXPECT_EQ(nobody.err.find("--history"), std::string::npos) << nobody.err;
  const Outcome list = shop_.sotto({"recommend", "--run", "r", "--user", "nobody"});
  EXPECT_NE(list.err.find("--history"), std::string::npos) << list.err;
}

TEST_F(CliDevice, forgetting_takes_somebody_out_of_a_run) {
  for (const Words& model : {Words{"--model", "fedease"},
                             Words{"--model", "fpl", "--variant", "sfpl+", "--keep-checkpoints", "1"}}) {
    const std::string run = "run-" + model[1];
    Words words{"train", "--split-file", "s/split.bin", "--out", run, "-q"};
    if (model[1] == "fpl") words.insert(words.end(), {"--epochs", "2", "--factors", "4"});
    words.insert(words.end(), model.begin(), model.end());
    ASSERT_EQ(shop_.sotto(words).code, 0);
    const Words asked{"forget", "--run", run, "--user", user_, "--check", "--json"};
    const Outcome forgotten = shop_.sotto(asked);
    ASSERT_EQ(forgotten.code, 0) << forgotten.err;
    const auto report = forgotten.json();
    EXPECT_EQ(report["same_as_retrain"], true);
    EXPECT_EQ(report["way"], model[1] == "fpl" ? "replay" : "subtract");
    for (const char* metric : {"P@10", "nDCG@10"}) {
      const auto& others = report["others"][metric];
      EXPECT_EQ(others["after"], report["metrics_after"][metric]) << "nobody else is judged any more";
      EXPECT_NE(others["before"], report["metrics_before"][metric]) << "that one judged the person, too";
      EXPECT_NEAR(others["before"].get<double>(), report["metrics_before"][metric].get<double>(), .05);
    }
    EXPECT_EQ(report["a5_auc"].is_null(), model[1] != "fpl") << "a model of pairs has no vectors";
    if (model[1] == "fpl") {
      EXPECT_EQ(report["a5_auc"]["after"], report["a5_auc"]["retrain"]);
      EXPECT_NE(report["a5_auc"]["after"], report["a5_auc"]["before"]);
    }
    EXPECT_EQ(forgotten.out.find("\"" + user_ + "\""), std::string::npos);
    EXPECT_FALSE(shop_.has(run + "/checkpoints"));
    const Outcome twice = shop_.sotto(asked);
    EXPECT_EQ(twice.code, 1);
    EXPECT_EQ(twice.err.find(user_), std::string::npos) << twice.err;
    const Outcome judged = shop_.sotto({"evaluate", "--run", run, "--json"});
    ASSERT_EQ(judged.code, 0) << judged.err;
    EXPECT_EQ(judged.json()["metrics"], report["metrics_after"]);
    for (const char* file : {"/per_user.tsv", "/plan.toml", "/run.json"})
      EXPECT_EQ(shop_.get(run + file).find(user_ + "\t"), std::string::npos) << file;
  }
  // Another person: a sum is subtracted from again, a plan in rounds is no longer known. A forgetting that
  // was cut short is not taken for that plan either.
  const std::string other = rows_of(shop_.get("s/train.tsv")).back().at(0);
  const Outcome printed = shop_.sotto({"forget", "--run", "run-fedease", "--user", other, "--check"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_NE(printed.out.find("AUC of A5"), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find("n/a"), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find("has the same hash: the gap to it is 0"), std::string::npos) << printed.out;
  const Outcome second = shop_.sotto({"forget", "--run", "run-fpl", "--user", other});
  EXPECT_EQ(second.code, 2);
  EXPECT_NE(second.err.find("before"), std::string::npos) << second.err;
  std::filesystem::remove(shop_.folder() / "run-fpl" / "run.json");
  const Outcome resumed = shop_.sotto({"train", "--resume", "--out", "run-fpl"});
  EXPECT_EQ(resumed.code, 2);
  EXPECT_NE(resumed.err.find("--split-file run-fpl/split.bin"), std::string::npos) << resumed.err;
}

TEST_F(CliDevice, what_is_not_the_sum_of_all_is_not_subtracted_from) {
  for (const Words& how :
       {Words{"--groups", "5", "--across", "median"}, Words{"--sum", "secure", "--secure-dropout", "0.2"}}) {
    Words words{"train", "--split-file", "s/split.bin", "--model", "fedease", "--out", "r", "--force", "-q"};
    words.insert(words.end(), how.begin(), how.end());
    const Outcome trained = shop_.sotto(words);
    ASSERT_EQ(trained.code, 0) << trained.err;
    const Outcome refused = shop_.sotto({"forget", "--run", "r", "--user", user_});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("train again without"), std::string::npos) << refused.err;
  }
}

}  // namespace
}  // namespace sotto::cli
