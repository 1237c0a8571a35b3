#include "cli/rule_remarks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_word.h"
#include "device/item_number.h"
#include "engine/terminal/console.h"

namespace sotto::cli {

namespace {

// Of the thing with this title, where no thing has it as its name; empty: there is none.
Result<std::string> name_of_title(Vault& vault, const std::string& title) {
  std::string named;
  SOTTO_TRY(const std::vector<std::string> tasks, vault.held_tasks());
  for (const std::string& task : tasks) {
    SOTTO_TRY(const auto model, vault.model(task));
    SOTTO_TRY(const auto known, vault.catalogue(model->catalogue));
    if (known == nullptr) continue;
    if (known->names.find(title)) return std::string();
    for (std::uint32_t item = 0; item < known->titles.size() && named.empty(); ++item)
      if (known->titles[item] == title) named = known->names.name(item);
  }
  return named;
}

}  // namespace

Result<std::string> remark_on_item(Vault& vault, const std::string& item) {
  SOTTO_TRY(const std::string named, name_of_title(vault, item));
  if (!named.empty())
    return fmt::format(
        "'{}' is a title, and rules are for names, so the rule has no effect: the thing is called '{}'.",
        item, named);
  SOTTO_TRY(const std::vector<std::string> own, vault.items());
  if (std::ranges::find(own, item) != own.end()) return std::string();
  NearestWord nearest(item);
  bool checked = false;
  SOTTO_TRY(const std::vector<std::string> tasks, vault.held_tasks());
  for (const std::string& task : tasks) {
    SOTTO_TRY(const auto model, vault.model(task));
    SOTTO_TRY(const auto known, vault.catalogue(model->catalogue));
    if (!known && !model->catalogue.empty()) continue;  // not fetched
    checked = true;
    const auto row = known ? known->names.find(item) : item_number(item);
    if (row && (known || *row < model->rows.rows())) return std::string();
    for (std::uint32_t other = 0; known && other < known->names.size(); ++other)
      nearest.look_at(known->names.name(other));
  }
  if (!checked)
    return fmt::format(
        "'{}' is not among your things, and this device has no catalogue yet: whether there is such a thing "
        "cannot be checked before its first exchange.",
        item);
  return fmt::format("no catalogue on this device has '{}', so the rule has no effect on it{}.", item,
                     nearest.word().empty() ? "" : fmt::format("; did you mean '{}'?", nearest.word()));
}

std::string remark_on_category(const std::string& category, const std::string& answer) {
  if (answer != "never" && answer != "ask") return {};
  return fmt::format(
      "to keep this category on the device, the device takes no part in tasks over a network whose catalogue "
      "does not say what is in which category, while the rule is set; remove it with 'sotto device consent "
      "category {} none', and make rules for single things instead.",
      shell_word(category));
}

Result<std::string> remark_on_category(Vault& vault, const std::string& category, const std::string& answer) {
  if (answer == "none") return std::string();
  NearestWord nearest(category);
  bool known = false, all_tell = true, some_tell = false;
  SOTTO_TRY(const std::vector<std::string> tasks, vault.held_tasks());
  for (const std::string& task : tasks) {
    SOTTO_TRY(const auto model, vault.model(task));
    SOTTO_TRY(const auto catalogue, vault.catalogue(model->catalogue));
    const bool tells = catalogue != nullptr && !catalogue->categories.empty();
    all_tell = all_tell && tells;
    some_tell = some_tell || tells;
    for (std::size_t item = 0; tells && item < catalogue->categories.size(); ++item)
      for_categories(catalogue->categories[item], [&](std::string_view one) {
        known = known || one == category;
        nearest.look_at(one);
      });
  }
  if (some_tell && !known)
    return fmt::format(
        "no catalogue on this device has the category '{}', so the rule has no effect there{}.", category,
        nearest.word().empty() ? "" : fmt::format("; did you mean '{}'?", nearest.word()));
  return some_tell && all_tell ? std::string() : remark_on_category(category, answer);
}

}  // namespace sotto::cli
