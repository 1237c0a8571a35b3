// What an exchange costs, coordinator and fleet together in one process over TLS on loopback: devices that
// hold the current version, devices that get a delta, and devices that fetch the model in full. 10,000 items,
// 16 factors. Processor time an exchange is that of both sides; what two cores can do at most follows from
// it.
#include <fmt/core.h>
#include <sys/resource.h>

#include <cstdlib>

#include "base/rng.h"
#include "tests/e2e/loopback.h"

namespace sotto::bench {
namespace {

constexpr std::uint32_t items = 10'000;

Split some_people(std::uint32_t users) {
  Split split;
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> all;
  for (std::uint32_t item = 0; item < items; ++item) split.items.intern(std::to_string(item));
  split.catalogue = items;
  for (std::uint32_t user = 0; user < users; ++user) {
    split.users.intern(std::to_string(user));
    Stream draws(1, Purpose::generate_world, 0, user);
    for (std::uint32_t item = draws.below(400); item < items; item += 1 + draws.below(400))
      all.push_back(ItemIndex{item});
    offsets.push_back(all.size());
  }
  split.train = Histories(std::move(offsets), std::move(all));
  return split;
}

struct Way {
  const char* name;
  std::uint32_t users;  // all of them in every round
  float rate;           // of learning: one so small that nothing moves leaves the version as it is
  bool fresh;
  std::uint64_t exchanges;
};

TaskConfig task_of(const Way& way) {
  TaskConfig config;
  v1::TaskSpec& spec = config.spec;
  spec.set_name("films");
  spec.set_model("fpl");
  spec.set_factors(16);
  spec.set_learning_rate(way.rate);
  spec.set_init_sd(0.1f);
  spec.set_triples(10);
  spec.set_fixed_bits(20);
  spec.set_seed(1);
  spec.set_items(items);
  config.rules.goal = config.rules.quorum = way.users;
  config.rules.over_selection = 1.0;
  return config;
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

bool measure(const Way& way) {
  const Split split = some_people(way.users);
  tests::e2e::Loopback loopback(task_of(way));
  FleetOptions options;
  options.devices = way.users;
  options.fresh = way.fresh;
  options.exchanges = way.users;  // the first round: everybody fetches in full, which is not measured
  options.seconds = 60.0;
  const auto devices = enrol_fleet(options, loopback.tokens(way.users), loopback.connect());
  if (!devices.ok()) return fmt::print("{}: {}\n", way.name, devices.error().message), false;
  const std::atomic<bool> stop = false;
  options.exchanges = way.users + way.exchanges;
  double begun = 0.0, begun_at = 0.0;
  std::uint64_t before = 0;
  FleetWatch watch{.stop = stop};
  watch.tell = [&](const FleetReport& report) {
    if (begun == 0.0 && report.of(Ending::answered) > way.users) {
      begun = processor_seconds();
      begun_at = report.seconds;
      before = report.of(Ending::answered);
    }
  };
  const auto report = run_fleet(split, options, *devices, loopback.connect(), watch);
  if (!report.ok()) return fmt::print("{}: {}\n", way.name, report.error().message), false;
  const double used = processor_seconds() - begun;
  const double done = static_cast<double>(report->of(Ending::answered) - before);
  const double answered = static_cast<double>(report->of(Ending::answered));
  fmt::print("{:<6} {:>8.0f} {:>12.0f} {:>12.0f} {:>9.2f} {:>9.2f} {:>10.0f} {:>10.0f}  {}/{}/{}\n", way.name,
             done / (report->seconds - begun_at), 1e6 * used / done, 2.0 * done / used,
             report->latency.percentile(0.5), report->latency.percentile(0.99),
             static_cast<double>(report->bytes_up) / answered,
             static_cast<double>(report->bytes_down) / answered, report->downloads[0], report->downloads[1],
             report->downloads[2]);
  return true;
}

}  // namespace
}  // namespace sotto::bench

int main(int count, char** words) {
  using namespace sotto::bench;
  const std::uint64_t many = count > 1 ? std::strtoull(words[1], nullptr, 10) : 10'000;
  fmt::print("{:<6} {:>8} {:>12} {:>12} {:>9} {:>9} {:>10} {:>10}  {}\n", "way", "a second", "processor µs",
             "by 2 cores", "p50 ms", "p99 ms", "bytes up", "down", "held/delta/full");
  bool fine = true;
  for (const Way& way : {Way{"held", 1000, 1e-30f, false, many}, Way{"delta", 32, 0.05f, false, many / 2},
                         Way{"full", 1000, 1e-30f, true, many / 10}})
    fine = measure(way) && fine;
  return fine ? 0 : 1;
}
