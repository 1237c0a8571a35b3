#include "data/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <span>

#include "data/text_source.h"
#include "data/values.h"

namespace sotto::data {

namespace {

constexpr std::size_t sample_lines = 256;
constexpr std::array<std::string_view, role_count> role_names{"user", "item", "rating", "time", "category"};
constexpr const char* naming_remedy =
    "name the columns, such as \"user=1,item=2,rating=3,time=4\" or by the names in a header";

using Line = std::vector<std::string>;

std::optional<Role> role_of(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, Role>, 43> words{{
      {"user", Role::user},
      {"userid", Role::user},
      {"uid", Role::user},
      {"person", Role::user},
      {"personid", Role::user},
      {"reviewerid", Role::user},
      {"visitorid", Role::user},
      {"member", Role::user},
      {"memberid", Role::user},
      {"item", Role::item},
      {"itemid", Role::item},
      {"iid", Role::item},
      {"movie", Role::item},
      {"movieid", Role::item},
      {"venue", Role::item},
      {"venueid", Role::item},
      {"asin", Role::item},
      {"product", Role::item},
      {"productid", Role::item},
      {"book", Role::item},
      {"bookid", Role::item},
      {"poi", Role::item},
      {"poiid", Role::item},
      {"rating", Role::rating},
      {"ratings", Role::rating},
      {"score", Role::rating},
      {"stars", Role::rating},
      {"overall", Role::rating},
      {"time", Role::time},
      {"timestamp", Role::time},
      {"utc", Role::time},
      {"utctime", Role::time},
      {"date", Role::time},
      {"datetime", Role::time},
      {"unixtime", Role::time},
      {"unixreviewtime", Role::time},
      {"rank", Role::time},
      {"category", Role::category},
      {"categories", Role::category},
      {"type", Role::category},
      {"genre", Role::category},
      {"genres", Role::category},
      {"venuecategory", Role::category},
  }};
  const std::string plain = plain_word(word);
  for (const auto& [known, role] : words)
    if (plain == known) return role;
  return std::nullopt;
}

bool is_value(const std::string& field) { return parse_number(field) || parse_date(field); }

// What the sampled fields of one column are, by majority.
enum class Kind { empty, small_number, large_number, date, text };

Kind kind_of(std::span<const Line> lines, std::size_t column) {
  std::size_t filled = 0, numbers = 0, large = 0, dates = 0;
  for (const Line& line : lines) {
    if (column >= line.size() || line[column].empty()) continue;
    ++filled;
    if (const auto number = parse_number(line[column])) {
      ++numbers;
      if (*number > smallest_unix_time) ++large;
    } else if (parse_date(line[column])) {
      ++dates;
    }
  }
  if (filled == 0) return Kind::empty;
  if (numbers * 2 > filled) return large * 2 > numbers ? Kind::large_number : Kind::small_number;
  return dates * 2 > filled ? Kind::date : Kind::text;
}

// Roles by the names of a header; the first column that carries a role's name has it.
void assign_by_names(const Line& names, TextFormat& format) {
  for (std::size_t column = 0; column < names.size(); ++column) {
    const auto role = role_of(names[column]);
    if (!role) continue;
    auto& place = format.at[static_cast<std::size_t>(*role)];
    if (!place) place = column;
  }
}

bool names_columns(const Line& line) {
  TextFormat named;
  assign_by_names(line, named);
  return std::count_if(named.at.begin(), named.at.end(),
                       [](const auto& place) { return place.has_value(); }) >= 2;
}

// A line without any number above columns of numbers: names that we do not know.
bool looks_like_header(const std::vector<Line>& lines) {
  if (lines.size() < 2 || std::any_of(lines[0].begin(), lines[0].end(), is_value)) return false;
  const std::span<const Line> rows = std::span(lines).subspan(1);
  for (std::size_t column = 0; column < lines[0].size(); ++column) {
    const Kind kind = kind_of(rows, column);
    if (kind != Kind::text && kind != Kind::empty && !lines[0][column].empty()) return true;
  }
  return false;
}

// Blanks part both adjacency lists and rows. In a list each user has one line, of any length.
bool is_adjacency(const std::vector<Line>& lines) {
  if (names_columns(lines[0])) return false;
  const std::size_t columns = lines[0].size();
  for (const Line& line : lines)
    if (line.size() != columns) return true;
  if (columns < 3) return true;
  std::set<std::string_view> users;
  for (const Line& line : lines)
    if (!users.insert(line[0]).second) return false;
  for (std::size_t column = 2; column < columns; ++column) {
    const auto tells = [&](const Line& line) {
      const auto number = parse_number(line[column]);
      return number && (*number > smallest_unix_time || line[column].find('.') != std::string::npos);
    };
    if (std::all_of(lines.begin(), lines.end(), tells)) return false;
  }
  return true;
}

// Roles of a file without header: a user, an item, then what the values say.
Status assign_by_content(const std::string& name, const std::vector<Line>& lines, TextFormat& format) {
  if (format.columns < 2)
    return fail(Code::bad_input, fmt::format("{}: no recognisable columns; {}", name, naming_remedy));
  const auto place = [&](Role role) -> auto& { return format.at[static_cast<std::size_t>(role)]; };
  place(Role::user) = 0;
  place(Role::item) = 1;
  for (std::size_t column = 2; column < format.columns; ++column) {
    const Kind kind = kind_of(lines, column);
    if (kind == Kind::empty) continue;
    Role role = Role::category;
    if (kind == Kind::date || kind == Kind::large_number) role = Role::time;
    if (kind == Kind::small_number) role = format.has(Role::rating) ? Role::time : Role::rating;
    if (format.has(role))
      return fail(Code::bad_input,
                  fmt::format("{}: cannot tell what column {} means; {}", name, column + 1, naming_remedy));
    place(role) = column;
  }
  // Text beside two ids alone is more likely a list of names than a category.
  if (format.has(Role::category) && !format.has(Role::time) && !format.has(Role::rating))
    return fail(Code::bad_input, fmt::format("{}: column {} is neither a rating nor a time; {}", name,
                                             *format.column_of(Role::category) + 1, naming_remedy));
  return Done{};
}

std::optional<std::size_t> position_of(const std::string& where) {
  std::size_t position = 0;
  const auto [end, problem] = std::from_chars(where.data(), where.data() + where.size(), position);
  if (problem != std::errc{} || end != where.data() + where.size()) return std::nullopt;
  return position;
}

Status assign_by_choice(const std::string& name, const std::vector<ColumnChoice>& choices, const Line& first,
                        TextFormat& format) {
  for (const ColumnChoice& choice : choices) {
    if (choice.role == Role::context) format.contexts.emplace_back(choice.name, 0);
    const auto place = [&](std::size_t column) {
      if (choice.role == Role::context)
        format.contexts.back().second = column;
      else
        format.at[static_cast<std::size_t>(choice.role)] = column;
    };
    if (const auto position = position_of(choice.where)) {
      if (*position > first.size())
        return fail(Code::bad_input,
                    fmt::format("{}: column {} was asked for, but the first line has {}; give a "
                                "position from 1 to {}",
                                name, *position, first.size(), first.size()));
      place(*position - 1);
      continue;
    }
    const auto same = [&](const std::string& word) { return plain_word(word) == plain_word(choice.where); };
    const auto found = std::find_if(first.begin(), first.end(), same);
    if (found == first.end())
      return fail(Code::bad_input, fmt::format("{}: the first line names no column {}; give a name that is "
                                               "there, or a position from 1",
                                               name, excerpt(choice.where)));
    place(static_cast<std::size_t>(found - first.begin()));
    format.header = true;
  }
  return Done{};
}

Result<std::vector<Line>> split_sample(const std::string& name, std::string_view text,
                                       std::string& separator) {
  std::vector<std::string_view> raw;
  std::string_view line;
  for (LineReader lines(text); raw.size() < sample_lines && lines.next(line);) raw.push_back(line);
  if (raw.empty())
    return fail(Code::bad_input, name + ": the file is empty; give one with a line an interaction");
  separator = detect_separator(raw);
  if (separator.empty())
    return fail(Code::bad_input,
                name + ": no recognisable columns; part them with tabs, commas, \"::\" or blanks");
  FieldSplitter splitter(separator);
  std::vector<Line> sample;
  std::vector<std::string_view> fields;
  LineReader lines(text);
  while (sample.size() < raw.size() && lines.next(line)) {
    if (!splitter.split(line, fields))
      return error_at(name, lines.number(), "a quoted field does not end on its line; close the quote");
    sample.emplace_back(fields.begin(), fields.end());
  }
  return sample;
}

}  // namespace

std::string plain_word(std::string_view word) {
  std::string plain;
  for (const char c : word.substr(0, word.find(':'))) {
    if (c == '_' || c == '-' || c == ' ') continue;
    plain.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return plain;
}

std::string detect_separator(const std::vector<std::string_view>& lines) {
  static constexpr std::array<std::string_view, 5> separators{"\t", "::", ",", ";", "|"};
  for (const std::string_view separator : separators) {
    const auto holds = [&](std::string_view line) { return line.find(separator) != std::string_view::npos; };
    const auto holding = static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), holds));
    if (holding * 2 > lines.size()) return std::string(separator);
  }
  const auto blank = [](std::string_view line) { return trimmed(line).find(' ') != std::string_view::npos; };
  return std::any_of(lines.begin(), lines.end(), blank) ? " " : "";
}

