#include "engine/train/pair_model.h"

#include "engine/plan/model_entry.h"
#include "engine/protect/protection.h"
#include "engine/protect/training_consent.h"
#include "privacy/pair_contribution.h"

namespace sotto::engine {

Result<PairRound> gather_item_pairs(const TrainRequest& request, const Split& split, Executor& executor) {
  const PairLayout layout(split.catalogue);
  const SumShape shape{layout.rows(), PairLayout::width};
  const PersonWeight weight = request.model->pairs->weight(request);
  SOTTO_TRY(Protection protection, protect(request, shape, executor));
  SOTTO_TRY_DONE(watch_device(request, split, shape, protection));
  Collector* collector = protection.first();
  if (collector == nullptr)
    return gather_pairs(split.train, split.catalogue, request.plan, weight, executor,
                        request.wire ? Path::wire : Path::fast);
  SOTTO_TRY(CollectedNumbers numbers,
            collect_pairs(split.train, split.catalogue, request.plan, weight, *collector));
  SOTTO_TRY(PairSum sum, counted_pairs(layout, std::move(numbers.sums), weight));
  return PairRound{std::move(sum), numbers.report};
}

Result<DirectModel> make_of_pairs(const TrainRequest& request, const Split& split, Executor& executor) {
  SOTTO_TRY(const TrainRequest consented, with_people(request, split));
  SOTTO_TRY(const PairRound round, gather_item_pairs(consented, split, executor));
  return request.model->pairs->solve(round, consented, split, executor);
}

}  // namespace sotto::engine
