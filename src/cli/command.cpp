#include "cli/command.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/compression.h"
#include "engine/files/files.h"
#include "engine/plan/request.h"

namespace sotto::cli {

std::string examples(std::initializer_list<const char*> lines) {
  std::string text = "Examples:";
  for (const char* line : lines) text += std::string("\n  ") + line;
  return text;
}

namespace {

// A whole number from 0 to `most`; CLI11 itself would let -1 wrap round.
CLI::Validator up_to(std::uint64_t most) {
  return CLI::Validator(
      [most](const std::string& text) -> std::string {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool fits = error == std::errc() && end == text.data() + text.size() && number <= most;
        return fits ? "" : fmt::format("'{}' is not a whole number from 0 to {}", text, most);
      },
      "");
}

}  // namespace

void add_common_options(CLI::App& app, CommonOptions& common, const std::string& seed_use) {
  app.option_defaults()->group("Common");
  app.add_flag("--json", common.json, "one JSON document on stdout, everything else on stderr");
  app.add_option_function<std::uint64_t>(
         "--seed",
         [&common](const std::uint64_t& seed) {
           common.seed = seed;
           common.seed_given = true;
         },
         seed_use)
      ->check(up_to(most_seed))
      ->default_str("1");
  app.add_option("--threads", common.threads,
                 "threads; 0: as many as the machine has. Results do not depend on it")
      ->check(up_to(1024))
      ->default_str("0");
  app.option_defaults()->group("Options");
}

void add_data(CLI::App& root, Cli& cli) {
  CLI::App* data = root.add_subcommand("data", "inspect, convert, split and generate interactions");
  data->require_subcommand(1);
  add_data_inspect(*data, cli);
  add_data_convert(*data, cli);
  add_data_split(*data, cli);
  add_data_generate(*data, cli);
  add_data_items(*data, cli);
}

void print_json(const Console& console, const nlohmann::json& document) {
  // Ids may hold any bytes; what is no UTF-8 is marked, not fatal.
  console.write(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Status write_output(const Console& console, const std::string& path, const std::string& text,
                    Privacy privacy) {
  if (path == "-") {
    console.write(text);
    return Done{};
  }
  const auto bytes = std::as_bytes(std::span(text));
  if (path.ends_with(".zst")) return write_file(path, compress(bytes), privacy);
  return write_file(path, bytes, privacy);
}

void add_private_output(CLI::App& app, std::string& out, bool& force) {
  app.add_option("-o,--out", out, "a file, readable by you alone; - is stdout")
      ->type_name("FILE")
      ->default_str("-");
  app.add_flag("--force", force, "replace the file if it is there");
}

Status write_private_output(const Console& console, const std::string& path, const std::string& text,
                            bool force) {
  if (path != "-" && !force) {
    SOTTO_TRY(const bool there, is_there(path));
    if (there)
      return fail(
          Code::usage,
          fmt::format("{}: this file exists: choose another --out, or replace it with --force", path));
  }
  return write_output(console, path, text, Privacy::owner_only);
}

}  // namespace sotto::cli
