// The report in a real browser: opened from disk it has no console error, its plots have axes and their data,
// and what can be clicked does what it should.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/program.h"
#include "tests/e2e/browser.h"

namespace sotto::tests::e2e {
namespace {

constexpr std::size_t pis = 3;
constexpr std::size_t epochs = 4;

// Runs that give every figure its data, and the report of them. Made once.
class ReportInBrowser : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shop_ = new cli::Workshop();
    run({"data", "generate", "--users", "120", "--items", "150", "--out", "world"});
    const std::string looks = std::to_string(epochs);
    for (const std::string pi : {"0", "0.5", "1"})
      for (const std::string seed : {"1", "2"})
        train("runs/s-" + pi + "-" + seed,
              {"--variant", "sfpl+", "--factors", "8", "--epochs", looks, "--early-stop", "nDCG@10",
               "--patience", "9", "--pi", pi, "--seed", seed});
    // A name that would do harm on a page that believes it.
    train("runs/pop <img src=x onerror=alert(1)>", {"--model", "toppop"});
    train("runs/knn", {"--model", "userknn"});
    run({"report", "runs", "--out", "page.html"});
    visit_ = new Visit(visit(shop_->folder() / "page.html"));
  }
  static void TearDownTestSuite() {
    delete visit_;
    delete shop_;
  }
  static void run(const std::vector<std::string>& words) {
    const cli::Outcome outcome = shop_->sotto(words);
    if (outcome.code != 0) trouble_ += words.front() + ": " + outcome.err;
  }
  static void train(const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words{"train",   "--data",          "world/interactions.tsv",
                                   "--names", "world/items.tsv", "--validation",
                                   "0.2",     "--quiet",         "--out",
                                   out};
    words.insert(words.end(), more.begin(), more.end());
    run(words);
  }
  // What went wrong before fails each test: a failure while the suite is set up would only skip them.
  void SetUp() override {
    ASSERT_EQ(trouble_, "");
    ASSERT_EQ(visit_->trouble, "");
  }

  // Axes with labels and ticks, and in each series as many marks (or corners of a line) as it says it has
  // data.
  static void expect_drawn(const std::string& name, std::size_t series_count, std::size_t data) {
    SCOPED_TRACE(name);
    const std::string chart = chart_named(visit_->dom, name);
    ASSERT_NE(chart, "");
    for (const char* axis : {"class=\"axis x\"", "class=\"axis y\""})
      EXPECT_GE(count_of(group_with(chart, axis), "class=\"tick\""), 2U) << axis;
    EXPECT_GE(count_of(chart, "class=\"label\""), 1U);
    EXPECT_EQ(count_of(chart, "data-n="), series_count);
    for (std::size_t index = 0; index < series_count; ++index) {
      const std::size_t from = chart.find("class=\"series");
      const std::string series = group_with(chart, "data-series=\"" + std::to_string(index) + "\"", from);
      const std::string line = series.substr(std::min(series.size(), series.find("data-xy")));
      const std::size_t drawn = line.empty() ? count_of(series, "class=\"mark\"")
                                             : count_of(attribute_of(" " + line, "data-xy"), ",");
      EXPECT_EQ(attribute_of(series, "data-n"), std::to_string(drawn));
      EXPECT_EQ(drawn, data) << "series " << index;
    }
  }

  static std::string trouble_;
  static cli::Workshop* shop_;
  static Visit* visit_;
};

std::string ReportInBrowser::trouble_;
cli::Workshop* ReportInBrowser::shop_ = nullptr;
Visit* ReportInBrowser::visit_ = nullptr;

TEST_F(ReportInBrowser, opens_from_disk_without_a_word_on_the_console) {
  EXPECT_EQ(attribute_of(visit_->dom, "data-ready"), "1");
  for (const std::string& line : visit_->console) ADD_FAILURE() << line;
  EXPECT_EQ(visit_->dom.find("<img"), std::string::npos);
}

TEST_F(ReportInBrowser, each_plot_has_its_axes_and_its_data) {
  const std::size_t items = cli::rows_of(shop_->get("runs/knn/items.tsv")).size() - 1;
  const std::size_t configurations = 3;  // sFPL+, Top-Pop, User-kNN
  expect_drawn("f1-over-pi", 1, pis);
  expect_drawn("coverage-over-precision", 1, pis);
  expect_drawn("updates-sfpl-plus", pis, std::min<std::size_t>(1000, items));
  expect_drawn("recommended-sfpl-plus", pis, std::min<std::size_t>(250, items));
  expect_drawn("recommended-other-models", configurations - 1, std::min<std::size_t>(250, items));
  expect_drawn("precision-over-vectors", 1, pis);
  expect_drawn("precision-over-bytes", 1, pis);
  expect_drawn("loss", 1, epochs);
  expect_drawn("validation", 1, epochs);
  expect_drawn("users", configurations, 1);
  const auto metrics = nlohmann::json::parse(shop_->get("runs/knn/metrics.json"));
  expect_drawn("bias-disparity", configurations, std::min<std::size_t>(15, metrics["category_bias"].size()));
  // Nothing else was drawn, and nothing that is drawn is missing above.
  EXPECT_EQ(count_of(visit_->dom, "data-chart="), 11U);
}

