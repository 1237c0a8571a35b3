#include "storage/toml.h"

#include <fmt/core.h>

#include "base/nearest_word.h"

namespace sotto::storage {

std::string place_of(const toml::node& node, const std::string& name) {
  return fmt::format("{}, line {}", name, node.source().begin.line);
}

Result<toml::table> parse_toml(const std::string& text, const std::string& name) {
  toml::parse_result parsed = toml::parse(text, name);
  if (parsed) return std::move(parsed).table();
  const std::string where =
      name.empty() ? "" : fmt::format("{}, line {}: ", name, parsed.error().source().begin.line);
  return fail(Code::usage, fmt::format("{}not valid TOML: {}", where, parsed.error().description()));
}

Error unknown_key(const toml::node& node, const std::string& name, const std::string& key,
                  const std::set<std::string>& known, const std::string& within) {
  NearestWord nearest(key);
  std::string list;
  for (const std::string& one : known) {
    nearest.look_at(one);
    list += (list.empty() ? "" : ", ") + one;
  }
  const std::string hint =
      nearest.word().empty() ? "; known" : fmt::format("; did you mean '{}'? Known", nearest.word());
  return fail(Code::usage,
              fmt::format("{}: unknown key '{}{}'{} are {}", place_of(node, name), within, key, hint, list));
}

}  // namespace sotto::storage
