// Page: a report as one HTML file that needs nothing else: no network, no folder beside it.
//
// Laws: the same page gives the same bytes; all text is escaped; the content security policy in the page
// allows its own style and script by their hashes and nothing else, so that a name from a file cannot load or
// run anything. Readable without scripts (hover values are <title>s then), in light and dark, and on paper.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "lab/rank_mark.h"
#include "lab/report/chart.h"

namespace sotto::lab {

struct PageCell {
  std::string text;
  std::optional<double> value = {};  // what the column is sorted by; none: the text
  std::string detail = {};           // small, under the text
  std::string hint = {};             // said on hovering
  RankMark standing = RankMark::plain;
};

struct PageColumn {
  std::string title;
  bool number = false;
  std::string about = {};  // said on hovering
};

struct PageTable {
  std::string caption;
  std::vector<PageColumn> columns;
  std::vector<std::vector<PageCell>> rows;  // as many cells as columns
};

struct PageText {
  std::string text;
};

// What could stand here if there were data for it, and the command that makes the data.
struct PageGap {
  std::string what;
  std::string command;
};

// Text to copy, folded away.
struct PageListing {
  std::string title;
  std::string text;
};

using PageBlock = std::variant<PageText, PageTable, Chart, PageGap, PageListing>;

struct PageSection {
  std::string title;
  std::vector<PageBlock> blocks;
};

struct Page {
  std::string title;
  std::vector<std::string> summary;  // paragraphs
  std::vector<PageSection> sections;
};

[[nodiscard]] std::string html_of(const Page& page);

// The page's charts, each under a name of its own (a second "f1" becomes "f1-2"), in their order.
[[nodiscard]] std::vector<Chart> charts_of(const Page& page);

// Writes the page to `out` and its charts as SVG files beside it: for "report.html" into "report/plots". Each
// file appears whole or not at all. Returns what was written, the page last.
[[nodiscard]] Result<std::vector<std::filesystem::path>> write_page(const Page& page,
                                                                    const std::filesystem::path& out);

}  // namespace sotto::lab
