#include "engine/terminal/console.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sotto::engine {
namespace {

TEST(Console, width_counts_what_is_seen) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("Cafe"), 4u);
  EXPECT_EQ(display_width("Café"), 4u);        // é as one letter
  EXPECT_EQ(display_width("Cafe\u0301"), 4u);  // and as e with an accent
  EXPECT_EQ(display_width("東京"), 4u);        // wide letters
  EXPECT_EQ(display_width("π = 0.5"), 7u);
}

TEST(Console, shortening_marks_the_cut_and_never_splits_a_letter) {
  EXPECT_EQ(shortened("Gladbrook", 9), "Gladbrook");
  EXPECT_EQ(shortened("Gladbrook", 5), "Glad…");
  EXPECT_EQ(shortened("éééé", 3), "éé…");
  EXPECT_EQ(shortened("東京都", 4), "東…");
  EXPECT_EQ(shortened("abc", 0), "");
}

TEST(Console, numbers_for_people) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(1234567), "1,234,567");
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1536), "1.54 kB");
  EXPECT_EQ(human_bytes(999999), "1.00 MB");
  EXPECT_EQ(human_bytes(25.2e6), "25.2 MB");
  EXPECT_EQ(human_number(3140000), "3.14 M");
  EXPECT_EQ(human_seconds(0.314), "0.31 s");
  EXPECT_EQ(human_seconds(42.4), "42 s");
  EXPECT_EQ(human_seconds(185), "3 min 05 s");
  EXPECT_EQ(human_seconds(7380), "2 h 03 min");
  EXPECT_EQ(human_time(1672531200), "2023-01-01 00:00");
}

TEST(Console, curves) {
  EXPECT_EQ(sparkline({0, 7}), "▁█");
  EXPECT_EQ(sparkline({1, 1, 1}), "▄▄▄");
  EXPECT_EQ(sparkline({}), "");
  EXPECT_EQ(thinned({1, 3, 5, 7}, 2), (std::vector<double>{2, 6}));
  EXPECT_EQ(thinned({1, 2}, 5), (std::vector<double>{1, 2}));
}

TEST(Console, words_for_a_shell) {
  EXPECT_EQ(shell_word("runs/demo-1.tsv"), "runs/demo-1.tsv");
  EXPECT_EQ(shell_word("my runs"), "'my runs'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  const char* typed[] = {"/usr/bin/sotto", "audit", "--data", "my world"};
  Console console;
  console.remember_typed(4, typed);
  EXPECT_EQ(console.typed(), "sotto audit --data 'my world'");
}

TEST(Console, text_is_broken_at_blanks) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("", 10), Lines{""});
  EXPECT_EQ(wrapped("a fine day", 10), Lines{"a fine day"});
  EXPECT_EQ(wrapped("a fine  day", 7), (Lines{"a fine", "day"}));
  EXPECT_EQ(wrapped("a fine day", 6), (Lines{"a fine", "day"}));
  EXPECT_EQ(wrapped("one\ntwo three", 20), (Lines{"one", "two three"}));
  EXPECT_EQ(wrapped("éé éé", 4), (Lines{"éé", "éé"}));
  EXPECT_EQ(wrapped("abcdef", 4), (Lines{"abcd", "ef"}));
  EXPECT_EQ(wrapped("open=0.3,balanced=0.4", 12), (Lines{"open=0.3,", "balanced=0.4"}));
  EXPECT_EQ(wrapped("a abcdef b", 4, LongWords::stay), (Lines{"a", "abcdef", "b"}));
  EXPECT_EQ(wrapped("\033[1mbold\033[0m on", 7), Lines{"\033[1mbold\033[0m on"});
}

RC_GTEST_PROP(Console, what_is_wrapped_fits_and_loses_no_word, (const std::vector<unsigned char>& letters)) {
  const auto columns = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
  std::string text;
  for (const unsigned char letter : letters) text += "ab, |\n"[letter % 6];
  std::string kept, whole;
  for (const std::string& line : wrapped(text, columns)) {
    RC_ASSERT(display_width(line) <= columns);
    for (const char letter : line) kept += letter == ' ' ? "" : std::string(1, letter);
  }
  for (const char letter : text) whole += letter == ' ' || letter == '\n' ? "" : std::string(1, letter);
  RC_ASSERT(kept == whole);
}

TEST(Console, lines_that_are_too_wide_keep_their_indent_and_commands_stay_whole) {
  EXPECT_EQ(fitted("short\n  one two three\n", 11), "short\n  one two\n  three\n");
  EXPECT_EQ(fitted("  * all    one two three", 20), "  * all    one two\n           three");
  EXPECT_EQ(fitted("Try: sotto train --data a\n", 11), "Try: sotto train --data a\n");
  EXPECT_EQ(fitted("no end", 40), "no end");
}

}  // namespace
}  // namespace sotto::engine
