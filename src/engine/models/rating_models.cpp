#include "engine/models/rating_models.h"

#include <fmt/core.h>

#include <span>

#include "base/hash.h"
#include "model/ratings/biased_mf.h"
#include "model/ratings/nmf.h"
#include "model/ratings/paco.h"
#include "model/ratings/rating_knn.h"
#include "model/ratings/rating_means.h"
#include "model/ratings/svdpp.h"

namespace sotto {

namespace {

using Made = Result<std::unique_ptr<Recommender>>;

// Chosen on the validation part of MovieLens 100K, temporal:0.8 (docs/models.md).
constexpr float biased_mf_lambda = 0.1f;
constexpr float svdpp_lambda = 0.1f;

SgdOptions sgd_options(const TrainRequest& request, float usual_lambda) {
  return {.factors = request.plan.fpl.factors,
          .epochs = request.plan.epochs,
          .learning_rate = request.rating_lr,
          .reg = request.lambda.value_or(usual_lambda),
          .seed = request.plan.seed};
}

NmfOptions nmf_options(const TrainRequest& request) {
  return {.factors = request.plan.fpl.factors,
          .epochs = request.plan.epochs,
          .reg = request.lambda.value_or(NmfOptions{}.reg),
          .seed = request.plan.seed};
}

BiasOptions bias_options(const TrainRequest& request) {
  const BiasOptions usual;
  return {.user_reg = request.lambda.value_or(usual.user_reg),
          .item_reg = request.lambda.value_or(usual.item_reg),
          .passes = request.plan.epochs};
}

PacoOptions paco_options(const TrainRequest& request) {
  return {.user_clusters = request.plan.fpl.factors,
          .item_clusters = request.plan.fpl.factors,
          .passes = request.plan.epochs,
          .seed = request.plan.seed};
}

template <class Model>
Made as_recommender(Result<std::unique_ptr<Model>> model) {
  if (!model.ok()) return model.error();
  return std::unique_ptr<Recommender>(std::move(*model));
}

Result<RatingData> ratings_of(const TrainRequest& request, const Split& split) {
  if (split.records == nullptr || !split.records->has_ratings)
    return fail(Code::bad_input,
                fmt::format("{} learns from ratings and the data has none: give files with a "
                            "rating column (--data), not a saved split",
                            to_string(request.model)));
  return RatingData{&split.train, split.records->train.ratings, split.records->scale, split.catalogue};
}

// The ratings that are learned from, and their scale.
std::string ratings_name(const Split& split) {
  if (split.records == nullptr) return "";
  Hasher hasher;
  const RatingScale& scale = split.records->scale;
  hasher.text(fmt::format("{} {}", scale.lowest, scale.highest));
  hasher.array(std::span<const float>(split.records->train.ratings));
  return std::move(hasher).hex();
}

}  // namespace

bool is_rating_model(ModelKind model) {
  return model == ModelKind::paco || (needs_ratings(model) && model != ModelKind::fedcars);
}

bool takes_rating_steps(ModelKind model) { return model == ModelKind::biasedmf || model == ModelKind::svdpp; }

Made make_rating_model(const TrainRequest& request, const Split& split, Executor& executor) {
  if (request.model == ModelKind::paco)
    return as_recommender(Paco::fit(split.train, split.catalogue, paco_options(request)));
  SOTTO_TRY(const RatingData data, ratings_of(request, split));
  switch (request.model) {
    case ModelKind::globalmean:
      return as_recommender(RatingMeans::fit(data, MeanOf::all));
    case ModelKind::usermean:
      return as_recommender(RatingMeans::fit(data, MeanOf::user));
    case ModelKind::itemmean:
      return as_recommender(RatingMeans::fit(data, MeanOf::item));
    case ModelKind::toppop_ratings:
      return as_recommender(RatingMeans::fit(data, MeanOf::popular));
    case ModelKind::baseline:
      return as_recommender(BiasModel::fit(data, bias_options(request)));
    case ModelKind::uknn_ratings:
      return as_recommender(RatingKnn::fit(data, KnnRows::users, request.knn, executor));
    case ModelKind::iknn_ratings:
      return as_recommender(RatingKnn::fit(data, KnnRows::items, request.knn, executor));
    case ModelKind::biasedmf:
      return as_recommender(BiasedMf::fit(data, sgd_options(request, biased_mf_lambda)));
    case ModelKind::svdpp:
      return as_recommender(Svdpp::fit(data, sgd_options(request, svdpp_lambda)));
    case ModelKind::nmf:
      return as_recommender(Nmf::fit(data, nmf_options(request)));
    default:
      break;
  }
  return fail(Code::incompatible, "the model predicts no ratings");
}

std::string rating_model_settings(const TrainRequest& request, const Split& split) {
  const std::string text = ratings_name(split);
  switch (request.model) {
    case ModelKind::baseline: {
      const BiasOptions options = bias_options(request);
      return text + fmt::format(" {} {} {}", options.user_reg, options.item_reg, options.passes);
    }
    case ModelKind::uknn_ratings:
    case ModelKind::iknn_ratings:
      return text + fmt::format(" {} {} {}", request.knn.neighbors, request.knn.shrink,
                                to_string(request.knn.similarity));
    case ModelKind::biasedmf:
    case ModelKind::svdpp: {
      const float usual = request.model == ModelKind::svdpp ? svdpp_lambda : biased_mf_lambda;
      const SgdOptions options = sgd_options(request, usual);
      return text + fmt::format(" {} {} {} {} {}", options.factors, options.epochs, options.learning_rate,
                                options.reg, options.seed);
    }
    case ModelKind::nmf: {
      const NmfOptions options = nmf_options(request);
      return text + fmt::format(" {} {} {} {}", options.factors, options.epochs, options.reg, options.seed);
    }
    case ModelKind::paco: {
      const PacoOptions options = paco_options(request);
      return fmt::format(" {} {} {}", options.user_clusters, options.passes, options.seed);
    }
    default:
      return text;
  }
}

}  // namespace sotto
