#include "data/given_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/text_format.h"
#include "data/values.h"

namespace sotto::data {

namespace {

constexpr std::size_t trec_columns = 6;

struct Entry {
  UserIndex user;
  ItemIndex item;
  double score = 0.0;
  std::size_t line = 0;
};

// Where a line has what.
struct ListFormat {
  std::string separator;
  bool header = false;
  bool adjacency = false;   // a user, then items
  std::size_t columns = 0;  // of every line; not for adjacency lists
  std::size_t user = 0;
  std::size_t item = 1;
  std::optional<std::size_t> score;
};

bool is_trec(std::string_view text) {
  std::string_view line;
  std::vector<std::string_view> fields;
  return LineReader(text).next(line) && FieldSplitter(" ").split(line, fields) &&
         fields.size() == trec_columns && (fields[1] == "Q0" || fields[1] == "q0");
}

Result<ListFormat> format_of(const std::string& name, std::string_view text, const std::string& columns) {
  ListFormat lists;
  if (columns.empty() && is_trec(text)) {
    lists = {.separator = " ", .columns = trec_columns, .user = 0, .item = 2, .score = 4};
    return lists;
  }
  SOTTO_TRY(const TextFormat format, detect_format(name, text, columns));
  lists.separator = format.separator;
  lists.header = format.header;
  lists.adjacency = format.shape == Shape::adjacency;
  if (lists.adjacency) return lists;
  if (!lists.header && columns.empty() && format.columns > 3)
    return fail(
        Code::bad_input,
        fmt::format("{}: {} columns without a header: it could be any of them that holds the score; name "
                    "the columns, such as user=1,item=2,rating=4",
                    name, format.columns));
  lists.columns = format.columns;
  lists.user = *format.column_of(Role::user);
  lists.item = *format.column_of(Role::item);
  lists.score = format.column_of(Role::rating);
  // Without a header very large scores look like times.
  if (!lists.score && !lists.header && columns.empty()) lists.score = format.column_of(Role::time);
  return lists;
}

class ListReader {
 public:
  ListReader(const std::string& name, const Split& split, std::span<const Histories* const> seen)
      : name_(name), split_(split), seen_(seen) {}

  [[nodiscard]] Status read(std::string_view text, const ListFormat& format);
  // The lists, each sorted.
  [[nodiscard]] Result<GivenLists> arrange();

 private:
  [[nodiscard]] Error at_line(const std::string& what) const { return error_at(name_, line_, what); }
  [[nodiscard]] Status add(std::string_view user, std::string_view item, double score);
  [[nodiscard]] Result<double> score(std::string_view token) const;
  [[nodiscard]] Status check_repeats(std::span<const Entry> list) const;

  const std::string& name_;
  const Split& split_;
  std::span<const Histories* const> seen_;
  std::size_t line_ = 0;
  std::vector<Entry> entries_;
};

Result<double> ListReader::score(std::string_view token) const {
  const auto number = parse_number(token);
  if (!number || !std::isfinite(*number))
    return at_line("the score is no finite number; correct the line, or say where the scores are");
  return *number;
}

Status ListReader::add(std::string_view user, std::string_view item, double score) {
  const auto known_user = split_.users.find(user);
  if (!known_user)
    return at_line("the split has no such user; lists are judged by the split's own users and ids");
  const auto known_item = split_.items.find(item);
  if (!known_item || *known_item >= split_.catalogue)
    return at_line(fmt::format(
        "the item is not in the catalogue: only the {} items of the training part can be recommended",
        split_.catalogue));
  const Entry entry{{*known_user}, {*known_item}, score, line_};
  for (const Histories* part : seen_)
    if (part->contains(entry.user, entry.item))
      return at_line(
          "the user has this item already, in a part that is not judged; leave such items out of the lists");
  entries_.push_back(entry);
  return Done{};
}

Status ListReader::read(std::string_view text, const ListFormat& format) {
  LineReader lines(text);
  FieldSplitter splitter(format.separator);
  std::vector<std::string_view> fields;
  std::string_view line;
  for (bool first = true; lines.next(line); first = false) {
    line_ = lines.number();
    if (first && format.header) continue;
    if (!splitter.split(line, fields))
      return at_line("a quoted field does not end on its line; close the quote");
    if (format.adjacency) {
      for (std::size_t n = 1; n < fields.size(); ++n) SOTTO_TRY_DONE(add(fields[0], fields[n], 0.0));
      continue;
    }
    if (fields.size() != format.columns)
      return at_line(
          fmt::format("{} columns where {} are expected; correct the line", fields.size(), format.columns));
    double value = 0.0;
    if (format.score) {
      SOTTO_TRY(value, score(fields[*format.score]));
    }
    SOTTO_TRY_DONE(add(fields[format.user], fields[format.item], value));
  }
  if (entries_.empty())
    return fail(Code::bad_input,
                fmt::format("{}: there are no lists in it; give lines of user, item, score", name_));
  return Done{};
}

Status ListReader::check_repeats(std::span<const Entry> list) const {
  std::vector<Entry> sorted(list.begin(), list.end());
  std::sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) {
    return a.item != b.item ? a.item < b.item : a.line < b.line;
  });
  for (std::size_t n = 1; n < sorted.size(); ++n)
    if (sorted[n].item == sorted[n - 1].item)
      return error_at(
          name_, sorted[n].line,
          fmt::format("the item stands twice in the user's list (first in line {}); leave one out",
                      sorted[n - 1].line));
  return Done{};
}

Result<GivenLists> ListReader::arrange() {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.user < b.user; });
  GivenLists result;
  result.offsets.assign(split_.users.size() + 1, 0);
  const auto better = [](const Entry& a, const Entry& b) { return a.score > b.score; };
  for (std::size_t begin = 0; begin < entries_.size();) {
    std::size_t end = begin;
    while (end < entries_.size() && entries_[end].user == entries_[begin].user) ++end;
    const std::span<Entry> list = std::span(entries_).subspan(begin, end - begin);
    SOTTO_TRY_DONE(check_repeats(list));
    if (!std::is_sorted(list.begin(), list.end(), better)) {
      std::stable_sort(list.begin(), list.end(), better);
      ++result.reordered;
    }
    result.offsets[list[0].user.value + 1] = list.size();
    ++result.lists;
    begin = end;
  }
  for (std::size_t user = 0; user < split_.users.size(); ++user)
    result.offsets[user + 1] += result.offsets[user];
  for (const Entry& entry : entries_) result.items.push_back(entry.item);
  return result;
}

}  // namespace

Result<GivenLists> load_given_lists(const TextSource& source, const Split& split,
                                    std::span<const Histories* const> seen, const std::string& columns) {
  SOTTO_TRY(const DecodedText text, DecodedText::decode(source));
  SOTTO_TRY(const ListFormat format, format_of(source.name, text.view(), columns));
  ListReader reader(source.name, split, seen);
  SOTTO_TRY_DONE(reader.read(text.view(), format));
  return reader.arrange();
}

}  // namespace sotto::data
