// Plans as TOML, by the rows of the table of fields.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <sstream>

#include "base/nearest_word.h"
#include "engine/plan/model_entry.h"
#include "engine/plan/toml.h"

namespace sotto::engine {

namespace {

// What stands at a node; nothing where it is neither a value nor a list of values.
std::optional<PlanScalar> scalar_at(const toml::node& node) {
  if (const auto* truth = node.as_boolean()) return PlanScalar(truth->get());
  if (const auto* whole = node.as_integer()) return PlanScalar(whole->get());
  if (const auto* number = node.as_floating_point()) return PlanScalar(number->get());
  if (const auto* text = node.as_string()) return PlanScalar(text->get());
  return std::nullopt;
}

std::optional<PlanValue> value_at(const toml::node& node) {
  PlanValue value;
  if (!node.is_array()) {
    const auto scalar = scalar_at(node);
    if (!scalar) return std::nullopt;
    value.parts.push_back(*scalar);
    return value;
  }
  value.list = true;
  for (const toml::node& entry : *node.as_array()) {
    const auto scalar = scalar_at(entry);
    if (!scalar) return std::nullopt;
    value.parts.push_back(*scalar);
  }
  return value;
}

const toml::node* node_at(const toml::table& root, const Field& field) {
  const std::string section = field.section();
  if (section.empty()) return root.get(field.key());
  const toml::node* table = root.get(section);
  return table != nullptr && table->is_table() ? table->as_table()->get(field.key()) : nullptr;
}

class PlanReader {
 public:
  PlanReader(const toml::table& root, const std::string& name, OtherModels others)
      : root_(root), name_(name), others_(others) {}

  [[nodiscard]] Result<TrainRequest> read(TrainRequest request) const {
    SOTTO_TRY(request, chosen(std::move(request)));
    for (const Field& field : request.model->fields) {
      if (field.path.empty() || field.path == model_key) continue;
      const toml::node* node = node_at(root_, field);
      if (node == nullptr) continue;
      const auto value = value_at(*node);
      const Status set = value ? field.set(request, *value)
                               : Status(fail(Code::usage, "a value or a list of values is needed"));
      if (!set.ok()) return refused(*node, field.key(), set.error().message);
    }
    SOTTO_TRY_DONE(check_keys(request.model.entry()));
    return request;
  }

 private:
  [[nodiscard]] Error refused(const toml::node& node, const std::string& key, const std::string& why) const {
    const std::string where = name_.empty() ? "" : fmt::format("{}: ", place_of(node, name_));
    return fail(Code::usage, fmt::format("{}{}: {}", where, key, why));
  }

  [[nodiscard]] Result<TrainRequest> chosen(TrainRequest request) const {
    const toml::node* section = root_.get("model");
    const toml::node* node =
        section != nullptr && section->is_table() ? section->as_table()->get("name") : nullptr;
    if (node == nullptr) return request;
    const auto* text = node->as_string();
    if (text == nullptr) return refused(*node, "name", "a string in quotes is needed");
    const auto entry = find_model(text->get());
    if (!entry.ok()) return refused(*node, "name", entry.error().message);
    auto switched = switched_to(std::move(request), **entry);
    if (!switched.ok()) return refused(*node, "name", switched.error().message);
    return switched;
  }

  // Every key is one of the model's.
  [[nodiscard]] Status check_keys(const ModelEntry& entry) const {
    for (const auto& [section, node] : root_) {
      const std::string name(section.str());
      if (!node.is_table()) {
        if (name != "seed") return unknown(node, entry, "", name);
        continue;
      }
      for (const auto& [key, value] : *node.as_table()) {
        const std::string path = fmt::format("{}.{}", name, std::string_view(key.str()));
        if (entry.has(path)) continue;
        if (others_ == OtherModels::skipped && is_plan_key(path)) continue;
        return unknown(value, entry, name, std::string(key.str()));
      }
    }
    return Done{};
  }

  [[nodiscard]] Error unknown(const toml::node& node, const ModelEntry& entry, const std::string& section,
                              const std::string& key) const {
    const std::string path = section.empty() ? key : section + "." + key;
    if (is_plan_key(path))
      return refused(node, key, not_of_model(entry, path) + ": leave it out. " + options_of(entry));
    std::set<std::string> sections;
    for (const ModelEntry& one : all_models())
      for (const Field& field : one.fields) sections.insert(field.section());
    if (!section.empty() && !sections.contains(section)) {
      NearestWord near(section);
      for (const std::string& known : sections) near.look_at(known);
      return refused(node, "[" + section + "]",
                     "unknown section" + did_you_mean("[" + near.word() + "]", near));
    }
    // The key itself in another section, or one of this section that is written alike; the model's own first.
    NearestWord near(key);
    std::string elsewhere;
    const auto look_at = [&](const ModelEntry& one) {
      for (const Field& field : one.fields) {
        if (field.section() == section) near.look_at(field.key());
        if (field.key() == key && elsewhere.empty()) elsewhere = field.path;
      }
    };
    look_at(entry);
    if (elsewhere.empty() && near.word().empty())
      for (const ModelEntry& one : all_models()) look_at(one);
    const std::string meant = elsewhere.empty()
                                  ? did_you_mean((section.empty() ? "" : section + ".") + near.word(), near)
                                  : fmt::format(". Did you mean '{}'?", elsewhere);
    return refused(node, key, (section.empty() ? "unknown key" : "unknown key in [" + section + "]") + meant);
  }

