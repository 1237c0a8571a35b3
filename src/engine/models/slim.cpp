// SLIM: sparse linear weights between items, by coordinate descent.
#include "model/central/slim.h"

#include "engine/models/all_models.h"
#include "engine/models/pair_weights.h"
#include "engine/plan/shared_fields.h"

namespace sotto::engine {

namespace {

struct SlimSettings {
  float l1 = 1.0f;
  bool non_negative = true;
};

SlimOptions slim_options(const TrainRequest& request) {
  const SlimSettings& own = request.model.own<SlimSettings>();
  SlimOptions options;
  options.l1 = own.l1;
  options.l2 = request.lambda.value_or(options.l2);
  options.non_negative = own.non_negative;
  options.neighbors = request.knn.neighbors;
  return options;
}

Result<DirectModel> make_slim(const TrainRequest& request, const Split& split, Executor& executor) {
  const Audiences audiences(split.train, split.catalogue);
  const HistoryPairs pairs(split.train, audiences, PersonWeight());
  return weighted_items(fit_slim(pairs, slim_options(request), executor), {}, request, split);
}

}  // namespace

ModelEntry slim_entry() {
  using namespace fields;
  return {.name = "slim",
          .title = "SLIM",
          .about = "sparse linear weights between items (Ning and Karypis 2011)",
          .draws = Draws::never,
          .fields = {lambda(SlimOptions{}.l2).with_tries({"10.0", "100.0"}), recency(),
                     neighbors("weights kept per item"),
                     field({"linear.l1", "--l1", "N", "weight of |w|₁"}, own(&SlimSettings::l1))
                         .with_tries({"1.0", "5.0", "20.0"})
                         .in_group("Model"),
                     toggle({"linear.non_negative", "--negative-weights", "", "let weights be negative"},
                            own(&SlimSettings::non_negative), false)
                         .in_group("Model")},
          .own = SlimSettings{},
          .check = [](const TrainRequest& request) { return check(slim_options(request)); },
          .make = make_slim,
          .memory =
              [](const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
                add_audiences(facts, parts);
                parts.push_back({"pairs of items", 8.0 * pairs_that_occur(facts)});
                add_kept_weights(request, facts, parts);
              }};
}

}  // namespace sotto::engine
