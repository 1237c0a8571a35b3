// A fleet: many devices of one dataset, played by one process against a coordinator, over the wire that is
// given. Each is a real device (device/exchange.h): it signs, fits, and keeps what a device keeps, in memory.
//
// Laws: how devices misbehave is drawn from the seed, the device and the number of its exchange; enrolled in
// the order of the users, device and user have the same index. Nothing grows with the number of exchanges.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "data/split.h"
#include "device/exchange.h"
#include "host/fleet/latency.h"
#include "privacy/personal_policy.h"

namespace sotto::host {

struct FleetOptions {
  std::uint64_t seed = 1;
  std::uint32_t first = 0;    // the first user that is played
  std::uint32_t devices = 0;  // how many from there on; 0: all
  std::size_t workers = 32;   // threads, each with one request at a time: a few would wait, not work
  std::size_t connections = 4;
  double dropout = 0.0;         // chance that a device falls silent at a random step of an exchange
  double churn = 0.0;           // chance that it is away for a while afterwards and returns without its model
  double byzantine = 0.0;       // share of the devices that are hostile
  std::uint32_t delay_ms = 0;   // before each request, up to so long
  bool fresh = false;           // nobody keeps a model: every download is in full
  bool reproducible = false;    // take tasks whose draws the server knows
  std::uint64_t exchanges = 0;  // stop after so many that were assigned; 0: no limit
  double seconds = 0.0;         // stop after so long; 0: no limit
  PersonalPolicy policy;        // everybody's
  std::string collection = "examples";  // of the labelled examples of a split that has some
  const NetworkTasks* networks =
      nullptr;  // what trains networks on everybody's device; it outlives the fleet
};
[[nodiscard]] Status check(const FleetOptions& options, const Split& split);

struct FleetReport {
  double seconds = 0.0;
  std::uint32_t devices = 0;
  std::array<std::uint64_t, 6> endings{};           // by Ending
  std::uint64_t silent = 0;                         // fell silent by --dropout
  std::map<int, std::uint64_t> refusals;            // by v1::Refusal
  std::map<std::string, std::uint64_t> objections;  // what devices refused, by its words
  std::array<std::uint64_t, 3> downloads{};         // of answers, by Download
  std::uint64_t requests = 0;                       // of all exchanges, as the three below
  std::uint64_t bytes_up = 0;
  std::uint64_t bytes_down = 0;
  Latency latency;  // of answers: from check-in to taken
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> rounds;  // of each task: first and last

  [[nodiscard]] std::uint64_t of(Ending ending) const { return endings[static_cast<std::size_t>(ending)]; }
  // Exchanges in which the device was assigned to a round.
  [[nodiscard]] std::uint64_t assigned() const;
};

// Makes one connection.
using ConnectWire = std::function<Result<std::unique_ptr<Transport>>()>;

struct FleetWatch {
  const std::atomic<bool>& stop;                      // from outside
  std::function<bool()> finished = {};                // asked about once a second
  std::function<void(const FleetReport&)> tell = {};  // about once a second
};

// Enrols the users' devices with their tokens, one a user. In order where `options.reproducible`.
[[nodiscard]] Result<std::vector<Enrolment>> enrol_fleet(const FleetOptions& options,
                                                         const std::vector<std::string>& tokens,
                                                         const ConnectWire& connect);
// Plays until an end is reached. `devices` are those of enrol_fleet().
[[nodiscard]] Result<FleetReport> run_fleet(const Split& split, const FleetOptions& options,
                                            const std::vector<Enrolment>& devices, const ConnectWire& connect,
                                            const FleetWatch& watch);

}  // namespace sotto::host
