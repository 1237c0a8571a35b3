#include "cli/help_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/values.h"

namespace sotto::cli {

namespace {

constexpr std::size_t options_column = 27;

std::string name_text(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string name = CLI::detail::find_and_replace(option.get_name(false, true), ",", ", ");
  if (option.get_type_size() == 0) return name;
  name += " " + type_of(option);
  return option.get_expected_max() == CLI::detail::expected_max_vector_size ? name + " ..." : name;
}

std::string about_text(const CLI::Option& option) {
  std::string about = option.get_description();
  if (option.get_required()) about += " (required)";
  if (!option.get_default_str().empty()) about += " [" + option.get_default_str() + "]";
  return about;
}

// "--out file" stays together, and so do words in quotes.
std::vector<std::string> pieces_of(const std::string& command) {
  std::vector<std::string> pieces;
  char quote = 0;
  for (std::size_t from = 0, at = 0; at <= command.size(); ++at) {
    const char letter = at < command.size() ? command[at] : ' ';
    if (quote != 0 ? letter == quote : letter == '"' || letter == '\'') quote = quote != 0 ? '\0' : letter;
    if (letter != ' ' || quote != 0) continue;
    const std::string word = command.substr(from, at - from);
    from = at + 1;
    const bool is_value = !pieces.empty() && pieces.back().front() == '-' && word.front() != '-' &&
                          pieces.back().find(' ') == std::string::npos;
    if (is_value)
      pieces.back() += " " + word;
    else
      pieces.push_back(word);
  }
  return pieces;
}

std::string command_lines(const std::string& command, std::size_t width) {
  constexpr const char* on = "      ";
  std::string text, line = "  ";
  for (const std::string& piece : pieces_of(command)) {
    const bool starts = line.find_first_not_of(' ') == std::string::npos;
    if (!starts && display_width(line) + 1 + display_width(piece) + 2 > width) {
      text += line + " \\\n";
      line = on + piece;
    } else {
      line += (starts ? "" : " ") + piece;
    }
  }
  return text + line + "\n";
}

}  // namespace

std::string HelpFormat::title(const std::string& text) const {
  return console_.paint(Tone::strong, text + ":") + "\n";
}

std::string HelpFormat::entry(const std::string& name, const std::string& about, std::size_t column) const {
  std::string text;
  std::string line = "  " + name;
  if (display_width(line) + 2 > column) {
    for (const std::string& part : wrapped(name, width_ - 6))
      text += (text.empty() ? "  " : "      ") + part + "\n";
    line.clear();
  }
  for (const std::string& part : wrapped(about, width_ - column)) {
    line.append(column - display_width(line), ' ');
    text += line + part + "\n";
    line.clear();
  }
  return text;
}

std::string HelpFormat::group_text(const std::string& group, const Options& options) const {
  std::string text = "\n" + title(group);
  for (const CLI::Option* option : options)
    text += entry(name_text(*option), about_text(*option), options_column);
  return options.empty() ? "" : text;
}

std::string HelpFormat::options_text(const CLI::App& app) const {
  const auto taken = [&app](bool positional, const std::string& group) {
    return app.get_options([&](const CLI::Option* option) {
      return option->get_positional() == positional && !group.empty() &&
             (positional || option->get_group() == group);
    });
  };
  std::string text = group_text("Arguments", taken(true, "Options"));
  for (const std::string& group : app.get_groups()) text += group_text(group, taken(false, group));
  return text;
}

std::string HelpFormat::commands_text(const CLI::App& app) const {
  std::string text, group;
  std::size_t column = 0;
  for (const CLI::App* command : app.get_subcommands({}))
    column = std::max(column, display_width(command->get_name()) + 4);
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string of = command->get_group() == "Subcommands" ? "Commands" : command->get_group();
    if (of != group) text += (text.empty() ? "\n" : "") + title(of);
    group = of;
    text += entry(command->get_name(), command->get_description(), column);
  }
  return text;
}

std::string HelpFormat::footer_text(const std::string& footer) const {
  std::string text = footer.empty() ? "" : "\n";
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  "))
      text += command_lines(line.substr(2), width_);
    else
      for (const std::string& part : wrapped(line, width_)) text += part + "\n";
  }
  return text;
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string text;
  for (const std::string& part : wrapped(app->get_description(), width_)) text += part + "\n";
  text += make_usage(app, name);
  text += options_text(*app) + commands_text(*app) + footer_text(app->get_footer());
  if (mode == CLI::AppFormatMode::All)
    for (const CLI::App* command : app->get_subcommands({}))
      text += "\n" + make_help(command, name + " " + command->get_name(), mode);
  return text;
}

}  // namespace sotto::cli
