// What the item-item models share: histories as pairs, weights that are kept, and the memory of both.
#pragma once

#include "engine/plan/model_entry.h"
#include "engine/train/memory_plan.h"
#include "engine/train/pair_model.h"
#include "model/central/item_weights.h"

namespace sotto::engine {

// The model of these weights. Everybody gets the whole of it: asking for the rows of one's own items would
// name them.
[[nodiscard]] Result<DirectModel> weighted_items(Result<ItemWeights> weights, const RoundReport& report,
                                                 const TrainRequest& request, const Split& split);

void add_audiences(const MemoryFacts& facts, std::vector<MemoryPart>& parts);
// And the sums of pairs that come from devices.
void add_pair_sums(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts);
// Of how many items.
[[nodiscard]] double summed_items(const TrainRequest& request, const MemoryFacts& facts);
// `neighbors` weights per item.
void add_kept_weights(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts);

}  // namespace sotto::engine
