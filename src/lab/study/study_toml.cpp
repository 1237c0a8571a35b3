#include "lab/study/study_toml.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "engine/plan/model_entry.h"
#include "engine/plan/toml.h"
#include "storage/toml_table.h"

namespace sotto::lab {

namespace {

class StudyReader {
 public:
  StudyReader(toml::table root, std::string name) : root_(std::move(root)), name_(std::move(name)) {}

  [[nodiscard]] Result<Study> read();

 private:
  [[nodiscard]] Error at(const toml::node& node, const std::string& message) const {
    return fail(Code::usage, fmt::format("{}: {}", place_of(node, name_), message));
  }

  [[nodiscard]] Status read_head();
  [[nodiscard]] Status read_search();
  [[nodiscard]] Status read_datasets();
  [[nodiscard]] Status read_models();
  [[nodiscard]] Status check_top() const;
  [[nodiscard]] Status check_datasets() const;
  [[nodiscard]] Result<StudyDataset> dataset(toml::table& table);
  [[nodiscard]] Result<StudyModel> model(toml::table& table, const TrainRequest& base) const;
  [[nodiscard]] Result<std::vector<Axis>> grid(const toml::node& node) const;
  [[nodiscard]] Result<Axis> axis(const std::string& key, const toml::node& node) const;
  [[nodiscard]] Result<Range> range(const std::string& key, const toml::table& table) const;
  // A text that is taken out of the table; empty if it is not there.
  [[nodiscard]] Result<std::string> taken_text(toml::table& table, const char* key) const;
  // Each entry of `[[key]]`, taken out of the document.
  [[nodiscard]] Result<toml::array> taken_tables(const char* key);

  struct DatasetKey {
    std::string path;   // "data.min_user"
    std::string where;  // it stands
  };

