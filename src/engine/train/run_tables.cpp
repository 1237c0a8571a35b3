// The tables of a run directory: what was judged of each person, and what each item met.
#include <fmt/core.h>

#include "engine/train/run_dir.h"

namespace sotto {

std::string per_user_tsv(const Evaluation& evaluation, const Split& split) {
  std::string text = "user";
  for (const std::string& name : evaluation.per_user.names) text += "\t" + name;
  text += '\n';
  for (std::size_t row = 0; row < evaluation.per_user.users.size(); ++row) {
    text += split.users.name(evaluation.per_user.users[row].value);
    for (std::size_t column = 0; column < evaluation.per_user.names.size(); ++column)
      text += fmt::format("\t{}", evaluation.per_user.at(row, column));
    text += '\n';
  }
  return text;
}

std::string items_tsv(const Evaluation& evaluation, const Split& split,
                      std::span<const std::uint64_t> updates) {
  const std::vector<std::uint32_t> popularity = split.train.popularity(split.catalogue);
  std::string text =
      updates.empty() ? "item\tpopularity\trecommended\n" : "item\tpopularity\trecommended\tupdates\n";
  for (std::size_t item = 0; item < split.catalogue; ++item) {
    text += fmt::format("{}\t{}\t{}", split.items.name(static_cast<std::uint32_t>(item)), popularity[item],
                        evaluation.recommended[item]);
    if (!updates.empty()) text += fmt::format("\t{}", updates[item]);
    text += '\n';
  }
  return text;
}

}  // namespace sotto
