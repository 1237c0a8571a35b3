#include "engine/terminal/table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sotto::engine {
namespace {

TEST(Table, columns_line_up_and_leave_no_blanks_at_the_end) {
  Table table({{"name"}, {"count", Align::right}, {"note"}});
  table.row({"Café", "7", ""});
  table.row({"Bar", "1,000", "x"});
  EXPECT_EQ(table.text(Console{}),
            "  name  count  note\n"
            "  Café      7\n"
            "  Bar   1,000  x\n");
}

Table wide_table() {
  Table table({{"", Align::left, Tone::dim},
               {"run"},
               {"P@10", Align::right},
               {"", Align::left},
               {"R@10", Align::right}});
  table.row({"a", "federated pairwise learning", "0.12345", "bc", "0.54321"});
  table.row({"b", "most popular", "0.1", "", "0.5"});
  return table;
}

TEST(Table, elsewhere_than_on_a_terminal_a_row_is_a_line) {
  EXPECT_EQ(wide_table().text(Console{}),
            "     run                             P@10         R@10\n"
            "  a  federated pairwise learning  0.12345  bc  0.54321\n"
            "  b  most popular                     0.1          0.5\n");
}

TEST(Table, text_goes_over_several_lines) {
  EXPECT_EQ(wide_table().text(Console{}, 45),
            "     run                    P@10         R@10\n"
            "  a  federated pairwise  0.12345  bc  0.54321\n"
            "     learning\n"
            "  b  most popular            0.1          0.5\n");
}

TEST(Table, numbers_that_are_too_wide_come_in_blocks_with_the_first_columns) {
  EXPECT_EQ(wide_table().text(Console{}, 36),
            "     run               P@10\n"
            "  a  federated      0.12345  bc\n"
            "     pairwise\n"
            "     learning\n"
            "  b  most popular       0.1\n"
            "\n"
            "     run               R@10\n"
            "  a  federated      0.54321\n"
            "     pairwise\n"
            "     learning\n"
            "  b  most popular       0.5\n");
}

TEST(Table, titles_of_numbers_wrap_first) {
  Table table({{"part"}, {"a user, on average", Align::right}});
  table.row({"training", "12.5"});
  EXPECT_EQ(table.text(Console{}, 20),
            "  part       a user,\n"
            "                  on\n"
            "             average\n"
            "  training      12.5\n");
}

TEST(Table, what_one_has_to_type_is_never_broken) {
  Table table({{"a", Align::left, Tone::plain, true}, {"b"}});
  table.row({std::string(30, 'x'), std::string(30, 'y')});
  EXPECT_EQ(table.text(Console{}, 50),
            fmt::format("  a{}b\n  {}  {}\n  {}{}\n", std::string(31, ' '), std::string(30, 'x'),
                        std::string(16, 'y'), std::string(32, ' '), std::string(14, 'y')));
}

}  // namespace
}  // namespace sotto::engine
