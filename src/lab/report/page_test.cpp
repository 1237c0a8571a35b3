#include "lab/report/page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/files/files.h"

namespace sotto::lab {
namespace {

namespace fs = std::filesystem;

Page sample() {
  XyChart chart{.head = {"Plot / One", "A plot", "caption <b>"},
                .x = {.label = "x"},
                .y = {.label = "y"},
                .series = {}};
  chart.series.push_back({.name = "<script>alert(1)</script>", .points = {{1, 2}, {2, 3}}});
  PageTable table{"a table", {{"model"}, {"P@10", true, "precision \"at\" ten"}}, {}};
  table.rows.push_back(
      {{.text = "a & b"}, {.text = "0.20", .value = 0.2, .detail = "0.1–0.3", .standing = RankMark::best}});
  table.rows.push_back({{.text = "c"}, {.text = "n/a"}});
  return {.title = "Title </title>",
          .summary = {"One <paragraph>."},
          .sections = {{"First", {table, Chart(chart), PageText{"words"}}},
                       {"Second",
                        {Chart(chart), PageGap{"nothing here", "sotto train --out 'x'"},
                         PageListing{"plan", "a = \"b\""}}}}};
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Page, is_always_the_same_and_needs_nothing_from_outside) {
  const std::string html = html_of(sample());
  EXPECT_EQ(html, html_of(sample()));
  for (const char* outside : {"src=", "<link", "@import", "url(", "https://", "<iframe"})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  // The one address is the name of SVG, which nobody fetches.
  EXPECT_EQ(count_of(html, "http://"), count_of(html, "http://www.w3.org/2000/svg"));
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(html.find("unsafe"), std::string::npos);
}

TEST(Page, all_text_is_escaped) {
  const std::string html = html_of(sample());
  EXPECT_EQ(count_of(html, "<script>"), 1U);  // our own
  EXPECT_EQ(count_of(html, "</title>\n<style>"), 1U);
  EXPECT_NE(html.find("Title &lt;/title&gt;"), std::string::npos);
  EXPECT_NE(html.find("precision &quot;at&quot; ten"), std::string::npos);
  EXPECT_NE(html.find("a &amp; b"), std::string::npos);
  EXPECT_EQ(html.find("<paragraph>"), std::string::npos);
}

TEST(Page, contents_lead_to_the_sections) {
  const std::string html = html_of(sample());
  for (const char* id : {"s1-first", "s2-second"}) {
    EXPECT_EQ(count_of(html, std::string("href=\"#") + id + "\""), 1U);
    EXPECT_EQ(count_of(html, std::string("<section id=\"") + id + "\""), 1U);
  }
}

TEST(Page, best_values_and_sort_keys_stand_in_the_cells) {
  const std::string html = html_of(sample());
  EXPECT_NE(
      html.find(
          "<td class=\"number best\" data-v=\"0.20000000000000001\"><span>0.20</span><small>0.1–0.3</small>"),
      std::string::npos);
  EXPECT_NE(html.find("<td class=\"number\"><span>n/a</span>"), std::string::npos);
}

TEST(Page, charts_of_one_name_get_names_of_their_own) {
  const std::vector<Chart> charts = charts_of(sample());
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(head_of(charts[0]).name, "plot-one");
  EXPECT_EQ(head_of(charts[1]).name, "plot-one-2");
}

TEST(Page, is_written_with_its_plots_beside_it) {
  const fs::path folder = fs::path(testing::TempDir()) / "sotto-page-test";
  fs::remove_all(folder);
  const auto written = write_page(sample(), folder / "report.html");
  ASSERT_TRUE(written.ok()) << written.error().message;
  const std::vector<fs::path> expected{folder / "report/plots/plot-one.svg",
                                       folder / "report/plots/plot-one-2.svg", folder / "report.html"};
  EXPECT_EQ(*written, expected);
  EXPECT_EQ(*read_text(folder / "report.html"), html_of(sample()));
  EXPECT_EQ(*read_text(expected[0]), svg_of(charts_of(sample())[0], Dress::alone));
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    files += entry.is_regular_file() ? 1U : 0U;
  EXPECT_EQ(files, 3U);
  fs::remove_all(folder);
}

TEST(Page, a_place_that_cannot_be_written_is_said) {
  const auto written = write_page(sample(), "/proc/none/report.html");
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("/proc/none"), std::string::npos);
}

}  // namespace
}  // namespace sotto::lab
