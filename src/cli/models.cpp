// sotto models: which models there are, and what each has.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/values.h"
#include "engine/plan/model_entry.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

struct ModelsOptions {
  CommonOptions common;
  std::string name;
};

std::string needs_of(const ModelEntry& entry) {
  std::string needs;
  if (entry.needs_features) needs = "features (--kg)";
  if (entry.needs_examples) needs = "labelled examples";
  if (entry.needs_ratings) needs += needs.empty() ? "ratings" : ", ratings";
  return needs;
}

// What the model has beside what every model has.
std::vector<const Field*> own_fields(const ModelEntry& entry) {
  std::vector<const Field*> fields;
  for (const Field& field : entry.fields)
    if (!field.common && !field.flag.empty()) fields.push_back(&field);
  return fields;
}

nlohmann::json field_json(const ModelEntry& entry, const Field& field) {
  nlohmann::json json{{"flag", field.flag}, {"help", field.help}, {"group", field.group}};
  if (!field.path.empty()) json["key"] = field.path;
  if (!field.type.empty()) json["type"] = field.type;
  if (const std::string standard = standard_of(entry, field); !standard.empty()) json["default"] = standard;
  if (!field.values.empty()) json["values"] = field.values;
  if (!field.tries.empty()) json["tries"] = field.tries;
  return json;
}

nlohmann::json model_json(const ModelEntry& entry) {
  nlohmann::json json{{"name", entry.name},
                      {"title", entry.title},
                      {"about", entry.about},
                      {"federated", entry.federated()},
                      {"needs_features", entry.needs_features},
                      {"needs_ratings", entry.needs_ratings},
                      {"needs_examples", entry.needs_examples}};
  if (entry.federated()) json["sends"] = entry.reveals;
  return json;
}

void print_list(const Console& console) {
  for (const bool federated : {true, false}) {
    std::vector<TableColumn> columns{
        {.title = federated ? "federated" : "central", .tone = Tone::strong, .whole = true}};
    if (federated) columns.push_back({"devices send"});
    columns.insert(columns.end(), {{"what it is"}, {"needs"}});
    Table table(std::move(columns));
    for (const ModelEntry& entry : all_models()) {
      if (entry.federated() != federated) continue;
      std::vector<std::string> cells{entry.name, entry.about, needs_of(entry)};
      if (federated) cells.insert(cells.begin() + 1, to_string(entry.sends));
      table.row(std::move(cells));
    }
    console.print(table.text(console) + "\n");
  }
  console.print("A model's options: sotto models NAME\n");
}

void print_model(const ModelEntry& entry, const Console& console) {
  Table facts = fact_table();
  facts.row({"model", fmt::format("{} ({})", entry.title, entry.federated() ? "federated" : "central")});
  facts.row({"what it is", entry.about});
  if (entry.federated()) facts.row({"devices send", entry.reveals});
  if (const std::string needs = needs_of(entry); !needs.empty()) facts.row({"needs", needs});
  console.print(facts.text(console));
  std::vector<std::string> groups;
  const std::vector<const Field*> fields = own_fields(entry);
  for (const Field* field : fields)
    if (std::ranges::find(groups, field->group) == groups.end()) groups.push_back(field->group);
  for (const std::string& group : groups) {
    console.print(fmt::format("\n{}\n", console.paint(Tone::strong, group)));
    Table table({{.title = "", .whole = true}, {""}, {""}});
    for (const Field* field : fields) {
      if (field->group != group) continue;
      std::string help = field->help;
      if (!field->tries.empty()) help += fmt::format(" (try {})", fmt::join(field->tries, ", "));
      table.row(
          {field->flag + (field->type.empty() ? "" : " " + field->type), help, standard_of(entry, *field)});
    }
    console.print(table.text(console));
  }
  console.print(
      fmt::format("\nOptions of every model: sotto train --help\n"
                  "Train it:               sotto train --model {} --data PATH\n",
                  entry.name));
}

Status run_models(ModelsOptions& options, const Console& console) {
  if (options.name.empty()) {
    if (!options.common.json) return print_list(console), Done{};
    nlohmann::json list = nlohmann::json::array();
    for (const ModelEntry& entry : all_models()) list.push_back(model_json(entry));
    print_json(console, {{"models", list}});
    return Done{};
  }
  SOTTO_TRY(const ModelEntry* entry, find_model(options.name));
  if (!options.common.json) return print_model(*entry, console), Done{};
  nlohmann::json json = model_json(*entry);
  json["options"] = nlohmann::json::array();
  for (const Field* field : own_fields(*entry)) json["options"].push_back(field_json(*entry, *field));
  print_json(console, json);
  return Done{};
}

}  // namespace

void add_models(CLI::App& root, Cli& cli) {
  auto [app, options] =
      add_command<ModelsOptions>(root, cli, "models", "list the models, and the options of each", run_models);
  std::vector<std::string> names;
  for (const ModelEntry& entry : all_models()) names.push_back(entry.name);
  values(app->add_option("NAME", options->name, "a model, to list its options")->type_name("NAME"), names);
  add_common_options(*app, options->common);
  app->footer(examples({"sotto models", "sotto models fedease", "sotto models slim --json"}));
}

}  // namespace sotto::cli