TEST_F(ReportInBrowser, plain_svg_files_open_too) {
  for (const char* name : {"f1-over-pi", "updates-sfpl-plus", "users"}) {
    const Visit seen = visit(shop_->folder() / "page" / "plots" / (std::string(name) + ".svg"));
    ASSERT_EQ(seen.trouble, "");
    EXPECT_TRUE(seen.console.empty());
    EXPECT_NE(chart_named(seen.dom, name).find("<title>"), std::string::npos)
        << name;  // hover values without scripts
  }
}

TEST_F(ReportInBrowser, a_changed_script_is_refused_and_the_console_says_so) {
  std::string page = shop_->get("page.html");
  page.insert(page.find("'use strict'"), "var intruder;");
  shop_->put("changed.html", page);
  const Visit seen = visit(shop_->folder() / "changed.html");
  ASSERT_EQ(seen.trouble, "");
  EXPECT_FALSE(seen.console.empty());
  EXPECT_EQ(attribute_of(seen.dom, "data-ready"), "");
}

// A visitor of our own, let in by taking the policy away.
TEST_F(ReportInBrowser, legend_tables_hover_and_theme_answer) {
  std::string page = shop_->get("page.html");
  const std::size_t policy = page.find("<meta http-equiv");
  page.erase(policy, page.find('>', policy) + 1 - policy);
  page.insert(page.rfind("</body>"), R"(<script>
var told = {};
var chart = document.querySelector('[data-chart="recommended-sfpl-plus"]');
var key = chart.querySelector('.key');
var hidden = function () { return getComputedStyle(chart.querySelector('.series[data-series="0"]')).display; };
told.before = hidden(); key.dispatchEvent(new Event('click')); told.off = hidden();
key.dispatchEvent(new Event('click')); told.on = hidden();
var table = document.querySelector('table');
var head = Array.from(table.querySelectorAll('th')).filter(function (th) { return th.textContent === 'P@10'; })[0];
var column = Array.from(head.parentNode.children).indexOf(head);
var values = function () { return Array.from(table.tBodies[0].rows).map(function (row) { return +row.cells[column].dataset.v; }); };
head.querySelector('button').click(); told.falling = values(); head.querySelector('button').click(); told.rising = values();
var mark = document.querySelector('[data-chart="f1-over-pi"] .mark');
mark.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 5, clientY: 5}));
told.tip = document.getElementById('tip').textContent;
var colour = function () { return getComputedStyle(document.documentElement).backgroundColor; };
document.getElementById('theme').click(); told.light = colour(); document.getElementById('theme').click(); told.dark = colour();
document.body.setAttribute('data-told', encodeURIComponent(JSON.stringify(told)));
</script>)");
  shop_->put("visited.html", page);
  const Visit seen = visit(shop_->folder() / "visited.html");
  ASSERT_EQ(seen.trouble, "");
  for (const std::string& line : seen.console) ADD_FAILURE() << line;
  std::string told = attribute_of(seen.dom, "data-told");
  for (std::size_t at = told.find('%'); at != std::string::npos; at = told.find('%', at + 1))
    told.replace(at, 3, 1, static_cast<char>(std::stoi(told.substr(at + 1, 2), nullptr, 16)));
  const nlohmann::json json = nlohmann::json::parse(told, nullptr, false);
  ASSERT_TRUE(json.is_object()) << told;
  EXPECT_EQ(json["before"], "inline");
  EXPECT_EQ(json["off"], "none");
  EXPECT_EQ(json["on"], "inline");
  const std::vector<double> falling = json["falling"];
  const std::vector<double> rising = json["rising"];
  EXPECT_EQ(falling.size(), 3U);
  EXPECT_TRUE(std::is_sorted(rising.begin(), rising.end()) &&
              std::is_sorted(falling.rbegin(), falling.rend()));
  EXPECT_TRUE(json["tip"].get<std::string>().starts_with("sFPL+\nπ: 0\nF1means@10: ")) << json["tip"];
  EXPECT_EQ(json["light"], "rgb(255, 255, 255)");
  EXPECT_EQ(json["dark"], "rgb(21, 24, 28)");
}

}  // namespace
}  // namespace sotto::tests::e2e
