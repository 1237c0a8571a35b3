#include "host/serve/config_table.h"

#include <fmt/core.h>

#include <cmath>

#include "base/nearest_word.h"

namespace sotto {

const toml::node* ConfigTable::node(const char* key) {
  known_.insert(key);
  return table_.get(key);
}

std::string ConfigTable::where(const char* key) const {
  const toml::node* node = table_.get(key);
  return fmt::format("{}: {}{}", node == nullptr ? file_ : place_of(*node, file_), path_, key);
}

void ConfigTable::wrong(const char* key, const std::string& should) {
  if (problem_.ok()) problem_ = fail(Code::bad_input, fmt::format("{} must be {}", where(key), should));
}

void ConfigTable::text(const char* key, std::string& value) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const auto read = found->value_exact<std::string>();
  if (!read) return wrong(key, "a text in quotes");
  value = *read;
}

void ConfigTable::flag(const char* key, bool& value) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const auto read = found->value_exact<bool>();
  if (!read) return wrong(key, "true or false");
  value = *read;
}

void ConfigTable::real(const char* key, double& value) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const auto read = found->value<double>();
  if (!read || !std::isfinite(*read)) return wrong(key, "a number");
  value = *read;
}

void ConfigTable::real(const char* key, float& value) {
  double read = static_cast<double>(value);
  real(key, read);
  value = static_cast<float>(read);
}

bool ConfigTable::integer(const char* key, std::uint64_t most, std::int64_t& value) {
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

void ConfigTable::seconds(const char* key, std::int64_t& value_ms) {
  double read = static_cast<double>(value_ms) / 1000.0;
  real(key, read);
  if (read < 0.0 || read > 1e9) return wrong(key, "a number of seconds, not negative");
  value_ms = std::llround(read * 1000.0);
}

void ConfigTable::choice(const char* key, std::initializer_list<const char*> words, std::size_t& place) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const auto read = found->value_exact<std::string>();
  std::string list;
  std::size_t at = 0;
  for (const char* one : words) {
    if (read && *read == one) return void(place = at);
    list += fmt::format("{}\"{}\"", at == 0 ? "" : at + 1 == words.size() ? " or " : ", ", one);
    ++at;
  }
  wrong(key, list);
}

const toml::table* ConfigTable::inner(const char* key) {
  const toml::node* found = node(key);
  if (found == nullptr) return nullptr;
  if (!found->is_table()) wrong(key, fmt::format("a table: [{}{}]", path_, key));
  return found->as_table();
}

Status ConfigTable::finish() {
  SOTTO_TRY_DONE(problem_);
  for (const auto& [key, value] : table_) {
    const std::string typed(key.str());
    if (known_.contains(typed)) continue;
    NearestWord nearest(typed);
    std::string list;
    for (const std::string& known : known_) {
      nearest.look_at(known);
      list += (list.empty() ? "" : ", ") + known;
    }
    const std::string hint =
        nearest.word().empty() ? "; known" : fmt::format("; did you mean '{}'? Known", nearest.word());
    return fail(Code::bad_input, fmt::format("{}: unknown key '{}{}'{} are {}", place_of(value, file_), path_,
                                             typed, hint, list));
  }
  return Done{};
}

}  // namespace sotto
