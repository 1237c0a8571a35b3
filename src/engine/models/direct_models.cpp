#include "engine/models/direct_models.h"

#include <fmt/core.h>

#include "base/hash.h"
#include "engine/models/content_models.h"
#include "engine/models/item_models.h"
#include "engine/models/rating_models.h"
#include "model/central/item_knn.h"
#include "model/central/random_scores.h"
#include "model/central/toppop.h"
#include "model/central/user_knn.h"
#include "model/named_numbers.h"

namespace sotto {

namespace {

Result<std::unique_ptr<Recommender>> make_baseline(const TrainRequest& request, const Split& split,
                                                   Executor& executor) {
  switch (request.model) {
    case ModelKind::toppop:
      return std::unique_ptr<Recommender>(std::make_unique<TopPop>(split.train, split.catalogue));
    case ModelKind::random:
      return std::unique_ptr<Recommender>(std::make_unique<RandomScores>(split.catalogue, request.plan.seed));
    case ModelKind::userknn: {
      SOTTO_TRY(auto model, UserKnn::fit(split.train, split.catalogue, request.knn, executor));
      return std::unique_ptr<Recommender>(std::move(model));
    }
    case ModelKind::itemknn: {
      SOTTO_TRY(auto model,
                ItemKnn::fit(split.train, split.catalogue, request.knn, executor, Recency(request.recency)));
      return std::unique_ptr<Recommender>(std::move(model));
    }
    case ModelKind::vsm:
      return make_vsm(request, split);
    default:
      break;
  }
  return fail(Code::incompatible, "the run holds no parameters for its model");
}

}  // namespace

Result<DirectModel> make_direct(const TrainRequest& request, const Split& split, Executor& executor) {
  if (request.recency > 0.0f && !split.train.has_ages())
    return fail(
        Code::bad_input,
        "recency needs the order in time, and the split has none: split by time (temporal:0.8), or leave "
        "--recency out");
  if (is_item_model(request.model)) return make_item_model(request, split, executor);
  DirectModel made;
  if (is_rating_model(request.model)) {
    SOTTO_TRY(made.model, make_rating_model(request, split, executor));
    return made;
  }
  SOTTO_TRY(made.model, make_baseline(request, split, executor));
  return made;
}

std::string made_of(const TrainRequest& request, const Split& split) {
  Hasher hasher;
  hasher.text(to_string(request.model)).text(split.hash);
  if (request.model == ModelKind::random) hasher.u64(request.plan.seed);
  if (request.model == ModelKind::userknn || request.model == ModelKind::itemknn) {
    hasher.u64(request.knn.neighbors).text(fmt::format("{}", request.knn.shrink));
    if (request.knn.similarity != Similarity::cosine) hasher.text(to_string(request.knn.similarity));
  }
  if (request.model == ModelKind::vsm) hasher.text(vsm_settings(request, split));
  if (is_item_model(request.model)) hasher.text(item_model_settings(request));
  if (is_rating_model(request.model)) hasher.text(rating_model_settings(request, split));
  if (request.recency > 0.0f) hasher.text(fmt::format("recency {}", request.recency));
  return std::move(hasher).hex();
}

std::string direct_hash(const TrainRequest& request, const Split& split, const Recommender& model) {
  const auto* named = dynamic_cast<const NamedNumbers*>(&model);
  SOTTO_ASSERT(named != nullptr, "a model that is made in one go names its numbers");
  Hasher hasher;
  hasher.text(made_of(request, split));
  named->add_numbers(hasher);
  return std::move(hasher).hex();
}

bool is_named(const std::string& hash, const TrainRequest& request, const Split& split,
              const Recommender& model) {
  return facts_of(request.model).family != ModelFamily::direct ||
         hash == direct_hash(request, split, model) || hash == made_of(request, split);
}

bool draws(const TrainRequest& request) {
  switch (request.model) {
    case ModelKind::toppop:
    case ModelKind::userknn:
    case ModelKind::itemknn:
    case ModelKind::ease:
    case ModelKind::slim:
    case ModelKind::rp3beta:
    case ModelKind::vsm:
    case ModelKind::globalmean:
    case ModelKind::usermean:
    case ModelKind::itemmean:
    case ModelKind::toppop_ratings:
    case ModelKind::baseline:
    case ModelKind::uknn_ratings:
    case ModelKind::iknn_ratings:
      return false;
    case ModelKind::fedease:
    case ModelKind::feditemknn:
    case ModelKind::fedrp3beta:
      // Who gives what, who is grouped with whom, masks and noise are drawn.
      return request.plan.consent.pi < 1.0 || request.consent.any() || request.sum.kind != SumKind::plain ||
             request.robust.asked() || request.criteria.asked() || request.dp.asked();
    default:
      return true;
  }
}

}  // namespace sotto
