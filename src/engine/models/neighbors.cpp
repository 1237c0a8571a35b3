// Nearest neighbours: users or items that are alike, and items by the counts that devices send.
#include "engine/models/all_models.h"
#include "engine/models/pair_weights.h"
#include "engine/plan/shared_fields.h"
#include "engine/train/memory_plan.h"
#include "model/central/item_knn.h"
#include "model/central/pair_knn.h"
#include "model/central/user_knn.h"

namespace sotto::engine {

namespace {

Fields knn_fields() {
  using namespace fields;
  return {neighbors(), shrink(), similarity()};
}

Status check_knn(const TrainRequest& request) { return check(request.knn); }

void add_lists(const TrainRequest& request, std::uint64_t rows, std::vector<MemoryPart>& parts) {
  const auto count = static_cast<double>(rows);
  parts.push_back({"neighbours", 8.0 * std::min<double>(request.knn.neighbors, count) * count});
}

PersonWeight weight_of_person(const TrainRequest& /*request*/) { return PersonWeight(); }

Result<DirectModel> solve_neighbors(const PairRound& round, const TrainRequest& request, const Split& split,
                                    Executor& executor) {
  return weighted_items(fit_pair_knn(round.sum, request.knn, executor), round.report, request, split);
}

constexpr PairModel neighbor_pairs{weight_of_person, solve_neighbors};

}  // namespace

ModelEntry userknn_entry() {
  return {.name = "userknn",
          .title = "User-kNN",
          .about = "the items that the most similar people have",
          .draws = Draws::never,
          .fields = knn_fields(),
          .check = check_knn,
          .make =
              [](const TrainRequest& request, const Split& split, Executor& executor) {
                return direct(UserKnn::fit(split.train, split.catalogue, request.knn, executor));
              },
          .memory = [](const TrainRequest& request, const MemoryFacts& facts,
                       std::vector<MemoryPart>& parts) { add_lists(request, facts.users, parts); }};
}

ModelEntry itemknn_entry() {
  return {.name = "itemknn",
          .title = "Item-kNN",
          .about = "items like those that the person has",
          .draws = Draws::never,
          .fields = joined({knn_fields(), {fields::recency()}}),
          .check = check_knn,
          .make =
              [](const TrainRequest& request, const Split& split, Executor& executor) {
                return direct(ItemKnn::fit(split.train, split.catalogue, request.knn, executor,
                                           Recency(request.recency)));
              },
          .memory = [](const TrainRequest& request, const MemoryFacts& facts,
                       std::vector<MemoryPart>& parts) { add_lists(request, facts.catalogue, parts); }};
}

ModelEntry feditemknn_entry() {
  using namespace fields;
  return {.name = "feditemknn",
          .title = "Federated Item-kNN",
          .about = "Item-kNN from one sum of item pairs",
          .sends = Sends::pair_counts,
          .reveals = "which consented items occur together, once",
          .draws = Draws::if_protected,
          .fields = joined({knn_fields(), {recency(), wire()}, pair_fields(), federated_fields()}),
          .check = check_knn,
          .make = make_of_pairs,
          .view = view_weights<WeightsBy::target>,
          .of_rows = renamed_weights,
          .memory =
              [](const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
                add_pair_sums(request, facts, parts);
                add_kept_weights(request, facts, parts);
              },
          .pairs = &neighbor_pairs};
}

}  // namespace sotto::engine
