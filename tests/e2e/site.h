// A coordinator and the devices of a small world as processes of their own, in three network namespaces:
//
//   left 192.0.2.2 ───── 192.0.2.1 coordinator 192.0.2.129 ───── 192.0.2.130 right
//
// What it tells about them is what the operator hears: `sotto ctl … --json` and the status pages.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/e2e/netns.h"

namespace sotto::tests::e2e {

enum class Side : std::uint8_t { left, right };
enum class End : std::uint8_t { coordinators, devices };  // of a wire

class Site {
 public:
  static constexpr std::uint32_t people = 24;

  // The namespaces and their wires. Fails in words where the system does not allow them.
  [[nodiscard]] static Result<std::unique_ptr<Site>> make();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;
  ~Site();  // nothing of it runs afterwards

  // The world, the certificates, the coordinator with this one task ("goal = 24\n…"), and everybody's
  // enrolment. False: something failed, and the test with it.
  [[nodiscard]] bool begin(const std::string& task);
  // Starts the coordinator and waits until it answers.
  [[nodiscard]] bool serve();
  void kill_coordinator();  // SIGKILL
  // Another text of the task, and SIGHUP; until the log says that it was taken.
  void reload(const std::string& task);

  // Plays devices on one side until stop_fleets().
  void play(Side side, std::uint32_t first, std::uint32_t count, const cli::Words& more = {});
  // The fleets' reports.
  std::vector<nlohmann::json> stop_fleets();

  void cut(Side side, End end) const;
  void mend(Side side, End end) const;
  // What devices of this side send arrives, what is sent to them does not.
  void lose_answers(Side side) const;
  void find_answers(Side side) const;

  // `sotto ctl words… --json`; null while nobody answers.
  [[nodiscard]] nlohmann::json ctl(const cli::Words& words) const;
  [[nodiscard]] nlohmann::json status() const { return ctl({"status"}); }
  [[nodiscard]] nlohmann::json task() const;    // its part of the status
  [[nodiscard]] std::uint32_t version() const;  // the newest one's number
  [[nodiscard]] nlohmann::json versions() const { return oldest_first("versions"); }
  [[nodiscard]] nlohmann::json rounds() const { return oldest_first("rounds"); }
  // A line of /metrics, by its name with its labels.
  [[nodiscard]] std::uint64_t metric(const std::string& name) const;

  // Waits, however slow the machine is; false: it never came.
  [[nodiscard]] static bool comes(const std::function<bool()>& holds);
  [[nodiscard]] bool comes_to_version(std::uint32_t number) const;

  // The hashes of so many versions (the first model is one) as they come about on the loopback, where nothing
  // is in the way.
  [[nodiscard]] std::vector<std::string> undisturbed(std::size_t versions) const;

 private:
  explicit Site(std::array<Namespace, 3> places) : places_(std::move(places)) {}
  [[nodiscard]] const Namespace& coordinators() const { return places_[2]; }
  [[nodiscard]] const Namespace& devices(Side side) const { return places_[side == Side::left ? 0 : 1]; }
  [[nodiscard]] nlohmann::json oldest_first(const std::string& what) const;
  [[nodiscard]] cli::Words fleet_words(Side side) const;
  void set_link(Side side, End end, const char* state) const;
  void configure(const std::string& task) const;
  [[nodiscard]] bool run(const cli::Words& words) const;

  cli::Workshop shop_;
  std::array<Namespace, 3> places_;
  std::optional<pid_t> coordinator_;
  std::vector<pid_t> fleets_;
};

}  // namespace sotto::tests::e2e
