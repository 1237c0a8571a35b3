// The models that know nothing of a person: what is popular, and chance.
#include "engine/models/all_models.h"
#include "engine/train/direct_model.h"
#include "model/central/random_scores.h"
#include "model/central/toppop.h"

namespace sotto::engine {

ModelEntry toppop_entry() {
  return {.name = "toppop",
          .title = "Top-Pop",
          .about = "the items that most people have",
          .draws = Draws::never,
          .make = [](const TrainRequest&, const Split& split, Executor&) -> Result<DirectModel> {
            return DirectModel{.model = std::make_unique<TopPop>(split.train, split.catalogue)};
          }};
}

ModelEntry random_entry() {
  return {.name = "random",
          .title = "Random",
          .about = "items drawn at random",
          .make = [](const TrainRequest& request, const Split& split, Executor&) -> Result<DirectModel> {
            return DirectModel{.model = std::make_unique<RandomScores>(split.catalogue, request.plan.seed)};
          }};
}

}  // namespace sotto::engine
