// What the commands of `sotto device` have in common.
#pragma once

#include <initializer_list>

#include "cli/command.h"

namespace sotto::cli {

// A command with --dir and the options of every command. `Options` has `dir` and `common`.
template <class Options>
Command<Options> add_device_command(CLI::App& parent, Cli& cli, const char* name, const char* about,
                                    Status (*run)(Options&, const Console&),
                                    std::initializer_list<const char*> lines) {
  auto command = add_command<Options>(parent, cli, name, about, run);
  command.app->add_option("--dir", command.options->dir, "the device's folder")->type_name("DIR")->required();
  add_common_options(*command.app, command.options->common);
  command.app->footer(examples(lines));
  return command;
}

// The one line of a file that holds a secret; `what` it is, for messages.
[[nodiscard]] Result<std::string> only_line(const std::string& path, const char* what);

}  // namespace sotto::cli
