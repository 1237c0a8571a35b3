// sotto data split: training, validation and test part as files.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data/split_io.h"
#include "lab/cli/command.h"
#include "lab/cli/options.h"
#include "lab/cli/table.h"
#include "lab/files.h"
#include "lab/prepare.h"
#include "lab/split_file.h"

namespace sotto {

namespace {

struct SplitCommandOptions {
  CommonOptions common;
  std::vector<std::string> paths;
  Edits<DataRequest> edits;
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

void print_parts(const Split& split, const std::string& file, const Console& console) {
  Table parts({{"part"}, {"interactions", Align::right}, {"a user, on average", Align::right}});
  const auto add = [&](const char* name, const Histories& part) {
    const double mean = static_cast<double>(part.interactions()) / static_cast<double>(split.users.size());
    parts.row({name, human_count(part.interactions()), fmt::format("{:.1f}", mean)});
  };
  add("training", split.train);
  if (split.validation.interactions() > 0) add("validation", split.validation);
  add("test", split.test);
  console.print(parts.text(console));
  Table facts = fact_table();
  facts.row({"users", fmt::format("{}, {} of them without test items", human_count(split.users.size()),
                                  human_count(split.users_without_test()))});
  facts.row({"items", fmt::format("{} in training, {} elsewhere only", human_count(split.catalogue),
                                  human_count(split.items.size() - split.catalogue))});
  facts.row({"hash", split.hash.substr(0, 16)});
  console.print("\n" + facts.text(console));
  console.print(fmt::format("\nTry: sotto train --split-file {}\n", shell_word(file)));
}

Status split_data(SplitCommandOptions& options, const Console& console) {
  DataRequest request;
  request.paths = options.paths;
  request.split.seed = options.common.seed;
  SOTTO_TRY_DONE(apply_edits(options.edits, request));
  SOTTO_TRY(const Prepared prepared, prepare(request));
  const Split& split = prepared.split;
  SOTTO_TRY(const std::string file, write_split(split, options.out));
  if (!options.common.json) {
    print_parts(split, file, console);
    return Done{};
  }
  print_json(console, {{"split_file", file},
                       {"split_hash", split.hash},
                       {"users", split.users.size()},
                       {"items", split.catalogue},
                       {"items_outside_training", split.items.size() - split.catalogue},
                       {"train_interactions", split.train.interactions()},
                       {"validation_interactions", split.validation.interactions()},
                       {"test_interactions", split.test.interactions()},
                       {"users_without_training", split.users_without_training()},
                       {"users_without_test", split.users_without_test()}});
  return Done{};
}

}  // namespace

void add_data_split(CLI::App& data, Cli& cli) {
  auto [app, options] = add_command<SplitCommandOptions>(
      data, cli, "split", "cut interactions into training, validation and test part", split_data);
  app->add_option("PATH", options->paths, "files or folders of interactions, plain or .zst")->required();
  app->add_option("-o,--out", options->out, "a folder for split.bin and TSV files, or a file name in .bin")
      ->type_name("DIR|FILE")
      ->required();
  add_split_options(*app, options->edits);
  add_reading_options(*app, options->edits);
  add_common_options(*app, options->common, "for the random rules");
  app->footer(examples({"sotto data split world --split temporal:0.8 --validation 0.2 --out split",
                        "sotto data split ratings.dat --min-user 20 --split leave-one-out --out loo.bin",
                        "sotto train --split-file split/split.bin --model bprmf"}));
}

}  // namespace sotto
