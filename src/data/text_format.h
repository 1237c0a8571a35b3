// What a text file of interactions looks like: how its columns are parted and what each one means.
//
// Known from the content: TSV, CSV, ";", "|" or blanks, with or without a header; MovieLens "::";
// u.data; ranks in place of times; adjacency lists (a user, then items). Where content cannot tell,
// the caller names the columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sotto::data {

// Of the columns that say under what circumstances something happened there may be any number; of all others
// one each.
enum class Role : std::uint8_t { user, item, rating, time, category, context };
inline constexpr std::size_t role_count = 5;  // without context

enum class Shape : std::uint8_t { rows, adjacency };

struct TextFormat {
  Shape shape = Shape::rows;
  std::string separator = "\t";
  bool header = false;      // the first line names the columns
  std::size_t columns = 0;  // of every line; not for adjacency lists
  std::array<std::optional<std::size_t>, role_count> at;
  std::vector<std::pair<std::string, std::size_t>> contexts;  // name and column

  [[nodiscard]] std::optional<std::size_t> column_of(Role role) const {
    return at[static_cast<std::size_t>(role)];
  }
  [[nodiscard]] bool has(Role role) const { return column_of(role).has_value(); }
};

// One "role=where" of the caller: a position from 1, or a name from the header.
struct ColumnChoice {
  Role role = Role::user;
  std::string where;
  std::string name = {};  // of a context
};

// "user=1,item=2,rating=3,time=4" or "user=userId,item=movieId"; an empty text chooses nothing. Circumstances
// have names: "context.weather=5" or "context.device=Device".
[[nodiscard]] Result<std::vector<ColumnChoice>> parse_columns(const std::string& columns,
                                                              bool needs_user = true);

// `text` is UTF-8; `name` is for messages; `columns` as above, or empty to go by the content alone. Only one
// person's file needs no user.
[[nodiscard]] Result<TextFormat> detect_format(const std::string& name, std::string_view text,
                                               const std::string& columns, bool needs_user = true);

// "tab-separated with a header: user=1, item=2, rating=3, time=4".
[[nodiscard]] std::string describe(const TextFormat& format);

// The separator most of the first lines agree on; empty when there is none.
[[nodiscard]] std::string detect_separator(const std::vector<std::string_view>& lines);

// A header's word without case, blanks, "_", "-" and a ":type" at its end.
[[nodiscard]] std::string plain_word(std::string_view word);

}  // namespace sotto::data
