// What every command has in common: help, versions, wrong words, exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "engine/terminal/console.h"
#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

// The words of `line`s before a tab, as `sotto complete` gives them.
std::vector<std::string> completed(const Workshop& shop, Words words) {
  words.insert(words.begin(), "complete");
  std::vector<std::string> names;
  for (const auto& row : rows_of(shop.sotto(words).out)) names.push_back(row.front());
  return names;
}

std::string phrase(const Words& words) {
  std::string text = "sotto";
  for (const std::string& word : words) text += " " + word;
  return text;
}

// Its part of the help of all, from its usage on.
std::string help_of(const Words& words, const std::string& all) {
  const std::size_t begin = all.find("\nUsage: " + phrase(words) + " [OPTIONS]");
  return begin == std::string::npos ? "" : all.substr(begin + 1, all.find("\nUsage: ", begin + 1) - begin);
}

bool holds_others(const std::string& help) { return help.find(" COMMAND\n") < help.find('\n'); }

// Every command, as the words that are typed; those that only hold others come before them.
void walk(const Workshop& shop, const std::string& all, Words at, std::vector<Words>& found) {
  for (const std::string& name : completed(shop, joined(at, {""}))) {
    found.push_back(joined(at, {name}));
    if (holds_others(help_of(found.back(), all))) walk(shop, all, found.back(), found);
  }
}

TEST(CliUsage, versions_and_help_in_each_of_their_ways) {
  const Workshop shop;
  const std::string version = shop.sotto({"--version"}).out;
  EXPECT_TRUE(version.starts_with("sotto 0.")) << version;
  for (const Words& words : std::vector<Words>{{"-V"}, {"version"}})
    EXPECT_EQ(shop.sotto(words).out, version);
  EXPECT_EQ("sotto " + shop.sotto({"version", "--json"}).json()["version"].get<std::string>() + "\n",
            version);
  const std::string help = shop.sotto({"--help"}).out;
  EXPECT_TRUE(help.starts_with("Sotto trains")) << help;
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 45) << help;
  EXPECT_EQ(shop.sotto({"help"}).out, help);
  const std::string generate = shop.sotto({"data", "generate", "--help"}).out;
  EXPECT_NE(generate.find("--cities"), std::string::npos);
  EXPECT_EQ(shop.sotto({"help", "data", "generate"}).out, generate);
}

TEST(CliUsage, every_command_has_help_with_examples_and_the_common_options) {
  const Workshop shop;
  const std::string all = shop.sotto({"--help-all"}).out;
  std::vector<Words> commands;
  walk(shop, all, {}, commands);
  EXPECT_GT(commands.size(), 75u);
  for (const Words& words : commands) {
    const std::string help = help_of(words, all);
    EXPECT_NE(help, "") << phrase(words);
    if (holds_others(help) || words.front() == "version" || words.front() == "help") continue;
    for (const char* part : {"Examples:", "--json", "--seed", "--threads"})
      EXPECT_NE(help.find(part), std::string::npos) << phrase(words) << " " << part;
  }
}

