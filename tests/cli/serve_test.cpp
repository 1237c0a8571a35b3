// `sotto serve` as a process: what it takes up while it runs. What rounds do is in tests/e2e.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <thread>

#include "host/tls_files.h"
#include "tests/cli/program.h"

namespace sotto::cli::serve_test {
namespace {

bool comes(const std::function<bool()>& holds) {
  for (int tries = 0; tries < 6000; ++tries) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

class Serve : public testing::Test {
 protected:
  void SetUp() override {
    certs("certs");
    shop_.put("coordinator.toml",
              "listen = \"127.0.0.1:0\"\nstatus = \"\"\n[task.films]\nitems = 30\ngoal = 10\n");
    process_ = shop_.start({"serve", "--config", "coordinator.toml", "--json"});
    ASSERT_TRUE(comes([&] { return where().is_object(); })) << shop_.errors_so_far(*process_);
  }
  void TearDown() override {
    if (!process_) return;
    ::kill(*process_, SIGTERM);
    EXPECT_EQ(shop_.finish(*process_).code, 0);
  }

  void certs(const std::string& folder) const {
    const Outcome made = shop_.sotto({"certs", "--out", folder, "--host", "127.0.0.1"});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  [[nodiscard]] nlohmann::json where() const {
    return nlohmann::json::parse(shop_.output_so_far(*process_), nullptr, false);
  }
  // Why a new connection that trusts this folder's CA does not come about; empty: it does.
  [[nodiscard]] std::string trouble(const std::string& folder) const {
    const auto address = parse_address(where()["address"].get<std::string>());
    const ClientTls tls{
        .ca_pem = shop_.get(folder + "/ca.pem"), .server_name = "", .chain_pem = "", .key_pem = ""};
    const Status connected = why_no_connection(*address, tls, 60'000);
    return connected.ok() ? "" : connected.error().message;
  }
  // SIGHUP, until a line of the log says this.
  void reload(const std::string& words) const {
    const auto lines = [&] {
      std::size_t count = 0;
      const std::string log = shop_.errors_so_far(*process_);
      for (auto at = log.find(words); at != std::string::npos; at = log.find(words, at + 1)) ++count;
      return count;
    };
    const std::size_t before = lines();
    ::kill(*process_, SIGHUP);
    EXPECT_TRUE(comes([&] { return lines() > before; })) << words << "\n" << shop_.errors_so_far(*process_);
  }

  Workshop shop_;
  std::optional<pid_t> process_;
};

TEST_F(Serve, TakesNewCertificatesWithoutARestart) {
  certs("new");
  EXPECT_EQ(trouble("certs"), "");
  for (const char* name : {"server.pem", "server-key.pem"})
    shop_.put(std::string("certs/") + name, shop_.get(std::string("new/") + name));
  EXPECT_EQ(trouble("certs"), "") << "until it is asked to";
  reload("new connections get the new certificate");
  EXPECT_EQ(trouble("new"), "");
  EXPECT_NE(trouble("certs").find("is not signed by this CA"), std::string::npos);
}

TEST_F(Serve, KeepsItsCertificatesWhereTheNewOnesAreBroken) {
  certs("new");
  shop_.put("certs/server-key.pem", shop_.get("new/server-key.pem"));  // not the certificate's
  reload("the certificates were not taken; the old ones hold");
  const std::string log = shop_.errors_so_far(*process_);
  EXPECT_NE(log.find("certs/server-key.pem"), std::string::npos) << "which file: " << log;
  EXPECT_EQ(log.find("PRIVATE"), std::string::npos);
  EXPECT_EQ(trouble("certs"), "");
  // The rules of the same file were taken; whole again, the pair is too.
  EXPECT_NE(log.find("limits and rules of the configuration hold from now on"), std::string::npos) << log;
  shop_.put("certs/server.pem", shop_.get("new/server.pem"));
  reload("new connections get the new certificate");
  EXPECT_EQ(trouble("new"), "");
}

TEST_F(Serve, AFileWithAMistakeChangesNeitherRulesNorCertificates) {
  certs("new");
  shop_.put("coordinator.toml", shop_.get("coordinator.toml") +
                                    "gaol = 10\n[tls]\ncertificate = \"new/server.pem\"\n"
                                    "key = \"new/server-key.pem\"\n");
  reload("the configuration was not taken; the old one holds");
  EXPECT_EQ(trouble("certs"), "");
}

TEST_F(Serve, BeginsATaskThatTheConfigurationGains) {
  shop_.put("coordinator.toml", shop_.get("coordinator.toml") + "[task.more]\nitems = 30\ngoal = 10\n");
  reload("limits and rules of the configuration hold from now on");
  EXPECT_EQ(shop_.sotto({"ctl", "tasks", "--json"}).json()[1]["task"], "more");
}

// Its own address is no obstacle to the configuration of a coordinator that runs; somebody else's is.
TEST_F(Serve, AConfigurationCanBeCheckedWhileItsCoordinatorRuns) {
  const auto address = where()["address"].get<std::string>();
  const std::string text =
      "listen = \"" + address + "\"\nstatus = \"\"\n[task.films]\nitems = 30\ngoal = 10\n";
  shop_.put("fixed.toml", text);
  const Words check{"serve", "--config", "fixed.toml", "--check"};
  const Outcome same = shop_.sotto(check);
  EXPECT_EQ(same.code, 0) << same.err;
  for (const char* words :
       {"1 task, nothing wrong with the file, its certificates and addresses.",
        "Not checked: the state folder ", "is refused at the start.\nA coordinator runs on "})
    EXPECT_NE(same.out.find(words), std::string::npos) << words << "\n" << same.out;
  EXPECT_NE(same.out.find("listens at " + address), std::string::npos) << same.out;
  const Outcome json = shop_.sotto(cli::joined(check, {"--json"}));
  EXPECT_EQ(json.json()["running"], true) << json.out;
  const Outcome second = shop_.sotto({"serve", "--config", "fixed.toml"});
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("state already: stop it first"), std::string::npos) << second.err;
  shop_.put("fixed.toml", "state = \"other\"\n" + text);
  const Outcome other = shop_.sotto(check);
  EXPECT_EQ(other.code, 1) << other.out;
  EXPECT_NE(other.err.find(address + " is in use by another program"), std::string::npos) << other.err;
  shop_.put("fixed.toml", "state = \"other\"\nlisten = \"127.0.0.1:0\"\n" + text.substr(text.find("status")));
  EXPECT_EQ(shop_.sotto(cli::joined(check, {"--json"})).json()["running"], false);
}

}  // namespace
}  // namespace sotto::cli::serve_test
