// The files of a run directory, and those of them that are tables: what was judged of each person, and what
// each item met.
#include <fmt/core.h>

#include <array>

#include "engine/train/run_dir.h"

namespace sotto::engine {

std::span<const RunFile> run_files() {
  static constexpr std::array files{
      RunFile{"run.json",
              "versions, seed, hashes, counts, times; written last: without it a run is not whole"},
      RunFile{"metrics.json", "the judgement"},
      RunFile{"per_user.tsv", "the metrics of each user"},
      RunFile{"items.tsv", "popularity, recommendations and updates of each item"},
      RunFile{"model.bin",
              "the shared parameters, sealed with a hash: a row per item, then a network's layers"},
      RunFile{
          "devices.bin",
          "the simulated devices' private vectors, which real ones would keep; readable by its owner alone"},
      RunFile{"checkpoint.bin", "where the stopped training continues; readable by its owner alone"},
      RunFile{"rounds.jsonl", "one line per round, or several rounds: the same bytes for the same run"},
      RunFile{"dp_budget.txt", "the path of the privacy budget that the run is charged to"},
      RunFile{"features.bin", "what is known about the items, sealed with a hash"},
      RunFile{"records.bin", "ratings, times and contexts, sealed with a hash"},
      RunFile{"split.bin", "ids, training, validation and test part"},
      RunFile{"plan.toml", "the complete plan: 'sotto train --plan' makes the run again"}};
  return files;
}

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

}  // namespace sotto::engine
