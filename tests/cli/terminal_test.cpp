// What commands print on a terminal: no row breaks, and nothing is lost for it.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/terminal/console.h"
#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliTerminal : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    workshop = new Workshop;
    for (const Words& words : std::vector<Words>{
             {"data", "generate", "--users", "120", "--items", "90", "--mean", "15", "--out", "w", "--kg",
              "kg.tsv"},
             {"data", "split", "w", "--out", "s"},
             {"train", "--split-file", "s/split.bin", "--model", "toppop", "--out", "most-popular-of-all"},
             {"train", "--split-file", "s/split.bin", "--model", "random", "--out", "luck"},
             {"train", "--split-file", "s/split.bin", "--variant", "pfpl+", "--epochs", "3", "--out",
              "fed"}}) {
      const Outcome outcome = workshop->sotto(words);
      ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
  }
  static void TearDownTestSuite() {
    delete workshop;
    workshop = nullptr;
  }

  static Workshop* workshop;
};
Workshop* CliTerminal::workshop = nullptr;

TEST_F(CliTerminal, rows_fit_at_each_width_and_are_whole_elsewhere) {
  const std::vector<Words> commands{
      {"show", "fed"},
      {"evaluate", "--run", "fed", "--cutoffs", "1,5,10,20,50"},
      {"compare", "luck", "fed", "most-popular-of-all"},
      {"compare", "luck", "fed", "--intervals", "--pairs", "--resamples", "50"},
      {"compare", "luck", "fed", "--metrics", "P@10,R@10,nDCG@10,F1@10,HR@10,MRR@10,MAP@10,SE@10,ARP@10,AUC"},
      {"data", "inspect", "w"},
      {"kg", "inspect", "--kg", "kg.tsv"},
      {"privacy", "plan", "--population", "6040", "--cohort", "302", "--rounds", "200"},
      {"privacy", "plan", "--sampling", "0.01", "--rounds", "120", "--noise", "0.7,1,2"},
      {"reproduce", "list", "--data", "."},
      {"sum", "--devices", "1000", "--rows", "3706", "--width", "21"},
      {"models"},
      {"models", "fedcars"},
      {"recommend", "--run", "fed", "--user", "person-00042"}};
  for (const Words& words : commands) {
    const Outcome piped = workshop->sotto(words);
    ASSERT_EQ(piped.code, 0) << words.front() << piped.err;
    EXPECT_EQ(piped.out.find("…"), std::string::npos) << piped.out;
    for (const unsigned short columns : std::vector<unsigned short>{80, 120}) {
      const std::string shown = workshop->on_terminal(words, columns);
      EXPECT_EQ(shown.find("**"), std::string::npos) << shown;
      std::istringstream lines(shown);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), columns) << line;
    }
  }
}

TEST_F(CliTerminal, what_programs_read_is_the_same_on_a_terminal) {
  for (const Words& words : std::vector<Words>{{"compare", "luck", "fed", "--json"},
                                               {"compare", "luck", "fed", "--format", "tsv"},
                                               {"recommend", "--run", "fed", "--all"}})
    EXPECT_EQ(workshop->on_terminal(words, 80), workshop->sotto(words).out);
}

TEST_F(CliTerminal, the_best_stand_out_where_colours_are_shown) {
  const std::string shown = workshop->on_terminal({"compare", "luck", "most-popular-of-all"}, 80);
  EXPECT_NE(shown.find("\033[1m"), std::string::npos) << shown;
}

}  // namespace
}  // namespace sotto::cli
