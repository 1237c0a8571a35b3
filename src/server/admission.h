// Admission: who is taken into a round, and when the others should ask again.
//
// Laws: a device that does not fulfil a task's conditions is never taken; a criterion changes chances, never
// what is computed; the window in which devices return widens when there are so many that they would come
// faster than the server wants.
#pragma once

#include <cstdint>

#include "server/task_config.h"

namespace sotto::server {

// Whether the device knows the model, and so many parts of a round.
[[nodiscard]] bool knows(const v1::CheckInRequest& request, const Task& task);
// The version that it holds; empty: none.
[[nodiscard]] std::string held_version(const v1::CheckInRequest& request, const Task& task);
[[nodiscard]] bool fulfils(const RoundRules& rules, const v1::CheckInRequest& request);

// The chance to be taken, by the task's criterion: 1 without one. `longest-waiting`: against the mean of
// those who ask; a name: what the device says of itself, 0 where it says nothing.
[[nodiscard]] double admission_chance(const RoundRules& rules, const v1::CheckInRequest& request,
                                      double waited_ms, double mean_waited_ms);

struct RetryWindow {
  std::uint32_t min_ms = 0;
  std::uint32_t max_ms = 0;
};
// The base window, or so much wider that `devices` which all ask again come at `most_a_second` in the mean.
[[nodiscard]] RetryWindow pace(const RetryWindow& base, std::size_t devices, std::uint32_t most_a_second);

// Drawn by the system's generator: [0, 1), and a time within the window.
[[nodiscard]] double random_share();
[[nodiscard]] std::uint32_t random_within(const RetryWindow& window);

}  // namespace sotto::server