  toml::table root_;
  std::string name_;
  Study study_;
  std::vector<DatasetKey> dataset_keys_;
};

std::string as_toml(const toml::node& node) {
  if (node.is_integer()) return fmt::format("{}", node.as_integer()->get());
  if (node.is_floating_point()) return fmt::format("{}", node.as_floating_point()->get());
  if (node.is_boolean()) return node.as_boolean()->get() ? "true" : "false";
  std::ostringstream out;
  if (node.is_string()) out << *node.as_string();
  if (node.is_array()) out << *node.as_array();
  return out.str();
}

Result<std::string> StudyReader::taken_text(toml::table& table, const char* key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::string();
  if (!node->is_string()) return at(*node, fmt::format("{}: a string in quotes is needed", key));
  std::string text = node->as_string()->get();
  table.erase(key);
  return text;
}

Result<toml::array> StudyReader::taken_tables(const char* key) {
  toml::node* node = root_.get(key);
  if (node == nullptr) return toml::array();
  const bool tables = node->is_array() && std::ranges::all_of(*node->as_array(), [](const toml::node& one) {
                        return one.is_table();
                      });
  if (!tables) return at(*node, fmt::format("{}: write it as [[{}]], once for each", key, key));
  toml::array entries = std::move(*node->as_array());  // moved, not copied: a copy forgets its lines
  root_.erase(key);
  return entries;
}

Status StudyReader::read_head() {
  SOTTO_TRY(study_.name, taken_text(root_, "name"));
  if (const toml::node* seed = root_.get("seed"); seed != nullptr)
    return at(*seed, "seed: a study has seeds = [1, 2, …]");
  for (const char* section : {"data", "split"})
    if (const toml::node* node = root_.get(section); node != nullptr)
      return at(*node, fmt::format("[{}]: its keys belong into a [[dataset]]", section));
  const toml::node* seeds = root_.get("seeds");
  if (seeds == nullptr) return Done{};
  if (!seeds->is_array()) return at(*seeds, "seeds: a list is needed, such as [1, 2, 3]");
  study_.seeds.clear();
  for (const toml::node& seed : *seeds->as_array()) {
    if (!seed.is_integer() || seed.as_integer()->get() < 0)
      return at(seed, "seeds: whole numbers from 0 up are needed");
    study_.seeds.push_back(static_cast<std::uint64_t>(seed.as_integer()->get()));
  }
  if (study_.seeds.empty()) return at(*seeds, "seeds: an empty list: give at least one");
  root_.erase("seeds");
  return Done{};
}

Status StudyReader::read_search() {
  const toml::node* node = root_.get("search");
  if (node == nullptr) return Done{};
  if (!node->is_table()) return at(*node, "search: write it as [search]");
  Search& search = study_.search.emplace();
  TomlTable table(*node->as_table(), name_, "search.");
  table.choice("method", search_methods, search.method);
  table.text("metric", search.metric);
  table.whole("seed", search.seed);
  table.real("validation_share", search.validation_share);
  table.whole("trials", search.trials);
  table.whole("eta", search.eta);
  table.whole("min_epochs", search.min_epochs);
  table.whole("batch", search.batch);
  SOTTO_TRY_DONE(table.finish());
  root_.erase("search");
  return Done{};
}

Result<StudyDataset> StudyReader::dataset(toml::table& table) {
  StudyDataset dataset;
  dataset.where = place_of(table, name_);
  SOTTO_TRY(dataset.name, taken_text(table, "name"));
  // The keys of both sections are different words, so that here they need no section.
  std::set<std::string> all_keys{"name", "kg"};
  for (const ModelEntry& entry : all_models())
    for (const Field& field : entry.fields)
      if (field.section() == "data" || field.section() == "split") all_keys.insert(field.key());
  for (auto&& [key, value] : table) {
    const std::string name(key.str());
    const bool of_data = is_plan_key("data." + name);
    const bool known = of_data || is_plan_key("split." + name);
    const bool knowledge = name == "kg" && value.is_table();  // a section of its own: kg = { paths = […] }
    if (!known && !knowledge) return unknown_key(value, name_, name, all_keys, "dataset.");
    if (!knowledge) dataset_keys_.push_back({(of_data ? "data." : "split.") + name, place_of(value, name_)});
    toml::table section, single;
    if (knowledge)
      section = std::move(*value.as_table());
    else
      section.insert(name, std::move(value));
    single.insert(knowledge ? "kg" : of_data ? "data" : "split", std::move(section));
    TrainRequest request;
    if (!knowledge && !request.model->has(dataset_keys_.back().path))  // of labelled examples
      request.model = ChosenModel(*std::ranges::find_if(
          all_models(), [&](const ModelEntry& entry) { return entry.has(dataset_keys_.back().path); }));
    request.data = dataset.data;
    SOTTO_TRY(const TrainRequest read, from_table(single, name_, request));
    dataset.data = read.data;
  }
  return dataset;
}

Result<Range> StudyReader::range(const std::string& key, const toml::table& table) const {
  Range range;
  bool whole = true;
  for (const char* end : {"min", "max"}) {
    const toml::node* node = table.get(end);
    const auto number = node != nullptr ? node->value<double>() : std::nullopt;
    if (!number) return at(table, fmt::format("{}: a range needs the numbers min and max", key));
    (*end == 'm' && end[1] == 'i' ? range.min : range.max) = *number;
    whole = whole && node->is_integer();
  }
  range.whole = whole;
  for (const auto& [name, value] : table) {
    if (name.str() == "min" || name.str() == "max") continue;
    if (name.str() != "log" || !value.is_boolean())
      return at(value, fmt::format("{}: a range knows min, max and log = true", key));
    range.log = value.as_boolean()->get();
  }
  return range;
}

Result<Axis> StudyReader::axis(const std::string& key, const toml::node& node) const {
  Axis axis;
  axis.key = key;
  axis.where = place_of(node, name_);
  if (node.is_table()) {
    SOTTO_TRY(axis.range, range(key, *node.as_table()));
    return axis;
  }
  if (!node.is_array())
    return at(node, fmt::format("{}: give a list of values, or a range {{ min = …, max = … }}", key));
  for (const toml::node& value : *node.as_array()) {
    const std::string text = as_toml(value);
    if (text.empty()) return at(value, key + ": numbers, words, true or false are needed");
    axis.values.push_back(text);
  }
  if (axis.values.empty()) return at(node, key + ": an empty grid: give at least one value");
  return axis;
}

Result<std::vector<Axis>> StudyReader::grid(const toml::node& node) const {
  if (!node.is_table())
    return at(node,
              "grid: a table is needed, such as grid = { \"consent.pi\" = [0.1, 1.0] }, or \"usual\" for "
              "what 'sotto models NAME' offers to try");
  std::vector<Axis> axes;
  for (const auto& [key, value] : *node.as_table()) {
    const std::string name(key.str());
    if (name.find('.') == std::string::npos)
      return at(value, fmt::format("{}: name the plan's key with its section in quotes, such as \"model.lr\"",
                                   name));
    if (!is_plan_key(name)) return at(value, fmt::format("{}: a plan has no such key", name));
    SOTTO_TRY(Axis one, axis(name, value));
    axes.push_back(std::move(one));
  }
  return axes;
}

Result<StudyModel> StudyReader::model(toml::table& table, const TrainRequest& base) const {
  StudyModel model;
  model.where = place_of(table, name_);
  SOTTO_TRY(model.label, taken_text(table, "label"));
  std::optional<std::string> usual_grid;  // where it stands
  if (const toml::node* node = table.get("grid"); node != nullptr) {
    if (node->value<std::string>() == "usual") {
      usual_grid = place_of(*node, name_);
    } else {
      SOTTO_TRY(model.grid, grid(*node));
    }
    table.erase("grid");
  }
  for (const char* key : {"seed", "data", "split"})
    if (const toml::node* node = table.get(key); node != nullptr)
      return at(*node,
                fmt::format("{}: it is not a model's: seeds stand at the top, data in [[dataset]]", key));
  TrainRequest plan = base;
  if (const auto* chosen = table["model"]["name"].as_string(); chosen != nullptr)
    if (const auto entry = find_model(chosen->get()); entry.ok()) plan = with_model(std::move(plan), **entry);
  // What stands at the top is for those of the models that have it.
  SOTTO_TRY(plan, from_table(root_, name_, std::move(plan), OtherModels::skipped));
  SOTTO_TRY(model.request, from_table(table, name_, std::move(plan)));
  // What protects people is theirs to choose, and not what scores best; what the study sets stays as it says.
  for (const Field& field : model.request.model->fields)
    if (usual_grid && !field.tries.empty() && !is_protection(field.path) && !root_.at_path(field.path) &&
        !table.at_path(field.path))
      model.grid.push_back({.key = field.path, .values = field.tries, .range = {}, .where = *usual_grid});
  if (usual_grid && model.grid.empty())
    return fail(Code::usage,
                fmt::format("{}: grid: {} has no usual values to try beside what the study sets: name some",
                            *usual_grid, model.request.model->name));
  if (model.label.empty()) model.label = model.request.model->title;
  return model;
}

Status StudyReader::read_datasets() {
  SOTTO_TRY(toml::array tables, taken_tables("dataset"));
  for (toml::node& table : tables) {
    SOTTO_TRY(StudyDataset one, dataset(*table.as_table()));
    study_.datasets.push_back(std::move(one));
  }
  return Done{};
}

// Every option at the top is one of some model of the study, and protections are of all that are federated.
Status StudyReader::check_top() const {
  for (const auto& [section, node] : root_) {
    if (!node.is_table()) continue;
    for (const auto& [key, value] : *node.as_table()) {
      const std::string path =
          fmt::format("{}.{}", std::string_view(section.str()), std::string_view(key.str()));
      const auto has = [&](const StudyModel& model) { return model.request.model->has(path); };
      if (!study_.models.empty() && std::ranges::none_of(study_.models, has))
        return at(value, fmt::format("{}: no model of this study has it: {}", path,
                                     not_of_model(study_.models.front().request.model.entry(), path)));
      // What protects people holds for every model that has people's devices.
      for (const StudyModel& model : study_.models)
        if (model.request.model->federated() && !has(model) && is_protection(path))
          return at(value,
                    fmt::format("{}: it would not hold for '{}': {}; write it into the models that have it",
                                path, model.label, not_of_model(model.request.model.entry(), path)));
    }
  }
  return Done{};
}

// Every key of a dataset is read for some model of the study.
Status StudyReader::check_datasets() const {
  for (const DatasetKey& key : dataset_keys_)
    if (!study_.models.empty() && std::ranges::none_of(study_.models, [&](const StudyModel& model) {
          return model.request.model->has(key.path);
        }))
      return fail(Code::usage,
                  fmt::format("{}: no model of this study reads it: {}", key.where,
                              not_of_model(study_.models.front().request.model.entry(), key.path)));
  return Done{};
}

Status StudyReader::read_models() {
  SOTTO_TRY(toml::array tables, taken_tables("model"));
  TrainRequest base;
  if (study_.search) base.early.metric = study_.search->metric;
  for (toml::node& table : tables) {
    SOTTO_TRY(StudyModel one, model(*table.as_table(), base));
    study_.models.push_back(std::move(one));
  }
  SOTTO_TRY_DONE(check_datasets());
  return check_top();
}

Result<Study> StudyReader::read() {
  SOTTO_TRY_DONE(read_head());
  SOTTO_TRY_DONE(read_search());
  SOTTO_TRY_DONE(read_datasets());
  SOTTO_TRY_DONE(read_models());
  return std::move(study_);
}

}  // namespace

Result<Study> study_from_toml(const std::string& text, const std::string& name) {
  SOTTO_TRY(toml::table root, parse_toml(text, name));
  SOTTO_TRY(Study study, StudyReader(std::move(root), name).read());
  if (const Status checked = check(study); !checked.ok()) {
    const bool says_where = checked.error().message.starts_with(name);
    return says_where ? checked.error() : chained(checked.error(), name);
  }
  return study;
}

}  // namespace sotto::lab
