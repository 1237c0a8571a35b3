#include "fed/wire/catalogue.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/compression.h"
#include "data/names_io.h"
#include "data/recorded_contexts.h"
#include "data/records_io.h"

namespace sotto::fed {

namespace {

// An empty name, for those who read names alone.
constexpr std::string_view columns_mark = "\nsotto catalogue 2\n";
constexpr std::uint64_t most_unpacked = std::uint64_t{256} << 20;
constexpr std::uint64_t usual_item_bytes = 8192;
constexpr std::uint64_t usual_rest_bytes = std::uint64_t{1} << 20;
constexpr std::uint8_t most_feature_hops = 2;
constexpr std::string_view picture_scheme = "https://";

// Which columns there are; bits that were given are never used for anything else.
enum Column : std::uint8_t {
  titles_column = 1,
  categories_column = 2,
  pictures_column = 4,
  features_column = 8,
  contexts_column = 16,
  scale_column = 32,
};
constexpr std::uint8_t all_columns = 63;

Error refuse_catalogue(const std::string& why) {
  return fail(Code::bad_input, "the task's catalogue is refused: " + why);
}

std::span<const std::byte> bytes_in(std::string_view text) { return std::as_bytes(std::span(text)); }
std::string_view text_in(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool has_text(const std::vector<std::string>& column) {
  return std::ranges::any_of(column, [](const std::string& text) { return !text.empty(); });
}

bool is_line(std::string_view text) {
  return std::ranges::none_of(text,
                              [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

std::uint8_t columns_of(const TaskCatalogue& catalogue) {
  std::uint8_t columns = 0;
  const auto add = [&](Column column, bool there) {
    if (there) columns = static_cast<std::uint8_t>(columns | column);
  };
  add(titles_column, has_text(catalogue.titles));
  add(categories_column, has_text(catalogue.categories));
  add(pictures_column, has_text(catalogue.pictures));
  add(features_column, catalogue.features != nullptr);
  add(contexts_column, catalogue.contexts != nullptr);
  add(scale_column, catalogue.scale.has_value());
  return columns;
}

void write_schema(Writer& out, const ContextSchema& schema) {
  for (const bool has :
       {schema.interval, schema.daypart, schema.columns, schema.item, schema.recency, schema.exact_bins})
    out.number(has);
  out.number(schema.bin_hours).number(schema.bins).number(schema.day_from).number(schema.night_from);
  out.number(schema.utc_offset_hours);
}

ContextSchema read_schema(Reader& in) {
  ContextSchema schema;
  for (bool* has : {&schema.interval, &schema.daypart, &schema.columns, &schema.item, &schema.recency,
                    &schema.exact_bins})
    *has = in.number<bool>();
  for (std::uint32_t* number : {&schema.bin_hours, &schema.bins, &schema.day_from, &schema.night_from})
    *number = in.number<std::uint32_t>();
  schema.utc_offset_hours = in.number<double>();
  return schema;
}

std::size_t attributes_in(const Contexts& contexts) {
  return static_cast<std::size_t>(
      std::ranges::count_if(contexts.dimensions, &ContextDimension::is_attribute));
}

// What says that it does not look back may be let in by who keeps records back.
bool hides_that_it_looks_back(const Contexts& contexts, const ContextSchema& schema) {
  const auto is_hidden = [&](const ContextDimension& dimension) {
    const bool looks = dimension.name == "recency" || (schema.interval && dimension.name == "interval");
    return looks && !dimension.looks_back;
  };
  return std::ranges::any_of(contexts.dimensions, is_hidden);
}

bool is_lawful(const ContextDimension& dimension) {
  if (dimension.name.empty() || dimension.name == "*" || !is_line(dimension.name)) return false;
  if (dimension.is_attribute() && dimension.values.size() > most_attribute_values) return false;
  std::set<std::string_view> values;
  return std::ranges::all_of(dimension.values, [&](const std::string& value) {
    return !value.empty() && is_line(value) && values.insert(value).second;
  });
}

// A vocabulary of a task: nobody's records are in it. What every Contexts keeps, its reader checks.
bool is_lawful(const Contexts& contexts, const ContextSchema& schema, std::size_t items) {
  if (!check(schema).ok() || !belong_together(contexts, schema)) return false;
  const std::size_t attributes = attributes_in(contexts);
  if (schema.person != (attributes > 0) || attributes > most_attributes) return false;
  if (hides_that_it_looks_back(contexts, schema)) return false;
  std::set<std::string_view> names;
  for (const ContextDimension& dimension : contexts.dimensions)
    if (!is_lawful(dimension) || !names.insert(dimension.name).second) return false;
  const bool of_nobody = contexts.people.ends.size() == 1 && contexts.train.values.empty() &&
                         contexts.validation.values.empty() && contexts.test.values.empty();
  const std::size_t rows = contexts.items.ends.size() - 1;
  return of_nobody && (rows == 0 || rows == items);
}

Status check_column(const char* what, const std::vector<std::string>& column, std::size_t items,
                    std::size_t most) {
  if (!column.empty() && column.size() != items)
    return refuse_catalogue(fmt::format("it has {} {} for {} items", column.size(), what, items));
  for (std::size_t item = 0; item < column.size(); ++item)
    if (column[item].size() > most || !is_line(column[item]))
      return refuse_catalogue(
          fmt::format("of item {} the {} are no line of up to {} bytes", item, what, most));
  return Done{};
}

Status check_features(const TaskCatalogue& catalogue) {
  if (catalogue.features == nullptr) return Done{};
  const ItemFeatures& features = *catalogue.features;
  if (features.items() != catalogue.names.size())
    return refuse_catalogue("its features are not those of its items");
  for (std::uint32_t feature = 0; feature < features.features(); ++feature)
    if (features.hops({feature}) > most_feature_hops)
      return refuse_catalogue("a feature is more than two hops from its items");
  return Done{};
}

std::vector<std::string> read_column(Reader& in, std::size_t items, std::size_t most) {
  std::vector<std::string> column;
  for (std::size_t item = 0; item < items && !in.spoiled(); ++item) column.push_back(in.text(most));
  return column;
}

// A section in columns, off the front of `text`.
Result<TaskCatalogue> read_columns(std::string_view& text) {
  const auto refuse = [] { return refuse_catalogue("it is cut short, or says nonsense"); };
  Reader in(bytes_in(text.substr(columns_mark.size())));
  TaskCatalogue catalogue;
  if (!read_names(in, catalogue.names)) return refuse();
  const std::size_t items = catalogue.names.size();
  const auto columns = in.number<std::uint8_t>();
  if (in.spoiled() || columns == 0) return refuse();
  if ((columns & ~all_columns) != 0)
    return fail(Code::incompatible,
                "the task's catalogue has columns that this version does not know: take a newer one");
  if ((columns & titles_column) != 0) catalogue.titles = read_column(in, items, most_item_name);
  if ((columns & categories_column) != 0) catalogue.categories = read_column(in, items, most_item_name);
  if ((columns & pictures_column) != 0) catalogue.pictures = read_column(in, items, most_address);
  if ((columns & features_column) != 0) {
    const auto bytes = in.raw(in.number<std::uint64_t>());
    SOTTO_TRY(ItemFeatures features, load_features(bytes, "the task's catalogue"));
    catalogue.features = std::make_shared<const ItemFeatures>(std::move(features));
  }
  if ((columns & contexts_column) != 0) {
    catalogue.schema = read_schema(in);
    const auto bytes = in.raw(in.number<std::uint64_t>());
    SOTTO_TRY(Contexts contexts, load_contexts(bytes, "the task's catalogue"));
    catalogue.schema.person = attributes_in(contexts) > 0;
    catalogue.contexts = std::make_shared<const Contexts>(std::move(contexts));
  }
  if ((columns & scale_column) != 0) {
    catalogue.scale.emplace();
    catalogue.scale->lowest = in.number<float>();
    catalogue.scale->highest = in.number<float>();
  }
  if (in.spoiled() || columns_of(catalogue) != columns) return refuse();
  text.remove_prefix(text.size() - in.remaining());
  return catalogue;
}

// A section of names alone: up to the next one in columns.
Result<TaskCatalogue> read_lines(std::string_view& text, std::size_t most) {
  TaskCatalogue catalogue;
  while (!text.empty() && !text.starts_with(columns_mark)) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (catalogue.names.size() == most) return refuse_catalogue("it has more names than the task has items");
    const std::size_t before = catalogue.names.size();
    if (catalogue.names.intern(text.substr(0, end)) != before)
      return refuse_catalogue("a name is there twice");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return catalogue;
}

void append_column(std::vector<std::string>& column, std::vector<std::string> more, std::size_t before,
                   std::size_t added) {
  if (column.empty() && more.empty()) return;
  column.resize(before);
  more.resize(added);
  std::ranges::move(more, std::back_inserter(column));
}

// A section is of new items; its features and contexts are of all that are there with it.
Status append_section(TaskCatalogue section, TaskCatalogue& catalogue) {
  const std::size_t before = catalogue.names.size(), added = section.names.size();
  if (before > 0 && (added == 0 || section.scale))
    return refuse_catalogue("what was added to it are no items");
  for (std::uint32_t item = 0; item < added; ++item)
    if (catalogue.names.intern(section.names.name(item)) != before + item)
      return refuse_catalogue("a name is there twice");
  append_column(catalogue.titles, std::move(section.titles), before, added);
  append_column(catalogue.categories, std::move(section.categories), before, added);
  append_column(catalogue.pictures, std::move(section.pictures), before, added);
  if (section.features != nullptr) catalogue.features = std::move(section.features);
  if (section.contexts != nullptr) {
    catalogue.contexts = std::move(section.contexts);
    catalogue.schema = section.schema;
  }
  if (section.scale) catalogue.scale = section.scale;
  return Done{};
}

Result<TaskCatalogue> read_sections(std::string_view text, std::size_t most) {
  TaskCatalogue catalogue;
  while (!text.empty()) {
    SOTTO_TRY(TaskCatalogue section,
              text.starts_with(columns_mark) ? read_columns(text) : read_lines(text, most));
    SOTTO_TRY_DONE(append_section(std::move(section), catalogue));
  }
  return catalogue;
}

}  // namespace

DeviceKnowledge known_of(const TaskCatalogue* catalogue) {
  if (catalogue == nullptr) return {};
  DeviceKnowledge known{
      .features = catalogue->features, .contexts = catalogue->contexts, .categories = catalogue->categories};
  if (catalogue->scale) {
    Records nobodys;
    nobodys.scale = *catalogue->scale;
    known.records = std::make_shared<const Records>(std::move(nobodys));
  }
  return known;
}

std::uint64_t most_catalogue_bytes(std::size_t items) {
  return std::min(items * usual_item_bytes + usual_rest_bytes, most_unpacked);
}

Status check(const TaskCatalogue& catalogue) {
  const std::size_t items = catalogue.names.size();
  for (std::uint32_t item = 0; item < items; ++item) {
    const std::string_view name = catalogue.names.name(item);
    if (name.empty() || name.size() > most_item_name || name.find('\n') != std::string_view::npos)
      return refuse_catalogue("a name is empty, or too long");
  }
  SOTTO_TRY_DONE(check_column("titles", catalogue.titles, items, most_item_name));
  SOTTO_TRY_DONE(check_column("categories", catalogue.categories, items, most_item_name));
  SOTTO_TRY_DONE(check_column("addresses of pictures", catalogue.pictures, items, most_address));
  for (const std::string& picture : catalogue.pictures)
    if (!picture.empty() && !picture.starts_with(picture_scheme))
      return refuse_catalogue("a picture has an address that does not begin with https://");
  SOTTO_TRY_DONE(check_features(catalogue));
  if (catalogue.contexts != nullptr && !is_lawful(*catalogue.contexts, catalogue.schema, items))
    return refuse_catalogue("its vocabulary of contexts breaks its laws");
  const auto& scale = catalogue.scale;
  if (scale &&
      !(std::isfinite(scale->lowest) && std::isfinite(scale->highest) && scale->lowest < scale->highest))
    return refuse_catalogue("its scale of ratings is none");
  return Done{};
}

std::string encode_catalogue(const TaskCatalogue& catalogue) {
  const std::uint8_t columns = columns_of(catalogue);
  if (columns == 0) {
    std::string lines;
    for (std::uint32_t item = 0; item < catalogue.names.size(); ++item)
      lines.append(catalogue.names.name(item)).push_back('\n');
    return lines;
  }
  Writer out;
  out.raw(bytes_in(columns_mark));
  write_names(out, catalogue.names);
  out.number(columns);
  const auto write_column = [&](Column column, const std::vector<std::string>& texts) {
    if ((columns & column) == 0) return;
    for (const std::string& text : texts) out.text(text);
  };
  write_column(titles_column, catalogue.titles);
  write_column(categories_column, catalogue.categories);
  write_column(pictures_column, catalogue.pictures);
  if (catalogue.features != nullptr)
    out.array(std::span<const std::byte>(save_features(*catalogue.features)));
  if (catalogue.contexts != nullptr) {
    write_schema(out, catalogue.schema);
    out.array(std::span<const std::byte>(save_contexts(*catalogue.contexts)));
  }
  if (catalogue.scale) out.number(catalogue.scale->lowest).number(catalogue.scale->highest);
  return std::string(text_in(out.view()));
}

std::string pack_catalogue(std::string_view encoded) {
  return std::string(text_in(compress(bytes_in(encoded))));
}

Result<std::shared_ptr<const TaskCatalogue>> read_catalogue(std::string_view packed, std::size_t most) {
  // One window is all that unpacking may take beside the catalogue.
  const DecompressLimits limits{.max_bytes = most_catalogue_bytes(most), .window_log = 23};
  SOTTO_TRY(const Bytes plain, decompress(bytes_in(packed), limits));
  SOTTO_TRY(TaskCatalogue catalogue, read_sections(text_in(plain), most));
  if (catalogue.names.size() > most) return refuse_catalogue("it has more names than the task has items");
  SOTTO_TRY_DONE(check(catalogue));
  return std::make_shared<const TaskCatalogue>(std::move(catalogue));
}

}  // namespace sotto::fed
