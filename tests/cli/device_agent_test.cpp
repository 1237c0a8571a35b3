// sotto device as a person's program: what works without a coordinator, and with one on this machine.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliDeviceAgent : public ::testing::Test {
 protected:
  [[nodiscard]] Outcome device(Words words) const {
    words.insert(words.begin(), "device");
    words.insert(words.end(), {"--dir", "d", "--json"});
    return shop_.sotto(words);
  }
  Workshop shop_;
};

TEST_F(CliDeviceAgent, things_come_and_go) {
  EXPECT_EQ(device({"list"}).code, 1);  // there is no device yet
  EXPECT_EQ(device({"init"}).json()["made"], true);
  EXPECT_EQ(device({"init"}).json()["made"], false);  // again changes nothing
  EXPECT_EQ(device({"add", "Alien (1979)", "50"}).json()["items"], 2u);
  shop_.put("mine.tsv", "7\t4.5\t1700000000000\nbare\n50\t2\n\n");
  EXPECT_EQ(device({"add", "--from", "mine.tsv"}).json()["items"], 4u);
  const auto listed = device({"list"}).json()["items"];
  ASSERT_EQ(listed.size(), 4u);
  EXPECT_EQ(listed[0]["item"], "50");
  EXPECT_EQ(listed[0]["value"], 2.0);
  EXPECT_EQ(listed[1]["time_ms"], 1700000000000);
  EXPECT_EQ(device({"remove", "50"}).json()["removed"], 1u);
  EXPECT_EQ(device({"remove", "50"}).code, 1);
  shop_.put("wrong.tsv", "7\t4.5\nprivate\tmuch\n");
  const Outcome wrong = device({"add", "--from", "wrong.tsv"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("wrong.tsv, line 2"), std::string::npos) << wrong.err;
  EXPECT_EQ(wrong.err.find("private"), std::string::npos) << wrong.err;
  EXPECT_EQ(device({"add"}).code, 2);
}

// The formats of `sotto train --data`, with what stands beside the items.
TEST_F(CliDeviceAgent, files_bring_ratings_times_and_contexts) {
  ASSERT_EQ(device({"init"}).code, 0);
  shop_.put("mine.csv",
            "item,rating,time,sky\na,4,2020-01-02T00:00:00Z,rain\nb,2.5,2020-01-01T00:00:00Z,NA\n");
  const Outcome added = device(
      {"add", "--data", "mine.csv", "--columns", "item=item,rating=rating,time=time,context.weather=sky"});
  ASSERT_EQ(added.code, 0) << added.err;
  const auto listed = device({"list"}).json()["items"];
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0], nlohmann::json({{"item", "a"},
                                       {"value", 4.0},
                                       {"time_ms", 1577923200000},
                                       {"title", "a"},
                                       {"contexts", {{"weather", "rain"}}}}));
  EXPECT_EQ(listed[1]["value"], 2.5);
  EXPECT_FALSE(listed[1].contains("contexts"));
  // By hand, too; a rating of 1 is one, and what is not said is not known.
  ASSERT_EQ(device({"add", "c", "--value", "1", "--context", "weather=sun"}).code, 0);
  ASSERT_EQ(device({"add", "d"}).code, 0);
  EXPECT_EQ(device({"list"}).json()["items"][2]["value"], 1.0);
  EXPECT_EQ(device({"list"}).json()["items"][2]["contexts"]["weather"], "sun");
  EXPECT_TRUE(device({"list"}).json()["items"][3]["value"].is_null());
  // What is listed can be added again.
  const auto before = device({"list"}).json();
  shop_.put("listed.tsv", shop_.sotto({"device", "list", "--dir", "d"}).out);
  ASSERT_EQ(device({"remove", "a", "b", "c", "d"}).code, 0);
  ASSERT_EQ(device({"add", "--from", "listed.tsv"}).json()["added"], 4u);
  EXPECT_EQ(device({"list"}).json(), before);
  const Outcome exported = shop_.sotto({"device", "export", "--dir", "d"});
  EXPECT_EQ(nlohmann::json::parse(exported.out)["interactions"][0]["contexts"]["weather"], "rain");
  ASSERT_EQ(device({"remove", "a"}).code, 0);
  EXPECT_EQ(shop_.sotto({"device", "export", "--dir", "d"}).out.find("rain"), std::string::npos);
}