  [[nodiscard]] static std::string did_you_mean(const std::string& shown, const NearestWord& near) {
    return near.word().empty() ? "" : fmt::format(". Did you mean '{}'?", shown);
  }

  static constexpr const char* model_key = "model.name";

  const toml::table& root_;
  const std::string& name_;
  OtherModels others_;
};

// Version 0.1.0's plans of averaged classifiers: a key per flag, lists as flags take them, and no section but
// [sum].
bool is_flat(const toml::table& table) {
  std::size_t keys = 0;
  for (const auto& [key, node] : table) {
    if (node.is_table() && key.str() != "sum") return false;
    keys += node.is_table() || key.str() == "seed" ? 0 : 1;
  }
  // One alone is a slip in a plan of now.
  return keys > 1 &&
         std::ranges::any_of(std::array{"deal", "data", "generate", "model"}, [&](const char* key) {
           const toml::node* node = table.get(key);
           return node != nullptr && !node->is_table();
         });
}

// As a flag would have it; none: it is left as it is.
Result<std::optional<std::vector<std::string>>> typed_words(const toml::node& node, FlagWords words) {
  using Words = std::optional<std::vector<std::string>>;
  const auto* text = node.as_string();
  const std::string word = text != nullptr ? text->get() : to_text(*value_at(node));
  if (words == FlagWords::none) {
    if (word != "true" && word != "false") return fail(Code::usage, "true or false is needed");
    return word == "true" ? Words(std::vector<std::string>()) : Words();
  }
  if (words != FlagWords::commas) return word.empty() ? Words() : Words({word});
  std::vector<std::string> parts;
  std::istringstream in(word);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return Words(parts);
}

Status set_flat(const ModelEntry& entry, std::string key, const toml::node& node, TrainRequest& request) {
  std::ranges::replace(key, '_', '-');
  const Field* field = entry.flag(key == "model" ? "--network" : "--" + key);
  if (field == nullptr || !value_at(node)) return fail(Code::usage, "unknown key");
  SOTTO_TRY(const auto words, typed_words(node, field->words));
  if (!words) return Done{};
  SOTTO_TRY(const PlanValue value, field->value_from(*words));
  return field->set(request, value);
}

// Takes the keys out of the table that are read here.
Result<TrainRequest> from_flat(toml::table& table, const std::string& name) {
  const ModelEntry& entry = *std::ranges::find_if(all_models(), &ModelEntry::needs_examples);
  TrainRequest request;
  request.model = ChosenModel(entry);
  std::vector<std::string> read;
  for (const auto& [key, node] : table) {
    if (node.is_table() || key == "seed") continue;  // as they are now
    const Status set = set_flat(entry, std::string(key.str()), node, request);
    if (!set.ok())
      return fail(Code::usage, fmt::format("{}: {}: {}", place_of(node, name), std::string_view(key.str()),
                                           set.error().message));
    read.emplace_back(key.str());
  }
  for (const std::string& key : read) table.erase(key);
  return from_table(table, name, std::move(request));
}

}  // namespace

std::string to_toml(const TrainRequest& request) {
  std::string text, section;
  for (const Field& field : request.model->fields) {
    if (field.path.empty()) continue;
    const std::optional<PlanValue> value = field.get(request);
    if (!value) continue;
    if (section != field.section()) text += fmt::format("\n[{}]\n", section = field.section());
    text += fmt::format("{} = {}\n", field.key(), to_text(*value));
  }
  return text;
}

Result<TrainRequest> from_table(const toml::table& table, const std::string& name, TrainRequest base,
                                OtherModels others) {
  return PlanReader(table, name, others).read(std::move(base));
}

bool names_a_model(const std::string& text) {
  const auto table = parse_toml(text, "");
  return table.ok() && (is_flat(*table) || (*table)["model"]["name"]);
}

Result<TrainRequest> from_kept_toml(const std::string& text) {
  SOTTO_TRY(const toml::table table, parse_toml(text, ""));
  return from_table(table, "", {}, OtherModels::skipped);
}

Result<TrainRequest> from_toml(const std::string& text, const std::string& name, TrainRequest base) {
  SOTTO_TRY(toml::table table, parse_toml(text, name));
  if (is_flat(table)) return from_flat(table, name);
  return from_table(table, name, std::move(base),
                    text.starts_with(whole_plan_line) ? OtherModels::skipped : OtherModels::refused);
}

}  // namespace sotto::engine
