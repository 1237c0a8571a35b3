// Admission: who is taken into a round, and when the others should ask again.
//
// Laws: a device that does not fulfil a task's conditions is never taken; a criterion changes chances, never
// what is computed; the window in which devices return widens with how many more there are than are needed.
#pragma once

#include <cstdint>

#include "server/task_config.h"

namespace sotto {

[[nodiscard]] bool fulfils(const RoundRules& rules, const v1::CheckInRequest& request);

// The chance to be taken, by the task's criterion: 1 without one. `longest-waiting`: against the mean of
// those who ask; a name: what the device says of itself, 0 where it says nothing.
[[nodiscard]] double admission_chance(const RoundRules& rules, const v1::CheckInRequest& request,
                                      double waited_ms, double mean_waited_ms);

struct RetryWindow {
  std::uint32_t min_ms = 0;
  std::uint32_t max_ms = 0;
};
// `needed` devices of `devices` are wanted within the base window.
[[nodiscard]] RetryWindow pace(const RetryWindow& base, std::size_t devices, std::size_t needed);

// Drawn by the system's generator: [0, 1), and a time within the window.
[[nodiscard]] double random_share();
[[nodiscard]] std::uint32_t random_within(const RetryWindow& window);

}  // namespace sotto
