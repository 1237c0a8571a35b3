// What every command has in common: help, versions, wrong words, exit codes.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

TEST(CliUsage, version_and_help) {
  const Workshop shop;
  const Outcome version = shop.sotto({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("sotto 0.")) << version.out;
  const Outcome help = shop.sotto({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* command : {"demo", "train", "evaluate", "compare", "recommend", "similar", "show",
                              "report", "sweep", "results", "data", "completion"})
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
}

TEST(CliUsage, every_command_has_help_with_examples_and_the_common_options) {
  const Workshop shop;
  const std::vector<std::vector<std::string>> commands{{"demo"},
                                                       {"train"},
                                                       {"evaluate"},
                                                       {"compare"},
                                                       {"recommend"},
                                                       {"similar"},
                                                       {"show"},
                                                       {"report"},
                                                       {"completion"},
                                                       {"data", "inspect"},
                                                       {"data", "convert"},
                                                       {"data", "split"},
                                                       {"data", "generate"},
                                                       {"poison"},
                                                       {"sweep"},
                                                       {"results", "list"},
                                                       {"results", "means"},
                                                       {"results", "best"},
                                                       {"results", "curves"},
                                                       {"results", "export"}};
  for (std::vector<std::string> words : commands) {
    words.emplace_back("--help");
    const Outcome help = shop.sotto(words);
    EXPECT_EQ(help.code, 0);
    for (const char* part : {"Examples:", "--json", "--seed", "--threads"})
      EXPECT_NE(help.out.find(part), std::string::npos) << words.front() << " " << part;
  }
}

TEST(CliUsage, wrong_words_are_usage_errors_with_a_hint) {
  const Workshop shop;
  struct Case {
    std::vector<std::string> words;
    const char* hint;
  };
  const std::vector<Case> cases{{{}, "a command is needed"},
                                {{"trian"}, "Did you mean 'train'?"},
                                {{"data"}, "inspect, convert, split, generate"},
                                {{"data", "inspct", "x"}, "Did you mean 'inspect'?"},
                                {{"train", "--factrs", "3"}, "Did you mean '--factors'?"},
                                {{"train", "--factors", "many"}, "--factors"},
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

TEST(CliUsage, completion_knows_commands_and_options) {
  const Workshop shop;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome script = shop.sotto({"completion", shell});
    EXPECT_EQ(script.code, 0);
    for (const char* word : {"recommend", "generate", "rounds-per-epoch", "history-file"})
      EXPECT_NE(script.out.find(word), std::string::npos) << shell << " " << word;
  }
}

TEST(CliUsage, bash_takes_the_completion_script) {
  const Workshop shop;
  shop.put("complete.sh",
           shop.sotto({"completion", "bash"}).out +
               "COMP_WORDS=(sotto data sp) COMP_CWORD=2; _sotto; [[ ${COMPREPLY[*]} == split ]] &&\n"
               "COMP_WORDS=(sotto train --mod) COMP_CWORD=2; _sotto; [[ ${COMPREPLY[*]} == --model ]]\n");
  EXPECT_EQ(std::system(("bash " + (shop.folder() / "complete.sh").string()).c_str()), 0);  // NOLINT
}

}  // namespace
}  // namespace sotto::cli
