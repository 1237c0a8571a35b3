// sotto data generate: a made-up world of check-ins as files.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "data/generate.h"
#include "data/kg/prepared_lists.h"
#include "engine/files/dataset_text.h"
#include "engine/files/files.h"
#include "engine/files/split_file.h"
#include "engine/plan/model_entry.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

struct GenerateOptions {
  CommonOptions common;
  WorldOptions world;
  std::string out;
  std::string knowledge;  // where what is known about the venues goes; empty: nowhere
  bool ratings = false;
  std::string people;  // where the people's attributes go; empty: nowhere
};

struct WorldFiles {
  std::string interactions;
  std::string items;
};

// "world.tsv.zst" stands with "world.items.tsv.zst"; a folder holds interactions.tsv and items.tsv.
Result<WorldFiles> files_for(const std::string& out) {
  for (const char* ending : {".tsv", ".csv", ".tsv.zst", ".csv.zst"})
    if (out.ends_with(ending))
      return WorldFiles{out, out.substr(0, out.size() - std::string_view(ending).size()) + ".items" + ending};
  SOTTO_TRY_DONE(make_folder(out));
  const std::filesystem::path folder(out);
  return WorldFiles{(folder / "interactions.tsv").string(), (folder / "items.tsv").string()};
}

// Straight to a split: a world too large to pass through text.
Status generate_as_split(const GenerateOptions& options, const Console& console) {
  ThreadPool threads(options.common.threads);
  SOTTO_TRY(const Split split, generate_split(options.world, 0.8, threads));
  SOTTO_TRY_DONE(write_split_file(options.out, split));
  const std::size_t interactions = split.train.interactions() + split.test.interactions();
  if (options.common.json) {
    print_json(console, {{"split_file", options.out},
                         {"users", split.users.size()},
                         {"items", split.items.size()},
                         {"interactions", interactions},
                         {"seed", options.world.seed}});
    return Done{};
  }
  console.print(fmt::format("{} check-ins of {} people at {} venues, split temporal:0.8, in {}\n",
                            human_count(interactions), human_count(split.users.size()),
                            human_count(split.items.size()), options.out));
  console.print(fmt::format("\nTry: sotto train --split-file {}\n", shell_word(options.out)));
  return Done{};
}

Status write_knowledge(const GenerateOptions& options, const Console& console) {
  if (options.knowledge.empty()) return Done{};
  SOTTO_TRY(const FeatureList knowledge, generate_knowledge(options.world));
  return write_output(console, options.knowledge, features_text(knowledge));
}

Status write_people(const GenerateOptions& options, const Console& console) {
  if (options.people.empty()) return Done{};
  SOTTO_TRY(const char separator, separator_for(options.people));
  return write_output(console, options.people, people_text(generate_people(options.world), separator));
}

Status generate(GenerateOptions& options, const Console& console) {
  options.world.seed = options.common.seed;
  if (!options.people.empty() && !options.ratings)
    return fail(Code::usage,
                "people's attributes matter to ratings only: add --ratings, or leave --people out");
  if (options.ratings && options.out.ends_with(".split"))
    return fail(Code::usage,
                "a saved split holds no ratings: give --out a folder, or a name in .tsv or .csv");
  SOTTO_TRY_DONE(write_knowledge(options, console));
  if (options.out.ends_with(".split")) return generate_as_split(options, console);
  SOTTO_TRY(const Dataset world,
            options.ratings ? generate_rated_world(options.world) : generate_world(options.world));
  SOTTO_TRY_DONE(write_people(options, console));
  SOTTO_TRY(const WorldFiles files, files_for(options.out));
  SOTTO_TRY(const char separator, separator_for(files.interactions));
  SOTTO_TRY_DONE(write_output(console, files.items, items_text(world, separator)));
  SOTTO_TRY_DONE(write_output(console, files.interactions, interactions_text(world, separator, false)));
  if (options.common.json) {
    print_json(console, {{"interactions_file", files.interactions},
                         {"items_file", files.items},
                         {"users", world.users.size()},
                         {"items", world.items.size()},
                         {"interactions", world.interactions.size()},
                         {"kg_file", options.knowledge},
                         {"seed", options.world.seed}});
    return Done{};
  }
  console.print(fmt::format("{} check-ins of {} people at {} venues in {}\n",
                            human_count(world.interactions.size()), human_count(world.users.size()),
                            human_count(world.items.size()), files.interactions));
  console.print(fmt::format("names and categories of the venues in {}\n", files.items));
  if (!options.knowledge.empty())
    console.print(fmt::format("features of the venues in {}\n", options.knowledge));
  const auto knowing = std::ranges::find_if(
      all_models(), [](const ModelEntry& entry) { return entry.needs_features && entry.federated(); });
  const std::string known = options.knowledge.empty() ? ""
                                                      : fmt::format(" --model {} --kg {}", knowing->name,
                                                                    shell_word(options.knowledge));
  console.print(fmt::format("\nTry: sotto train --data {} --names {}{}\n", shell_word(files.interactions),
                            shell_word(files.items), known));
  return Done{};
}

}  // namespace

void add_data_generate(CLI::App& data, Cli& cli) {
  auto [app, options] = add_command<GenerateOptions>(data, cli, "generate",
                                                     "generate a world of check-ins, of any size", generate);
  const WorldOptions defaults;
  app->add_option("--users", options->world.users, "people")->default_str(fmt::format("{}", defaults.users));
  app->add_option("--items", options->world.items, "venues; those nobody visits do not appear")
      ->default_str(fmt::format("{}", defaults.items));
  app->add_option("--cities", options->world.cities, "cities")
      ->default_str(fmt::format("{}", defaults.cities));
  app->add_option("--mean", options->world.mean_interactions, "different venues per person, on average")
      ->type_name("M")
      ->default_str(fmt::format("{}", defaults.mean_interactions));
  app->add_option("-o,--out", options->out, "a folder, or a file: .tsv or .csv, optionally .zst, or .split")
      ->type_name("FILE|DIR")
      ->required();
  app->add_option("--kg", options->knowledge,
                  "also write a list of features of the venues, as .tsv, optionally .zst")
      ->type_name("FILE");
  app->add_flag("--ratings", options->ratings,
                "people rate the venues from 1 to 5, differently on working days and weekends");
  app->add_option("--people", options->people, "also write the people's age and occupation, as .tsv or .csv")
      ->type_name("FILE");
  add_common_options(*app, options->common, "another seed, another world");
  app->footer(
      examples({"sotto data generate --out world",
                "sotto data generate --users 5000 --items 3000 --cities 10 --seed 7 --out world.tsv.zst",
                "sotto data generate --out world --kg features.tsv",
                "sotto data generate --ratings --out world --people people.tsv",
                "sotto data generate --users 1000000 --items 100000 --out big.split"}));
}

}  // namespace sotto::cli