namespace {

constexpr std::string_view context_mark = "context.";

// What stands before a "=": a role, or the name of a context. Nothing: neither.
std::optional<ColumnChoice> parse_role(std::string_view word) {
  if (word.starts_with(context_mark) && word.size() > context_mark.size())
    return ColumnChoice{Role::context, "", std::string(word.substr(context_mark.size()))};
  const auto known = std::find(role_names.begin(), role_names.end(), word);
  if (known == role_names.end()) return std::nullopt;
  return ColumnChoice{static_cast<Role>(known - role_names.begin()), ""};
}

}  // namespace

Result<std::vector<ColumnChoice>> parse_columns(const std::string& columns, bool needs_user) {
  std::vector<ColumnChoice> choices;
  if (trimmed(columns).empty()) return choices;
  const auto refuse = [](const std::string& why) {
    return fail(Code::usage, "columns: " + why + "; write for example \"user=1,item=2,rating=3,time=4\"");
  };
  std::vector<std::string_view> parts;
  FieldSplitter splitter(",");
  if (!splitter.split(columns, parts)) return refuse("a quote is not closed");
  for (const std::string_view part : parts) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return refuse(excerpt(part) + " has no \"=\"");
    const std::string_view role = trimmed(part.substr(0, equals));
    std::optional<ColumnChoice> choice = parse_role(role);
    if (!choice)
      return refuse(excerpt(role) + " is none of user, item, rating, time, category and context.NAME");
    choice->where = trimmed(part.substr(equals + 1));
    if (choice->where.empty() || position_of(choice->where) == std::size_t{0})
      return refuse(fmt::format("{} needs a name or a position from 1", role));
    for (const ColumnChoice& other : choices)
      if (other.role == choice->role && other.name == choice->name)
        return refuse(fmt::format("{} is given twice", role));
    choices.push_back(*std::move(choice));
  }
  for (const Role needed : {Role::user, Role::item}) {
    const auto is_needed = [&](const ColumnChoice& choice) { return choice.role == needed; };
    if (needed == Role::user && !needs_user) continue;
    if (std::none_of(choices.begin(), choices.end(), is_needed))
      return refuse(fmt::format("{} is missing", role_names[static_cast<std::size_t>(needed)]));
  }
  return choices;
}

