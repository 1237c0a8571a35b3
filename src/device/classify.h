// What a held classifier says of an example, offline: the classes, the likeliest first.
//
// Laws: nothing leaves and nothing is written. The shares are the model's own confidence, no promise of
// how often it is right.
#pragma once

#include <string>
#include <vector>

#include "device/held_task.h"
#include "fed/models/task_model.h"

namespace sotto::device {

struct ClassShare {
  ItemIndex label;
  std::string item;   // the class's name in the task: where it has none, its number
  std::string title;  // what the catalogue calls it
  float share = 0.0f;
};

class LocalClassifier {
 public:
  // Of a task that learns from examples. Code::not_found where the device holds no model of it.
  [[nodiscard]] static Result<LocalClassifier> load(DeviceStore& kept, const std::string& task);

  // Of what is given, height, width and values are looked at.
  [[nodiscard]] Result<std::vector<ClassShare>> classes_of(const KeptExample& one) const;
  [[nodiscard]] const ExampleForm& form() const { return form_; }

 private:
  explicit LocalClassifier(HeldTask held)
      : held_(std::move(held)), form_(held_.task.model->examples(held_.task)) {}

  HeldTask held_;
  ExampleForm form_;
};

}  // namespace sotto::device
