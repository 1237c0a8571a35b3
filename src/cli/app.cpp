// The command line as a whole: the commands, what a wrong one is told, and the exit code.
#include <fmt/format.h>

#include <iostream>
#include <new>

#include "base/nearest_word.h"
#include "base/version.h"
#include "cli/command.h"
#include "engine/files/mapped_file.h"

namespace sotto {

namespace {

enum Exit : int { success = 0, failure = 1, wrong_usage = 2, interrupted = 130 };

// " Did you mean …?" if one of the known words is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  NearestWord near(word);
  for (const std::string& candidate : known) near.look_at(candidate);
  return near.word().empty() ? "" : fmt::format(" Did you mean '{}'?", near.word());
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// The command that was typed, as deep as it was understood.
const CLI::App& typed_command(const CLI::App& root, std::string& path) {
  const CLI::App* app = &root;
  path = app->get_name();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    path += " " + app->get_name();
  }
  return *app;
}

std::string usage_sentence(const CLI::App& command, const CLI::ParseError& error) {
  const std::vector<std::string> rest = command.remaining();
  const bool has_commands = !command_names(command).empty();
  if (!rest.empty() && rest.front().starts_with("-"))
    return fmt::format("there is no option '{}'.{}", rest.front(),
                       nearest(rest.front(), option_names(command)));
  if (!rest.empty() && has_commands)
    return fmt::format("there is no command '{}'.{}", rest.front(),
                       nearest(rest.front(), command_names(command)));
  if (!rest.empty()) return fmt::format("'{}' is one argument too many.", rest.front());
  if (has_commands) return fmt::format("a command is needed: {}.", listed(command_names(command)));
  return fmt::format("{}.", error.what());
}

int explain_usage(const CLI::App& root, const CLI::ParseError& error) {
  std::string path;
  const CLI::App& command = typed_command(root, path);
  std::cerr << fmt::format("sotto: {} See '{} --help'.\n", usage_sentence(command, error), path);
  return wrong_usage;
}

int exit_code(Code code) {
  if (code == Code::usage) return wrong_usage;
  return code == Code::cancelled ? interrupted : failure;
}

int say(const Error& error) {
  std::cerr << "sotto: " << error.message << '\n';
  return exit_code(error.code);
}

int act(const Cli& cli) {
  try {
    Status done = cli.action();
    if (done.ok()) done = cli.console.flush();
    return done.ok() ? success : say(done.error());
  } catch (const std::bad_alloc&) {
    return say(fail(Code::io, "there is not enough memory for this"));
  } catch (const std::exception& error) {
    return say(fail(Code::io, fmt::format("this should not have happened: {}", error.what())));
  }
}

void add_commands(CLI::App& root, Cli& cli) {
  root.set_version_flag("--version", fmt::format("sotto {}", version), "print the version");
  root.set_help_flag("-h,--help", "print this help");
  root.require_subcommand(1);
  root.footer("'sotto COMMAND --help' shows a command's options and examples. Start with 'sotto demo'.");
  add_demo(root, cli);
  add_train(root, cli);
  add_fedavg(root, cli);
  add_evaluate(root, cli);
  add_compare(root, cli);
  add_recommend(root, cli);
  add_features(root, cli);
  add_contexts(root, cli);
  add_similar(root, cli);
  add_show(root, cli);
  add_report(root, cli);
  add_sweep(root, cli);
  add_results_commands(root, cli);
  add_reproduce(root, cli);
  add_privacy_commands(root, cli);
  add_device_commands(root, cli);
  add_forget(root, cli);
  add_poison(root, cli);
  add_audit(root, cli);
  add_data_commands(root, cli);
  add_kg_commands(root, cli);
  add_sum(root, cli);
  add_serve(root, cli);
  add_ctl(root, cli);
  add_fleet(root, cli);
  add_wire(root, cli);
  add_certs(root, cli);
  add_completion(root, cli);
}

}  // namespace

int run_sotto(int count, const char* const* words) {
  const MappingGuard mapped_files;
  Cli cli{.console = Console::detect(), .action = {}};
  cli.console.remember_typed(count, words);
  CLI::App root("Sotto trains recommenders on devices that keep their data to themselves.", "sotto");
  add_commands(root, cli);
  try {
    root.parse(count, words);
  } catch (const CLI::Success& asked) {  // --help, --version
    return root.exit(asked, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    return explain_usage(root, error);
  }
  return act(cli);
}

}  // namespace sotto
