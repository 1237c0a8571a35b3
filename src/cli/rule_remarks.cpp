#include "cli/rule_remarks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_word.h"
#include "device/item_number.h"
#include "engine/terminal/console.h"

namespace sotto::cli {

Result<std::string> remark_on_item(Vault& vault, const std::string& item) {
  SOTTO_TRY(const std::vector<std::string> own, vault.items());
  if (std::ranges::find(own, item) != own.end()) return std::string();
  NearestWord nearest(item);
  bool checked = false;
  SOTTO_TRY(const std::vector<std::string> tasks, vault.held_tasks());
  for (const std::string& task : tasks) {
    SOTTO_TRY(const auto model, vault.model(task));
    SOTTO_TRY(const auto names, vault.catalogue(model->catalogue));
    if (!names && !model->catalogue.empty()) continue;  // not fetched
    checked = true;
    const auto row = names ? names->find(item) : item_number(item);
    if (row && *row < model->rows.rows()) return std::string();
    for (std::uint32_t other = 0; names && other < names->size(); ++other)
      nearest.look_at(names->name(other));
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
      "a coordinator's catalogue has no categories. To keep this category on the device, the device takes no "
      "part in tasks over a network while the rule is set; remove it with 'sotto device consent category {} "
      "none', and make rules for single things instead. In 'sotto train --device' with --names the rule "
      "applies.",
      shell_word(category));
}

}  // namespace sotto::cli
