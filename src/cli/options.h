// Options that several commands share, and a way to let flags change what a plan file said: each flag
// becomes an edit, and the edits are applied, in the order of the help, to whatever came before.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "engine/plan/request.h"

namespace sotto {

template <class Target>
using Edits = std::vector<std::function<Status(Target&)>>;

template <class Target>
[[nodiscard]] Status apply_edits(const Edits<Target>& edits, Target& target) {
  for (const auto& edit : edits) SOTTO_TRY_DONE(edit(target));
  return Done{};
}

// An option that becomes an edit: `set(target, value)` returns nothing or a Status.
template <class Value, class Target, class Set>
CLI::Option* add_edit(CLI::App& app, Edits<Target>& edits, const std::string& name, const std::string& help,
                      Set set) {
  return app.add_option_function<Value>(
      name,
      [&edits, set](const Value& value) {
        edits.push_back([set, value](Target& target) -> Status {
          if constexpr (std::is_void_v<decltype(set(target, value))>) {
            set(target, value);
            return Done{};
          } else {
            return set(target, value);
          }
        });
      },
      help);
}

// --columns, --names, --min-rating, --min-user, --core.
void add_reading_options(CLI::App& app, Edits<DataRequest>& edits);
// --split, --validation, --test, --validation-data.
void add_split_options(CLI::App& app, Edits<DataRequest>& edits);
// All that a DataRequest holds: --data, --split-file and both groups above.
void add_data_options(CLI::App& app, Edits<DataRequest>& edits);

}  // namespace sotto
