// TomlTable: one table of a TOML document, read strictly.
//
// Laws: a key nobody asked for is an error with its line; a value of the wrong kind names line, key and what
// it should be; numbers that do not fit their type are refused.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/toml.h"

namespace sotto::storage {

class TomlTable {
 public:
  // `file` is the name for messages; `path` what stands before a key: "task.movies.".
  TomlTable(const toml::table& table, std::string file, std::string path = "")
      : table_(table), file_(std::move(file)), path_(std::move(path)) {}

  void text(const char* key, std::string& value);
  // One text, or a list of them.
  void texts(const char* key, std::vector<std::string>& values);
  void flag(const char* key, bool& value);
  void real(const char* key, double& value);
  void real(const char* key, float& value);
  template <class Integer>
  void whole(const char* key, Integer& value) {
    const auto most = static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
    std::int64_t read = 0;
    if (integer(key, std::min<std::uint64_t>(most, INT64_MAX), read)) value = static_cast<Integer>(read);
  }
  void wholes(const char* key, std::vector<std::uint32_t>& values);
  void reals(const char* key, std::vector<double>& values);
  // Seconds in the file, milliseconds in the program.
  void seconds(const char* key, std::int64_t& value_ms);
  // One of some words: its place among them.
  template <class Choice>
  void choice(const char* key, std::initializer_list<const char*> words, Choice& value) {
    std::size_t place = 0;
    if (word(key, words, place)) value = static_cast<Choice>(place);
  }
  // A table within; none where it is not there.
  [[nodiscard]] const toml::table* inner(const char* key);
  [[nodiscard]] const toml::node* node(const char* key);
  // "coordinator.toml, line 7: task.movies.goal".
  [[nodiscard]] std::string where(const char* key) const;

  // The first thing that was wrong; also keys that nobody asked for.
  [[nodiscard]] Status finish();

 private:
  [[nodiscard]] bool integer(const char* key, std::uint64_t most, std::int64_t& value);
  [[nodiscard]] bool word(const char* key, std::initializer_list<const char*> words, std::size_t& place);
  void wrong(const char* key, const std::string& should);

  const toml::table& table_;
  std::string file_;
  std::string path_;
  std::set<std::string> known_;
  Status problem_ = Done{};
};

}  // namespace sotto::storage
