// A person's device on a model of MovieLens 1M's size (3,706 items, 20 factors): what an exchange costs it,
// and a recommendation, with everything in the encrypted vault. The coordinator answers in this process; its
// time is not counted. Limits: an exchange 30 ms of processor time and 64 MB, ten recommendations 5 ms.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "bench/measure.h"
#include "device/agent.h"
#include "device/recommend.h"
#include "server/coordinator.h"
#include "server/testing/memory_store.h"

namespace sotto::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t items = 3706;
constexpr std::uint32_t had = 165;  // of MovieLens 1M's mean person
constexpr int exchanges = 60;
constexpr int asked = 200;
constexpr double exchange_limit_ms = 30.0;
constexpr double recommend_limit_ms = 5.0;
constexpr double memory_limit_mb = 64.0;

struct Silent final : LogSink {
  void line(const LogLine&) override {}
};

TaskConfig films() {
  TaskConfig config;
  v1::TaskSpec& spec = config.spec;
  spec.set_name("films");
  spec.set_model("fpl");
  spec.set_factors(20);
  spec.set_learning_rate(0.05f);
  spec.set_user_reg(0.0025f);
  spec.set_positive_reg(0.0025f);
  spec.set_negative_reg(0.00025f);
  spec.set_init_sd(0.1f);
  spec.set_triples(had);
  spec.set_fixed_bits(20);
  spec.set_seed(1);
  spec.set_items(items);
  for (std::uint32_t n = 0; n < items; ++n) config.catalogue += fmt::format("film number {}\n", n);
  // Each answer is a round, so that each exchange has a new version to fetch.
  config.rules.goal = 1;
  config.rules.quorum = 1;
  config.rules.over_selection = 1.0;
  config.rules.gather_ms = 0;
  return config;
}

// Calls the coordinator, and knows how long it took.
class InProcess final : public Transport {
 public:
  explicit InProcess(Coordinator& coordinator) : coordinator_(coordinator) {}
  [[nodiscard]] Result<std::string> call(Method method, const std::string& request) override {
    std::string reply;
    seconds += seconds_of([&] { reply = coordinator_.handle(method, request, now_ms); });
    return reply;
  }
  double seconds = 0.0;
  std::int64_t now_ms = 1'700'000'000'000;

 private:
  Coordinator& coordinator_;
};

// A line of /proc/self/status, in MB.
double memory_mb(const std::string& what) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(what)) return std::stod(line.substr(what.size() + 1)) / 1024.0;
  return 0.0;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// The device's processor time of one exchange.
double exchange_ms(Vault& vault, InProcess& wire, Coordinator& coordinator) {
  const double before = wire.seconds;
  double taken = 0.0;
  Agent agent(vault, {});
  for (int n = 0; n < 100; ++n) {
    AgentStep step;
    taken += seconds_of([&] {
      step = agent
                 .advance(
                     wire, [] { return Conditions{}; }, wire.now_ms)
                 .value();
    });
    if (step.next.what != Exchange::Next::What::wait) {
      if (step.next.report.ending != Ending::answered)
        fmt::print("  ended otherwise: {} {}\n", to_string(step.next.report.ending), step.next.report.why);
      break;
    }
    wire.now_ms += step.next.wait_ms;
    coordinator.tick(wire.now_ms);
  }
  return (taken - (wire.seconds - before)) * 1000.0;
}

void say(const char* what, double value, double limit, const char* unit) {
  fmt::print("{:<52} {:>8.2f} {} ({:.2f} of the {:g} {} allowed)\n", what, value, unit, value / limit, limit,
             unit);
}

void run(const fs::path& folder) {
  Silent log;
  MemoryStore store;
  auto coordinator = Coordinator::open(store, {}, {films()}, log, 1'700'000'000'000).value();
  InProcess wire(*coordinator);
  const std::string answer = coordinator->ask("tokens", R"({"count": 1})", wire.now_ms).value();
  const std::string token = nlohmann::json::parse(answer)["tokens"][0].get<std::string>();

  const double resident = memory_mb("VmRSS:");
  forget_peak();
  auto vault = Vault::open((folder / "vault.db").string(), Secret(system_key()), Making::if_missing).value();
  std::vector<KeptInteraction> some;
  for (std::uint32_t n = 0; n < had; ++n)
    some.push_back({fmt::format("film number {}", (n * 7919u) % items), 1.0, n});
  PersonalPolicy open;
  if (!vault->add(some).ok() || !vault->set_policy(open).ok() || !enrol_vault(*vault, wire, token).ok())
    return static_cast<void>(std::fputs("the device could not be set up\n", stderr));

  const double first = exchange_ms(*vault, wire, *coordinator);
  Figures again;
  for (int n = 0; n < exchanges; ++n) again.add(exchange_ms(*vault, wire, *coordinator));
  say("an exchange, first: catalogue and model in full", first, exchange_limit_ms, "ms");
  say("an exchange, later: a delta, median", again.median(), exchange_limit_ms, "ms");
  say("an exchange, later: the slowest", again.most(), exchange_limit_ms, "ms");
  say("memory of all that at its peak", memory_mb("VmHWM:") - resident, memory_limit_mb, "MB");

  const auto model = LocalRecommender::load(*vault, "films").value();
  Figures warm;
  Figures cold;
  for (int n = 0; n < asked; ++n) {
    warm.add(1000.0 * seconds_of([&] { static_cast<void>(model.top(10)); }));
    cold.add(1000.0 *
             seconds_of([&] { static_cast<void>(LocalRecommender::load(*vault, "films")->top(10)); }));
  }
  say("ten recommendations, model at hand", warm.median(), recommend_limit_ms, "ms");
  say("ten recommendations, the person's items read anew", cold.median(), recommend_limit_ms, "ms");
}

}  // namespace
}  // namespace sotto::bench

int main() {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("sotto-device-bench-{}", ::getpid());
  std::filesystem::create_directory(folder);
  sotto::bench::run(folder);
  std::filesystem::remove_all(folder);
}
