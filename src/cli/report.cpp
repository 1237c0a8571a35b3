// sotto report: one page with tables and plots of runs or of a study.
#include "lab/report/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace sotto::cli {

namespace fs = std::filesystem;

namespace {

struct ReportOptions {
  CommonOptions common;
  std::string source;
  std::string out;
};

// Inside a folder "report.html"; beside a results file its own name.
fs::path default_out(const fs::path& source) {
  std::error_code ignored;
  if (fs::is_directory(source, ignored)) return source / "report.html";
  return source.parent_path() / (source.stem().string() + "-report.html");
}

Status report(ReportOptions& options, const Console& console) {
  const fs::path out = options.out.empty() ? default_out(options.source) : fs::path(options.out);
  std::error_code ignored;
  if (fs::is_directory(out, ignored))
    return fail(Code::usage, fmt::format("--out: '{}' is a folder where a file is needed", out.string()));
  if (!out.has_extension())  // its plots go into a folder of the name without the ending
    return fail(Code::usage, fmt::format("--out: '{0}' has no ending: write '{0}.html'", out.string()));
  SOTTO_TRY(const ReportData data, read_report_data(options.source));
  std::string command = "sotto report " + shell_word(options.source);
  if (!options.out.empty()) command += " --out " + shell_word(options.out);
  const Page page = report_page(data, command);
  SOTTO_TRY(const std::vector<fs::path> written, write_page(page, out));
  if (options.common.json) {
    nlohmann::json json{{"page", out.string()}, {"runs", data.runs.size()}, {"troubles", data.troubles}};
    json["plots"] = nlohmann::json::array();
    for (std::size_t index = 0; index + 1 < written.size(); ++index)
      json["plots"].push_back(written[index].string());
    json["missing"] = nlohmann::json::array();
    for (const PageSection& section : page.sections)
      for (const PageBlock& block : section.blocks)
        if (const PageGap* gap = std::get_if<PageGap>(&block))
          json["missing"].push_back({{"what", gap->what}, {"command", gap->command}});
    print_json(console, json);
    return Done{};
  }
  for (const std::string& paragraph : page.summary) console.print(paragraph + "\n");
  for (const std::string& trouble : data.troubles) console.note("sotto: left out: " + trouble);
  console.print(fmt::format("{} plots in {}\n", written.size() - 1,
                            (out.parent_path() / out.stem() / "plots").string()));
  console.print(fmt::format("{}\n", console.paint(Tone::strong, out.string())));
  return Done{};
}

}  // namespace

void add_report(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<ReportOptions>(
      root, cli, "report", "make a page with tables and plots of runs or of a study", report);
  app->add_option("DIR", options->source,
                  "a run directory, a folder of them, or a results file of 'sotto sweep'")
      ->type_name("RUN")
      ->required();
  app->add_option("-o,--out", options->out, "the page; its plots go beside it as SVG files")
      ->type_name("FILE")
      ->default_str("DIR/report.html");
  add_common_options(*app, options->common);
  app->footer(examples({"sotto report runs", "sotto report runs/first --out first.html",
                        "sotto report results.sqlite --json"}));
}

}  // namespace sotto::cli
