// A real browser without a window: loads a file from disk and tells what became of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sotto::tests::e2e {

struct Visit {
  std::string trouble;  // why there is nothing to see; empty: the page was loaded
  std::string dom;      // after the scripts have run
  std::vector<std::string> console;
};

// Chromium, with a profile that is gone afterwards and nothing to reach but the file.
[[nodiscard]] Visit visit(const std::filesystem::path& page);

// The element `<g class="…" … attribute="value"` and all within, by counting <g and </g>; empty if there is
// none.
[[nodiscard]] std::string group_with(const std::string& dom, const std::string& attribute,
                                     std::size_t from = 0);
// The drawing of this name: from <svg … data-chart="name" to </svg>.
[[nodiscard]] std::string chart_named(const std::string& dom, const std::string& name);
[[nodiscard]] std::size_t count_of(const std::string& text, const std::string& part);
// The value of the first attribute of this name in `text`.
[[nodiscard]] std::string attribute_of(const std::string& text, const std::string& name);

}  // namespace sotto::tests::e2e
