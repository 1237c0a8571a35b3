#include "lab/cli/command.h"

#include <nlohmann/json.hpp>

#include "base/compression.h"
#include "lab/files.h"

namespace sotto {

std::string examples(std::initializer_list<const char*> lines) {
  std::string text = "Examples:";
  for (const char* line : lines) text += std::string("\n  ") + line;
  return text;
}

void add_common_options(CLI::App& app, CommonOptions& common, const std::string& seed_use) {
  app.add_flag("--json", common.json, "one JSON document on stdout, everything else on stderr")
      ->group("Common");
  app.add_option_function<std::uint64_t>(
         "--seed",
         [&common](const std::uint64_t& seed) {
           common.seed = seed;
           common.seed_given = true;
         },
         seed_use)
      ->type_name("N")
      ->default_str("1")
      ->group("Common");
  app.add_option("--threads", common.threads,
                 "threads; 0: as many as the machine has. Results do not depend on it")
      ->type_name("N")
      ->default_str("0")
      ->group("Common");
}

void add_data_commands(CLI::App& root, Cli& cli) {
  CLI::App* data = root.add_subcommand("data", "look at, convert, split and generate interactions");
  data->require_subcommand(1);
  add_data_inspect(*data, cli);
  add_data_convert(*data, cli);
  add_data_split(*data, cli);
  add_data_generate(*data, cli);
}

void print_json(const Console& console, const nlohmann::json& document) {
  // Ids may hold any bytes; what is no UTF-8 is marked, not fatal.
  console.print(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Status write_output(const Console& console, const std::string& path, const std::string& text) {
  if (path == "-") {
    console.print(text);
    return Done{};
  }
  const auto bytes = std::as_bytes(std::span(text));
  if (path.ends_with(".zst")) return write_file(path, compress(bytes));
  return write_file(path, bytes);
}

}  // namespace sotto
