#include "data/examples/celeba.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/nearest_word.h"
#include "data/ids.h"
#include "data/values.h"

namespace sotto::data {
namespace {

constexpr std::uint8_t has_not = 0, has = 255;
constexpr std::uint8_t test_part = 2;
constexpr std::uint8_t untold = 255;  // a label or part, while no line has told it

// A text file of lines with fields between blanks, and errors that say where.
class Table {
 public:
  Table(std::string name, DecodedText text)
      : name_(std::move(name)), text_(std::move(text)), lines_(text_.view()) {}
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  [[nodiscard]] bool next() {
    std::string_view line;
    return lines_.next(line) && splitter_.split(line, fields_);
  }
  [[nodiscard]] const std::vector<std::string_view>& fields() const { return fields_; }
  [[nodiscard]] Error wrong(const std::string& what) const { return error_at(name_, lines_.number(), what); }
  [[nodiscard]] Error wrong_file(const std::string& what) const {
    return fail(Code::bad_input, name_ + ": " + what);
  }
  [[nodiscard]] Status expect(std::size_t columns) const {
    if (fields_.size() == columns) return Done{};
    return wrong(fmt::format("{} columns where {} are expected; correct the line", fields_.size(), columns));
  }
  // The number of the picture that the line is about.
  [[nodiscard]] Result<std::uint32_t> picture(const IdTable& pictures) const {
    const auto found = pictures.find(fields_[0]);
    if (!found) return wrong("no person is known for this picture; give the three files of one release");
    return *found;
  }

