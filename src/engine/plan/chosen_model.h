// ChosenModel: the model of a request, which is its entry (engine/plan/model_entry.h) and the model's own
// options, whose type the entry knows.
#pragma once

#include <any>
#include <string_view>

#include "base/assert.h"

namespace sotto::engine {

struct ModelEntry;

class ChosenModel {
 public:
  ChosenModel();  // the first of the list
  // With the model's own options as they are unless somebody says otherwise.
  explicit ChosenModel(const ModelEntry& entry);
  // One that is in the list; what people typed goes through find_model() first.
  ChosenModel(std::string_view name);  // NOLINT(google-explicit-constructor)
  ChosenModel(const char* name) : ChosenModel(std::string_view(name)) {}

  [[nodiscard]] const ModelEntry& entry() const { return *entry_; }
  [[nodiscard]] const ModelEntry* operator->() const { return entry_; }
  // Of the entry's type.
  template <class T>
  [[nodiscard]] T& own() {
    T* options = std::any_cast<T>(&own_);
    SOTTO_ASSERT(options != nullptr, "a model's options are asked for by their own type");
    return *options;
  }
  template <class T>
  [[nodiscard]] const T& own() const {
    const T* options = std::any_cast<T>(&own_);
    SOTTO_ASSERT(options != nullptr, "a model's options are asked for by their own type");
    return *options;
  }
  // The same model, whatever its options are.
  [[nodiscard]] bool is(const ModelEntry& entry) const { return entry_ == &entry; }

 private:
  const ModelEntry* entry_;
  std::any own_;
};

}  // namespace sotto::engine
