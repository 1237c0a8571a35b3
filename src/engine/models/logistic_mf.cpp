// MF.
#include "model/central/logistic_mf.h"

#include "engine/models/all_models.h"
#include "engine/plan/shared_fields.h"
#include "engine/train/central_training.h"
#include "engine/train/memory_plan.h"
#include "engine/train/training.h"

namespace sotto::engine {

namespace {

struct MfSettings {
  std::uint32_t negatives = 4;
};

LogisticMfOptions mf_options(const TrainRequest& request) {
  return {.factors = request.plan.fpl.factors,
          .learning_rate = request.plan.fpl.learning_rate,
          .lambda = request.lambda.value_or(LogisticMfOptions{}.lambda),
          .negatives = request.model.own<MfSettings>().negatives,
          .init_sd = request.plan.fpl.init_sd,
          .seed = request.plan.seed};
}

void add_mf_memory(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  add_factor_rows(request, facts, parts);
  add_who_has_what(facts, parts);
  add_jobs(facts, parts);
}

}  // namespace

ModelEntry mf_entry() {
  using namespace fields;
  return {.name = "mf",
          .title = "MF",
          .about = "matrix factorisation on sampled examples, logistic loss",
          .fields = {factors(), learning_rate(), epochs(), lambda(LogisticMfOptions{}.lambda), init_sd(),
                     field({"model.negatives", "--negatives", "N", "negatives drawn per consumed item"},
                           own(&MfSettings::negatives))
                         .in_group("Model")},
          .own = MfSettings{},
          .check = [](const TrainRequest& request) { return check(mf_options(request)); },
          .start =
              [](const TrainRequest& request, const Split& split, Executor& executor, Storage*) {
                return start_central<LogisticMf>(request, split, mf_options(request), executor);
              },
          .shapes = factor_shapes,
          .memory = add_mf_memory};
}

}  // namespace sotto::engine