Result<TextFormat> detect_format(const std::string& name, std::string_view text, const std::string& columns,
                                 bool needs_user) {
  SOTTO_TRY(const auto choices, parse_columns(columns, needs_user));
  TextFormat format;
  SOTTO_TRY(const auto lines, split_sample(name, text, format.separator));
  if (choices.empty() && format.separator == " " && is_adjacency(lines)) {
    format.shape = Shape::adjacency;
    return format;
  }
  format.columns = lines[0].size();
  const bool named = names_columns(lines[0]);
  format.header = named || looks_like_header(lines);
  if (!choices.empty()) {
    SOTTO_TRY_DONE(assign_by_choice(name, choices, lines[0], format));
    return format;
  }
  if (!format.header) {
    SOTTO_TRY_DONE(assign_by_content(name, lines, format));
    return format;
  }
  assign_by_names(lines[0], format);
  const bool whose = format.has(Role::user) || !needs_user;
  if (!whose || !format.has(Role::item))
    return fail(Code::bad_input, fmt::format("{}, line 1: this header names no {} column that we know; {}",
                                             name, whose ? "item" : "user", naming_remedy));
  return format;
}

std::string describe(const TextFormat& format) {
  if (format.shape == Shape::adjacency) return "adjacency list: a user, then items";
  std::string parted = format.separator + "-separated";
  if (format.separator == "\t") parted = "tab-separated";
  if (format.separator == ",") parted = "comma-separated";
  if (format.separator == " ") parted = "blank-separated";
  parted += format.header ? " with a header:" : " without a header:";
  for (std::size_t role = 0; role < role_count; ++role)
    if (format.at[role]) parted += fmt::format(" {}={}", role_names[role], *format.at[role] + 1);
  for (const auto& [name, column] : format.contexts)
    parted += fmt::format(" {}{}={}", context_mark, name, column + 1);
  return parted;
}

}  // namespace sotto::data
