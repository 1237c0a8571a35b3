// For tests: a task of a tiny classifier, of examples of 2 × 3 bytes in the collection "digits".
#pragma once

#include "fed/models/task_models.h"

namespace sotto::fed {

struct SmallClassifier final : TaskOptions {
  void whole(const char* key, std::uint32_t& value) override {
    if (key == std::string_view("height")) value = 2;
    if (key == std::string_view("width")) value = 3;
  }
  void real(const char*, float&) override {}
  void choice(const char* key, std::initializer_list<const char*>, std::size_t& place) override {
    if (key == std::string_view("network")) place = 1;  // dense
  }
  void wholes(const char* key, std::vector<std::uint32_t>& values) override {
    if (key == std::string_view("hidden")) values = hidden;
  }
  void text(const char*, std::string& value) override { value = "digits"; }
  std::vector<std::uint32_t> hidden = {3};
};

inline v1::TaskSpec classifier_spec(std::uint32_t classes = 4, std::vector<std::uint32_t> hidden = {3}) {
  v1::TaskSpec spec;
  spec.set_name("small");
  spec.set_model(fedavg_task.name);
  spec.set_items(classes);
  spec.set_fixed_bits(20);
  spec.set_seed(5);
  SmallClassifier options;
  options.hidden = std::move(hidden);
  fedavg_task.configure(options, spec);
  return spec;
}

}  // namespace sotto::fed
