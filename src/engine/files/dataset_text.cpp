#include "engine/files/dataset_text.h"

#include <fmt/format.h>

#include <iterator>

namespace sotto::engine {

namespace {

// One field; in CSV quoted where it must be. Line ends cannot be written, so they become blanks.
void add_field(std::string& out, std::string_view field, char separator) {
  const bool quoted = separator == ',' && field.find_first_of(",\"") != std::string_view::npos;
  if (quoted) out += '"';
  for (const char letter : field) {
    if (letter == '"' && quoted) out += '"';
    out += letter == '\n' || letter == '\r' || letter == '\t' ? ' ' : letter;
  }
  if (quoted) out += '"';
}

}  // namespace

Result<char> separator_for(const std::string& path) {
  std::string name = path;
  if (name.ends_with(".zst")) name.resize(name.size() - 4);
  if (name.ends_with(".csv")) return ',';
  if (name.ends_with(".tsv")) return '\t';
  return fail(Code::usage,
              fmt::format("cannot tell what to write from the name '{}': end it in .tsv, .csv, .tsv.zst or "
                          ".csv.zst",
                          path));
}

std::string interactions_text(const Dataset& dataset, char separator, bool with_categories) {
  const bool times = dataset.time_kind != TimeKind::none;
  const bool categories = with_categories && !dataset.item_categories.empty();
  std::string out = fmt::format("user{}item", separator);
  if (dataset.has_ratings) out += fmt::format("{}rating", separator);
  if (times) out += fmt::format("{}time", separator);
  if (categories) out += fmt::format("{}category", separator);
  out += '\n';
  for (const Interaction& interaction : dataset.interactions) {
    add_field(out, dataset.users.name(interaction.user.value), separator);
    out += separator;
    add_field(out, dataset.items.name(interaction.item.value), separator);
    if (dataset.has_ratings) fmt::format_to(std::back_inserter(out), "{}{}", separator, interaction.rating);
    if (times) fmt::format_to(std::back_inserter(out), "{}{}", separator, interaction.time);
    if (categories) {
      out += separator;
      add_field(out, dataset.item_categories[interaction.item.value], separator);
    }
    out += '\n';
  }
  return out;
}

std::string items_text(const Dataset& dataset, char separator) {
  std::string out = fmt::format("item{}name{}category\n", separator, separator);
  for (std::uint32_t item = 0; item < dataset.items.size(); ++item) {
    add_field(out, dataset.items.name(item), separator);
    out += separator;
    if (!dataset.item_names.empty()) add_field(out, dataset.item_names[item], separator);
    out += separator;
    if (!dataset.item_categories.empty()) add_field(out, dataset.item_categories[item], separator);
    out += '\n';
  }
  return out;
}

std::string people_text(const PersonAttributes& people, char separator) {
  std::string out = "user";
  for (const RecordColumn& column : people.columns) {
    out += separator;
    add_field(out, column.name, separator);
  }
  out += '\n';
  for (std::uint32_t person = 0; person < people.people.size(); ++person) {
    add_field(out, people.people.name(person), separator);
    for (std::size_t column = 0; column < people.columns.size(); ++column) {
      out += separator;
      const std::uint32_t value = people.values[column][person];
      if (value != no_value) add_field(out, people.columns[column].values.name(value), separator);
    }
    out += '\n';
  }
  return out;
}

}  // namespace sotto::engine
