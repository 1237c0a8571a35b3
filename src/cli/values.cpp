#include "cli/values.h"

#include <algorithm>

namespace sotto::cli {

// They are kept as the description of a check that refuses nothing; CLI11 puts that behind the type's name.
CLI::Option* values(CLI::Option* option, const std::vector<std::string>& list) {
  return option->check(
      CLI::Validator([](std::string&) { return std::string(); }, "|" + CLI::detail::join(list, "|"), ""));
}

std::vector<std::string> list_parts(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words)
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
      end = word.find(',', at);
      parts.push_back(word.substr(at, end - at));
    }
  return parts;
}

std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t list = type.find(":|");
  return list == std::string::npos ? std::vector<std::string>()
                                   : CLI::detail::split(type.substr(list + 2), '|');
}

std::string type_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  const std::size_t range = type.find(" in [");  // how CLI::Range describes itself
  type.erase(range == std::string::npos ? std::min(type.find(":|"), type.size()) : type.rfind(':', range));
  return type == "UINT" || type == "INT" ? "N" : type;
}

}  // namespace sotto::cli
