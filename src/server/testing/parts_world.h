// For tests: a task whose rounds have two parts, the pairs of popular items.
#pragma once

#include "fed/models/testing/usual_spec.h"
#include "server/testing/secure_world.h"

namespace sotto::server {

inline constexpr std::uint32_t parts_items = 30, parts_people = 6, parts_popular = 7;

inline TaskConfig parts_config(const TaskModel& model, bool secure = false) {
  TaskConfig config = secure ? secure_config(parts_people) : world_config(parts_people);
  v1::TaskSpec spec = popular_spec(model, parts_popular, parts_items);
  spec.set_name("small");
  spec.set_seed(7);
  spec.set_reproducible(true);
  spec.set_sum(config.spec.sum());
  *spec.mutable_assumed() = config.spec.assumed();
  config.spec = spec;
  return config;
}

}  // namespace sotto::server
