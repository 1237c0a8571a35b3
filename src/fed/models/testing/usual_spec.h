// For tests: a task as a model usually has it, from a configuration in which nothing is written.
#pragma once

#include <set>
#include <string>

#include "base/assert.h"
#include "fed/models/task_models.h"
#include "fed/models/testing/usual_knowledge.h"

namespace sotto::fed {

// It notes what was asked for.
struct NothingWritten final : TaskOptions {
  void whole(const char* key, std::uint32_t&) override { asked.insert(key); }
  void real(const char* key, float&) override { asked.insert(key); }
  void choice(const char* key, std::initializer_list<const char*>, std::size_t&) override {
    asked.insert(key);
  }
  std::set<std::string> asked;
};

inline v1::TaskSpec usual_spec(const TaskModel& model, std::uint32_t items = 20) {
  v1::TaskSpec spec;
  spec.set_name("usual");
  spec.set_model(model.name);
  spec.set_items(items);
  spec.set_fixed_bits(20);
  NothingWritten nothing;
  model.configure(nothing, spec);
  SOTTO_ASSERT(take_known(usual_knowledge(items), spec).ok(), "the usual knowledge is enough");
  return spec;
}

}  // namespace sotto::fed
