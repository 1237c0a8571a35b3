// Flags made from the rows of the table of fields (engine/plan/field.h). What is typed is kept as words until
// the model is known, because one flag may set another option in each model, or none.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/plan/model_entry.h"

namespace sotto::cli {

struct FieldFlags {
  std::vector<std::pair<std::string, std::vector<std::string>>> typed;  // "--l1", its words

  [[nodiscard]] const std::vector<std::string>* words_of(const std::string& flag) const;
};

// Adds a flag per row that has one, and remembers what is typed. `strip` is left out of the flags' beginning:
// "kg-" makes "--links" of "--kg-links".
void add_field_flags(CLI::App& app, FieldFlags& flags, const Fields& fields, const std::string& strip = "");

// The rows of all models that `wanted` takes, each flag once; those that every model has first.
[[nodiscard]] Fields fields_of(const std::function<bool(const ModelEntry&)>& wanted,
                               const std::vector<std::string>& groups = {});

// Sets what was typed. A flag of --model chooses the model first; without one, a flag that the request's
// model has not, but exactly one model has, chooses that one. Fails where the model has no such option.
[[nodiscard]] Status apply(const FieldFlags& flags, TrainRequest& request, bool model_is_given = false);
// The first half of it.
[[nodiscard]] Status choose_model(const FieldFlags& flags, TrainRequest& request, bool model_is_given);
// Of flags about data alone.
[[nodiscard]] Status apply(const FieldFlags& flags, DataRequest& data);

}  // namespace sotto::cli
