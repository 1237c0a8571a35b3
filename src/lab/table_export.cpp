#include "lab/table_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sotto::lab {

namespace {

std::string plain_field(std::string_view text) {
  std::string field(text);
  for (char& letter : field)
    if (letter == '\t' || letter == '\n' || letter == '\r') letter = ' ';
  return field;
}

std::string markdown_text(std::string_view text) {
  std::string safe;
  for (const char letter : plain_field(text)) {
    if (std::string_view("\\|*_`<>[]").find(letter) != std::string_view::npos) safe += '\\';
    safe += letter;
  }
  return safe;
}

std::string latex_text(std::string_view text) {
  std::string safe;
  for (const char letter : plain_field(text)) {
    if (letter == '\\')
      safe += "\\textbackslash{}";
    else if (letter == '~')
      safe += "\\textasciitilde{}";
    else if (letter == '^')
      safe += "\\textasciicircum{}";
    else if (std::string_view("&%$#_{}").find(letter) != std::string_view::npos)
      safe += std::string("\\") + letter;
    else
      safe += letter;
  }
  return safe;
}

std::string markdown_cell(const ExportCell& cell) {
  std::string text = markdown_text(cell.text);
  if (cell.emphasis == Emphasis::best) text = "**" + text + "**";
  if (cell.emphasis == Emphasis::second) text = "<u>" + text + "</u>";
  return cell.raised.empty() ? text : text + fmt::format("<sup>{}</sup>", markdown_text(cell.raised));
}

std::string latex_cell(const ExportCell& cell) {
  std::string text = latex_text(cell.text);
  if (cell.emphasis == Emphasis::best) text = fmt::format("\\textbf{{{}}}", text);
  if (cell.emphasis == Emphasis::second) text = fmt::format("\\underline{{{}}}", text);
  return cell.raised.empty() ? text : text + fmt::format("\\textsuperscript{{{}}}", latex_text(cell.raised));
}

}  // namespace

std::string to_tsv(const ExportTable& table) {
  std::string text;
  for (std::size_t n = 0; n < table.header.size(); ++n)
    text += (n == 0 ? "" : "\t") + plain_field(table.header[n]);
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t n = 0; n < row.size(); ++n) text += (n == 0 ? "" : "\t") + plain_field(row[n].text);
    text += '\n';
  }
  return text;
}

std::string to_markdown(const ExportTable& table) {
  std::string text = "|", rule = "|";
  for (std::size_t n = 0; n < table.header.size(); ++n) {
    text += " " + markdown_text(table.header[n]) + " |";
    rule += n < table.text_columns ? "---|" : "---:|";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const ExportCell& cell : row) text += " " + markdown_cell(cell) + " |";
    text += '\n';
  }
  return text;
}

std::string to_latex(const ExportTable& table) {
  const std::size_t text_columns = std::min(table.text_columns, table.header.size());
  std::string text = fmt::format("\\begin{{tabular}}{{{}{}}}\n\\toprule\n", std::string(text_columns, 'l'),
                                 std::string(table.header.size() - text_columns, 'r'));
  for (std::size_t n = 0; n < table.header.size(); ++n)
    text += (n == 0 ? "" : " & ") + latex_text(table.header[n]);
  text += " \\\\\n\\midrule\n";
  for (const auto& row : table.rows) {
    for (std::size_t n = 0; n < row.size(); ++n) text += (n == 0 ? "" : " & ") + latex_cell(row[n]);
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace sotto::lab
