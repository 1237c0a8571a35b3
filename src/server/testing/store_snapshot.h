// All that a Store tells about its state, as text: two stores that agree in it hold the same. For tests.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>

#include "server/store.h"

namespace sotto::server {

inline std::string snapshot(const RoundRecord& round) {
  return fmt::format("round {} {} state {} {} {} {} {} {}\n", round.task, round.round,
                     static_cast<int>(round.state), round.opened_ms, round.closed_ms, round.assigned,
                     round.contributions, round.why);
}

inline std::string hex(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

// Tasks, rounds, versions and devices; not blobs and tokens, which can only be asked for one by one.
inline std::string snapshot(Store& store) {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  std::string text;
  for (const TaskRecord& task : store.tasks().value()) {
    text += fmt::format("task {} spec {} state {} next {} budget {}\n", task.name, hex(task.spec),
                        static_cast<int>(task.state), task.next_round, task.budget);
    for (const RoundRecord& round : store.rounds(task.name, all).value()) text += snapshot(round);
    for (const VersionRecord& version : store.versions(task.name, all).value())
      text += fmt::format(
          "version {} {} round {} of {} {} {} {} again {}{}\n", version.task, version.number, version.round,
          version.contributions, version.model_hash, hex(version.master), version.time_ms,
          version.again ? static_cast<int>(*version.again) : -1,
          version.trial ? fmt::format(" beside {} for {} by {} promoted {}", version.trial->stable,
                                      version.trial->millionths, version.trial->salt, version.trial->promoted)
                        : "");
    for (const EvaluationRecord& one : store.evaluations(task.name, all).value())
      text += fmt::format("evaluation {} {} people {} {} {} beside {}\n", one.task, one.version, one.people,
                          one.figures, one.time_ms, one.beside);
  }
  for (const RoundRecord& round : store.open_rounds().value()) text += "open " + snapshot(round);
  const Status told = store.each_device([&](const DeviceRecord& device) {
    text += fmt::format("device {} {} index {} revoked {} {} {}\n", hex(text_of(device.id)),
                        hex(text_of(device.key)), device.index, device.revoked, device.enrolled_ms,
                        device.last_seen_ms);
    if (device.home)
      text += fmt::format("home {} {} {}\n", hex(text_of(device.home->home)), device.home->moves,
                          device.home->since_ms);
  });
  return told.ok() ? text : told.error().message;
}

}  // namespace sotto::server
