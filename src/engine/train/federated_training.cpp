#include "engine/train/federated_training.h"

#include "engine/protect/dp.h"
#include "engine/protect/training_consent.h"
#include "engine/protect/weighing.h"

namespace sotto::engine {

Result<Protection> protect_rounds(const TrainRequest& request, const Split& split,
                                  const Population& population, SumShape shape, Executor& executor,
                                  std::size_t model_rows) {
  SOTTO_TRY(const TrainRequest noisy, with_noise(request, population.schedule.rounds, split));
  SOTTO_TRY(Protection protection, protect(noisy, shape, executor));
  SOTTO_TRY_DONE(put_weighing_before(protection, request, split, shape, population, executor, model_rows));
  SOTTO_TRY_DONE(watch_device(request, split, shape, protection));
  return protection;
}

Result<Population> people_with_histories(const TrainRequest& request, const Split& split) {
  Population population{.users = users_with_history(split.train), .schedule = {}};
  SOTTO_TRY(population.schedule, history_schedule_for(request.plan, population.users.size()));
  return population;
}

}  // namespace sotto::engine
