#include "lab/table_export.h"

#include <gtest/gtest.h>

namespace sotto::lab {
namespace {

ExportTable sample_table() {
  return {.header = {"run", "P@10"},
          .rows = {{{"a_b & 50%"}, {"0.1", Emphasis::best, "bc"}}, {{"c|d"}, {"0.05", Emphasis::second, ""}}},
          .text_columns = 1};
}

TEST(TableExport, TabsAndNoMarks) {
  EXPECT_EQ(to_tsv(sample_table()), "run\tP@10\na_b & 50%\t0.1\nc|d\t0.05\n");
  ExportTable odd = sample_table();
  odd.rows[0][0].text = "two\tfields\nor lines";
  EXPECT_NE(to_tsv(odd).find("two fields or lines\t0.1\n"), std::string::npos);
}

TEST(TableExport, Markdown) {
  EXPECT_EQ(to_markdown(sample_table()),
            "| run | P@10 |\n|---|---:|\n| a\\_b & 50% | **0.1**<sup>bc</sup> |\n| c\\|d | <u>0.05</u> |\n");
}

TEST(TableExport, Latex) {
  EXPECT_EQ(to_latex(sample_table()),
            "\\begin{tabular}{lr}\n\\toprule\nrun & P@10 \\\\\n\\midrule\n"
            "a\\_b \\& 50\\% & \\textbf{0.1}\\textsuperscript{bc} \\\\\nc|d & \\underline{0.05} \\\\\n"
            "\\bottomrule\n\\end{tabular}\n");
  ExportTable odd = sample_table();
  odd.rows[0][0].text = "\\^~{}";
  EXPECT_NE(to_latex(odd).find("\\textbackslash{}\\textasciicircum{}\\textasciitilde{}\\{\\}"),
            std::string::npos);
}

}  // namespace
}  // namespace sotto::lab
