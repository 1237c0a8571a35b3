#include "host/fleet/fleet.h"

#include <fmt/core.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <numeric>
#include <queue>
#include <thread>

#include "device/enrol.h"
#include "host/fleet/player.h"

namespace sotto::host {

namespace {

constexpr std::size_t most_objections = 50;  // kinds of words

std::int64_t clock_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}
double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Everything the workers share.
class Stage {
 public:
  Stage(const Split& split, const FleetOptions& options, const std::vector<Enrolment>& devices)
      : options_(options), world_{split, options_, SharedShelf()}, began_(devices.size(), 0) {
    const std::int64_t now = clock_ms();
    for (std::uint32_t n = 0; n < devices.size(); ++n) {
      players_.emplace_back(world_, options_.first + n, devices[n]);
      due_.push({now, n});
    }
    report_.devices = static_cast<std::uint32_t>(devices.size());
  }

  // Until the end: the next device that is due takes its turn.
  void work(Transport& wire) {
    std::unique_lock lock(mutex_);
    while (!over_) {
      if (due_.empty()) {
        wake_.wait_for(lock, std::chrono::milliseconds(20));
        continue;
      }
      const auto [time, device] = due_.top();
      if (const std::int64_t now = clock_ms(); time > now) {
        wake_.wait_for(lock, std::chrono::milliseconds(std::min<std::int64_t>(time - now, 20)));
        continue;
      }
      due_.pop();
      lock.unlock();
      take_turn(device, wire, lock);
    }
  }

  // Watches over the workers; returns at the end.
  void watch(const FleetWatch& from) {
    auto told = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (!over_) {
      wake_.wait_for(lock, std::chrono::milliseconds(20));
      report_.seconds = seconds_since(start_);
      if (from.stop || (options_.seconds > 0.0 && report_.seconds >= options_.seconds)) over_ = true;
      if (over_ || seconds_since(told) < 1.0) continue;
      told = std::chrono::steady_clock::now();
      const FleetReport now = report_;
      lock.unlock();
      if (from.tell) from.tell(now);
      const bool finished = from.finished && from.finished();
      lock.lock();
      if (finished) over_ = true;
    }
    wake_.notify_all();
  }

  [[nodiscard]] Result<FleetReport> result() {
    if (!failure_.ok()) return failure_.error();
    report_.seconds = seconds_since(start_);
    return report_;
  }

 private:
  struct Due {
    std::int64_t time_ms = 0;
    std::uint32_t device = 0;
    [[nodiscard]] bool operator<(const Due& other) const {  // the earliest on top
      return time_ms != other.time_ms ? time_ms > other.time_ms : device > other.device;
    }
  };

  // `lock` is not held, and is held afterwards.
  void take_turn(std::uint32_t device, Transport& wire, std::unique_lock<std::mutex>& lock) {
    const double at = seconds_since(start_);
    if (began_[device] == 0) began_[device] = at;
    const auto turn = players_[device].play(wire, clock_ms());
    const double now = seconds_since(start_);
    lock.lock();
    if (!turn.ok()) {
      if (failure_.ok()) failure_ = turn.error();
      over_ = true;
      return;
    }
    if (turn->over) {
      count(*turn, 1000.0 * (now - began_[device]));
      began_[device] = 0;
    }
    due_.push({clock_ms() + turn->wait_ms, device});
    if (options_.exchanges > 0 && report_.assigned() >= options_.exchanges) over_ = true;
    wake_.notify_one();
  }

  void count(const Player::Turn& turn, double took_ms) {
    const ExchangeReport& one = turn.report;
    report_.requests += one.requests;
    report_.bytes_up += one.bytes_up;
    report_.bytes_down += one.bytes_down;
    if (turn.silent) return ++report_.silent, void();
    ++report_.endings[static_cast<std::size_t>(one.ending)];
    if (one.refusal != 0) ++report_.refusals[one.refusal];
    if (one.ending == Ending::refused_by_device && report_.objections.size() < most_objections)
      ++report_.objections[one.why];
    if (one.ending != Ending::answered) return;
    report_.latency.add(took_ms);
    ++report_.downloads[static_cast<std::size_t>(one.download)];
    auto [at, is_new] = report_.rounds.try_emplace(one.task, one.round, one.round);
    at->second.first = std::min(at->second.first, one.round);
    at->second.second = std::max(at->second.second, one.round);
  }