 private:
  std::string name_;
  DecodedText text_;
  LineReader lines_;
  FieldSplitter splitter_{" "};
  std::vector<std::string_view> fields_;
};

struct Identities {
  IdTable pictures;
  std::vector<std::uint32_t> owners;
  std::uint32_t people = 0;
};

Result<Identities> read_identities(const TextSource& source) {
  SOTTO_TRY(DecodedText text, DecodedText::decode(source));
  Table table(source.name, std::move(text));
  Identities read;
  IdTable people;
  while (table.next()) {
    SOTTO_TRY_DONE(table.expect(2));
    for (const std::string_view field : table.fields())
      if (const char* fault = id_fault(field))
        return table.wrong(fmt::format("a name {}; correct the line", fault));
    if (read.pictures.intern(table.fields()[0]) != read.owners.size())
      return table.wrong("this picture stands in the file twice; leave one line out");
    read.owners.push_back(people.intern(table.fields()[1]));
  }
  if (read.owners.empty()) return table.wrong_file("no picture stands in it; give a line a picture");
  read.people = static_cast<std::uint32_t>(people.size());
  return read;
}

Result<std::size_t> column_of(const std::vector<std::string>& names, const std::string& wanted,
                              const Table& table) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  NearestWord nearest(wanted);
  for (const std::string& name : names) nearest.look_at(name);
  const std::string remedy = nearest.word().empty() ? "choose one of the names in this line"
                                                    : "did you mean " + excerpt(nearest.word()) + "?";
  return table.wrong(fmt::format("no attribute is called {}; {}", excerpt(wanted), remedy));
}

// The names of line 2, after the count of line 1.
Result<std::vector<std::string>> read_names(Table& table, double& count) {
  if (!table.next()) return table.wrong_file("it is empty; the number of pictures stands in the first line");
  const auto number = table.fields().size() == 1 ? parse_number(table.fields()[0]) : std::nullopt;
  if (!number)
    return table.wrong("the first line is not the number of pictures; is it the list of attributes?");
  count = *number;
  if (!table.next()) return table.wrong_file("it ends after the first line; get the file again");
  const std::vector<std::string> names(table.fields().begin(), table.fields().end());
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return table.wrong("two attributes have the same name; rename one");
  if (names.size() < 2) return table.wrong("one attribute alone: nothing is left to learn its label from");
  return names;
}

struct Columns {
  std::size_t label = 0, mark = 0;
  bool marked_without = true;
};

// One picture's line.
Status take_values(const Table& table, const Columns& columns, std::uint32_t picture, Examples& examples) {
  if (examples.labels[picture] != untold)
    return table.wrong("this picture stands in the file twice; leave one line out");
  std::uint8_t* value = examples.values.data() + picture * examples.size();
  for (std::size_t k = 0; k + 1 < table.fields().size(); ++k) {
    const std::string_view field = table.fields()[k + 1];
    if (field != "1" && field != "-1")
      return table.wrong(
          fmt::format("a value is {} where -1 or 1 is expected; correct the line", excerpt(field)));
    const bool yes = field == "1";
    if (k == columns.label)
      examples.labels[picture] = yes ? 1 : 0;
    else
      *value++ = yes ? has : has_not;
    if (k == columns.mark) examples.marks[picture] = yes != columns.marked_without ? 1 : 0;
  }
  return Done{};
}

// Values, labels and marks, in the order of the pictures' numbers.
Status read_attributes(const TextSource& source, const Identities& known, const CelebaOptions& options,
                       Examples& examples) {
  SOTTO_TRY(DecodedText text, DecodedText::decode(source));
  Table table(source.name, std::move(text));
  double count = 0;
  SOTTO_TRY(const std::vector<std::string> names, read_names(table, count));
  Columns columns{.marked_without = options.marked_without};
  SOTTO_TRY(columns.label, column_of(names, options.label, table));
  SOTTO_TRY(columns.mark, column_of(names, options.mark, table));
  const std::size_t width = names.size() - 1;
  // Many short lines in one file and many names in another would else ask for the product of both.
  if (width > source.bytes.size() / known.owners.size())
    return table.wrong_file("it is too short for a line of values a picture; get the file again");
  examples.height = 1;
  examples.width = static_cast<std::uint32_t>(width);
  examples.classes = 2;
  examples.values.assign(known.owners.size() * width, has_not);
  examples.labels.assign(known.owners.size(), untold);
  examples.marks.assign(known.owners.size(), 0);
  std::size_t lines = 0;
  while (table.next()) {
    SOTTO_TRY_DONE(table.expect(names.size() + 1));
    SOTTO_TRY(const std::uint32_t picture, table.picture(known.pictures));
    SOTTO_TRY_DONE(take_values(table, columns, picture, examples));
    ++lines;
  }
  if (static_cast<double>(lines) != count || lines != known.owners.size())
    return table.wrong_file(
        fmt::format("{} lines of values; its first line says {} pictures, and {} have a "
                    "person; give the three files of one release",
                    lines, count, known.owners.size()));
  return Done{};
}

// 0, 1 or 2 of each picture.
Result<std::vector<std::uint8_t>> read_partition(const TextSource& source, const Identities& known) {
  SOTTO_TRY(DecodedText text, DecodedText::decode(source));
  Table table(source.name, std::move(text));
  std::vector<std::uint8_t> parts(known.owners.size(), untold);
  std::size_t lines = 0;
  while (table.next()) {
    SOTTO_TRY_DONE(table.expect(2));
    SOTTO_TRY(const std::uint32_t picture, table.picture(known.pictures));
    const std::string_view part = table.fields()[1];
    if (part != "0" && part != "1" && part != "2")
      return table.wrong(
          fmt::format("the part is {} where 0, 1 or 2 is expected; correct the line", excerpt(part)));
    if (parts[picture] != untold)
      return table.wrong("this picture stands in the file twice; leave one line out");
    parts[picture] = static_cast<std::uint8_t>(part[0] - '0');
    ++lines;
  }
  if (lines != known.owners.size())
    return table.wrong_file(
        fmt::format("{} lines where {} pictures have a person; give the three files of "
                    "one release",
                    lines, known.owners.size()));
  return parts;
}

// The examples in the order of `from`.
OwnedExamples reordered(const Examples& examples, const Identities& known,
                        std::span<const std::uint32_t> from) {
  OwnedExamples made;
  made.people = known.people;
  made.examples.height = examples.height;
  made.examples.width = examples.width;
  made.examples.classes = examples.classes;
  made.examples.values.reserve(examples.values.size());
  for (const std::uint32_t picture : from) {
    const std::uint8_t* values = examples.of(picture);
    made.examples.values.insert(made.examples.values.end(), values, values + examples.size());
    made.examples.labels.push_back(examples.labels[picture]);
    made.examples.marks.push_back(examples.marks[picture]);
    made.owners.push_back(known.owners[picture]);
  }
  return made;
}

}  // namespace

Result<OwnedExamples> read_celeba(const CelebaSources& sources, const CelebaOptions& options) {
  SOTTO_TRY(const Identities known, read_identities(sources.identities));
  Examples examples;
  SOTTO_TRY_DONE(read_attributes(sources.attributes, known, options, examples));
  SOTTO_TRY(const std::vector<std::uint8_t> parts, read_partition(sources.partition, known));
  std::vector<std::uint32_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto tests = std::stable_partition(
      order.begin(), order.end(), [&](std::uint32_t picture) { return parts[picture] != test_part; });
  OwnedExamples made = reordered(examples, known, order);
  made.examples.for_training = static_cast<std::size_t>(tests - order.begin());
  return made;
}

}  // namespace sotto::data
