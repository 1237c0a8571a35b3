#include "engine/terminal/console.h"

#include <gtest/gtest.h>

#include "engine/terminal/table.h"

namespace sotto {
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

TEST(Table, columns_line_up_and_leave_no_blanks_at_the_end) {
  Table table({{"name"}, {"count", Align::right}, {"note"}});
  table.row({"Café", "7", ""});
  table.row({"Bar", "1,000", "x"});
  EXPECT_EQ(table.text(Console{}),
            "  name  count  note\n"
            "  Café      7\n"
            "  Bar   1,000  x\n");
}

TEST(Table, the_widest_text_column_gives_way) {
  Table table({{"a"}, {"b", Align::right}});
  table.row({std::string(200, 'x'), "12345"});
  const std::string text = table.text(Console{});
  const std::string line = text.substr(text.find('\n') + 1);
  EXPECT_EQ(display_width(line.substr(0, line.size() - 1)), Console{}.width());
  EXPECT_TRUE(line.ends_with("…  12345\n"));
}

TEST(Table, what_one_has_to_type_is_never_cut) {
  Table table({{"a", Align::left, Tone::plain, true}, {"b"}});
  table.row({std::string(80, 'x'), std::string(60, 'y')});
  const std::string text = table.text(Console{});
  EXPECT_NE(text.find(std::string(80, 'x') + "  yyy"), std::string::npos) << text;
  EXPECT_NE(text.find("y…"), std::string::npos) << text;
}

}  // namespace
}  // namespace sotto
