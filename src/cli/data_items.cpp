// sotto data items: the names of the items a model knows, in the order of its rows: the catalogue of a task.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/field_flags.h"
#include "engine/plan/prepare.h"
#include "engine/plan/shared_fields.h"
#include "fed/wire/catalogue.h"

namespace sotto::cli {

namespace {

struct ItemsOptions {
  CommonOptions common;
  FieldFlags edits;
  std::string out;
};

Status write_items(ItemsOptions& options, const Console& console) {
  DataRequest request;
  request.split.seed = options.common.seed;
  SOTTO_TRY_DONE(apply(options.edits, request));
  if (!request.names.empty())
    return fail(
        Code::usage,
        "this writes ids alone, by which the fleet and devices know items: leave --names out, and give the "
        "file to the task's catalogue table (names = \"FILE\")");
  SOTTO_TRY(const Prepared prepared, prepare(request));
  const Split& split = prepared.split;
  std::string names;
  for (std::uint32_t item = 0; item < split.catalogue; ++item) {
    const std::string_view name = split.items.name(item);
    if (name.size() > most_item_name || name.find('\n') != std::string_view::npos)
      return fail(Code::bad_input, fmt::format("item {} cannot be in a catalogue: its name is longer than {} "
                                               "bytes or more than one line",
                                               item, most_item_name));
    names.append(name).push_back('\n');
  }
  SOTTO_TRY_DONE(write_output(console, options.out, names));
  if (options.common.json && options.out != "-")
    print_json(console, {{"file", options.out},
                         {"items", split.catalogue},
                         {"users", split.train.users()},
                         {"users_without_training", split.users_without_training()}});
  return Done{};
}

}  // namespace

void add_data_items(CLI::App& data, Cli& cli) {
  auto [app, options] = add_command<ItemsOptions>(
      data, cli, "items", "list the items that a model of these data knows, one per line: a task's catalogue",
      write_items);
  add_field_flags(*app, options->edits, fields::data_fields());
  app->add_option("-o,--out", options->out, "the file to write; -: stdout")->type_name("FILE")->required();
  add_common_options(*app, options->common, "for the random split rules");
  app->footer(examples({"sotto data items --data world --out items.tsv",
                        "sotto data items --data ratings.dat --min-user 20 --out -"}));
}

}  // namespace sotto::cli
