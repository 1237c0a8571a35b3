// WARP.
#include "model/central/warp.h"

#include "engine/models/all_models.h"
#include "engine/plan/shared_fields.h"
#include "engine/train/central_training.h"
#include "engine/train/memory_plan.h"
#include "engine/train/training.h"

namespace sotto::engine {

namespace {

struct WarpSettings {
  std::uint32_t max_trials = 50;
};

WarpOptions warp_options(const TrainRequest& request) {
  return {.factors = request.plan.fpl.factors,
          .learning_rate = request.plan.fpl.learning_rate,
          .lambda = request.lambda.value_or(WarpOptions{}.lambda),
          .max_trials = request.model.own<WarpSettings>().max_trials,
          .init_sd = request.plan.fpl.init_sd,
          .seed = request.plan.seed};
}

void add_warp_memory(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  add_factor_rows(request, facts, parts);
  add_who_has_what(facts, parts);
  add_jobs(facts, parts);
}

}  // namespace

ModelEntry warp_entry() {
  using namespace fields;
  return {
      .name = "warp",
      .title = "WARP",
      .about = "matrix factorisation by ranks estimated from draws (Weston et al. 2011)",
      .step = "triples",
      .fields = {factors(), learning_rate(), epochs(), lambda(WarpOptions{}.lambda), init_sd(),
                 field({"model.max_trials", "--max-trials", "N", "draws before a step is given up"},
                       own(&WarpSettings::max_trials))
                     .in_group("Model")},
      .own = WarpSettings{},
      .check = [](const TrainRequest& request) { return check(warp_options(request)); },
      .start = [](const TrainRequest& request, const Split& split, Executor& executor,
                  Storage*) { return start_central<Warp>(request, split, warp_options(request), executor); },
      .shapes = factor_shapes,
      .memory = add_warp_memory};
}

}  // namespace sotto::engine
