// The command line as a whole: the commands, what is answered to a wrong one, and the exit code.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>

#include "base/nearest_word.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/help_format.h"
#include "cli/train_flags.h"
#include "engine/files/mapped_file.h"
#include "engine/plan/model_entry.h"

namespace sotto::cli {

namespace {

// The last is what a shell says of a program that ended because nobody read on.
enum Exit : int { success = 0, failure = 1, wrong_usage = 2, interrupted = 130, closed_pipe = 141 };

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

bool names_no_command(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining();
  return !rest.empty() && !rest.front().starts_with("-") && !command_names(command).empty();
}

std::string usage_sentence(const CLI::App& command, const CLI::ParseError& error) {
  const std::vector<std::string> rest = command.remaining();
  if (!rest.empty() && rest.front().starts_with("-"))
    return fmt::format("there is no option '{}'.{}", rest.front(),
                       nearest(rest.front(), option_names(command)));
  if (names_no_command(command))
    return fmt::format("there is no command '{}'.{}", rest.front(),
                       nearest(rest.front(), command_names(command)));
  if (!rest.empty()) return fmt::format("'{}' is one argument too many.", rest.front());
  if (!command_names(command).empty())
    return fmt::format("a command is needed: {}.", listed(command_names(command)));
  return fmt::format("{}.", error.what());
}

// Help and versions come as errors too. What is no command has no help.
int answer_to(const CLI::App& root, const CLI::ParseError& error, const Console& console) {
  std::string path;
  const CLI::App& command = typed_command(root, path);
  if (dynamic_cast<const CLI::Success*>(&error) == nullptr || names_no_command(command)) {
    console.note(fmt::format("sotto: {} See '{} --help'.", usage_sentence(command, error), path));
    return wrong_usage;
  }
  if (dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr)
    console.write(fmt::format("sotto {}\n", version));
  else
    console.write(root.help("", dynamic_cast<const CLI::CallForAllHelp*>(&error) == nullptr
                                    ? CLI::AppFormatMode::Normal
                                    : CLI::AppFormatMode::All));
  if (console.flush().ok()) return success;
  return Console::reader_is_gone() ? closed_pipe : failure;
}

int exit_code(Code code) {
  if (code == Code::usage) return wrong_usage;
  return code == Code::cancelled ? interrupted : failure;
}

int say(const Error& error, const Console& console) {
  console.note("sotto: " + error.message);
  return exit_code(error.code);
}

int act(const Cli& cli) {
  try {
    if (const Status done = cli.action(); !done.ok()) return say(done.error(), cli.console);
    const Status written = cli.console.flush();
    if (written.ok()) return success;
    return Console::reader_is_gone() ? closed_pipe : say(written.error(), cli.console);
  } catch (const std::bad_alloc&) {
    return say(fail(Code::io, "there is not enough memory for this"), cli.console);
  } catch (const std::exception& error) {
    return say(fail(Code::io, fmt::format("this should not have happened: {}", error.what())), cli.console);
  }
}

void add_commands(CLI::App& root, Cli& cli) {
  root.formatter(std::make_shared<HelpFormat>(cli.console));
  root.set_version_flag("-V,--version", version)->group("");
  root.set_help_flag("-h,--help", "print this help");
  root.require_subcommand(1);
  root.footer("'sotto help COMMAND' shows options and examples. Start with 'sotto demo'.");
  const auto add = [&](const char* group, void (*add_one)(CLI::App&, Cli&)) {
    add_one(root, cli);
    root.get_subcommands({}).back()->group(group);
  };
#define SOTTO_ADDED(group, name) add(group, add_##name);
  SOTTO_COMMANDS(SOTTO_ADDED)
  root.get_help_ptr()->group("");  // not before: a hidden flag is not handed down
  root.set_help_all_flag("--help-all", "print the help of every command")->group("");
}

// `sotto help data split` is `sotto data split --help`. In the order that CLI11 reads: the last word first.
std::vector<std::string> as_flags(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  std::ranges::reverse(words);
  return words;
}

Status print_version(CommonOptions& common, const Console& console) {
  if (common.json)
    print_json(console, {{"version", version}});
  else
    console.print(fmt::format("sotto {}\n", version));
  return Done{};
}

// Version 0.1.0 had a command for the model that learns from examples, where --model chose its network.
std::vector<std::string> as_training(std::vector<std::string> typed) {
  const ModelEntry& classifier = *std::ranges::find_if(all_models(), &ModelEntry::needs_examples);
  const auto command = typed.begin() + (!typed.empty() && typed.front() == "help" ? 1 : 0);
  if (command == typed.end() || *command != classifier.name) return typed;
  for (std::string& word : typed)
    if (word == "--model" || word.starts_with("--model=")) word.replace(0, 7, "--network");
  *command = "train";
  typed.insert(command + 1, {"--model", classifier.name});
  return typed;
}

}  // namespace

// Read as a flag (as_flags); here it stands for help and completion.
void add_help(CLI::App& root, Cli&) {
  CLI::App* help =
      root.add_subcommand("help", "a command's options and examples, such as: sotto help data split");
  help->add_option("COMMAND")->type_name("COMMAND");
}

void add_version(CLI::App& root, Cli& cli) {
  const auto [app, common] =
      add_command<CommonOptions>(root, cli, "version", "the version of this program", print_version);
  add_common_options(*app, *common);
}

int run_sotto(int count, const char* const* words) {
  const MappingGuard mapped_files;
  Cli cli{.console = Console::detect(), .action = {}};
  cli.console.remember_typed(count, words);
  CLI::App root("Sotto trains recommenders on devices that keep their data to themselves.", "sotto");
  add_commands(root, cli);
  std::vector<std::string> typed(words + 1, words + count);
  if (!typed.empty() && typed.front() == complete_command) {  // asked by a shell
    cli.console.write(completions(root, as_training({typed.begin() + 1, typed.end()})));
    return success;
  }
  try {
    root.parse(as_flags(as_training(std::move(typed))));
  } catch (const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr && root.got_subcommand("train"))
      narrow_help(*root.get_subcommand("train"));
    return answer_to(root, error, cli.console);
  }
  return act(cli);
}

}  // namespace sotto::cli
