// Completion: what may stand where a person is typing. The script that `sotto completion SHELL` prints asks
// the program itself at each TAB, so that it knows every command, option and value (cli/values.h) and does
// not age.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/layers.h"

namespace sotto::cli {

// The first word of that question: `sotto complete WORDS…`; the last of the words is the one being typed.
inline constexpr const char* complete_command = "complete";

// One line a word that may stand there, perhaps with a tab and what it is. A last line ":files" leaves the
// rest to the shell; ":paths" says that the words are paths.
[[nodiscard]] std::string completions(const CLI::App& root, const std::vector<std::string>& words);

}  // namespace sotto::cli
