// sotto data split: training, validation and test part as files.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/field_flags.h"
#include "cli/parts_text.h"
#include "data/split_io.h"
#include "engine/files/files.h"
#include "engine/files/split_file.h"
#include "engine/plan/prepare.h"
#include "engine/plan/shared_fields.h"

namespace sotto::cli {

namespace {

struct SplitCommandOptions {
  CommonOptions common;
  std::vector<std::string> paths;
  FieldFlags edits;
  std::string out;
};

// Returns where split.bin lies. It is written last: a folder with it is whole.
Result<std::string> write_split(const Split& split, const std::string& out) {
  std::string file = out;
  if (!out.ends_with(".bin")) {
    const std::filesystem::path folder(out);
    SOTTO_TRY_DONE(make_folder(folder));
    SOTTO_TRY_DONE(write_file(folder / "train.tsv", part_as_tsv(split, split.train)));
    if (split.validation.interactions() > 0)
      SOTTO_TRY_DONE(write_file(folder / "validation.tsv", part_as_tsv(split, split.validation)));
    SOTTO_TRY_DONE(write_file(folder / "test.tsv", part_as_tsv(split, split.test)));
    file = (folder / "split.bin").string();
  }
  SOTTO_TRY_DONE(write_split_file(file, split));
  return file;
}

Status split_data(SplitCommandOptions& options, const Console& console) {
  DataRequest request;
  request.paths = options.paths;
  request.split.seed = options.common.seed;
  SOTTO_TRY_DONE(apply(options.edits, request));
  SOTTO_TRY(const Prepared prepared, prepare(request));
  const Split& split = prepared.split;
  SOTTO_TRY(const std::string file, write_split(split, options.out));
  if (!options.common.json) {
    print_parts(split, console);
    console.print(fmt::format("\nTry: sotto train --split-file {}\n", shell_word(file)));
    return Done{};
  }
  nlohmann::json facts = parts_json(split);
  facts["split_file"] = file;
  print_json(console, facts);
  return Done{};
}

}  // namespace

void add_data_split(CLI::App& data, Cli& cli) {
  auto [app, options] = add_command<SplitCommandOptions>(
      data, cli, "split", "split interactions into training, validation and test parts", split_data);
  app->add_option("PATH", options->paths, "files or folders of interactions, plain or .zst")->required();
  app->add_option("-o,--out", options->out,
                  "a folder for split.bin and TSV files, or a file that ends in .bin")
      ->type_name("DIR|FILE")
      ->required();
  add_field_flags(*app, options->edits, fields::split_fields());
  add_field_flags(*app, options->edits, fields::reading_fields());
  add_common_options(*app, options->common, "for the random rules");
  app->footer(examples({"sotto data split world --split temporal:0.8 --validation 0.2 --out split",
                        "sotto data split ratings.dat --min-user 20 --split leave-one-out --out loo.bin",
                        "sotto train --split-file split/split.bin --model bprmf"}));
}

}  // namespace sotto::cli
