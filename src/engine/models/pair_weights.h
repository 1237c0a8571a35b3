// What the item-item models share: histories as pairs, weights that are kept, and the memory of both.
#pragma once

#include "engine/plan/model_entry.h"
#include "engine/train/memory_plan.h"
#include "engine/train/pair_model.h"
#include "engine/train/released_rows.h"
#include "engine/train/training.h"
#include "fed/models/pair_task.h"
#include "model/central/item_weights.h"

namespace sotto::engine {

// The model of these weights. Everybody gets the whole of it: asking for the rows of one's own items would
// name them.
[[nodiscard]] Result<DirectModel> weighted_items(Result<ItemWeights> weights, const RoundReport& report,
                                                 const TrainRequest& request, const Split& split);

// Kept weights as a server published them (fed/models/pair_task.h), in the numbers of the data's items; and
// the model over them.
[[nodiscard]] Result<Parameters> renamed_weights(const ReleasedRows& released, const TrainRequest& request,
                                                 const Split& split, Executor& executor);
template <WeightsBy by>
[[nodiscard]] Result<std::unique_ptr<Recommender>> view_weights(const TrainRequest& request,
                                                                const Split& split, const RowsView& rows,
                                                                Executor& /*executor*/) {
  if (rows.items.rows() != split.catalogue)
    return fail(Code::bad_input, "the model is not of the run's items: export it again");
  SOTTO_TRY(ItemWeights weights, weights_in(rows.items, by));
  return std::unique_ptr<Recommender>(
      std::make_unique<WeightedItems>(split.train, std::move(weights), Recency(request.recency)));
}

void add_audiences(const MemoryFacts& facts, std::vector<MemoryPart>& parts);
// And the sums of pairs that come from devices.
void add_pair_sums(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts);
// Of how many items.
[[nodiscard]] double summed_items(const TrainRequest& request, const MemoryFacts& facts);
// `neighbors` weights per item.
void add_kept_weights(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts);

}  // namespace sotto::engine
