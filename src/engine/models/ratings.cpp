// The central models of ratings (model/ratings): made in one go from a split with ratings. PaCo, which looks
// at none, is among them.
#include "engine/models/all_models.h"
#include "engine/plan/shared_fields.h"
#include "engine/train/direct_model.h"
#include "model/ratings/biased_mf.h"
#include "model/ratings/nmf.h"
#include "model/ratings/paco.h"
#include "model/ratings/rating_knn.h"
#include "model/ratings/rating_means.h"
#include "model/ratings/svdpp.h"

namespace sotto::engine {

namespace {

// Of the models that learn record by record.
struct RecordSettings {
  float rate = 0.02f;
};

// Chosen on the validation part of MovieLens 100K, temporal:0.8 (docs/models.md).
constexpr float usual_record_lambda = 0.1f;

SgdOptions sgd_options(const TrainRequest& request) {
  return {.factors = request.plan.fpl.factors,
          .epochs = request.plan.epochs,
          .learning_rate = request.model.own<RecordSettings>().rate,
          .reg = request.lambda.value_or(usual_record_lambda),
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

Result<RatingData> ratings_of(const TrainRequest& request, const Split& split) {
  if (split.records == nullptr || !split.records->has_ratings)
    return fail(Code::bad_input,
                fmt::format("{} learns from ratings and the data has none: give files with a "
                            "rating column (--data), not a saved split",
                            request.model->name));
  return RatingData{&split.train, split.records->train.ratings, split.records->scale, split.catalogue};
}

using Fit = Result<DirectModel> (*)(const RatingData& data, const TrainRequest& request, Executor& executor);

ModelEntry of_ratings(const char* name, const char* title, const char* about, Fit fit,
                      Fields own_fields = {}) {
  return {.name = name,
          .title = title,
          .about = about,
          .needs_ratings = true,
          .draws = Draws::never,
          .fields = std::move(own_fields),
          .make = [fit](const TrainRequest& request, const Split& split,
                        Executor& executor) -> Result<DirectModel> {
            SOTTO_TRY(const RatingData data, ratings_of(request, split));
            return fit(data, request, executor);
          }};
}

template <MeanOf of>
Result<DirectModel> fit_means(const RatingData& data, const TrainRequest& /*request*/,
                              Executor& /*executor*/) {
  return direct(RatingMeans::fit(data, of));
}

template <KnnRows rows>
Result<DirectModel> fit_knn(const RatingData& data, const TrainRequest& request, Executor& executor) {
  return direct(RatingKnn::fit(data, rows, request.knn, executor));
}

ModelEntry knn_of_ratings(const char* name, const char* title, const char* about, Fit fit) {
  using namespace fields;
  ModelEntry entry = of_ratings(name, title, about, fit, {neighbors(), shrink(), similarity()});
  entry.check = [](const TrainRequest& request) { return check(request.knn); };
  return entry;
}

// Learned record by record, in an order that is drawn.
ModelEntry by_records(const char* name, const char* title, const char* about, Fit fit) {
  using namespace fields;
  ModelEntry entry =
      of_ratings(name, title, about, fit,
                 {factors(),
                  field({"model.lr", "--lr", "N", "learning rate α"}, own(&RecordSettings::rate))
                      .of_scope("ratings")
                      .in_group("Model"),
                  lambda(usual_record_lambda), epochs()});
  entry.draws = Draws::always;
  entry.own = RecordSettings{};
  return entry;
}

}  // namespace

ModelEntry globalmean_entry() {
  return of_ratings("globalmean", "Global mean", "the mean of all ratings", fit_means<MeanOf::all>);
}

ModelEntry usermean_entry() {
  return of_ratings("usermean", "User mean", "the mean of the person's ratings", fit_means<MeanOf::user>);
}

ModelEntry itemmean_entry() {
  return of_ratings("itemmean", "Item mean", "the mean of the item's ratings", fit_means<MeanOf::item>);
}

ModelEntry toppop_ratings_entry() {
  return of_ratings("toppop-ratings", "Top-Pop, item means",
                    "lists by popularity, ratings by the item's mean", fit_means<MeanOf::popular>);
}

ModelEntry baseline_entry() {
  return of_ratings("baseline", "Biases", "the mean of all ratings, and what user and item add to it",
                    [](const RatingData& data, const TrainRequest& request, Executor&) {
                      return direct(BiasModel::fit(data, bias_options(request)));
                    },
                    {fields::lambda(BiasOptions{}.user_reg)
                         .with_standard(fmt::format("{} for users, {} for items", BiasOptions{}.user_reg,
                                                    BiasOptions{}.item_reg)),
                     fields::epochs()});
}

ModelEntry uknn_ratings_entry() {
  return knn_of_ratings("uknn-ratings", "User-kNN, ratings", "how similar people rated the item",
                        fit_knn<KnnRows::users>);
}

ModelEntry iknn_ratings_entry() {
  return knn_of_ratings("iknn-ratings", "Item-kNN, ratings", "how the person rated similar items",
                        fit_knn<KnnRows::items>);
}

ModelEntry biasedmf_entry() {
  return by_records("biasedmf", "Biased MF", "factors and biases, by steps on single ratings",
                    [](const RatingData& data, const TrainRequest& request, Executor&) {
                      return direct(BiasedMf::fit(data, sgd_options(request)));
                    });
}

ModelEntry nmf_entry() {
  ModelEntry entry = of_ratings("nmf", "NMF", "factors that are never negative",
                                [](const RatingData& data, const TrainRequest& request, Executor&) {
                                  return direct(Nmf::fit(data, nmf_options(request)));
                                },
                                {fields::factors(), fields::lambda(NmfOptions{}.reg), fields::epochs()});
  entry.draws = Draws::always;
  return entry;
}

ModelEntry svdpp_entry() {
  return by_records("svdpp", "SVD++", "biased MF that also learns from which items were rated",
                    [](const RatingData& data, const TrainRequest& request, Executor&) {
                      return direct(Svdpp::fit(data, sgd_options(request)));
                    });
}

ModelEntry paco_entry() {
  return {.name = "paco",
          .title = "PaCo",
          .about = "co-clusters of users and items",
          .fields = {fields::factors().with_help("clusters of users, and of items"), fields::epochs()},
          .make = [](const TrainRequest& request, const Split& split, Executor&) {
            return direct(Paco::fit(split.train, split.catalogue, paco_options(request)));
          }};
}

}  // namespace sotto::engine
