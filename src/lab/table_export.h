// A table for other programs: tab-separated, Markdown or LaTeX. Cells may be marked as best or second best
// and carry small raised letters. Law: text is escaped for its format; what a format cannot mark, it leaves
// out (TSV has no marks).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/layers.h"

namespace sotto::lab {

enum class Emphasis : std::uint8_t { none, best, second };

struct ExportCell {
  std::string text;
  Emphasis emphasis = Emphasis::none;
  std::string raised = {};
};

struct ExportTable {
  std::vector<std::string> header;
  std::vector<std::vector<ExportCell>> rows;  // as many cells as the header
  std::size_t text_columns = 1;               // the first ones are text and stand left; the rest are numbers
};

[[nodiscard]] std::string to_tsv(const ExportTable& table);
[[nodiscard]] std::string to_markdown(const ExportTable& table);
// A tabular with the rules of booktabs.
[[nodiscard]] std::string to_latex(const ExportTable& table);

}  // namespace sotto::lab
