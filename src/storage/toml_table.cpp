#include "storage/toml_table.h"

#include <fmt/core.h>

#include <cmath>

namespace sotto::storage {

const toml::node* TomlTable::node(const char* key) {
  known_.insert(key);
  return table_.get(key);
}

std::string TomlTable::where(const char* key) const {
  const toml::node* node = table_.get(key);
  return fmt::format("{}: {}{}", node == nullptr ? file_ : place_of(*node, file_), path_, key);
}

void TomlTable::wrong(const char* key, const std::string& should) {
  if (problem_.ok()) problem_ = fail(Code::usage, fmt::format("{} must be {}", where(key), should));
}

void TomlTable::text(const char* key, std::string& value) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const auto read = found->value_exact<std::string>();
  if (!read) return wrong(key, "a text in quotes");
  value = *read;
}

void TomlTable::texts(const char* key, std::vector<std::string>& values) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  values.clear();
  if (!found->is_array()) {
    text(key, values.emplace_back());
    return;
  }
  for (const toml::node& one : *found->as_array()) {
    const auto read = one.value_exact<std::string>();
    if (!read) return wrong(key, "a text in quotes, or a list of such");
    values.push_back(*read);
  }
}

void TomlTable::flag(const char* key, bool& value) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const auto read = found->value_exact<bool>();
  if (!read) return wrong(key, "true or false");
  value = *read;
}

void TomlTable::real(const char* key, double& value) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const auto read = found->value<double>();
  if (!read || !std::isfinite(*read)) return wrong(key, "a number");
  value = *read;
}

void TomlTable::real(const char* key, float& value) {
  double read = static_cast<double>(value);
  real(key, read);
  value = static_cast<float>(read);
}

bool TomlTable::integer(const char* key, std::uint64_t most, std::int64_t& value) {
  const toml::node* found = node(key);
  if (found == nullptr) return false;
  const auto read = found->value_exact<std::int64_t>();
  if (!read || *read < 0 || static_cast<std::uint64_t>(*read) > most) {
    wrong(key, fmt::format("a whole number from 0 to {}", most));
    return false;
  }
  value = *read;
  return true;
}

void TomlTable::wholes(const char* key, std::vector<std::uint32_t>& values) {
  constexpr const char* should = "a list of whole numbers, such as [64, 32]";
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const toml::array* list = found->as_array();
  if (list == nullptr) return wrong(key, should);
  values.clear();
  for (const toml::node& one : *list) {
    const auto read = one.value_exact<std::int64_t>();
    if (!read || *read < 0 || *read > std::int64_t{UINT32_MAX}) return wrong(key, should);
    values.push_back(static_cast<std::uint32_t>(*read));
  }
}

void TomlTable::reals(const char* key, std::vector<double>& values) {
  constexpr const char* should = "a list of numbers, such as [0.3, 0.7]";
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const toml::array* list = found->as_array();
  if (list == nullptr) return wrong(key, should);
  values.clear();
  for (const toml::node& one : *list) {
    if (!one.is_number()) return wrong(key, should);
    values.push_back(*one.value<double>());
  }
}

void TomlTable::seconds(const char* key, std::int64_t& value_ms) {
  double read = static_cast<double>(value_ms) / 1000.0;
  real(key, read);
  if (read < 0.0 || read > 1e9) return wrong(key, "a number of seconds, not negative");
  value_ms = std::llround(read * 1000.0);
}

bool TomlTable::word(const char* key, std::initializer_list<const char*> words, std::size_t& place) {
  const toml::node* found = node(key);
  if (found == nullptr) return false;
  const auto read = found->value_exact<std::string>();
  std::string list;
  place = 0;
  for (const char* one : words) {
    if (read && *read == one) return true;
    list += fmt::format("{}\"{}\"", list.empty() ? "" : place + 1 == words.size() ? " or " : ", ", one);
    ++place;
  }
  wrong(key, list);
  return false;
}

const toml::table* TomlTable::inner(const char* key) {
  const toml::node* found = node(key);
  if (found == nullptr) return nullptr;
  if (!found->is_table()) wrong(key, fmt::format("a table: [{}{}]", path_, key));
  return found->as_table();
}

Status TomlTable::finish() {
  SOTTO_TRY_DONE(problem_);
  for (const auto& [key, value] : table_) {
    const std::string typed(key.str());
    if (!known_.contains(typed)) return unknown_key(value, file_, typed, known_, path_);
  }
  return Done{};
}

}  // namespace sotto::storage
