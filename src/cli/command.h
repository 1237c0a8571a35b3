// The commands of `sotto`. Each is a function that adds itself to the command line; when it is the one
// that was typed, parsing leaves what it has to do in Cli::action.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/files/files.h"
#include "engine/terminal/console.h"

namespace sotto::cli {

// What every command takes.
struct CommonOptions {
  bool json = false;
  std::uint64_t seed = 1;
  bool seed_given = false;
  std::size_t threads = 0;  // 0: as many as the machine has
};

struct Cli {
  Console console;
  std::function<Status()> action;
};

// A command whose options live as long as the command line: `run(options, console)` is called if it was
// typed. `examples` are whole lines, shown at the end of its help.
template <class Options>
struct Command {
  CLI::App* app;
  std::shared_ptr<Options> options;
};

[[nodiscard]] std::string examples(std::initializer_list<const char*> lines);

template <class Options>
Command<Options> add_command(CLI::App& parent, Cli& cli, const std::string& name, const std::string& about,
                             Status (*run)(Options&, const Console&)) {
  Command<Options> command{parent.add_subcommand(name, about), std::make_shared<Options>()};
  command.app->callback([options = command.options, run, &cli] {
    cli.action = [options, run, &cli] { return run(*options, cli.console); };
  });
  return command;
}

// --json, --seed, --threads. `seed_use` says what the seed does in this command.
void add_common_options(CLI::App& app, CommonOptions& common,
                        const std::string& seed_use = "has no effect here: nothing is drawn");

// The commands of `sotto` as its help lists them, by who uses them: the one list, of which help, completion
// and the program are made. Each is a function add_NAME(root, cli).
// clang-format off
#define SOTTO_COMMANDS(command) \
  command("To begin with", demo) \
  command("To begin with", help) \
  command("To begin with", version) \
  command("To begin with", completion) \
  command("For a person, on a device", device) \
  command("For research, to train and judge", data) \
  command("For research, to train and judge", kg) \
  command("For research, to train and judge", models) \
  command("For research, to train and judge", train) \
  command("For research, to train and judge", show) \
  command("For research, to train and judge", evaluate) \
  command("For research, to train and judge", compare) \
  command("For research, to train and judge", report) \
  command("For research, to train and judge", recommend) \
  command("For research, to train and judge", similar) \
  command("For research, to train and judge", features) \
  command("For research, to train and judge", contexts) \
  command("For research, to train and judge", sweep) \
  command("For research, to train and judge", results) \
  command("For research, to train and judge", reproduce) \
  command("For research, into privacy and attacks", privacy) \
  command("For research, into privacy and attacks", audit) \
  command("For research, into privacy and attacks", poison) \
  command("For research, into privacy and attacks", forget) \
  command("For operators", serve) \
  command("For operators", ctl) \
  command("For operators", certs) \
  command("For operators", fleet) \
  command("For operators", sum) \
  command("For operators", wire)
// clang-format on

#define SOTTO_DECLARED(group, name) void add_##name(CLI::App& root, Cli& cli);
SOTTO_COMMANDS(SOTTO_DECLARED)

void add_data_inspect(CLI::App& data, Cli& cli);
void add_data_convert(CLI::App& data, Cli& cli);
void add_data_split(CLI::App& data, Cli& cli);
void add_data_generate(CLI::App& data, Cli& cli);
void add_data_items(CLI::App& data, Cli& cli);
void add_privacy_plan(CLI::App& privacy, Cli& cli);
void add_privacy_curve(CLI::App& privacy, Cli& cli);
void add_device_agent(CLI::App& device, Cli& cli);
void add_device_items(CLI::App& device, Cli& cli);
void add_device_attributes(CLI::App& device, Cli& cli);
void add_device_classify(CLI::App& device, Cli& cli);
void add_device_consent(CLI::App& device, Cli& cli);
void add_device_ledger(CLI::App& device, Cli& cli);
void add_device_move(CLI::App& device, Cli& cli);

// One JSON document on stdout.
void print_json(const Console& console, const nlohmann::json& document);

// Writes `text`; packed with zstd where the name ends in .zst. "-" is stdout.
[[nodiscard]] Status write_output(const Console& console, const std::string& path, const std::string& text,
                                  Privacy privacy = Privacy::shared);

// --out and --force of what writes something private.
void add_private_output(CLI::App& app, std::string& out, bool& force);
// Readable by its owner alone; what is there already is replaced only with `force`. "-" is stdout.
[[nodiscard]] Status write_private_output(const Console& console, const std::string& path,
                                          const std::string& text, bool force);

// The whole program. Returns the exit code.
[[nodiscard]] int run_sotto(int count, const char* const* words);

}  // namespace sotto::cli
