// sotto data convert: any readable interactions as one canonical file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/field_flags.h"
#include "engine/files/dataset_text.h"
#include "engine/plan/prepare.h"
#include "engine/plan/shared_fields.h"

namespace sotto::cli {

namespace {

struct ConvertOptions {
  CommonOptions common;
  std::vector<std::string> paths;
  FieldFlags edits;
  std::string out;
};

Status convert(ConvertOptions& options, const Console& console) {
  SOTTO_TRY(const char separator, options.out == "-" ? Result<char>('\t') : separator_for(options.out));
  if (options.out == "-" && options.common.json)
    return fail(Code::usage, "--out - and --json both write to stdout: give a file name");
  DataRequest request;
  request.paths = options.paths;
  SOTTO_TRY_DONE(apply(options.edits, request));
  SOTTO_TRY(const LoadedData loaded, load_data(request));
  const Dataset& dataset = loaded.dataset;
  SOTTO_TRY_DONE(write_output(console, options.out, interactions_text(dataset, separator, true)));
  if (options.common.json) {
    print_json(console, {{"out", options.out},
                         {"files", loaded.files},
                         {"users", dataset.users.size()},
                         {"items", dataset.items.size()},
                         {"interactions", dataset.interactions.size()},
                         {"repeated", dataset.repeated}});
  } else if (options.out != "-") {
    console.print(fmt::format("{} interactions of {} users with {} items are in {}\n",
                              human_count(dataset.interactions.size()), human_count(dataset.users.size()),
                              human_count(dataset.items.size()), options.out));
  }
  return Done{};
}

}  // namespace

void add_data_convert(CLI::App& data, Cli& cli) {
  auto [app, options] = add_command<ConvertOptions>(
      data, cli, "convert", "write interactions as one canonical TSV or CSV", convert);
  app->add_option("PATH", options->paths, "files or folders of interactions, plain or .zst")->required();
  app->add_option("-o,--out", options->out, "the file to write: .tsv or .csv, optionally .zst; - is stdout")
      ->type_name("FILE")
      ->required();
  add_field_flags(*app, options->edits, fields::reading_fields());
  add_common_options(*app, options->common);
  app->footer(examples({"sotto data convert ratings.dat --out ratings.tsv.zst",
                        "sotto data convert ml-1m/ --names ml-1m/movies.dat --min-rating 4 --out liked.csv",
                        "sotto data convert log.csv --columns user=2,item=5,time=1 --out log.tsv"}));
}

}  // namespace sotto::cli
