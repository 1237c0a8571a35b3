#include "engine/plan/catalogue_request.h"

#include <fmt/format.h>

#include "data/item_labels.h"
#include "data/text_source.h"
#include "engine/files/files.h"
#include "engine/plan/prepare.h"

namespace sotto::engine {

namespace {

Result<std::vector<std::string>> load_pictures(const std::vector<std::string>& files, const IdTable& items) {
  Split addressed;
  addressed.items = items;
  for (const std::string& path : files) {
    SOTTO_TRY(const std::string text, read_text(path));
    SOTTO_TRY(const ItemLabels labels, load_item_labels({path, text}));
    if (attach_item_labels(labels, addressed) == 0)
      return fail(Code::bad_input, path + ": none of its items is in the catalogue: is it the right file?");
  }
  return std::move(addressed.item_names);
}

// The words of each column or attribute, its name and a word a line, with a tab between.
Result<std::vector<RecordColumn>> load_words(const std::string& path) {
  std::vector<RecordColumn> columns;
  if (path.empty()) return columns;
  SOTTO_TRY(const std::string bytes, read_text(path));
  SOTTO_TRY(const DecodedText text, DecodedText::decode({path, bytes}));
  LineReader lines(text.view());
  std::string_view line;
  while (lines.next(line)) {
    const std::size_t tab = line.find('\t');
    const std::string_view name = trimmed(line.substr(0, tab));
    const std::string_view word = tab == std::string_view::npos ? "" : trimmed(line.substr(tab + 1));
    if (name.empty() || word.empty())
      return error_at(path, lines.number(), "a context and one of its values are needed, with a tab between");
    auto column = std::ranges::find(columns, name, &RecordColumn::name);
    if (column == columns.end()) column = columns.insert(columns.end(), {std::string(name), {}});
    column->values.intern(word);
  }
  return columns;
}

Result<std::vector<RecordColumn>> load_attributes(const std::string& path) {
  SOTTO_TRY(std::vector<RecordColumn> attributes, load_words(path));
  if (attributes.empty() && !path.empty())
    return fail(Code::bad_input, path + ": it names no attribute: give each with its values, one a line");
  if (attributes.size() > most_attributes)
    return fail(Code::bad_input,
                fmt::format("{}: it names {} attributes, and people are asked up to {}: leave some out", path,
                            attributes.size(), most_attributes));
  for (const RecordColumn& attribute : attributes)
    if (attribute.values.size() > most_attribute_values)
      return fail(Code::bad_input,
                  fmt::format("{}: the attribute '{}' has {} values, more than {}: hardly two people would "
                              "share one; leave it out, or make it coarser",
                              path, attribute.name, attribute.values.size(), most_attribute_values));
  return attributes;
}

Status check_contexts(const CatalogueRequest& request) {
  if (request.contexts.asks_for("all"))
    return fail(Code::usage,
                "a task's contexts are of interval, daypart, columns, item, person and recency: name those "
                "its model uses");
  if (request.contexts.asks_for("columns") != !request.context_values.empty())
    return fail(
        Code::usage,
        "the context 'columns' and the file context_values, with the columns' values, need each other");
  if (request.contexts.asks_for("person") != !request.person_values.empty())
    return fail(Code::usage,
                "the context 'person' and the file person_values, with people's attributes and the values "
                "of each, need each other");
  ContextRequest asked = request.contexts;
  asked.people = request.person_values;
  return check(asked);
}

}  // namespace

Result<TaskCatalogue> make_catalogue(const CatalogueRequest& request, IdTable items) {
  SOTTO_TRY_DONE(check_contexts(request));
  Split split;
  split.items = std::move(items);
  split.catalogue = split.items.size();
  SOTTO_TRY(const auto knowledge, know_items(request.names, request.kg, split));
  if (knowledge != nullptr) {
    SOTTO_TRY(const FeatureReport report, attach_features(*knowledge, split));
    static_cast<void>(report);
  }
  TaskCatalogue made;
  SOTTO_TRY(made.pictures, load_pictures(request.pictures, split.items));
  if (request.contexts.asked()) {
    SOTTO_TRY(const std::vector<RecordColumn> columns, load_words(request.context_values));
    SOTTO_TRY(const std::vector<RecordColumn> attributes, load_attributes(request.person_values));
    SOTTO_TRY(made.schema, schema_of(request.contexts, split));
    if (made.schema.item && split.features == nullptr)
      return fail(Code::usage,
                  "the context 'item' needs features of the items: give kg, or names with kg_labels");
    SOTTO_TRY(Contexts contexts, context_vocabulary(made.schema, columns, split.features.get(), attributes));
    made.contexts = std::make_shared<const Contexts>(std::move(contexts));
  }
  if (!request.rating_scale.empty()) {
    SOTTO_TRY(made.scale, parse_rating_scale(request.rating_scale));
  }
  made.names = std::move(split.items);
  made.titles = std::move(split.item_names);
  made.categories = std::move(split.item_categories);
  made.features = std::move(split.features);
  SOTTO_TRY_DONE(check(made));
  return made;
}

}  // namespace sotto::engine
