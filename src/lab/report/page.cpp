#include "lab/report/page.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <set>

#include "engine/files/files.h"
#include "lab/report/markup.h"
#include "lab/report/page_assets.h"

namespace sotto::lab {

namespace fs = std::filesystem;

namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string section_id(std::size_t index, const PageSection& section) {
  return fmt::format("s{}-{}", index + 1, slug(section.title));
}

std::string text_html(const std::string& text) { return fmt::format("<p>{}</p>\n", escaped(text)); }

std::string gap_html(const PageGap& gap) {
  std::string html = fmt::format("<div class=\"gap\"><p>{}</p>", escaped(gap.what));
  if (!gap.command.empty()) html += fmt::format("<pre><code>{}</code></pre>", escaped(gap.command));
  return html + "</div>\n";
}

std::string listing_html(const PageListing& listing) {
  return fmt::format("<details><summary>{}</summary><pre><code>{}</code></pre></details>\n",
                     escaped(listing.title), escaped(listing.text));
}

std::string figure_html(const Chart& chart) {
  const ChartHead& head = head_of(chart);
  return fmt::format(
      "<figure id=\"{0}\"><h3>{1}</h3>\n<div class=\"wide\">{2}</div>\n<figcaption>{3}</figcaption>"
      "</figure>\n",
      escaped("fig-" + head.name), escaped(head.title), svg_of(chart, Dress::in_page), escaped(head.caption));
}

std::string cell_html(const PageColumn& column, const PageCell& cell) {
  std::string classes = column.number ? "number" : "";
  if (cell.standing == RankMark::best) classes += " best";
  if (cell.standing == RankMark::second) classes += " second";
  std::string html = fmt::format("<td class=\"{}\"", classes);
  if (cell.value) html += fmt::format(" data-v=\"{:.17g}\"", *cell.value);
  if (!cell.hint.empty()) html += fmt::format(" title=\"{}\"", escaped(cell.hint));
  html += fmt::format("><span>{}</span>", escaped(cell.text));
  if (!cell.detail.empty()) html += fmt::format("<small>{}</small>", escaped(cell.detail));
  return html + "</td>";
}

std::string table_html(const PageTable& table) {
  std::string html = "<div class=\"wide\"><table>";
  if (!table.caption.empty()) html += fmt::format("<caption>{}</caption>", escaped(table.caption));
  html += "<thead><tr>";
  for (const PageColumn& column : table.columns)
    html +=
        fmt::format("<th scope=\"col\" class=\"{}\" title=\"{}\"><button type=\"button\">{}</button></th>",
                    column.number ? "number" : "", escaped(column.about), escaped(column.title));
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<PageCell>& row : table.rows) {
    SOTTO_ASSERT(row.size() == table.columns.size(), "a row has a cell for each column");
    html += "<tr>";
    for (std::size_t index = 0; index < row.size(); ++index)
      html += cell_html(table.columns[index], row[index]);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string block_html(const PageBlock& block, const std::vector<Chart>& charts, std::size_t& next_chart) {
  return std::visit(Overloaded{[](const PageText& text) { return text_html(text.text); },
                               [](const PageTable& table) { return table_html(table); },
                               [&](const Chart&) { return figure_html(charts[next_chart++]); },
                               [](const PageGap& gap) { return gap_html(gap); },
                               [](const PageListing& listing) { return listing_html(listing); }},
                    block);
}

// The digest that content security policies are written with.
std::string sha256_base64(std::string_view text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::array<char, sodium_base64_ENCODED_LEN(crypto_hash_sha256_BYTES, sodium_base64_VARIANT_ORIGINAL)>
      encoded{};
  sodium_bin2base64(encoded.data(), encoded.size(), digest.data(), digest.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  return encoded.data();
}

// Only what the page itself brings; the hashes are those of the two elements' texts.
std::string policy(const std::string& style) {
  return fmt::format(
      "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; "
      "form-action 'none'",
      sha256_base64(style), sha256_base64(page_script));
}

std::string contents_html(const Page& page) {
  std::string html = "<nav><h2>Contents</h2><ol>\n";
  for (std::size_t index = 0; index < page.sections.size(); ++index)
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section_id(index, page.sections[index]),
                        escaped(page.sections[index].title));
  return html + "</ol></nav>\n";
}

}  // namespace

std::vector<Chart> charts_of(const Page& page) {
  std::vector<Chart> charts;
  std::set<std::string> taken;
  for (const PageSection& section : page.sections)
    for (const PageBlock& block : section.blocks) {
      const Chart* chart = std::get_if<Chart>(&block);
      if (chart == nullptr) continue;
      charts.push_back(*chart);
      std::visit(
          [&taken](auto& one) {
            const std::string wanted = slug(one.head.name);
            one.head.name = wanted;
            for (int number = 2; !taken.insert(one.head.name).second; ++number)
              one.head.name = fmt::format("{}-{}", wanted, number);
          },
          charts.back());
    }
  return charts;
}

std::string html_of(const Page& page) {
  const std::string style = page_css();
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light "
      "dark\">\n<title>{}</title>\n<style>{}</style></head>\n<body>\n",
      policy(style), escaped(page.title), style);
  html += fmt::format(
      "<header><h1>{}</h1><button type=\"button\" id=\"theme\" hidden></button></header>\n<main>\n",
      escaped(page.title));
  for (const std::string& paragraph : page.summary)
    html += fmt::format("<p class=\"summary\">{}</p>\n", escaped(paragraph));
  html += contents_html(page);
  const std::vector<Chart> charts = charts_of(page);
  std::size_t next_chart = 0;
  for (std::size_t index = 0; index < page.sections.size(); ++index) {
    const PageSection& section = page.sections[index];
    html +=
        fmt::format("<section id=\"{}\"><h2>{}</h2>\n", section_id(index, section), escaped(section.title));
    for (const PageBlock& block : section.blocks) html += block_html(block, charts, next_chart);
    html += "</section>\n";
  }
  return html +
         fmt::format(
             "</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script>{}</script>\n</body></html>\n",
             page_script);
}

Result<std::vector<fs::path>> write_page(const Page& page, const fs::path& out) {
  std::vector<fs::path> written;
  const std::vector<Chart> charts = charts_of(page);
  const fs::path plots = out.parent_path() / out.stem() / "plots";
  SOTTO_TRY_DONE(
      make_folder(charts.empty() ? (out.has_parent_path() ? out.parent_path() : fs::path(".")) : plots));
  for (const Chart& chart : charts) {
    written.push_back(plots / (head_of(chart).name + ".svg"));
    SOTTO_TRY_DONE(write_file(written.back(), svg_of(chart, Dress::alone)));
  }
  SOTTO_TRY_DONE(write_file(out, html_of(page)));
  written.push_back(out);
  return written;
}

}  // namespace sotto::lab
