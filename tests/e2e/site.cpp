#include "tests/e2e/site.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "host/serve/serve_config.h"
#include "net/address.h"
#include "tests/e2e/loopback.h"

namespace sotto::tests::e2e {

namespace {

constexpr const char* data = "world/interactions.tsv";
constexpr const char* admin = "unix:state/admin.sock";
constexpr const char* taken = "limits and rules of the configuration hold from now on";
constexpr std::chrono::seconds patience{300};

const char* name_of(Side side) { return side == Side::left ? "left" : "right"; }
const char* coordinator_seen_from(Side side) { return side == Side::left ? "192.0.2.1" : "192.0.2.129"; }
const char* address_of(Side side) { return side == Side::left ? "192.0.2.2" : "192.0.2.130"; }

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void must(const Status& done) { EXPECT_TRUE(done.ok()) << done.error().message; }

}  // namespace

Result<std::unique_ptr<Site>> Site::make() {
  SOTTO_TRY(Namespace left, Namespace::make());
  SOTTO_TRY(Namespace right, Namespace::make());
  SOTTO_TRY(Namespace middle, Namespace::make());
  std::unique_ptr<Site> site(
      new Site(std::array<Namespace, 3>{std::move(left), std::move(right), std::move(middle)}));
  for (const Side side : {Side::left, Side::right})
    SOTTO_TRY_DONE(
        join({site->coordinators(), name_of(side), fmt::format("{}/25", coordinator_seen_from(side))},
             {site->devices(side), "wire", fmt::format("{}/25", address_of(side))}));
  return site;
}

Site::~Site() {
  std::vector<pid_t> running = fleets_;
  if (coordinator_) running.push_back(*coordinator_);
  for (const pid_t process : running) {
    ::kill(process, SIGKILL);
    (void)shop_.finish(process);
  }
}

bool Site::run(const cli::Words& words) const {
  const cli::Outcome outcome = shop_.sotto(words);
  EXPECT_EQ(outcome.code, 0) << words.front() << ": " << outcome.err;
  return outcome.code == 0;
}

void Site::configure(const std::string& task) const {
  shop_.put(
      "coordinator.toml",
      "listen = \"0.0.0.0:7443\"\nstatus = \"127.0.0.1:9464\"\n"
      "[limits]\nretry_min_s = 0.05\nretry_max_s = 0.2\npoll_s = 0.03\n"
      "[task.films]\nitems = \"items.tsv\"\nfactors = 4\ntriples = 10\nseed = 11\nreproducible = true\n" +
          task);
}

bool Site::begin(const std::string& task) {
  configure(task);
  if (!run({"data", "generate", "--users", std::to_string(people), "--items", "40", "--out", "world"}) ||
      !run({"data", "items", "--data", data, "--out", "items.tsv"}) ||
      !run({"certs", "--out", "certs", "--host", coordinator_seen_from(Side::left), "--host",
            coordinator_seen_from(Side::right)}) ||
      !serve() ||
      !run({"ctl", "tokens", "--admin", admin, "--count", std::to_string(people), "--out", "tokens.txt"}))
    return false;
  const Inside inside(devices(Side::left));
  return run(cli::joined(fleet_words(Side::left), {"--enrol-only"}));
}

bool Site::serve() {
  {
    const Inside inside(coordinators());
    coordinator_ = shop_.start({"serve", "--config", "coordinator.toml"});
  }
  bool ended = false;
  const bool answers = comes([&] {
    siginfo_t what{};
    ::waitid(P_PID, static_cast<id_t>(*coordinator_), &what, WEXITED | WNOHANG | WNOWAIT);
    ended = what.si_pid != 0;
    return ended || !status().is_null();
  });
  EXPECT_TRUE(answers && !ended) << shop_.errors_so_far(*coordinator_);
  return answers && !ended;
}

void Site::kill_coordinator() {
  ::kill(*coordinator_, SIGKILL);
  EXPECT_EQ(shop_.finish(*coordinator_).code, 128 + SIGKILL);
  coordinator_.reset();
}

void Site::reload(const std::string& task) {
  configure(task);
  const std::size_t before = times(shop_.errors_so_far(*coordinator_), taken);
  ::kill(*coordinator_, SIGHUP);
  EXPECT_TRUE(comes([&] { return times(shop_.errors_so_far(*coordinator_), taken) > before; }))
      << shop_.errors_so_far(*coordinator_);
}

cli::Words Site::fleet_words(Side side) const {
  return {"fleet",      "--server",     fmt::format("{}:7443", coordinator_seen_from(side)),
          "--ca",       "certs/ca.pem", "--tokens",
          "tokens.txt", "--data",       data,
          "--json",     "--quiet",      "--reproducible"};
}

void Site::play(Side side, std::uint32_t first, std::uint32_t count, const cli::Words& more) {
  const Inside inside(devices(side));
  fleets_.push_back(
      shop_.start(cli::joined(cli::joined(fleet_words(side), {"--first", std::to_string(first), "--devices",
                                                              std::to_string(count), "--connections", "6"}),
                              more)));
}

std::vector<nlohmann::json> Site::stop_fleets() {
  std::vector<nlohmann::json> reports;
  for (const pid_t fleet : fleets_) ::kill(fleet, SIGINT);
  for (const pid_t fleet : std::exchange(fleets_, {})) {
    const cli::Outcome outcome = shop_.finish(fleet);
    reports.push_back(outcome.json());
    EXPECT_TRUE(reports.back().is_object()) << outcome.code << outcome.out << outcome.err;
  }
  return reports;
}

void Site::set_link(Side side, End end, const char* state) const {
  const bool at_devices = end == End::devices;
  const Namespace& where = at_devices ? devices(side) : coordinators();
  must(where.ip(fmt::format("link set {} {}", at_devices ? "wire" : name_of(side), state)));
}

void Site::cut(Side side, End end) const { set_link(side, end, "down"); }
void Site::mend(Side side, End end) const { set_link(side, end, "up"); }
void Site::lose_answers(Side side) const {
  must(coordinators().ip(fmt::format("route add blackhole {}/32", address_of(side))));
}
void Site::find_answers(Side side) const {
  must(coordinators().ip(fmt::format("route del blackhole {}/32", address_of(side))));
}

nlohmann::json Site::ctl(const cli::Words& words) const {
  const cli::Outcome outcome =
      shop_.sotto(cli::joined(cli::joined({"ctl"}, words), {"--admin", admin, "--json"}));
  return outcome.code == 0 ? outcome.json() : nlohmann::json();
}

nlohmann::json Site::task() const {
  const nlohmann::json all = status();
  return all.is_null() ? all : all["tasks"][0];
}

std::uint32_t Site::version() const {
  const nlohmann::json one = task();
  EXPECT_FALSE(one.is_null()) << "the coordinator does not answer";
  return one.is_null() ? 0 : one["newest"]["version"].get<std::uint32_t>();
}

nlohmann::json Site::oldest_first(const std::string& what) const {
  nlohmann::json all = ctl({what, "--last", "100000"});
  std::reverse(all.begin(), all.end());
  return all;
}

std::uint64_t Site::metric(const std::string& name) const {
  const Inside inside(coordinators());
  const auto socket = connect_to(*parse_address("127.0.0.1:9464"), 60'000);
  EXPECT_TRUE(socket.ok()) << (socket.ok() ? "" : socket.error().message);
  if (!socket.ok()) return 0;
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
  ::send(socket->descriptor(), request.data(), request.size(), MSG_NOSIGNAL);
  std::string page;
  std::array<char, 4096> part{};
  for (ssize_t got; (got = ::recv(socket->descriptor(), part.data(), part.size(), 0)) > 0;)
    page.append(part.data(), static_cast<std::size_t>(got));
  const std::size_t at = page.find("\n" + name + " ");
  EXPECT_NE(at, std::string::npos) << name << " is not in " << page;
  return at == std::string::npos ? 0 : std::stoull(page.substr(at + name.size() + 2));
}

bool Site::comes(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

bool Site::comes_to_version(std::uint32_t number) const {
  bool gone = false;
  const bool came = comes([&] {
    const nlohmann::json one = task();
    gone = one.is_null();
    return gone || one["newest"]["version"] >= number;
  });
  EXPECT_FALSE(gone) << "the coordinator does not answer: " << shop_.errors_so_far(*coordinator_);
  return came && !gone;
}

std::vector<std::string> Site::undisturbed(std::size_t versions) const {
  const auto config = read_serve_config(shop_.folder() / "coordinator.toml");
  DataRequest request;
  request.paths = {(shop_.folder() / data).string()};
  const auto prepared = prepare(request);
  EXPECT_TRUE(config.ok() && prepared.ok());
  if (!config.ok() || !prepared.ok()) return {};
  TaskConfig task = config->tasks.front();
  task.rules.rounds = versions - 1;
  Loopback loopback(task);
  FleetOptions options;
  options.devices = people;
  options.workers = 8;
  options.reproducible = true;
  options.exchanges = (versions - 1) * people;
  const auto enrolled = enrol_fleet(options, loopback.tokens(people), loopback.connect());
  EXPECT_TRUE(enrolled.ok());
  const std::atomic<bool> stop = false;
  if (versions > 1) {
    const auto played = run_fleet(prepared->split, options, *enrolled, loopback.connect(), {.stop = stop});
    EXPECT_TRUE(played.ok());
  }
  std::vector<std::string> hashes;
  for (const auto& one : loopback.ask("versions", {{"most", versions}}))
    hashes.insert(hashes.begin(), one["model_hash"].get<std::string>());
  return hashes;
}

}  // namespace sotto::tests::e2e
