// For tests: a task as a model usually has it, from a configuration in which nothing is written.
#pragma once

#include <set>
#include <string>

#include "base/assert.h"
#include "fed/models/task_models.h"
#include "fed/models/testing/usual_knowledge.h"

namespace sotto::fed {

// It notes what was asked for.
struct NothingWritten : TaskOptions {
  void whole(const char* key, std::uint32_t&) override { asked.insert(key); }
  void real(const char* key, float&) override { asked.insert(key); }
  void choice(const char* key, std::initializer_list<const char*>, std::size_t&) override {
    asked.insert(key);
  }
  void wholes(const char* key, std::vector<std::uint32_t>&) override { asked.insert(key); }
  void text(const char* key, std::string&) override { asked.insert(key); }
  std::set<std::string> asked;
};

// A model of pairs, of the most popular items alone.
struct PopularWritten final : NothingWritten {
  explicit PopularWritten(std::uint32_t popular, std::uint32_t most_bytes)
      : items(popular), bytes(most_bytes) {}
  void whole_if_any(const char* key, std::uint32_t& value) override {
    if (key == std::string_view("pair_items")) value = items;
    if (key == std::string_view("pair_bytes")) value = bytes;
  }
  std::uint32_t items, bytes;
};

// Those that any device can train.
inline std::vector<const TaskModel*> models_without_networks() {
  std::vector<const TaskModel*> models;
  for (const TaskModel* model : task_models)
    if (!model->trains_network) models.push_back(model);
  return models;
}

inline v1::TaskSpec usual_spec(const TaskModel& model, std::uint32_t items = 20,
                               NothingWritten&& written = {}) {
  v1::TaskSpec spec;
  spec.set_name("usual");
  spec.set_model(model.name);
  spec.set_items(items);
  spec.set_fixed_bits(20);
  model.configure(written, spec);
  SOTTO_ASSERT(take_known(usual_knowledge(items), spec).ok(), "the usual knowledge is enough");
  return spec;
}
inline v1::TaskSpec popular_spec(const TaskModel& model, std::uint32_t popular, std::uint32_t items = 20,
                                 std::uint32_t bytes = 0) {
  return usual_spec(model, items, PopularWritten(popular, bytes));
}

}  // namespace sotto::fed
