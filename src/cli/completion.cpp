// sotto completion: what a shell needs to complete commands and options, from the command line itself.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace sotto {

namespace {

struct CompletionOptions {
  CommonOptions common;
  std::string shell;
  const CLI::App* root = nullptr;
};

struct Flag {
  std::string name;  // with its dashes
  std::string about;
  bool takes_value = false;
};

struct Node {
  std::string path;  // "", "/train", "/data/inspect"
  std::string name;
  std::string about;
  std::vector<Flag> flags;
  std::vector<Node> children;
};

Node walk(const CLI::App& app, const std::string& path) {
  Node node{path, app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    const bool takes_value = option->get_items_expected_max() > 0;
    for (const std::string& name : option->get_snames())
      node.flags.push_back({"-" + name, option->get_description(), takes_value});
    for (const std::string& name : option->get_lnames())
      node.flags.push_back({"--" + name, option->get_description(), takes_value});
  }
  for (const CLI::App* child : app.get_subcommands({}))
    node.children.push_back(walk(*child, path + "/" + child->get_name()));
  return node;
}

void flatten(const Node& node, std::vector<const Node*>& out) {
  out.push_back(&node);
  for (const Node& child : node.children) flatten(child, out);
}

std::vector<const Node*> all_nodes(const Node& root) {
  std::vector<const Node*> nodes;
  flatten(root, nodes);
  return nodes;
}

// A case arm that follows the typed commands into `at`.
std::string descend_arms(const Node& root) {
  std::string paths;
  for (const Node* node : all_nodes(root))
    if (!node->path.empty()) paths += (paths.empty() ? "" : "|") + node->path;
  return fmt::format("      {}) at=\"$at/$word\" ;;\n", paths);
}

std::string words_of(const Node& node) {
  std::string words;
  for (const Node& child : node.children) words += (words.empty() ? "" : " ") + child.name;
  for (const Flag& flag : node.flags) words += (words.empty() ? "" : " ") + flag.name;
  return words;
}

std::string bash_script(const Node& root) {
  std::string arms;
  for (const Node* node : all_nodes(root))
    arms += fmt::format("    \"{}\") words=\"{}\"{} ;;\n", node->path, words_of(*node),
                        node->children.empty() ? "" : " files=no");
  return fmt::format(
      "# bash completion for sotto. Use it with:  source <(sotto completion bash)\n"
      "_sotto() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} at=\"\" words=\"\" files=yes word\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    case \"$at/$word\" in\n{}"
      "    esac\n"
      "  done\n"
      "  case \"$at\" in\n{}"
      "  esac\n"
      "  COMPREPLY=()\n"
      "  if [[ $cur == -* || $files == no ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _sotto sotto\n",
      descend_arms(root), arms);
}

// For zsh's 'name:description' and '--flag[description]' forms.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '\'')
      safe += "'\\''";
    else if (letter == '[' || letter == ']' || letter == ':' || letter == '\\')
      safe += std::string("\\") + letter;
    else
      safe += letter;
  }
  return safe;
}

std::string zsh_arm(const Node& node) {
  std::string arm = fmt::format("    \"{}\")\n", node.path);
  if (!node.children.empty()) {
    arm += "      choices=(";
    for (const Node& child : node.children) arm += fmt::format(" '{}:{}'", child.name, zsh_text(child.about));
    arm += " )\n      _describe command choices\n";
  } else {
    arm += "      _arguments -s";
    for (const Flag& flag : node.flags)
      arm += fmt::format(" \\\n        '*{}[{}]{}'", flag.name, zsh_text(flag.about),
                         flag.takes_value ? ":value:_files" : "");
    arm += " \\\n        '*:file:_files'\n";
  }
  return arm + "      ;;\n";
}

std::string zsh_script(const Node& root) {
  std::string arms;
  for (const Node* node : all_nodes(root)) arms += zsh_arm(*node);
  return fmt::format(
      "#compdef sotto\n"
      "# zsh completion for sotto. Use it with:  source <(sotto completion zsh)\n"
      "_sotto() {{\n"
      "  local at=\"\" word\n"
      "  local -a choices\n"
      "  for word in \"${{(@)words[2,CURRENT-1]}}\"; do\n"
      "    case \"$at/$word\" in\n{}"
      "    esac\n"
      "  done\n"
      "  case \"$at\" in\n{}"
      "  esac\n"
      "}}\n"
      "compdef _sotto sotto\n",
      descend_arms(root), arms);
}

std::string fish_text(const std::string& text) {
  std::string safe;
  for (const char letter : text)
    safe += letter == '\'' || letter == '\\' ? std::string("\\") + letter : std::string(1, letter);
  return safe;
}

// When a node's words fit: all commands on its way were typed, none of its own yet.
std::string fish_condition(const Node& node) {
  std::string condition, children;
  for (std::size_t at = 1; at < node.path.size();) {
    const std::size_t end = std::min(node.path.find('/', at), node.path.size());
    condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                             node.path.substr(at, end - at));
    at = end + 1;
  }
  for (const Node& child : node.children) children += " " + child.name;
  if (!children.empty())
    condition +=
        fmt::format("{}not __fish_seen_subcommand_from{}", condition.empty() ? "" : "; and ", children);
  return condition;
}

std::string fish_script(const Node& root) {
  std::string script = "# fish completion for sotto. Use it with:  sotto completion fish | source\n";
  for (const Node* node : all_nodes(root)) {
    const std::string condition = fish_condition(*node);
    for (const Node& child : node->children)
      script += fmt::format("complete -c sotto -f -n '{}' -a {} -d '{}'\n", condition, child.name,
                            fish_text(child.about));
    for (const Flag& flag : node->flags) {
      const bool is_long = flag.name.starts_with("--");
      script += fmt::format("complete -c sotto -n '{}' {} {}{} -d '{}'\n", condition, is_long ? "-l" : "-s",
                            flag.name.substr(is_long ? 2 : 1), flag.takes_value ? " -r" : "",
                            fish_text(flag.about));
    }
  }
  return script;
}

Status print_completion(CompletionOptions& options, const Console& console) {
  const Node root = walk(*options.root, "");
  std::string script;
  if (options.shell == "bash")
    script = bash_script(root);
  else if (options.shell == "zsh")
    script = zsh_script(root);
  else if (options.shell == "fish")
    script = fish_script(root);
  else
    return fail(Code::usage, fmt::format("no completion for '{}': choose bash, zsh or fish", options.shell));
  if (options.common.json) {
    print_json(console, {{"shell", options.shell}, {"script", script}});
  } else {
    console.print(script);
  }
  return Done{};
}

}  // namespace

void add_completion(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<CompletionOptions>(
      root, cli, "completion", "a script that completes commands in your shell", print_completion);
  options->root = &root;
  app->add_option("SHELL", options->shell, "bash, zsh or fish")->required();
  add_common_options(*app, options->common, "taken by every command; here nothing is drawn");
  app->footer(examples({"source <(sotto completion bash)", "sotto completion fish | source"}));
}

}  // namespace sotto
