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
  void wholes(const char* key, std::vector<std::uint32_t>&) override { asked.insert(key); }
  void text(const char* key, std::string&) override { asked.insert(key); }
  std::set<std::string> asked;
};

// Those that any device can train.
inline std::vector<const TaskModel*> models_without_networks() {
  std::vector<const TaskModel*> models;
  for (const TaskModel* model : task_models)
    if (!model->trains_network) models.push_back(model);
  return models;
}

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
