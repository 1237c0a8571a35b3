#include "lab/trec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto::lab {

namespace {

Status check_id(std::string_view id, const char* what) {
  if (id.find_first_of(" \t\v\f\r\n") == std::string_view::npos && !id.empty()) return Done{};
  return fail(
      Code::bad_input,
      fmt::format("the id of {} holds a blank, which parts the fields of a TREC file: use --format tsv, or "
                  "other ids",
                  what));
}

}  // namespace

Result<std::string> trec_run_lines(std::string_view user, std::span<const ScoredItem> list,
                                   const Split& split) {
  SOTTO_TRY_DONE(check_id(user, "a user"));
  std::string text;
  float before = std::numeric_limits<float>::infinity();
  for (std::size_t n = 0; n < list.size(); ++n) {
    const std::string_view item = split.items.name(list[n].item.value);
    SOTTO_TRY_DONE(check_id(item, "an item"));
    before = std::min(list[n].score, std::nextafter(before, -std::numeric_limits<float>::infinity()));
    text += fmt::format("{} Q0 {} {} {} sotto\n", user, item, n + 1, before);
  }
  return text;
}

Result<std::string> trec_qrels(const Split& split, const Histories& part, std::span<const UserIndex> users) {
  std::string text;
  for (const UserIndex user : users) {
    const std::string_view name = split.users.name(user.value);
    SOTTO_TRY_DONE(check_id(name, "a user"));
    for (const ItemIndex item : part.of(user)) {
      SOTTO_TRY_DONE(check_id(split.items.name(item.value), "an item"));
      text += fmt::format("{} 0 {} 1\n", name, split.items.name(item.value));
    }
  }
  return text;
}

}  // namespace sotto::lab
