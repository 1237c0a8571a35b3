#include "lab/reproduce/paper_entry.h"

#include <fmt/core.h>

#include <map>

#include "engine/plan/toml.h"
#include "lab/reproduce/paper_files.h"

namespace sotto::lab {

namespace {

// As a setting writes it: a word in quotes stands as it is.
std::string setting_text(const toml::node& node) {
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  return node.value_or(std::string());
}

}  // namespace

const toml::node* PaperEntry::find(const char* key) {
  asked_.insert(key);
  return table_->get(key);
}

void PaperEntry::refuse(const toml::node& node, std::string_view key, const std::string& wrong) {
  if (!*error_) *error_ = fail(Code::bad_input, fmt::format("{}: {}: {}", place_of(node, file_), key, wrong));
}

Status PaperEntry::done() {
  for (const auto& [key, node] : *table_)
    if (!asked_.contains(std::string(key.str()))) refuse(node, key.str(), "unknown key");
  if (*error_) return **error_;
  return Done{};
}

void PaperEntry::enter(const toml::node& node, std::string_view key,
                       const std::function<void(PaperEntry&)>& read) {
  if (!node.is_table()) return refuse(node, key, "a table is needed");
  PaperEntry entry(*node.as_table(), *this);
  read(entry);
  static_cast<void>(entry.done());  // the error is shared
}

void PaperEntry::part(const char* key, const std::function<void(PaperEntry&)>& read) {
  if (const toml::node* node = find(key); node != nullptr) enter(*node, key, read);
}

void PaperEntry::each(const char* key, const std::function<void(PaperEntry&)>& read) {
  const toml::node* list = find(key);
  if (list == nullptr) return;
  if (!list->is_array()) return refuse(*list, key, "write it as [[…]]");
  for (const toml::node& one : *list->as_array()) enter(one, key, read);
}

void PaperEntry::each_named(const char* key,
                            const std::function<void(const std::string&, PaperEntry&)>& read) {
  part(key, [&](PaperEntry& all) {
    for (const auto& [name, one] : *all.table_) {
      all.asked_.emplace(name.str());
      all.enter(one, name.str(),
                [&, &called = name](PaperEntry& entry) { read(std::string(called.str()), entry); });
    }
  });
}

std::string PaperEntry::take(const toml::node& node, std::string& field) {
  if (!node.is_string()) return "a text in quotes is needed";
  field = node.as_string()->get();
  return "";
}

std::string PaperEntry::take(const toml::node& node, double& field) {
  const auto number = node.value<double>();
  if (!number) return "a number is needed";
  field = *number;
  return "";
}

std::string PaperEntry::take(const toml::node& node, std::uint32_t& field) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || *number < 0 || *number > UINT32_MAX) return "a whole number from 0 up is needed";
  field = static_cast<std::uint32_t>(*number);
  return "";
}

std::string PaperEntry::take(const toml::node& node, bool& field) {
  if (!node.is_boolean()) return "true or false is needed";
  field = node.as_boolean()->get();
  return "";
}

std::string PaperEntry::take(const toml::node& node, PlanPart& field) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return "sections of a plan are needed";
  field = [table, file = file_](TrainRequest base) { return from_table(*table, file, std::move(base)); };
  return "";
}

std::string PaperEntry::take(const toml::node& node, Axis& field) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->size() < 2) return "a key of a plan and its values are needed";
  for (const toml::node& value : *list) field.values.push_back(setting_text(value));
  if (std::ranges::count(field.values, "") > 0) return "numbers, words, true or false are needed";
  field.key = field.values.front();
  field.values.erase(field.values.begin());
  return "";
}

std::string PaperEntry::take(const toml::node& node, std::map<std::string, std::uint32_t>& field) {
  if (!node.is_table()) return "keys with a number each are needed";
  for (const auto& [key, value] : *node.as_table())
    if (const std::string wrong = take(value, field[std::string(key.str())]); !wrong.empty()) return wrong;
  return "";
}

const toml::table& paper_document(std::string_view path) {
  static const auto documents = [] {
    std::map<std::string, toml::table, std::less<>> all;
    for (const PaperFile& file : paper_files()) {
      if (!file.path.ends_with(".toml")) continue;
      auto parsed = parse_toml(std::string(file.text), std::string(file.path));
      SOTTO_ASSERT(parsed.ok(), parsed.error().message.c_str());
      all.emplace(file.path, std::move(*parsed));
    }
    return all;
  }();
  const auto found = documents.find("papers/" + std::string(path));
  SOTTO_ASSERT(found != documents.end(), "only documents that are there are asked for");
  return found->second;
}

}  // namespace sotto::lab
