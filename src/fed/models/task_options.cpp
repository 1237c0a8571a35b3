#include "fed/models/task_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace sotto::fed {

void OptionWriter::whole(const char* key, std::uint32_t& value) {
  v1::TaskOption& option = *spec_.add_options();
  option.set_key(key);
  option.set_whole(value);
}

void OptionWriter::real(const char* key, float& value) {
  v1::TaskOption& option = *spec_.add_options();
  option.set_key(key);
  option.set_real(value);
}

void OptionWriter::choice(const char* key, std::initializer_list<const char*> words, std::size_t& place) {
  v1::TaskOption& option = *spec_.add_options();
  option.set_key(key);
  option.set_word(*(words.begin() + static_cast<std::ptrdiff_t>(place)));
}

// As a word with commas.
void OptionWriter::wholes(const char* key, std::vector<std::uint32_t>& values) {
  v1::TaskOption& option = *spec_.add_options();
  option.set_key(key);
  std::string word;
  for (const std::uint32_t value : values) word += (word.empty() ? "" : ",") + std::to_string(value);
  option.set_word(word);
}

void OptionWriter::text(const char* key, std::string& value) {
  v1::TaskOption& option = *spec_.add_options();
  option.set_key(key);
  option.set_word(value);
}

const v1::TaskOption* OptionReader::find(const char* key, v1::TaskOption::ValueCase kind) {
  for (int n = 0; n < spec_.options_size(); ++n) {
    const v1::TaskOption& option = spec_.options(n);
    if (option.key() != key || option.value_case() != kind) continue;
    taken_[static_cast<std::size_t>(n)] = true;
    return &option;
  }
  return nullptr;
}

const v1::TaskOption* OptionReader::take(const char* key, v1::TaskOption::ValueCase kind) {
  const v1::TaskOption* option = find(key, kind);
  if (option == nullptr && missing_.empty()) missing_ = key;
  return option;
}

void OptionReader::whole(const char* key, std::uint32_t& value) {
  if (const v1::TaskOption* option = take(key, v1::TaskOption::kWhole)) value = option->whole();
}

void OptionReader::whole_if_any(const char* key, std::uint32_t& value) {
  if (const v1::TaskOption* option = find(key, v1::TaskOption::kWhole)) value = option->whole();
}

void OptionReader::real(const char* key, float& value) {
  if (const v1::TaskOption* option = take(key, v1::TaskOption::kReal)) value = option->real();
}

void OptionReader::choice(const char* key, std::initializer_list<const char*> words, std::size_t& place) {
  const v1::TaskOption* option = take(key, v1::TaskOption::kWord);
  if (option == nullptr) return;
  const auto found = std::find(words.begin(), words.end(), option->word());
  if (found == words.end() && missing_.empty()) missing_ = key;
  place = found == words.end() ? 0 : static_cast<std::size_t>(found - words.begin());
}

void OptionReader::wholes(const char* key, std::vector<std::uint32_t>& values) {
  const v1::TaskOption* option = take(key, v1::TaskOption::kWord);
  if (option == nullptr) return;
  values.clear();
  const std::string& word = option->word();
  if (word.empty()) return;
  const char *at = word.data(), *const end = at + word.size();
  for (bool more = true; more; ++at) {
    std::uint32_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (next != end && *next != ',')) {
      if (missing_.empty()) missing_ = key;
      return;
    }
    values.push_back(value);
    more = next != end;
    at = next;
  }
}

void OptionReader::text(const char* key, std::string& value) {
  if (const v1::TaskOption* option = take(key, v1::TaskOption::kWord)) value = option->word();
}

Status OptionReader::done() const {
  if (!missing_.empty())
    return fail(Code::bad_input, fmt::format("the option {} is missing, or unknown here", missing_));
  for (int n = 0; n < spec_.options_size(); ++n)
    if (!taken_[static_cast<std::size_t>(n)]) {
      const std::string& key = spec_.options(n).key();
      return fail(Code::bad_input, fmt::format("it has an option that is unknown here{}",
                                               is_plain_name(key) ? ": " + key : ""));
    }
  return Done{};
}

}  // namespace sotto::fed
