#include "data/person_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "data/text_format.h"
#include "data/values.h"

namespace sotto::data {

namespace {

constexpr std::size_t most_numbers = 32;
constexpr std::size_t tenths = 10;

struct PeopleFormat {
  std::string separator;
  bool header = false;
  std::size_t columns = 0;
  std::vector<std::pair<std::string, std::size_t>> attributes;  // name and column
  bool ages_in_years = false;                                   // the first attribute
};

bool is_user_word(std::string_view word) {
  const std::string plain = plain_word(word);
  for (const std::string_view known : {"user", "userid", "uid", "id", "person", "personid", "member"})
    if (plain == known) return true;
  return false;
}

Result<PeopleFormat> detect_people(const std::string& name, std::string_view text) {
  std::vector<std::string_view> sample;
  std::string_view line;
  for (LineReader lines(text); sample.size() < 256 && lines.next(line);) sample.push_back(line);
  if (sample.empty()) return fail(Code::bad_input, name + ": the file is empty; give a line a person");
  PeopleFormat format;
  format.separator = detect_separator(sample);
  std::vector<std::string_view> fields;
  FieldSplitter splitter(format.separator);
  if (format.separator.empty() || format.separator == " " || !splitter.split(sample[0], fields))
    return fail(Code::bad_input,
                name + ": no recognisable columns; part them with tabs, commas, \"::\" or \"|\"");
  format.columns = fields.size();
  format.header = is_user_word(fields[0]);
  if (format.header) {
    for (std::size_t column = 1; column < fields.size(); ++column)
      format.attributes.emplace_back(fields[column], column);
  } else if (fields.size() == 5 && format.separator == "|") {
    format.attributes = {{"age", 1}, {"gender", 2}, {"occupation", 3}};
    format.ages_in_years = true;
  } else if (fields.size() == 5 && format.separator == "::") {
    format.attributes = {{"gender", 1}, {"age", 2}, {"occupation", 3}};
  }
  if (format.attributes.empty())
    return error_at(name, 1,
                    "no header that names a user and attributes; write one, such as user,age,occupation");
  std::set<std::string_view> names;
  for (const auto& [attribute, column] : format.attributes)
    if (attribute.empty() || !names.insert(attribute).second)
      return error_at(name, 1, "a column has no name of its own; give each attribute one");
  return format;
}

std::optional<double> finite_number(const std::string& cell) {
  const auto number = parse_number(cell);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// The cells of one column, as text; empty where they say nothing.
using Cells = std::vector<std::string>;

// Each number's tenth of the people: by the place of the first of its kind.
void cut_in_tenths(Cells& cells) {
  std::vector<double> sorted;
  for (const std::string& cell : cells)
    if (!cell.empty()) sorted.push_back(*finite_number(cell));
  std::sort(sorted.begin(), sorted.end());
  const auto tenth_of = [&](double number) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin();
    return static_cast<std::size_t>(place) * tenths / sorted.size();
  };
  std::map<std::size_t, std::pair<double, double>> reach;
  for (const double number : sorted)
    reach.try_emplace(tenth_of(number), number, number).first->second.second = number;
  for (std::string& cell : cells) {
    if (cell.empty()) continue;
    const auto& [from, to] = reach.at(tenth_of(*finite_number(cell)));
    cell = fmt::format("{} to {}", from, to);
  }
}

Status settle_column(const std::string& source, const std::string& name, Cells& cells) {
  std::set<std::string_view> different;
  bool numbers = true;
  for (const std::string& cell : cells) {
    if (cell.empty()) continue;
    different.insert(cell);
    numbers = numbers && finite_number(cell).has_value();
  }
  if (numbers && different.size() > most_numbers) {
    cut_in_tenths(cells);
    return Done{};
  }
  if (different.size() <= most_attribute_values) return Done{};
  return fail(Code::bad_input,
              fmt::format("{}: the column {} has {} different words, more than {}: hardly two people share "
                          "one, and nothing is learned from it; leave the column out, or make it coarser",
                          source, excerpt(name), different.size(), most_attribute_values));
}

}  // namespace

Result<PersonAttributes> load_person_attributes(const TextSource& source) {
  SOTTO_TRY(const DecodedText text, DecodedText::decode(source));
  SOTTO_TRY(const PeopleFormat format, detect_people(source.name, text.view()));
  PersonAttributes people;
  std::vector<Cells> cells(format.attributes.size());
  FieldSplitter splitter(format.separator);
  std::vector<std::string_view> fields;
  LineReader lines(text.view());
  std::string_view line;
  if (format.header) (void)lines.next(line);
  while (lines.next(line)) {
    const auto refuse = [&](const std::string& what) { return error_at(source.name, lines.number(), what); };
    if (!splitter.split(line, fields))
      return refuse("a quoted field does not end on its line; close the quote");
    if (fields.size() != format.columns)
      return refuse(
          fmt::format("{} columns where {} are expected; correct the line", fields.size(), format.columns));
    if (const char* fault = id_fault(fields[0]))
      return refuse(fmt::format("the user id {}; correct the line", fault));
    const std::size_t known = people.people.size();
    if (people.people.intern(fields[0]) != known)
      return refuse("this person stands in the file twice; leave one line out");
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::string_view cell = fields[format.attributes[k].second];
      const bool silent = cell.empty() || cell == "NA" || cell == "?";
      cells[k].emplace_back(silent ? std::string_view() : cell);
    }
    if (!format.ages_in_years || cells[0].back().empty()) continue;
    const double age = finite_number(cells[0].back()).value_or(-1.0);
    if (!(age >= 0.0 && age < 200.0)) return refuse("the age is no number of years; correct the line");
    const int decade = static_cast<int>(age) / 10 * 10;
    cells[0].back() = fmt::format("{}-{}", decade, decade + 9);
  }
  if (people.people.size() == 0)
    return fail(Code::bad_input, source.name + ": nobody stands in it; give a line a person");
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::string& name = format.attributes[k].first;
    SOTTO_TRY_DONE(settle_column(source.name, name, cells[k]));
    RecordColumn& column = people.columns.emplace_back(RecordColumn{name, {}});
    auto& values = people.values.emplace_back();
    for (const std::string& cell : cells[k])
      values.push_back(cell.empty() ? no_value : column.values.intern(cell));
  }
  return people;
}

}  // namespace sotto::data
