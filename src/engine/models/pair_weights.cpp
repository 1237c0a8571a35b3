#include "engine/models/pair_weights.h"

#include <algorithm>
#include <cmath>

#include "fed/weights_message.h"
#include "model/central/ease.h"

namespace sotto::engine {

Result<DirectModel> weighted_items(Result<ItemWeights> weights, const RoundReport& report,
                                   const TrainRequest& request, const Split& split) {
  if (!weights.ok()) return weights.error();
  DirectModel made{.model = nullptr, .totals = report};
  made.totals.bytes_down = encoded_weights_bytes(*weights) * report.exchanges;
  made.model = std::make_unique<WeightedItems>(split.train, std::move(*weights), Recency(request.recency));
  return made;
}

Result<Parameters> renamed_weights(const ReleasedRows& released, const TrainRequest& /*request*/,
                                   const Split& /*split*/, Executor& /*executor*/) {
  Parameters made{.items = placed(released.rows, released.item_at), .users = {}};
  std::vector<std::uint32_t> here(released.task.items, no_row);  // of the task's items those of the data
  for (std::uint32_t item = 0; item < released.item_at.size(); ++item)
    if (released.item_at[item] != no_row) here[released.item_at[item]] = item;
  RowMatrix& rows = made.items;
  const std::size_t most = rows.width() / 2;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    for (std::size_t k = 0; k < most; ++k) {
      float& named = rows.row(row)[k];
      float& weight = rows.row(row)[most + k];
      if (weight == 0.0f) continue;
      if (!(named >= 0.0f && named < static_cast<float>(here.size())))
        return fail(Code::bad_input, "the version names items that its task does not have: export another");
      const std::uint32_t item = here[static_cast<std::size_t>(named)];
      if (item == no_row) weight = 0.0f;
      named = item == no_row ? 0.0f : static_cast<float>(item);
    }
  return made;
}

void add_audiences(const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  parts.push_back({"who has each item", 4.0 * static_cast<double>(facts.interactions) +
                                            12.0 * static_cast<double>(facts.catalogue)});
}

double summed_items(const TrainRequest& request, const MemoryFacts& facts) {
  return std::min(static_cast<double>(facts.catalogue),
                  static_cast<double>(request.pairs.items.value_or(UINT32_MAX)));
}

void add_pair_sums(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const double kept = summed_items(request, facts), pairs = kept * (kept + 1.0) / 2.0;
  if (request.sum.kind != SumKind::plain && !request.dp.asked()) {
    add_audiences(facts, parts);
    // Two copies of 8 bytes at a time, of which one may be in the ring.
    parts.push_back({"protected sums of pairs", 18.0 * pairs});
    const auto users = static_cast<double>(facts.users);
    const double mean = static_cast<double>(facts.interactions) / std::max(1.0, users);
    if (request.sum.kind == SumKind::products)  // numbers of a ring for so many, at two aggregators
      parts.push_back(
          {"parts of people's items", users * kept * (std::log2(std::max(1.0, users)) + 2.0) / 4.0});
    else  // in rows of sixteen numbers
      parts.push_back({"people's pairs", 68.0 * users * std::min(1.5 * mean * mean, pairs / 16.0)});
    return;
  }
  const auto catalogue = static_cast<double>(facts.catalogue);
  const bool triangle = catalogue <= static_cast<double>(usual_dense_items);
  const double shards = static_cast<double>(std::min<std::uint64_t>(facts.threads, 8));
  add_audiences(facts, parts);
  parts.push_back(
      {"sums of pairs", triangle ? 4.0 * shards * catalogue * catalogue : 30.0 * pairs_that_occur(facts)});
}

void add_kept_weights(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const auto catalogue = static_cast<double>(facts.catalogue);
  parts.push_back({"weights", 16.0 * std::min<double>(request.knn.neighbors, catalogue) * catalogue});
}

}  // namespace sotto::engine
