// How a catalogue grows, and whether it kept what it had.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/compression.h"
#include "fed/wire/catalogue.h"

namespace sotto::fed {

namespace {

constexpr std::size_t least_worth_packing = 4096;
constexpr std::byte first_of_columns{'\n'};

bool is_control(char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f'; }

std::vector<std::string> rows_from(const std::vector<std::string>& column, std::size_t first) {
  std::vector<std::string> rows;
  if (!column.empty()) rows.assign(column.begin() + static_cast<std::ptrdiff_t>(first), column.end());
  return rows;
}

// What a catalogue has beyond its first so many items.
TaskCatalogue added_to(std::size_t before, const TaskCatalogue& after) {
  TaskCatalogue section;
  for (std::size_t item = before; item < after.names.size(); ++item)
    section.names.intern(after.names.name(static_cast<std::uint32_t>(item)));
  section.titles = rows_from(after.titles, before);
  section.categories = rows_from(after.categories, before);
  section.pictures = rows_from(after.pictures, before);
  section.features = after.features;
  section.contexts = after.contexts;
  section.schema = after.schema;
  return section;
}

std::string in_a_message(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.empty()) return "none";
  return text.size() <= longest && std::ranges::none_of(text, is_control) ? fmt::format("'{}'", text)
                                                                          : "another text";
}

Error changed_row(std::size_t item, const char* what, std::string_view was, std::string_view is) {
  return fail(
      Code::incompatible,
      fmt::format("a catalogue that grows keeps the rows it has, and item {} (counted from 1) had the "
                  "{} {} and now has {}: put it back and append what is new at the end, or begin "
                  "another task",
                  item + 1, what, in_a_message(was), in_a_message(is)));
}

Status check_kept(const char* what, const std::vector<std::string>& before,
                  const std::vector<std::string>& after, std::size_t items) {
  const auto text = [](const std::vector<std::string>& column, std::size_t item) {
    return column.empty() ? std::string_view() : std::string_view(column[item]);
  };
  for (std::size_t item = 0; item < items; ++item)
    if (text(before, item) != text(after, item))
      return changed_row(item, what, text(before, item), text(after, item));
  return Done{};
}

// An item may gain features, as when one is held by enough items now; it loses none, so that a rule that
// keeps it back goes on to do so.
Status check_kept_features(const TaskCatalogue& before, const TaskCatalogue& after) {
  if (before.features == nullptr) return Done{};
  const ItemFeatures& old = *before.features;
  const ItemFeatures& now = *after.features;
  std::map<std::pair<std::string_view, std::string_view>, FeatureIndex> numbers;
  for (std::uint32_t feature = 0; feature < now.features(); ++feature)
    numbers.emplace(std::pair(now.predicate({feature}), now.object({feature})), FeatureIndex{feature});
  for (std::uint32_t item = 0; item < old.items(); ++item)
    for (const FeatureIndex feature : old.of({item})) {
      const auto found = numbers.find(std::pair(old.predicate(feature), old.object(feature)));
      if (found == numbers.end() || !std::ranges::binary_search(now.of({item}), found->second))
        return changed_row(item, "feature", old.object(feature), "");
    }
  return Done{};
}

}  // namespace

Status check_grown(const TaskCatalogue& before, const TaskCatalogue& after) {
  const std::size_t items = before.names.size();
  if (after.names.size() < items)
    return fail(Code::incompatible,
                fmt::format("a catalogue that grows keeps the rows it has, and this one has {} items and had "
                            "{}: put them back, or begin another task",
                            after.names.size(), items));
  for (std::uint32_t item = 0; item < items; ++item)
    if (before.names.name(item) != after.names.name(item))
      return changed_row(item, "name", before.names.name(item), after.names.name(item));
  SOTTO_TRY_DONE(check_kept("title", before.titles, after.titles, items));
  SOTTO_TRY_DONE(check_kept("categories", before.categories, after.categories, items));
  SOTTO_TRY_DONE(check_kept("picture", before.pictures, after.pictures, items));
  const bool same_scale = before.scale.has_value() == after.scale.has_value() &&
                          (!before.scale || (before.scale->lowest == after.scale->lowest &&
                                             before.scale->highest == after.scale->highest));
  if ((before.features == nullptr) != (after.features == nullptr) ||
      (before.contexts == nullptr) != (after.contexts == nullptr) || !same_scale)
    return fail(Code::incompatible,
                "a catalogue that grows keeps what it has, and its features, its contexts or its scale of "
                "ratings came, went or changed: put them back, or begin another task");
  return check_kept_features(before, after);
}

std::string pack_grown(std::string_view packed, const TaskCatalogue& before, const TaskCatalogue& after) {
  const std::string added = encode_catalogue(added_to(before.names.size(), after));
  const std::string whole = encode_catalogue(after);
  const auto plain =
      decompress(std::as_bytes(std::span(packed)), {.max_bytes = most_catalogue_bytes(before.names.size())});
  SOTTO_ASSERT(plain.ok(), "what was read before unpacks");
  // A file of names may end without an end of its last line.
  const bool names_alone = !plain->empty() && plain->front() != first_of_columns;
  const bool open_end = names_alone && plain->back() != std::byte{'\n'};
  const std::string grown = std::string(packed) + pack_catalogue(open_end ? "\n" + added : added);
  const std::string anew = pack_catalogue(whole);
  // What is said again each time, such as features, may have become most of it.
  const bool fits = plain->size() + 1 + added.size() <= most_catalogue_bytes(after.names.size());
  return fits && grown.size() <= 2 * anew.size() + least_worth_packing ? grown : anew;
}

}  // namespace sotto::fed
