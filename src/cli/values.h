// What an option's values are, said once, beside the option: shells complete them (cli/completion.cpp).
//
//   values(app.add_option("--format", options->format, "…"), {"table", "tsv"});   a closed list
//   app.add_option("--run", options->run, "…")->type_name("RUN");                 by the name of its type:
//
// RUN is a folder with a run.json, TASK a task of the coordinator that --admin names, COMMAND a command; what
// has FILE, DIR or PATH in its type's name, or no name of its own, is a file. Of all else nothing is offered.
//
// Law: values() checks nothing. Who reads the option says what is wrong with its value.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/layers.h"

namespace sotto::cli {

// The parts of words that commas part. CLI11 would drop the empty ones: "1,,3" is a mistake.
[[nodiscard]] std::vector<std::string> list_parts(const std::vector<std::string>& words);

// A list that is typed with commas.
template <class Part>
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<Part>& list,
                      const std::string& help) {
  const auto take = [&list, name](const std::vector<std::string>& words) {
    list.clear();
    for (const std::string& word : list_parts(words)) {
      Part part{};
      if (word.empty() || !CLI::detail::lexical_cast(word, part)) throw CLI::ConversionError(word, name);
      list.push_back(std::move(part));
    }
  };
  return app.add_option_function<std::vector<std::string>>(name, take, help)->type_name("LIST");
}

CLI::Option* values(CLI::Option* option, const std::vector<std::string>& list);

// What metrics are completed with.
inline constexpr std::array<std::uint32_t, 3> usual_cutoffs{5, 10, 20};

// Those of the closed list; empty where there is none.
[[nodiscard]] std::vector<std::string> values_of(const CLI::Option& option);
// "RUN": the name of the type alone.
[[nodiscard]] std::string type_of(const CLI::Option& option);

}  // namespace sotto::cli
