#include "data/item_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "data/text_format.h"

namespace sotto::data {

namespace {

// u.item: five columns about the film, then a flag for each of these.
constexpr std::array<std::string_view, 19> film_genres{
    "unknown",     "Action", "Adventure", "Animation", "Children's", "Comedy",  "Crime",
    "Documentary", "Drama",  "Fantasy",   "Film-Noir", "Horror",     "Musical", "Mystery",
    "Romance",     "Sci-Fi", "Thriller",  "War",       "Western"};
constexpr std::size_t film_columns = 5;

struct LabelFormat {
  std::string separator;
  bool header = false;
  std::size_t columns = 0;
  std::size_t item = 0;
  std::size_t name = 1;
  std::optional<std::size_t> category;
  bool genre_flags = false;
};

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// True when the fields name an item and a name column; `format` then knows where.
bool read_header(const std::vector<std::string_view>& fields, LabelFormat& format) {
  std::optional<std::size_t> item, name, category;
  for (std::size_t column = 0; column < fields.size(); ++column) {
    const std::string word = plain_word(fields[column]);
    if (!item && is_one_of(word, {"item", "itemid", "iid", "id", "movieid", "venueid", "asin", "productid",
                                  "bookid", "poiid"}))
      item = column;
    else if (!name &&
             is_one_of(word, {"name", "title", "label", "itemname", "movietitle", "venuename", "venue"}))
      name = column;
    else if (!category &&
             is_one_of(word, {"category", "categories", "type", "genre", "genres", "venuecategory"}))
      category = column;
  }
  if (!item || !(name || category)) return false;
  format.item = *item;
  format.name = name.value_or(*item);
  format.category = category;
  return true;
}

Result<LabelFormat> detect_labels(const std::string& name, std::string_view text) {
  std::vector<std::string_view> sample;
  std::string_view line;
  for (LineReader lines(text); sample.size() < 256 && lines.next(line);) sample.push_back(line);
  if (sample.empty())
    return fail(Code::bad_input, name + ": the file is empty; give a line an item: id, name");
  LabelFormat format;
  format.separator = detect_separator(sample);
  if (format.separator.empty() || format.separator == " ")
    return fail(
        Code::bad_input,
        name + ": no recognisable columns; give item and name, parted by a tab, a comma, \"::\" or \"|\"");
  std::vector<std::string_view> fields;
  FieldSplitter splitter(format.separator);
  if (!splitter.split(sample[0], fields))
    return error_at(name, 1, "a quoted field does not end on its line; close the quote");
  format.columns = fields.size();
  if (format.columns < 2)
    return error_at(name, 1, "one column where item and name are expected; correct the line");
  format.header = read_header(fields, format);
  if (format.header) return format;
  format.genre_flags = format.separator == "|" && format.columns == film_columns + film_genres.size();
  if (format.columns == 3) format.category = 2;
  if (format.columns > 3 && !format.genre_flags)
    return fail(
        Code::bad_input,
        fmt::format("{}: {} columns and no header that names them; give item, name and perhaps category",
                    name, format.columns));
  return format;
}

std::string genres_of(const std::vector<std::string_view>& fields) {
  std::string genres;
  for (std::size_t k = 0; k < film_genres.size(); ++k) {
    if (fields[film_columns + k] != "1") continue;
    if (!genres.empty()) genres += '|';
    genres += film_genres[k];
  }
  return genres;
}

std::size_t attach(const ItemLabels& labels, const IdTable& items, std::vector<std::string>& names,
                   std::vector<std::string>& categories) {
  names.resize(items.size());
  if (!labels.categories.empty()) categories.resize(items.size());
  std::size_t matched = 0;
  for (std::uint32_t item = 0; item < items.size(); ++item) {
    const auto label = labels.items.find(items.name(item));
    if (!label) continue;
    ++matched;
    if (!labels.names[*label].empty()) names[item] = labels.names[*label];
    if (!labels.categories.empty() && !labels.categories[*label].empty())
      categories[item] = labels.categories[*label];
  }
  return matched;
}

}  // namespace

Result<ItemLabels> load_item_labels(const TextSource& source) {
  SOTTO_TRY(const DecodedText text, DecodedText::decode(source));
  SOTTO_TRY(const LabelFormat format, detect_labels(source.name, text.view()));
  ItemLabels labels;
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
          fmt::format("{} columns where {} are expected; correct the line, or quote a field that holds "
                      "the separator",
                      fields.size(), format.columns));
    const std::string_view id = fields[format.item];
    if (const char* fault = id_fault(id))
      return refuse(fmt::format("the item id {}; correct the line", fault));
    if (labels.items.intern(id) < labels.names.size()) continue;  // the first line of an item counts
    labels.names.emplace_back(fields[format.name]);
    if (format.genre_flags) labels.categories.push_back(genres_of(fields));
    if (format.category) labels.categories.emplace_back(fields[*format.category]);
  }
  if (labels.names.empty())
    return fail(Code::bad_input, source.name + ": it names no items; give a line an item");
  return labels;
}

std::size_t attach_item_labels(const ItemLabels& labels, Dataset& dataset) {
  return attach(labels, dataset.items, dataset.item_names, dataset.item_categories);
}

std::size_t attach_item_labels(const ItemLabels& labels, Split& split) {
  return attach(labels, split.items, split.item_names, split.item_categories);
}

}  // namespace sotto::data
