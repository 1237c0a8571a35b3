#include "engine/train/factor_training.h"

#include "base/assert.h"
#include "engine/plan/model_entry.h"
#include "engine/protect/training_consent.h"
#include "engine/train/tail_average.h"

namespace sotto::engine {

void FactorTraining::collect_with(Collector& /*collector*/) {
  SOTTO_ASSERT(false, "a central model has no contributions");
}

Result<std::unique_ptr<FactorTraining>> start_factor_training(const TrainRequest& asked, const Split& split,
                                                              Executor& executor, Storage* private_memory) {
  SOTTO_TRY(const TrainRequest request, with_people(asked, split));
  SOTTO_TRY(auto training, request.model->start(request, split, executor, private_memory));
  if (request.average_last == 0) return training;
  return std::unique_ptr<FactorTraining>(
      std::make_unique<TailAverage>(std::move(training), request.average_last));
}

}  // namespace sotto::engine