TEST(CliUsage, no_line_of_any_help_is_wider_than_the_terminal) {
  const Workshop shop;
  const auto expect_narrow = [](const std::string& text, std::size_t columns) {
    ASSERT_GT(text.size(), 10'000u);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), columns) << line;
  };
  expect_narrow(shop.sotto({"--help-all"}).out, 80);
  for (const unsigned short columns : std::vector<unsigned short>{60, 80, 100, 200})
    expect_narrow(shop.on_terminal({"--help-all"}, columns), std::min<std::size_t>(columns, 100));
}

TEST(CliUsage, examples_go_on_behind_a_backslash) {
  const Workshop shop;
  const std::string help = shop.sotto({"data", "generate", "--help"}).out;
  EXPECT_NE(help.find(" --seed 7 \\\n      --out world.tsv.zst\n"), std::string::npos) << help;
}

TEST(CliUsage, wrong_words_are_usage_errors_with_a_hint) {
  const Workshop shop;
  struct Case {
    std::vector<std::string> words;
    const char* hint;
  };
  const std::vector<Case> cases{
      {{}, "a command is needed"},
      {{"trian"}, "Did you mean 'train'?"},
      {{"data"}, "inspect, convert, split, generate"},
      {{"trian", "--help"}, "Did you mean 'train'?"},
      {{"help", "trian"}, "Did you mean 'train'?"},
      {{"data", "foo", "--help"}, "there is no command 'foo'"},
      {{"data", "inspct", "x"}, "Did you mean 'inspect'?"},
      {{"train", "--factrs", "3"}, "Did you mean '--factors'?"},
      {{"train", "--factors", "many"}, "--factors"},
      {{"train", "--model", "toppop", "--cutoffs", "1,,3"}, "'' is not a whole number"},
      {{"train", "--hidden", "7", "--l1", "9"}, "no model has all of "},
      {{"train", "--hidden", "7", "--l1", "9"}, "--l1 (slim)"},
      {{"evaluate"}, "--run is required"},
      {{"show", "a", "b"}, "one argument too many"},
      {{"completion", "tcsh"}, "bash, zsh or fish"}};
  for (const Case& wrong : cases) {
    const Outcome outcome = shop.sotto(wrong.words);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("sotto: ")) << outcome.err;
    EXPECT_NE(outcome.err.find(wrong.hint), std::string::npos) << outcome.err;
  }
}