TEST_F(CliDeviceAgent, of_several_users_one_is_chosen_and_nothing_is_added_by_half) {
  ASSERT_EQ(device({"init"}).code, 0);
  shop_.put("all.csv", "user,item,rating\nann,a,4\nbob,b,2\nann,c,3\n");
  const Outcome several = device({"add", "--data", "all.csv"});
  EXPECT_EQ(several.code, 2);
  EXPECT_NE(several.err.find("2 users: choose yours with --user"), std::string::npos) << several.err;
  EXPECT_EQ(several.err.find("bob"), std::string::npos) << several.err;
  EXPECT_EQ(device({"add", "--data", "all.csv", "--user", "eve"}).code, 1);
  EXPECT_EQ(device({"add", "--data", "all.csv", "--user", "ann"}).json()["added"], 2u);
  // Without a header somebody must say that no column names a user.
  shop_.put("bare.tsv", "x\t4\t1577836800\ny\t5\t1577836900\n");
  EXPECT_EQ(device({"add", "--data", "bare.tsv"}).code, 2);
  EXPECT_EQ(device({"add", "--data", "bare.tsv", "--columns", "item=1,rating=2,time=3"}).json()["items"], 4u);
  shop_.put("wrong.csv", "item,rating\nz,4\nq,much\n");
  const Outcome wrong = device({"add", "--data", "wrong.csv"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("wrong.csv, line 3"), std::string::npos) << wrong.err;
  EXPECT_EQ(device({"list"}).json()["items"].size(), 4u);
  EXPECT_EQ(device({"add", "--data", "wrong.csv", "--rating-scale", "1:5", "a"}).code, 2);
  EXPECT_EQ(device({"add", "a", "--user", "ann"}).code, 2);
  EXPECT_EQ(device({"add", "a", "--context", "rain"}).code, 2);
}

TEST_F(CliDeviceAgent, a_person_says_something_of_themself) {
  EXPECT_EQ(device({"set", "age=25-34"}).code, 1);  // there is no device yet
  ASSERT_EQ(device({"init"}).code, 0);
  const auto shown = [&](const Words& words = {}) {
    return device(joined({"set"}, words)).json()["attributes"];
  };
  EXPECT_TRUE(shown().empty());
  const Words text{"device", "set", "--dir", "d"};
  EXPECT_NE(shop_.sotto(text).out.find("said nothing of yourself"), std::string::npos);
  const auto said = shown({"occupation=student", "age=25=34"});
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0], nlohmann::json::parse(R"({"name": "age", "value": "25=34", "values": [],
                                               "has_effect": false, "choice": "off", "share": 0.0})"));
  ASSERT_EQ(device({"consent", "preset", "open"}).code, 0);
  EXPECT_EQ(shown()[1]["choice"], "full");
  ASSERT_EQ(device({"consent", "context", "age", "partial:0.3"}).code, 0);
  EXPECT_EQ(shown()[0]["share"], 0.3);
  EXPECT_EQ(shown()[1]["choice"], "off") << "where one is named";
  const std::string lines = shop_.sotto(text).out;
  for (const char* part : {"student", "partial:0.3", "no task on this device asks", "has no effect."})
    EXPECT_NE(lines.find(part), std::string::npos) << part << lines;
  const auto exported = shop_.sotto({"device", "export", "--dir", "d"}).json();
  EXPECT_EQ(exported["attributes"]["occupation"], "student");
  EXPECT_EQ(shown({"age="}).size(), 1u);
  for (const Words& words : {Words{"set", "age"}, Words{"set", "=25-34"}, Words{"set", "age=1", "job"}})
    EXPECT_EQ(device(words).code, 2) << words.back();
  EXPECT_EQ(shown().size(), 1u);
}

