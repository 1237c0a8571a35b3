// HelpFormat: what `--help` prints of a command: what it is, how it is called, its options in groups, its
// commands, its examples.
//
// Law: no line is wider than the console's prose; an example goes on behind a backslash, so that it can be
// copied.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "engine/terminal/console.h"

namespace sotto::cli {

class HelpFormat final : public CLI::Formatter {
 public:
  explicit HelpFormat(const Console& console) : console_(console), width_(console.prose_width()) {
    label("SUBCOMMAND", "COMMAND");
  }

  // AppFormatMode::All: that of every command below it too.
  [[nodiscard]] std::string make_help(const CLI::App* app, std::string name,
                                      CLI::AppFormatMode mode) const override;

 private:
  using Options = std::vector<const CLI::Option*>;
  [[nodiscard]] std::string options_text(const CLI::App& app) const;
  [[nodiscard]] std::string group_text(const std::string& title, const Options& options) const;
  [[nodiscard]] std::string commands_text(const CLI::App& app) const;
  [[nodiscard]] std::string footer_text(const std::string& footer) const;
  [[nodiscard]] std::string title(const std::string& text) const;
  [[nodiscard]] std::string entry(const std::string& name, const std::string& about,
                                  std::size_t column) const;

  const Console& console_;
  std::size_t width_;
};

}  // namespace sotto::cli
