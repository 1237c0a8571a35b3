#include "engine/files/per_user_file.h"

#include <fmt/format.h>

#include <cmath>

#include "data/text_source.h"
#include "data/values.h"

namespace sotto::engine {

namespace {

Error changed(const std::string& name, std::size_t line, const char* what) {
  return error_at(name, line, fmt::format("{}: the file was changed; evaluate the run again", what));
}

}  // namespace

Result<PerUser> read_per_user(std::string_view text, const std::string& name, const FindUser& find) {
  PerUser table;
  FieldSplitter splitter("\t");
  std::vector<std::string_view> fields;
  LineReader lines(text);
  std::string_view line;
  if (!lines.next(line) || !splitter.split(line, fields) || fields[0] != "user" || fields.size() < 2)
    return changed(name, 1, "no header with a user and metrics");
  table.names.assign(fields.begin() + 1, fields.end());
  while (lines.next(line)) {
    if (!splitter.split(line, fields) || fields.size() != table.names.size() + 1)
      return changed(name, lines.number(), "not as many columns as the header");
    const auto user = find(fields[0]);
    if (!user) return changed(name, lines.number(), "a user that the split does not have");
    table.users.push_back(*user);
    for (std::size_t column = 1; column < fields.size(); ++column) {
      const auto value = parse_number(fields[column]);
      if (!value || !std::isfinite(*value))
        return changed(name, lines.number(), "a value that is not a number");
      table.values.push_back(*value);
    }
  }
  if (table.users.empty()) return changed(name, 1, "no users");
  return table;
}

Result<PerUser> read_per_user(std::string_view text, const std::string& name, const Split& split) {
  return read_per_user(text, name, [&split](std::string_view id) -> std::optional<UserIndex> {
    const auto user = split.users.find(id);
    return user ? std::optional(UserIndex{*user}) : std::nullopt;
  });
}

}  // namespace sotto::engine
