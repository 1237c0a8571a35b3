#include "device/toml.h"

#include <fmt/core.h>

namespace sotto {

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

}  // namespace sotto