// The formats of `sotto train --model fedavg`.
TEST_F(CliDeviceAgent, labelled_examples_come_and_go) {
  const auto idx = [](std::initializer_list<int> header, std::initializer_list<int> values) {
    std::string text(3, '\0');
    text += static_cast<char>(header.size() == 3 ? 3 : 1);
    text[2] = 8;
    for (const int size : header) text += std::string(3, '\0') + static_cast<char>(size);
    for (const int value : values) text += static_cast<char>(value);
    return text;
  };
  std::filesystem::create_directory(shop_.folder() / "mine");
  shop_.put("mine/train-images-idx3-ubyte", idx({3, 1, 2}, {10, 20, 30, 40, 10, 20}));
  shop_.put("mine/train-labels-idx1-ubyte", idx({3}, {7, 1, 7}));  // the last is the first again
  shop_.put("mine/t10k-images-idx3-ubyte", idx({1, 1, 2}, {50, 60}));
  shop_.put("mine/t10k-labels-idx1-ubyte", idx({1}, {2}));
  ASSERT_EQ(device({"init"}).code, 0);
  const Words add{"add", "--examples", "mine", "--collection", "digits"};
  const auto added = device(add).json();
  EXPECT_EQ(added["added"], 3u);
  EXPECT_EQ(added["examples"], 2u);
  EXPECT_EQ(device(add).json()["examples"], 2u) << "again changes nothing";
  const auto listed = device({"list", "--collection", "digits"}).json()["examples"];
  ASSERT_EQ(listed.size(), 2u);
  for (const auto& one : listed) {
    EXPECT_EQ(one["values"], (one["label"] == 7 ? nlohmann::json{10, 20} : nlohmann::json{30, 40})) << one;
    EXPECT_EQ(one["width"], 2u);
  }
  const Words list{"device", "list", "--collection", "digits", "--dir", "d"};
  EXPECT_NE(shop_.sotto(list).out.find("\t1 × 2\t7\n"), std::string::npos);
  EXPECT_EQ(device({"list"}).json()["items"].size(), 0u) << "they are no things";
  const auto exported = shop_.sotto({"device", "export", "--dir", "d"}).json();
  EXPECT_EQ(exported["examples"], listed);
  const auto name = listed[0]["name"].get<std::string>();
  EXPECT_EQ(device({"remove", "--collection", "digits", name}).json()["removed"], 1u);
  EXPECT_EQ(device({"remove", "--collection", "digits"}).json()["removed"], 1u);
  EXPECT_EQ(device({"remove", "--collection", "digits"}).code, 1);
  for (const Words& words :
       {Words{"add", "--examples", "mine"}, Words{"add", "--collection", "digits", "a"}, Words{"remove"},
        Words{"add", "a", "--examples", "mine", "--collection", "digits"},
        Words{"add", "--examples", "mine", "--collection", "My pictures"}})
    EXPECT_EQ(device(words).code, 2) << words.back();
  EXPECT_EQ(device({"add", "--examples", ".", "--collection", "digits"}).code, 1);
}

TEST_F(CliDeviceAgent, a_device_that_is_there_says_its_level) {
  const Words init{"device", "init", "--dir", "d"};
  EXPECT_NE(shop_.sotto(init).out.find("Nothing leaves this device until"), std::string::npos);
  ASSERT_EQ(device({"consent", "preset", "open"}).code, 0);
  ASSERT_EQ(device({"consent", "pause"}).code, 0);
  const Outcome again = shop_.sotto(init);
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.out.find("nothing was changed. Its level is open, and it is paused"), std::string::npos)
      << again.out;
  EXPECT_EQ(again.out.find("Nothing leaves"), std::string::npos) << again.out;
  EXPECT_EQ(device({"init"}).json()["level"], "open");
}

