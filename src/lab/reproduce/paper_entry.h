// PaperEntry: a table of a TOML file of papers/, read key by key.
//
// Laws: a key that is missing where it is needed, that nobody asks for, or that has another type is an error;
// the first one is kept, with file and line, and done() tells it. Documents stay where they are: what is read
// may look at them later.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/plan/request.h"
#include "lab/reproduce/paper_plans.h"
#include "storage/toml.h"

namespace sotto::lab {

class PaperEntry {
 public:
  PaperEntry(const toml::table& table, std::string file)
      : table_(&table), file_(std::move(file)), error_(std::make_shared<std::optional<Error>>()) {}

  template <class T>
  PaperEntry& may(const char* key, T& field) {
    if (const toml::node* node = find(key); node != nullptr)
      if (const std::string wrong = take(*node, field); !wrong.empty()) refuse(*node, key, wrong);
    return *this;
  }
  template <class T>
  PaperEntry& need(const char* key, T& field) {
    if (find(key) == nullptr) refuse(*table_, key, "it is missing");
    return may(key, field);
  }
  // One of several words, as the number of its place.
  template <class Words, class T>
  PaperEntry& word(const char* key, const Words& words, T& field) {
    std::string text;
    may(key, text);
    if (text.empty()) return *this;
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) refuse(*find(key), key, "'" + text + "' is none of its words");
    field = static_cast<T>(found - words.begin());
    return *this;
  }
  // What `parse` makes of a text.
  template <class T, class Parse>
  PaperEntry& parsed(const char* key, T& field, Parse parse) {
    std::string text;
    need(key, text);
    if (text.empty()) return *this;
    if (auto made = parse(text); made.ok())
      field = *made;
    else
      refuse(*find(key), key, made.error().message);
    return *this;
  }
  // [key], if it is there.
  void part(const char* key, const std::function<void(PaperEntry&)>& read);
  // Each [[key]], in order.
  void each(const char* key, const std::function<void(PaperEntry&)>& read);
  // Each [key.name].
  void each_named(const char* key, const std::function<void(const std::string& name, PaperEntry&)>& read);

  [[nodiscard]] Status done();

  // For what has a reader of its own; empty where there is no such table.
  [[nodiscard]] toml::table copy(const char* key) const {
    const toml::table* found = (*table_)[key].as_table();
    return found == nullptr ? toml::table() : *found;
  }
  [[nodiscard]] std::string place() const { return place_of(*table_, file_); }

 private:
  PaperEntry(const toml::table& table, const PaperEntry& parent)
      : table_(&table), file_(parent.file_), error_(parent.error_) {}
  void enter(const toml::node& node, std::string_view key, const std::function<void(PaperEntry&)>& read);
  const toml::node* find(const char* key);
  void refuse(const toml::node& node, std::string_view key, const std::string& wrong);

  // Each returns what is wrong, or nothing.
  std::string take(const toml::node& node, std::string& field);
  std::string take(const toml::node& node, double& field);
  std::string take(const toml::node& node, std::uint32_t& field);
  std::string take(const toml::node& node, bool& field);
  std::string take(const toml::node& node, PlanPart& field);
  std::string take(const toml::node& node, Axis& field);
  std::string take(const toml::node& node, std::map<std::string, std::uint32_t>& field);
  template <class T>
  std::string take(const toml::node& node, std::vector<T>& field) {
    if (!node.is_array()) return "a list in [ ] is needed";
    for (const toml::node& one : *node.as_array())
      if (const std::string wrong = take(one, field.emplace_back()); !wrong.empty()) return wrong;
    return "";
  }

  const toml::table* table_;
  std::string file_;
  std::shared_ptr<std::optional<Error>> error_;
  std::set<std::string> asked_;
};

// The document papers/<path>, parsed once.
[[nodiscard]] const toml::table& paper_document(std::string_view path);

// What `read` makes of the document papers/<path>, which passes: papers_test.cpp reads them all.
template <class T>
T from_papers(const std::string& path, Result<T> (*read)(const toml::table&, const std::string&)) {
  Result<T> made = read(paper_document(path), "papers/" + path);
  SOTTO_ASSERT(made.ok(), made.error().message.c_str());
  return std::move(*made);
}

}  // namespace sotto::lab
