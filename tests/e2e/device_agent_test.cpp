// The agent as its own process, over TLS on this machine: from enrolment to recommendations without a
// network.
#include <gtest/gtest.h>

#include "device/testing/asking_task.h"
#include "tests/cli/program.h"
#include "tests/e2e/loopback.h"

namespace sotto::tests::e2e {
namespace {

TaskConfig agents_task() {
  TaskConfig config;
  v1::TaskSpec& spec = config.spec;
  spec.set_name("films");
  spec.set_model("fpl");
  spec.set_factors(4);
  spec.set_learning_rate(0.05f);
  spec.set_user_reg(0.0025f);
  spec.set_positive_reg(0.0025f);
  spec.set_negative_reg(0.00025f);
  spec.set_init_sd(0.1f);
  spec.set_triples(10);
  spec.set_fixed_bits(20);
  spec.set_seed(5);
  spec.set_items(30);
  for (int n = 0; n < 30; ++n) config.catalogue += "film " + std::to_string(n) + "\n";
  config.rules.goal = 1;
  config.rules.quorum = 1;
  config.rules.over_selection = 1.0;
  config.rules.gather_ms = 0;
  return config;
}

TEST(DeviceAgent, TakesPartAndRecommendsOffline) {
  const cli::Workshop shop;
  const auto device = [&](cli::Words words) {
    words.insert(words.begin(), "device");
    words.insert(words.end(), {"--dir", "d", "--json"});
    return shop.sotto(words);
  };
  ASSERT_EQ(device({"init"}).code, 0);
  ASSERT_EQ(device({"add", "film 1", "film 7", "film 9"}).code, 0);
  ASSERT_EQ(device({"consent", "preset", "open"}).code, 0);
  ASSERT_EQ(device({"consent", "item", "film 7", "never"}).code, 0);
  std::string address;
  {
    Loopback server(agents_task());
    address = server.address();
    shop.put("ca.pem", server.ca_pem());
    shop.put("token", server.tokens(1).at(0) + "\n");
    const cli::Words enrol{"enrol", "--server", address, "--ca", "ca.pem", "--token-file", "token"};
    const auto enrolled = device(enrol);
    ASSERT_EQ(enrolled.code, 0) << enrolled.err;
    EXPECT_EQ(device(enrol).code, 2);  // once
    for (const char* download : {"full", "delta"}) {
      const auto ran = device({"run", "--once"});
      ASSERT_EQ(ran.code, 0) << ran.err;
      EXPECT_EQ(ran.json()["ending"], "answered") << ran.out;
      EXPECT_EQ(ran.json()["download"], download) << ran.out;
    }
    EXPECT_GE(server.versions(), 3u);
    const auto mistyped = device({"consent", "item", "film 77", "never"}).json();
    EXPECT_NE(mistyped["note"].get<std::string>().find("did you mean 'film 7'?"), std::string::npos)
        << mistyped;
    EXPECT_FALSE(device({"consent", "item", "film 8", "never"}).json().contains("note"));
    ASSERT_EQ(device({"consent", "pause"}).code, 0);
    EXPECT_EQ(device({"run", "--once"}).json()["ending"], "not now");
    ASSERT_EQ(device({"consent", "resume"}).code, 0);
  }
  // The coordinator is gone.
  EXPECT_EQ(device({"run", "--once"}).code, 1);
  const auto best = device({"recommend", "-k", "5"}).json()["items"];
  ASSERT_EQ(best.size(), 5u);
  for (const auto& one : best)
    for (const char* has : {"film 1", "film 7", "film 9"}) EXPECT_NE(one["item"], has);
  const auto why = device({"explain", best[0]["item"].get<std::string>()}).json();
  EXPECT_NEAR(why["score"].get<double>(), why["bias"].get<double>() + why["personal"].get<double>(), 1e-4);
  const auto ledger = device({"ledger", "list"}).json();
  EXPECT_EQ(ledger["lines"], 2u);
  for (const auto& item : ledger["items"]) EXPECT_NE(item, "film 7");
  EXPECT_EQ(device({"ledger", "verify"}).code, 0);
  const auto deleted = device({"delete", "--yes"}).json();
  EXPECT_EQ(deleted["deleted"], true);
  EXPECT_EQ(deleted["coordinator_told"], false);
}

// A catalogue that says what its items are called and in which categories they are.
TEST(DeviceAgent, CallsThingsByTheirTitlesAndKeepsACategory) {
  TaskCatalogue catalogue;
  for (int n = 0; n < 30; ++n) {
    catalogue.names.intern("film " + std::to_string(n));
    catalogue.titles.push_back("Film Number " + std::to_string(n));
    catalogue.categories.emplace_back(n % 2 == 0 ? "Even" : "Odd|Drama");
  }
  TaskConfig task = agents_task();
  task.catalogue = encode_catalogue(catalogue);
  const cli::Workshop shop;
  const auto device = [&](cli::Words words) {
    words.insert(words.begin(), "device");
    words.insert(words.end(), {"--dir", "d", "--json"});
    return shop.sotto(words);
  };
  ASSERT_EQ(device({"init"}).code, 0);
  ASSERT_EQ(device({"add", "film 1", "film 7", "film 8"}).code, 0);
  ASSERT_EQ(device({"consent", "preset", "open"}).code, 0);
  const auto unknown = device({"consent", "category", "Even", "never"}).json();
  EXPECT_NE(unknown["note"].get<std::string>().find("takes no part"), std::string::npos) << unknown;
  {
    Loopback server(task);
    shop.put("ca.pem", server.ca_pem());
    shop.put("token", server.tokens(1).at(0) + "\n");
    ASSERT_EQ(device({"enrol", "--server", server.address(), "--ca", "ca.pem", "--token-file", "token"}).code,
              0);
    const auto ran = device({"run", "--once"});
    EXPECT_EQ(ran.json()["ending"], "answered") << ran.out << ran.err;
  }
  EXPECT_FALSE(device({"consent", "category", "Odd", "always"}).json().contains("note"));
  const auto mistyped = device({"consent", "category", "Evem", "never"}).json();
  EXPECT_NE(mistyped["note"].get<std::string>().find("did you mean 'Even'?"), std::string::npos) << mistyped;
  for (const auto& item : device({"ledger", "list"}).json()["items"]) EXPECT_NE(item, "film 8");
  const std::string ledger = shop.sotto({"device", "ledger", "list", "--items", "--dir", "d"}).out;
  EXPECT_NE(ledger.find("Film Number 7"), std::string::npos) << ledger;
  const auto best = device({"recommend", "-k", "1"}).json()["items"][0];
  const auto item = best["item"].get<std::string>();
  EXPECT_EQ(best["title"], "Film Number " + item.substr(5));
  const std::string lines = shop.sotto({"device", "recommend", "-k", "1", "--dir", "d"}).out;
  EXPECT_NE(lines.find("\tFilm Number "), std::string::npos) << lines;
  const std::string why = shop.sotto({"device", "explain", item, "--dir", "d"}).out;
  EXPECT_NE(why.find("'Film Number " + item.substr(5) + "'"), std::string::npos) << why;
  EXPECT_EQ(device({"list"}).json()["items"][0]["title"], "Film Number 1");
}

// What a person says of themself, by what the task asks; it is in what leaves as they let it.
TEST(DeviceAgent, SaysOfItsPersonWhatTheTaskKnowsAndTheyLetIn) {
  const TaskCatalogue catalogue = asking_catalogue(30, {{"age", {"18-24", "25-34"}}, {"job", {"cook"}}});
  TaskConfig task = agents_task();
  task.spec = asking_spec(catalogue);
  task.catalogue = encode_catalogue(catalogue);
  const cli::Workshop shop;
  const auto device = [&](cli::Words words) {
    words.insert(words.begin(), "device");
    words.insert(words.end(), {"--dir", "d", "--json"});
    return shop.sotto(words);
  };
  ASSERT_EQ(device({"init"}).code, 0);
  for (const char* thing : {"1", "7", "8", "9", "12"})
    ASSERT_EQ(device({"add", thing, "--value", thing[0] == '1' ? "4" : "2"}).code, 0);
  ASSERT_EQ(device({"consent", "preset", "open"}).code, 0);
  ASSERT_EQ(device({"set", "age=middle"}).code, 0) << "nobody has asked yet";
  Loopback server(task);
  shop.put("ca.pem", server.ca_pem());
  shop.put("token", server.tokens(1).at(0) + "\n");
  ASSERT_EQ(device({"enrol", "--server", server.address(), "--ca", "ca.pem", "--token-file", "token"}).code,
            0);
  const auto run = [&] {
    const auto ran = device({"run", "--once"});
    EXPECT_EQ(ran.json()["ending"], "answered") << ran.out << ran.err;
    return device({"ledger", "list"}).json()["entries"].back()["mechanism"].get<std::string>();
  };
  EXPECT_EQ(run().find("told"), std::string::npos);  // the first round counts things, and "middle" is no age
  const auto shown = device({"set"}).json()["attributes"];
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0]["has_effect"], false);
  EXPECT_EQ(shown[0]["values"], (nlohmann::json{"18-24", "25-34"}));
  EXPECT_EQ(run().find("told"), std::string::npos);
  const auto wrong = device({"set", "age=young", "job=cook"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("choose from 18-24, 25-34"), std::string::npos) << wrong.err;
  EXPECT_EQ(wrong.err.find("young"), std::string::npos) << wrong.err;
  EXPECT_NE(device({"set", "shoe=44"}).err.find("they ask for age, job"), std::string::npos);
  ASSERT_EQ(device({"set", "age=25-34", "job=cook"}).code, 0);
  EXPECT_NE(run().find("told age and job"), std::string::npos);
  ASSERT_EQ(device({"consent", "context", "job", "full"}).code, 0);
  EXPECT_EQ(run().find("age"), std::string::npos);
  const auto why = device({"explain", "20", "-k", "9"}).json()["because"];
  const auto of_job = [](const nlohmann::json& one) { return one["feature"] == "your job: cook"; };
  for (const auto& one : why) EXPECT_NE(one["feature"], "your age: 25-34");
  EXPECT_LE(std::count_if(why.begin(), why.end(), of_job), 1);
}

}  // namespace
}  // namespace sotto::tests::e2e
