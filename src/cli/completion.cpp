#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.h"
#include "cli/ctl.h"
#include "cli/values.h"
#include "engine/plan/model_entry.h"

namespace sotto::cli {

namespace {

namespace fs = std::filesystem;

// Where the typed words lead: the command, and what the word being typed is a value of, if of anything.
struct TypedPlace {
  const CLI::App* app = nullptr;
  const CLI::Option* option = nullptr;
  std::string prefix = {};  // "--run=" where the value stands behind it
  std::string typed = {};
  std::string admin = default_admin;  // the coordinator that was named
  std::string model = {};             // that was chosen
};

// The positional argument that the next word would be; the last one takes all that follow.
const CLI::Option* positional(const CLI::App& app, std::size_t place) {
  const auto options = app.get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (options.empty()) return nullptr;
  const bool more = options.back()->get_expected_max() > 1;
  return place < options.size() ? options[place] : more ? options.back() : nullptr;
}

const CLI::App* command_below(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&name](const CLI::App* command) { return command->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

TypedPlace place_of(const CLI::App& root, std::vector<std::string> words) {
  TypedPlace place{.app = &root};
  if (words.empty()) words.emplace_back();
  if (words.size() > 1 && words.front() == "help") words.erase(words.begin());
  int values_left = 0;  // of place.option
  std::size_t arguments = 0;
  for (std::size_t n = 0; n + 1 < words.size(); ++n) {
    const std::string& word = words[n];
    if (word == "=") continue;  // bash makes a word of it
    if (word.starts_with("-")) {
      constexpr std::string_view with_model = "--model=";
      if (word.starts_with(with_model)) place.model = word.substr(with_model.size());
      place.option = place.app->get_option_no_throw(word);
      values_left = place.option == nullptr ? 0 : place.option->get_items_expected_max();
    } else if (values_left > 0) {
      --values_left;
      if (place.option->check_lname("admin")) place.admin = word;
      if (place.option->check_lname("model")) place.model = word;
    } else if (const CLI::App* below = command_below(*place.app, word); below != nullptr) {
      place.app = below;
    } else {
      ++arguments;
    }
  }
  place.typed = words.back() == "=" ? "" : words.back();
  const std::size_t equals = place.typed.find('=');
  if (place.typed.starts_with("--") && equals != std::string::npos) {
    place.prefix = place.typed.substr(0, equals + 1);
    place.option = place.app->get_option_no_throw(place.typed.substr(0, equals));
    place.typed.erase(0, equals + 1);
  } else if (place.typed.starts_with("-") || values_left == 0) {
    place.option = place.typed.starts_with("-") ? nullptr : positional(*place.app, arguments);
  }
  if (place.option != nullptr && type_of(*place.option) == "LIST") {  // the last of it
    const std::size_t end = place.typed.rfind(',') + 1;
    place.prefix += place.typed.substr(0, end);
    place.typed.erase(0, end);
  }
  return place;
}

// Runs, and the folders on the way to one, two steps deep.
bool leads_to_run(const fs::path& folder, int steps) {
  std::error_code ignored;
  if (fs::exists(folder / "run.json", ignored)) return true;
  if (steps > 0)
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      if (entry.is_directory(ignored) && leads_to_run(entry.path(), steps - 1)) return true;
  return false;
}

std::set<std::string> run_folders(const std::string& typed) {
  std::set<std::string> found;
  const std::string folder = typed.substr(0, typed.rfind('/') + 1);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    const std::string path = folder + entry.path().filename().string();
    if (path.starts_with(typed) && entry.is_directory(ignored) && leads_to_run(entry.path(), 2))
      found.insert(path);
  }
  return found;
}

// Those that begin as what was typed, a line each.
struct Words {
  const TypedPlace& place;
  std::string lines = {};

