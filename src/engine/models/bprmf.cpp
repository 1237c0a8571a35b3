// BPR-MF: matrix factorisation by ranking pairs, in one place.
#include "engine/models/all_models.h"
#include "engine/models/bpr_options.h"
#include "engine/plan/shared_fields.h"
#include "engine/train/central_training.h"
#include "engine/train/memory_plan.h"
#include "engine/train/training.h"

namespace sotto::engine {

namespace {

void add_bpr_memory(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  add_factor_rows(request, facts, parts);
  add_who_has_what(facts, parts);
  add_jobs(facts, parts);
  add_dealt_items(facts, factor_row_bytes(request.plan.fpl.factors), parts);
}

}  // namespace

BprMfOptions bpr_options(const TrainRequest& request) {
  const FplOptions& fpl = request.plan.fpl;
  return {.factors = fpl.factors,
          .learning_rate = fpl.learning_rate,
          .user_reg = fpl.user_reg,
          .positive_reg = fpl.positive_reg,
          .negative_reg = fpl.negative_reg,
          .init_sd = fpl.init_sd,
          .epochs = request.plan.epochs,
          .seed = request.plan.seed,
          .fold_in = {}};
}

ModelEntry bprmf_entry() {
  using namespace fields;
  return {
      .name = "bprmf",
      .title = "BPR-MF",
      .about = "matrix factorisation by ranking pairs (Rendle et al. 2009)",
      .step = "triples",
      .fields = {factors(), learning_rate(), epochs(), average_last(), user_reg(), positive_reg(),
                 negative_reg(), init_sd()},
      .start = [](const TrainRequest& request, const Split& split, Executor& executor,
                  Storage*) { return start_central<BprMf>(request, split, bpr_options(request), executor); },
      .shapes = factor_shapes,
      .memory = add_bpr_memory};
}

}  // namespace sotto::engine
