#include "device/classify.h"

#include <fmt/core.h>

#include <algorithm>

namespace sotto::device {

Result<LocalClassifier> LocalClassifier::load(DeviceStore& kept, const std::string& task) {
  SOTTO_TRY(HeldTask held, HeldTask::load(kept, task));
  if (held.task.model == nullptr || held.task.model->classify == nullptr)
    return fail(Code::usage,
                fmt::format("the task '{}' learns from things and tells no classes apart: ask it "
                            "to recommend",
                            task));
  return LocalClassifier(std::move(held));
}

Result<std::vector<ClassShare>> LocalClassifier::classes_of(const KeptExample& one) const {
  if (one.height != form_.height || one.width != form_.width ||
      one.values.size() != std::size_t{form_.height} * form_.width)
    return fail(Code::usage, fmt::format("the task '{}' is of examples of {} × {} bytes", held_.task.name,
                                         form_.height, form_.width));
  const std::vector<float> shares = held_.task.model->classify(held_.task, held_.model->rows, one.values);
  std::vector<ClassShare> classes;
  for (std::uint32_t label = 0; label < shares.size(); ++label)
    classes.push_back(
        {{label}, held_.names().name_of({label}), held_.names().title_of({label}), shares[label]});
  std::ranges::stable_sort(classes, std::ranges::greater(), &ClassShare::share);
  return classes;
}

}  // namespace sotto::device
