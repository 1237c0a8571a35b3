#include "server/admission.h"

#include <sodium.h>

#include <algorithm>

#include "fed/models/task_model.h"

namespace sotto::server {

namespace {

constexpr double longest_retry_ms = 3'600'000.0;

}  // namespace

bool knows(const v1::CheckInRequest& request, const Task& task) {
  if (std::max(request.parts(), 1u) < task.parts()) return false;
  const auto& models = request.models();
  if (models.empty()) return task.model->is_first;
  return std::find(models.begin(), models.end(), task.model->name) != models.end();
}

std::string held_version(const v1::CheckInRequest& request, const Task& task) {
  for (const v1::Held& held : request.held())
    if (held.task() == task.name) return held.version();
  return {};
}

bool fulfils(const RoundRules& rules, const v1::CheckInRequest& request) {
  return (!rules.need_power || request.on_power()) && (!rules.need_unmetered || request.unmetered());
}

double admission_chance(const RoundRules& rules, const v1::CheckInRequest& request, double waited_ms,
                        double mean_waited_ms) {
  if (rules.criterion.empty()) return 1.0;
  if (rules.criterion == "longest-waiting")
    return waited_ms >= mean_waited_ms ? 1.0 : waited_ms / mean_waited_ms;
  const auto said = request.criteria().find(rules.criterion);
  if (said == request.criteria().end()) return 0.0;
  return said->second >= 0.0 ? std::min(said->second, 1.0) : 0.0;  // what is no number is 0
}

RetryWindow pace(const RetryWindow& base, std::size_t devices, std::uint32_t most_a_second) {
  const double mean_s = std::max(0.5e-3 * (static_cast<double>(base.min_ms) + base.max_ms), 1e-3);
  const double factor = std::max(static_cast<double>(devices) / (mean_s * most_a_second), 1.0);
  const auto wider = [&](std::uint32_t ms) {
    return static_cast<std::uint32_t>(std::min(ms * factor, std::max<double>(ms, longest_retry_ms)));
  };
  return {wider(base.min_ms), wider(base.max_ms)};
}

double random_share() { return static_cast<double>(randombytes_random()) / 4294967296.0; }

std::uint32_t random_within(const RetryWindow& window) {
  const std::uint32_t width = window.max_ms > window.min_ms ? window.max_ms - window.min_ms : 0;
  return window.min_ms + (width == 0 ? 0 : randombytes_uniform(width));
}

}  // namespace sotto::server