TEST_F(CliDeviceAgent, a_rule_says_what_cannot_be_checked_and_what_it_costs) {
  ASSERT_EQ(device({"init"}).code, 0);
  const auto unchecked = device({"consent", "item", "venue-0004", "never"}).json();
  EXPECT_NE(unchecked["note"].get<std::string>().find("no catalogue yet"), std::string::npos) << unchecked;
  EXPECT_FALSE(device({"consent", "item", "venue-0004", "none"}).json().contains("note"));
  ASSERT_EQ(shop_.sotto({"device", "add", "venue-0004", "--dir", "d"}).code, 0);
  EXPECT_FALSE(device({"consent", "item", "venue-0004", "never"}).json().contains("note")) << "it is theirs";
  for (const char* answer : {"never", "ask"}) {
    const auto silenced = device({"consent", "category", "Night Club", answer}).json();
    EXPECT_NE(silenced["note"].get<std::string>().find("category 'Night Club' none"), std::string::npos)
        << silenced;
  }
  const Words show{"device", "consent", "show", "--dir", "d"};
  EXPECT_NE(shop_.sotto(show).out.find("takes no part in tasks over a network"), std::string::npos);
  for (const char* answer : {"always", "none"})
    EXPECT_FALSE(device({"consent", "category", "Night Club", answer}).json().contains("note")) << answer;
  EXPECT_EQ(shop_.sotto(show).out.find("over a network"), std::string::npos);
}

TEST_F(CliDeviceAgent, what_needs_a_coordinator_or_a_model_says_so) {
  ASSERT_EQ(device({"init"}).code, 0);
  EXPECT_EQ(device({"run", "--once"}).code, 2);
  EXPECT_EQ(device({"recommend"}).code, 1);
  EXPECT_EQ(device({"explain", "50"}).code, 1);
  EXPECT_EQ(device({"enrol", "--server", "127.0.0.1:1"}).code, 2);                  // no token
  EXPECT_EQ(device({"enrol", "--server", "unix:nobody", "--token", "t"}).code, 1);  // nobody there
  shop_.put("tokens", "first\nsecond\n");
  const Outcome two = device({"enrol", "--server", "unix:nobody", "--token-file", "tokens"});
  EXPECT_EQ(two.code, 2);
  EXPECT_NE(two.err.find("the file has 2 lines"), std::string::npos) << two.err;
  EXPECT_EQ(two.err.find("first"), std::string::npos) << two.err;
  for (const Words& words : {Words{"recommend", "-k", "0"}, Words{"explain", "50", "-k", "0"}})
    EXPECT_EQ(device(words).code, 2) << words[0];
}

TEST_F(CliDeviceAgent, export_and_delete) {
  ASSERT_EQ(device({"init"}).code, 0);
  ASSERT_EQ(device({"add", "50"}).code, 0);
  const Outcome exported = shop_.sotto({"device", "export", "--dir", "d"});
  EXPECT_EQ(exported.json()["interactions"][0]["item"], "50");
  EXPECT_EQ(exported.json()["enrolled"], false);
  for (const Words& words : {Words{"device", "export", "--dir", "d", "--out", "me.json"},
                             Words{"device", "ledger", "export", "--dir", "d", "--out", "l.json.zst"}}) {
    ASSERT_EQ(shop_.sotto(words).code, 0);
    const std::filesystem::path file = shop_.folder() / words.back();
    EXPECT_EQ(std::filesystem::status(file).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    shop_.put(words.back(), "mine");
    const Outcome there = shop_.sotto(words);
    EXPECT_EQ(there.code, 2);
    EXPECT_NE(there.err.find("--force"), std::string::npos) << there.err;
    EXPECT_EQ(shop_.get(words.back()), "mine");
    EXPECT_EQ(shop_.sotto(joined(words, {"--force"})).code, 0);
    EXPECT_NE(shop_.get(words.back()), "mine");
  }
  EXPECT_EQ(device({"delete"}).code, 2);
  EXPECT_EQ(device({"delete", "--yes"}).json()["deleted"], true);
  EXPECT_FALSE(shop_.has("d/vault.db"));
  EXPECT_FALSE(shop_.has("d/vault.key"));
  EXPECT_EQ(device({"list"}).code, 1);
}

}  // namespace
}  // namespace sotto::cli