  void add(const std::string& word, const std::string& about = "") {
    if (word.starts_with(place.typed))
      lines += place.prefix + word + (about.empty() ? "" : "\t" + about) + "\n";
  }
};

void add_values(const CLI::Option& option, Words& words) {
  const std::string type = type_of(option);
  for (const std::string& value : values_of(option)) words.add(value);
  if (type == "TASK")
    for (const std::string& name : task_names(words.place.admin)) words.add(name);
  if (type == "RUN") {
    for (const std::string& folder : run_folders(words.place.typed)) words.add(folder);
    words.lines += words.lines.empty() ? ":files\n" : ":paths\n";
  }
  for (const char* of_files : {"FILE", "DIR", "PATH", "TEXT"})
    if (words.lines.empty() && type.find(of_files) != std::string::npos) words.lines = ":files\n";
}

// Options of other models are none of this one's. A command's own has other words than theirs.
bool is_of_another(const CLI::Option& option, const std::string& model) {
  const auto entry = find_model(model);
  const std::string flag = "--" + option.get_single_name();
  const auto has = [&](const ModelEntry& one) {
    const Field* field = one.flag(flag);
    return field != nullptr && field->help == option.get_description();
  };
  return entry.ok() && (*entry)->flag(flag) == nullptr && std::ranges::any_of(all_models(), has);
}

void add_options(const CLI::App& app, Words& words) {
  for (const CLI::Option* option : app.get_options()) {
    if (is_of_another(*option, words.place.model)) continue;
    for (const std::string& name : option->get_lnames()) words.add("--" + name, option->get_description());
    if (words.place.typed == "-")
      for (const std::string& name : option->get_snames()) words.add("-" + name, option->get_description());
  }
}

}  // namespace

std::string completions(const CLI::App& root, const std::vector<std::string>& typed) {
  const TypedPlace place = place_of(root, typed);
  Words words{place};
  if (place.option != nullptr) {
    add_values(*place.option, words);
  } else if (place.typed.starts_with("-")) {
    add_options(*place.app, words);
  } else {
    for (const CLI::App* command : place.app->get_subcommands({}))
      words.add(command->get_name(), command->get_description());
  }
  return words.lines;
}

namespace {

struct CompletionOptions {
  CommonOptions common;
  std::string shell;
};

constexpr const char* bash_script =
    R"(# bash completion for sotto. Use it with:  source <(sotto completion bash)
_sotto() {
  local line answer cur=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  mapfile -t answer < <("$1" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  for line in "${answer[@]}"; do
    case $line in
      :files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "${cur#=}") ;;
      :paths) compopt -o filenames 2>/dev/null ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done
}
complete -F _sotto sotto
)";

constexpr const char* zsh_script = R"(#compdef sotto
# zsh completion for sotto. Use it with:  source <(sotto completion zsh)
_sotto() {
  local line
  local -a words_there paths_there
  for line in "${(@f)$("${words[1]}" complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files ;;
      :paths) paths_there=("${words_there[@]}"); words_there=() ;;
      *) words_there+=("${${line//:/\\:}/$'\t'/:}") ;;
    esac
  done
  (( $#paths_there )) && compadd -f -- "${paths_there[@]}"
  (( $#words_there )) && _describe 'sotto' words_there
}
compdef _sotto sotto
)";

constexpr const char* fish_script =
    R"(# fish completion for sotto. Use it with:  sotto completion fish | source
function __sotto_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (commandline -ct)
            case ':paths'
            case '*'
                echo $line
        end
    end
end
complete -c sotto -f -a '(__sotto_complete)'
)";

Status print_completion(CompletionOptions& options, const Console& console) {
  const char* script = options.shell == "bash"   ? bash_script
                       : options.shell == "zsh"  ? zsh_script
                       : options.shell == "fish" ? fish_script
                                                 : nullptr;
  if (script == nullptr)
    return fail(Code::usage, fmt::format("no completion for '{}': choose bash, zsh or fish", options.shell));
  if (options.common.json)
    print_json(console, {{"shell", options.shell}, {"script", script}});
  else
    console.write(script);
  return Done{};
}

}  // namespace

void add_completion(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<CompletionOptions>(
      root, cli, "completion", "a script that completes commands in your shell", print_completion);
  values(app->add_option("SHELL", options->shell, "bash, zsh or fish"), {"bash", "zsh", "fish"})->required();
  add_common_options(*app, options->common);
  app->footer(examples({"source <(sotto completion bash)", "sotto completion fish | source"}));
}

}  // namespace sotto::cli
