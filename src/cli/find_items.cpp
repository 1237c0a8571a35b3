#include "cli/find_items.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/text_source.h"
#include "engine/files/files.h"

namespace sotto::cli {

namespace {

constexpr std::size_t most_suggestions = 3;

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& letter : low)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return low;
}

// " Perhaps venue-00012 (Café Lindgren)?": items of that name.
std::string suggestions(const Split& split, const std::string& text) {
  std::string found;
  std::size_t count = 0;
  const std::string wanted = lower(text);
  for (std::uint32_t item = 0; item < split.catalogue && !split.item_names.empty() && !wanted.empty();
       ++item) {
    if (lower(split.item_names[item]).find(wanted) == std::string::npos) continue;
    if (++count > most_suggestions) break;
    found += fmt::format("{}{} ({})", count == 1 ? "" : ", ", split.items.name(item), split.item_names[item]);
  }
  return count == 0 ? "" : fmt::format("; perhaps {}?", found);
}

}  // namespace

std::vector<GivenId> given_ids(const std::string& option, const std::vector<std::string>& ids) {
  std::vector<GivenId> given;
  given.reserve(ids.size());
  for (const std::string& id : ids)
    given.push_back({id, fmt::format("{}, number {}", option, given.size() + 1)});
  return given;
}

Result<std::vector<GivenId>> read_ids(const std::string& path) {
  SOTTO_TRY(const std::string text, read_text(path));
  SOTTO_TRY(const DecodedText decoded, DecodedText::decode({path, text}));
  std::vector<GivenId> ids;
  LineReader lines(decoded.view());
  for (std::string_view line; lines.next(line);)
    ids.push_back({std::string(trimmed(line)), fmt::format("{}, line {}", path, lines.number())});
  if (ids.empty())
    return fail(Code::bad_input, fmt::format("{}: the file is empty: give one id per line", path));
  return ids;
}

Result<ItemIndex> find_item(const Split& split, const std::string& id) {
  const auto index = split.items.find(id);
  if (!index)
    return fail(Code::not_found, fmt::format("the run has no item '{}'{}", id, suggestions(split, id)));
  if (*index >= split.catalogue)
    return fail(Code::not_found,
                fmt::format("item '{}' occurs in the test part only: the model has never seen it", id));
  return ItemIndex{*index};
}

Result<std::vector<ItemIndex>> find_history(const Split& split, const std::vector<GivenId>& ids) {
  std::vector<ItemIndex> history;
  for (const GivenId& given : ids) {
    const auto index = split.items.find(given.id);
    if (!index || *index >= split.catalogue)
      return fail(Code::not_found,
                  fmt::format("{}: the run's model does not know this item: leave it out, or write ids as in "
                              "the training data",
                              given.where));
    history.push_back({*index});
  }
  std::sort(history.begin(), history.end());
  history.erase(std::unique(history.begin(), history.end()), history.end());
  return history;
}

Result<std::vector<UserIndex>> find_users(const Split& split, const std::vector<GivenId>& ids,
                                          const char* otherwise) {
  std::vector<UserIndex> users;
  for (const GivenId& given : ids) {
    const auto index = split.users.find(given.id);
    if (!index)
      return fail(Code::not_found,
                  fmt::format("{}: the run has no such user: write ids as in the training data{}",
                              given.where, otherwise));
    users.push_back({*index});
  }
  return users;
}

}  // namespace sotto::cli
