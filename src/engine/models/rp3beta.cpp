// RP3β: random walks of three steps between people and items, in one place and from the counts of devices.
#include "model/central/rp3beta.h"

#include "engine/models/all_models.h"
#include "engine/models/pair_weights.h"
#include "engine/plan/shared_fields.h"

namespace sotto::engine {

namespace {

struct WalkSettings {
  float alpha = 0.5f;
  float beta = 0.2f;
};

Rp3Options walk_options(const TrainRequest& request) {
  const WalkSettings& own = request.model.own<WalkSettings>();
  return {.alpha = own.alpha, .beta = own.beta, .neighbors = request.knn.neighbors};
}

Status check_walk(const TrainRequest& request) { return check(walk_options(request)); }

PersonWeight walk_weight(const TrainRequest& request) {
  return PersonWeight(request.model.own<WalkSettings>().alpha);
}

Result<DirectModel> make_walk(const TrainRequest& request, const Split& split, Executor& executor) {
  const Audiences audiences(split.train, split.catalogue);
  const HistoryPairs walk_pairs(split.train, audiences, walk_weight(request));
  return weighted_items(fit_rp3beta(walk_pairs, walk_options(request), executor), {}, request, split);
}

Result<DirectModel> solve_walk(const PairRound& round, const TrainRequest& request, const Split& split,
                               Executor& executor) {
  return weighted_items(fit_rp3beta(round.sum, walk_options(request), executor), round.report, request,
                        split);
}

constexpr PairModel walk_pairs{walk_weight, solve_walk};

Fields walk_fields() {
  using namespace fields;
  return {recency(), neighbors("weights kept per item"),
          field({"linear.alpha", "--alpha", "N", "how much long histories and popular starts are damped"},
                own(&WalkSettings::alpha))
              .with_tries({"0.8", "1.0"})
              .in_group("Model"),
          field({"linear.beta", "--beta", "N", "how much popular ends are damped"}, own(&WalkSettings::beta))
              .with_tries({"0.3", "0.6"})
              .in_group("Model")};
}

}  // namespace

ModelEntry rp3beta_entry() {
  return {
      .name = "rp3beta",
      .title = "RP3β",
      .about = "random walks of three steps (Paudel et al. 2017)",
      .draws = Draws::never,
      .fields = walk_fields(),
      .own = WalkSettings{},
      .check = check_walk,
      .make = make_walk,
      .memory = [](const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
        add_audiences(facts, parts);
        add_kept_weights(request, facts, parts);
      }};
}

ModelEntry fedrp3beta_entry() {
  return {
      .name = "fedrp3beta",
      .title = "Federated RP3β",
      .about = "RP3β from one sum of item pairs",
      .sends = Sends::pair_counts,
      .reveals = "which consented items occur together, once",
      .draws = Draws::if_protected,
      .fields = joined({walk_fields(), {fields::wire()}, fields::pair_fields(), fields::federated_fields()}),
      .own = WalkSettings{},
      .check = check_walk,
      .make = make_of_pairs,
      .view = view_weights<WeightsBy::source>,
      .of_rows = renamed_weights,
      .memory =
          [](const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
            add_pair_sums(request, facts, parts);
            add_kept_weights(request, facts, parts);
          },
      .pairs = &walk_pairs};
}

}  // namespace sotto::engine
