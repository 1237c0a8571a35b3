// A coordinator and the devices of a fleet in one process: what runs in threads of its own meets here, also
// for
// `./dev tsan`. What rounds compute is in tests/e2e, what the command says in tests/cli.
#include "host/serve/daemon.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "data/generate.h"
#include "host/fleet/fleet.h"
#include "host/serve/json_log.h"
#include "net/testing/trial.h"

namespace sotto::host::daemon_test {
namespace {

constexpr std::uint32_t rounds = 3;

std::string page(const std::string& address, const std::string& path) {
  const Socket socket = connect_to(parse_address(address).value(), 10'000).value();
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
  send(socket.descriptor(), request.data(), request.size(), MSG_NOSIGNAL);
  std::string answer;
  std::array<char, 4096> part{};
  for (ssize_t got; (got = recv(socket.descriptor(), part.data(), part.size(), 0)) > 0;)
    answer.append(part.data(), static_cast<std::size_t>(got));
  return answer;
}

class DaemonTest : public testing::Test {
 protected:
  DaemonTest() {
    std::filesystem::create_directory(folder_.path() / "certs");
    put("certs/server.pem", trial::server_pair().certificate);
    put("certs/server-key.pem", trial::server_pair().key);
    for (std::uint32_t item = 0; item < split_.catalogue; ++item)
      names_.append(split_.items.name(item)).push_back('\n');
    put("items.tsv", names_);
    put("coordinator.toml",
        "listen = \"127.0.0.1:0\"\nstatus = \"127.0.0.1:0\"\n[limits]\nretry_min_s = 0.01\nretry_max_s = "
        "0.05\n"
        "[task.films]\nitems = \"items.tsv\"\ngoal = 10\nrounds = " +
            std::to_string(rounds) + "\n");
    daemon_ = Daemon::start(read_serve_config(file()).value(), log_).value();
    clock_ = std::thread([this] { daemon_->run(stop_, asked_, file()); });
  }
  ~DaemonTest() override {
    stop_ = true;
    clock_.join();
    daemon_->stop();
  }

  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "coordinator.toml"; }
  [[nodiscard]] nlohmann::json ask(const std::string& command, const std::string& arguments = "{}") const {
    auto admin = AdminClient::connect({}, daemon_->admin_address()).value();
    return nlohmann::json::parse(admin.ask(command, arguments).value());
  }
  [[nodiscard]] bool logged(const std::string& words) const {
    std::ifstream log("/proc/self/fd/" + std::to_string(fileno(lines_.get())));
    return std::string(std::istreambuf_iterator<char>(log), {}).find(words) != std::string::npos;
  }

  const Split split_ = generate_split({.users = 40, .items = 60}).value();
  std::string names_;  // of the items, one a line
  trial::Folder folder_;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> lines_{std::tmpfile(), std::fclose};
  JsonLog log_{lines_.get()};
  std::atomic<bool> stop_ = false;
  std::atomic<bool> asked_ = false;
  std::unique_ptr<Daemon> daemon_;
  std::thread clock_;
};

TEST_F(DaemonTest, TrainsWhileItReloadsAndAnswersPagesAndOperator) {
  FleetOptions options;
  options.devices = 30;
  options.workers = 4;
  options.seconds = 300.0;
  const ConnectWire connect = [where = daemon_->address()] {
    return grpc_transport(trial::client_tls(), where);
  };
  const auto tokens = ask("tokens", R"({"count": 30})")["tokens"].get<std::vector<std::string>>();
  const auto devices = enrol_fleet(options, tokens, connect);
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  const std::atomic<bool> never = false;
  const auto finished = [&] {
    asked_ = true;  // to read its configuration again
    EXPECT_TRUE(page(daemon_->status_address(), "/metrics").starts_with("HTTP/1.1 200"));
    return ask("tasks")[0]["state"] == "finished" && logged("hold from now on");
  };
  const auto report = run_fleet(split_, options, *devices, connect, {.stop = never, .finished = finished});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_LT(report->seconds, options.seconds);
  EXPECT_GE(report->of(Ending::answered), rounds * 7u) << "the quorum of ten";
  EXPECT_EQ(ask("versions").size(), rounds + 1);
}

// Devices go on with a task whose file of items grows while they train; a row that changes is said and not
// taken.
TEST_F(DaemonTest, ItsItemsGrowWhileAFleetTrains) {
  FleetOptions options;
  options.devices = 20;
  options.workers = 4;
  options.seconds = 300.0;
  const ConnectWire connect = [where = daemon_->address()] {
    return grpc_transport(trial::client_tls(), where);
  };
  const auto tokens = ask("tokens", R"({"count": 20})")["tokens"].get<std::vector<std::string>>();
  const auto devices = enrol_fleet(options, tokens, connect);
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  const std::atomic<bool> never = false;
  bool refused = false, grown = false;
  const auto finished = [&] {
    if (!std::exchange(refused, true)) {
      put("items.tsv", "another\n" + names_);
      asked_ = true;
    } else if (logged("item 1 (counted from 1) had the name") && !std::exchange(grown, true)) {
      put("items.tsv", names_ + "new 1\nnew 2\n");
      asked_ = true;
    }
    return ask("tasks")[0]["state"] == "finished" && logged("catalogue grew");
  };
  const auto report = run_fleet(split_, options, *devices, connect, {.stop = never, .finished = finished});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_LT(report->seconds, options.seconds);
  EXPECT_EQ(report->of(Ending::refused_by_device), 0u);
  EXPECT_EQ(ask("tasks")[0]["items"], split_.catalogue + 2);
  EXPECT_EQ(ask("versions").size(), rounds + 2) << "one of them made by no round";
}

}  // namespace
}  // namespace sotto::host::daemon_test