  FleetOptions options_;
  FleetWorld world_;
  std::deque<Player> players_;
  std::vector<double> began_;  // when each exchange did, in seconds from the start; 0: none is going on
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::priority_queue<Due> due_;
  bool over_ = false;
  Status failure_ = Done{};
  FleetReport report_;
};

// A busy server loses a reply now and then; enrolling again is the same enrolment.
Result<Enrolment> enrol_patiently(Transport& wire, const std::string& token, const Secret& entropy) {
  auto enrolled = enrol(wire, token, entropy);
  for (int n = 0; n < 5 && !enrolled.ok() && enrolled.error().code == Code::io; ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100 << n));
    enrolled = enrol(wire, token, entropy);
  }
  return enrolled;
}

Result<std::vector<std::unique_ptr<Transport>>> connections(std::size_t count, const ConnectWire& connect) {
  std::vector<std::unique_ptr<Transport>> made;
  for (std::size_t n = 0; n < count; ++n) {
    SOTTO_TRY(made.emplace_back(), connect());
  }
  return made;
}

}  // namespace

std::uint64_t FleetReport::assigned() const {
  return std::accumulate(endings.begin(), endings.end(), silent) - of(Ending::no_work);
}

Status check(const FleetOptions& options, const Split& split) {
  const auto chance = [](double value) { return value >= 0.0 && value <= 1.0; };
  if (!chance(options.dropout) || !chance(options.churn) || !chance(options.byzantine))
    return fail(Code::usage, "--dropout, --churn and --byzantine are chances between 0 and 1");
  if (options.workers == 0 || options.workers > 1024 || options.connections == 0)
    return fail(Code::usage,
                "a fleet has 1 to 1024 requests at once (--threads) and at least one of --connections");
  if (options.devices == 0 || options.first > split.train.users() ||
      options.devices > split.train.users() - options.first)
    return fail(Code::usage, fmt::format("the data have {} users: choose --first and --devices among them",
                                         split.train.users()));
  return check(options.policy);
}

Result<std::vector<Enrolment>> enrol_fleet(const FleetOptions& options,
                                           const std::vector<std::string>& tokens,
                                           const ConnectWire& connect) {
  if (tokens.size() < std::size_t{options.first} + options.devices)
    return fail(Code::usage, fmt::format("there are {} tokens for the {} users up to the last one played",
                                         tokens.size(), std::size_t{options.first} + options.devices));
  std::vector<Enrolment> devices(options.devices);
  // In order the server gives the users' own indices; otherwise any will do.
  const std::size_t workers = options.reproducible ? 1 : options.workers;
  SOTTO_TRY(auto wires, connections(std::min(workers, options.connections), connect));
  std::atomic<std::uint32_t> next = 0;
  std::mutex mutex;
  Status failure = Done{};
  const auto work = [&](Transport& wire) {
    for (std::uint32_t n = next++; n < options.devices; n = next++) {
      const std::uint32_t user = options.first + n;
      auto enrolled = enrol_patiently(wire, tokens[user],
                                      Secret(simulated_key(options.seed, "sotto fleet device", user)));
      if (enrolled.ok() && options.reproducible && enrolled->index != user)
        enrolled = fail(Code::usage, fmt::format("the coordinator counts user {} as device {}: reproducible "
                                                 "tasks need devices enrolled from 0 on, in order",
                                                 user, enrolled->index));
      const std::lock_guard guard(mutex);
      if (!enrolled.ok() && failure.ok()) failure = enrolled.error();
      if (!failure.ok()) return;
      devices[n] = *enrolled;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t n = 0; n < workers; ++n) threads.emplace_back([&, n] { work(*wires[n % wires.size()]); });
  for (std::thread& thread : threads) thread.join();
  if (!failure.ok()) return failure.error();
  return devices;
}

Result<FleetReport> run_fleet(const Split& split, const FleetOptions& options,
                              const std::vector<Enrolment>& devices, const ConnectWire& connect,
                              const FleetWatch& watch) {
  SOTTO_TRY(auto wires, connections(options.connections, connect));
  Stage stage(split, options, devices);
  std::vector<std::thread> threads;
  for (std::size_t n = 0; n < options.workers; ++n)
    threads.emplace_back([&, n] { stage.work(*wires[n % wires.size()]); });
  stage.watch(watch);
  for (std::thread& thread : threads) thread.join();
  return stage.result();
}

}  // namespace sotto::host
