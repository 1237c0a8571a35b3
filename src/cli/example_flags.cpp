#include "cli/example_flags.h"

#include <algorithm>

#include "engine/plan/shared_fields.h"

namespace sotto::cli {

const ModelEntry& entry_of_examples() {
  return *std::ranges::find_if(all_models(), [](const ModelEntry& entry) { return entry.needs_examples; });
}

Fields flags_of_examples() {
  const Fields of_all = fields::data_fields();
  Fields own;
  for (const Field& field : entry_of_examples().fields)
    if (field.group == "Examples" && std::ranges::find(of_all, field.flag, &Field::flag) == of_all.end())
      own.push_back(field);
  return own;
}

}  // namespace sotto::cli