TEST(CliUsage, failures_say_one_sentence_and_leave_stdout_empty) {
  const Workshop shop;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"data", "inspect", "none.tsv", "--json"},
                                             {"train", "--data", "none.tsv", "--json"},
                                             {"show", "none", "--json"},
                                             {"report", "none", "--json"},
                                             {"evaluate", "--run", "none", "--json"},
                                             {"recommend", "--run", "none", "--all", "--json"},
                                             {"similar", "--run", "none", "--item", "x", "--json"},
                                             {"sweep", "none.toml", "--out", "r", "--json"},
                                             {"results", "list", "none", "--json"}}) {
    const Outcome outcome = shop.sotto(words);
    EXPECT_EQ(outcome.code, 1) << words.front();
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("sotto: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST(CliUsage, completion_knows_commands_options_and_values) {
  const Workshop shop;
  shop.put("runs/first/run.json", "{}");
  shop.put("runs/second/run.json", "{}");
  shop.put("notes/today.txt", "");
  struct Case {
    Words typed;
    Words answer;
  };
  const std::vector<Case> cases{
      {{"reco"}, {"recommend"}},
      {{"help", "data", "sp"}, {"split"}},
      {{"data", "generate", "--cit"}, {"--cities"}},
      {{"compare", "--test", ""}, {"t", "wilcoxon"}},
      {{"compare", "--format", "t"}, {"table", "tsv"}},
      {{"compare", "--format=l"}, {"--format=latex"}},
      {{"compare", "--format", "=", "l"}, {"latex"}},  // bash's words
      {{"compare", "--metrics", "P@5,RM"}, {"P@5,RMSE"}},
      {{"train", "--model", "slim", "--l"}, {"--lambda", "--l1"}},
      {{"train", "--model", "fpl", "--l"}, {"--lr", "--local", "--log-every"}},
      {{"completion", "z"}, {"zsh"}},
      {{"reproduce", "fig-4."}, {"fig-4.2", "fig-4.3", "fig-4.4", "fig-4.5", "fig-4.6"}},
      {{"device", "consent", "preset", "c"}, {"closed", "careful"}},
      {{"device", "consent", "item", "242", "a"}, {"always", "ask"}},
      {{"show", ""}, {"runs", ":paths"}},
      {{"compare", "runs/first", "runs/s"}, {"runs/second", ":paths"}},
      {{"evaluate", "--run", "runs/"}, {"runs/first", "runs/second", ":paths"}},
      {{"show", "notes/"}, {":files"}},
      {{"data", "inspect", ""}, {":files"}},
      {{"data", "generate", "--users", ""}, {}},
      {{"ctl", "rounds", "--task", ""}, {}},  // no coordinator runs here
      {{"nothing", "of", "this"}, {}}};
  for (const Case& one : cases) EXPECT_EQ(completed(shop, one.typed), one.answer) << phrase(one.typed);
}

// What each shell makes of the script, where it is installed; bash is everywhere.
TEST(CliUsage, shells_take_the_completion_scripts) {
  const Workshop shop;
  shop.put("runs/first/run.json", "{}");
  const std::string program = std::filesystem::path(SOTTO_BINARY).parent_path().string();
  const auto passes = [&](const char* shell, const std::string& test) {
    if (std::system((std::string("command -v ") + shell + " > /dev/null").c_str()) != 0)
      return true;  // NOLINT
    shop.put("complete", (std::string(shell) == "zsh" ? "compdef() {}\n" : "") +
                             shop.sotto({"completion", shell}).out + test);
    return std::system(("cd " + shop.folder().string() + " && PATH=" + program + ":$PATH " +
                        shell +  // NOLINT
                        " complete")
                           .c_str()) == 0;
  };
  EXPECT_TRUE(passes("bash",
                     "expect() { _sotto sotto; [[ ${COMPREPLY[*]} == \"$1\" ]] || exit 1; }\n"
                     "COMP_WORDS=(sotto data sp) COMP_CWORD=2; expect split\n"
                     "COMP_WORDS=(sotto compare --me) COMP_CWORD=2; expect --metrics\n"
                     "COMP_WORDS=(sotto show r) COMP_CWORD=2; expect runs\n"
                     "COMP_WORDS=(sotto data inspect com) COMP_CWORD=3; expect complete\n"
                     "COMP_WORDS=(sotto compare --format la) COMP_CWORD=3; expect latex\n"));
  EXPECT_TRUE(passes("fish",
                     "test (complete -C 'sotto data sp' | string split -f1 \\t) = split; or exit 1\n"
                     "test (complete -C 'sotto compare --format la') = latex; or exit 1\n"
                     "test (complete -C 'sotto show runs/f') = runs/first; or exit 1\n"));
  // zsh completes inside its line editor alone: functions that take the answers stand in for it.
  EXPECT_TRUE(passes("zsh",
                     "_describe() { shown=(${(P)2}); }; compadd() { shown=(${@:3}); }\n"
                     "expect() { shown=(); _sotto; [[ \"$shown\" == \"$1\" ]] || exit 1; }\n"
                     "words=(sotto compare --format la) CURRENT=4; expect latex\n"
                     "words=(sotto show r) CURRENT=3; expect runs\n"));
}

// What a program comes to whose reader has gone, such as `sotto … | head`; SIGPIPE may be ignored, as gRPC
// does.
int without_reader(const Words& words, bool ignores_signal, const std::string& errors) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGPIPE, ignores_signal ? SIG_IGN : SIG_DFL);
    ::dup2(ends[1], STDOUT_FILENO);
    if (std::freopen(errors.c_str(), "w", stderr) == nullptr) ::_exit(127);
    std::vector<const char*> arguments{SOTTO_BINARY};
    for (const std::string& word : words) arguments.push_back(word.c_str());
    arguments.push_back(nullptr);
    ::execv(SOTTO_BINARY, const_cast<char* const*>(arguments.data()));  // NOLINT
    ::_exit(127);
  }
  ::close(ends[1]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(Usage, WhereNobodyReadsOnItEndsQuietly) {
  const Workshop shop;
  const std::string errors = (shop.folder() / "errors.txt").string();
  for (const bool ignores : {false, true})
    for (const Words& words : {Words{"models"}, Words{"--help-all"}, Words{"version", "--json"}}) {
      EXPECT_EQ(without_reader(words, ignores, errors), 128 + SIGPIPE) << words.front() << ignores;
      EXPECT_EQ(shop.get("errors.txt"), "") << words.front() << ignores;
    }
}

}  // namespace
}  // namespace sotto::cli
