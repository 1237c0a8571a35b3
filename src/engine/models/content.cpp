// The models that know items by their features and are not federated: VSM, made in one go, and kaHFM, trained
// in steps.
#include "engine/models/all_models.h"
#include "engine/models/bpr_options.h"
#include "engine/plan/shared_fields.h"
#include "engine/train/central_training.h"
#include "engine/train/direct_model.h"
#include "engine/train/memory_plan.h"
#include "engine/train/training.h"
#include "model/central/kahfm.h"
#include "model/central/vsm.h"

namespace sotto::engine {

namespace {

Status check_features(const TrainRequest& request, const Split& split) {
  if (split.features != nullptr) return Done{};
  return fail(
      Code::usage,
      fmt::format("{} needs features of the items: give a knowledge graph or a list of features with --kg",
                  request.model->title));
}

Result<DirectModel> make_vsm(const TrainRequest& request, const Split& split, Executor& /*executor*/) {
  SOTTO_TRY_DONE(check_features(request, split));
  return DirectModel{.model = std::make_unique<Vsm>(split.train, split.catalogue, split.features,
                                                    request.model.own<VsmOptions>())};
}

Result<std::unique_ptr<FactorTraining>> start_by_features(const TrainRequest& request, const Split& split,
                                                          Executor& executor, Storage* /*memory*/) {
  SOTTO_TRY_DONE(check_features(request, split));
  SOTTO_TRY(auto model, start_kahfm(split.train, split.catalogue, split.features,
                                    request.model.own<VsmOptions>().profile, bpr_options(request)));
  return std::unique_ptr<FactorTraining>(
      std::make_unique<CentralTraining<BprMf>>(std::move(model), request.plan.epochs, executor));
}

Result<std::unique_ptr<Recommender>> view_kahfm(const TrainRequest& request, const Split& split,
                                                const RowsView& rows, Executor& /*executor*/) {
  return std::unique_ptr<Recommender>(
      std::make_unique<KaHfm>(split.features, request.model.own<VsmOptions>().profile, &rows.users,
                              &rows.items, fold_in_options(request)));
}

// A row has a number for each feature, and the bias.
std::optional<RowShapes> kahfm_shapes(const TrainRequest& /*request*/, const Split& split) {
  const std::size_t width = split.features == nullptr ? 0 : split.features->features() + 1;
  return RowShapes{{split.catalogue, width}, {split.users.size(), width}};
}

// `sets` of weights: VSM has one for items and one for profiles.
void add_feature_weights(double sets, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const auto catalogue = static_cast<double>(facts.catalogue), features = static_cast<double>(facts.features);
  parts.push_back({"weights of features",
                   sets * (4.0 * static_cast<double>(facts.feature_facts) + 8.0 * (catalogue + features))});
}

void add_kahfm_memory(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const double row = factor_row_bytes(facts.features);
  add_rows(request, facts, row * static_cast<double>(facts.catalogue), row * static_cast<double>(facts.users),
           parts);
  add_who_has_what(facts, parts);
  add_jobs(facts, parts);
  add_dealt_items(facts, row, parts);
  add_feature_weights(1.0, facts, parts);
}

Field weights_of(const char* path, const char* flag, const char* help, FeatureWeights VsmOptions::*member) {
  return fields::named({path, flag, "KIND", help}, fields::own(member), parse_feature_weights,
                       {"tfidf", "binary"})
      .in_group("Model");
}

Field profile_rule() {
  return fields::named(
             {"content.profile_rule", "--profile-rule", "RULE",
              "a feature's weight is a mean over the items that have it (mean) or over all (centroid)"},
             fields::own(&VsmOptions::profile), parse_profile_rule, {"mean", "centroid"})
      .in_group("Model");
}

}  // namespace

ModelEntry vsm_entry() {
  return {.name = "vsm",
          .title = "VSM",
          .about = "profiles and items as weighted features, compared by cosine",
          .needs_features = true,
          .draws = Draws::never,
          .fields = {weights_of("content.user_weights", "--user-weights",
                                "how features are weighted in people's profiles", &VsmOptions::users),
                     weights_of("content.item_weights", "--item-weights",
                                "how features are weighted in items", &VsmOptions::items),
                     profile_rule()},
          .own = VsmOptions{},
          .make = make_vsm,
          .memory = [](const TrainRequest&, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
            add_feature_weights(2.0, facts, parts);
          }};
}

ModelEntry kahfm_entry() {
  using namespace fields;
  return {.name = "kahfm",
          .title = "kaHFM",
          .about = "a factorisation machine whose factors are features of items (Anelli et al. 2019)",
          .needs_features = true,
          .step = "triples",
          .fields = {learning_rate(), epochs(), user_reg(), positive_reg(), negative_reg(), profile_rule()},
          .own = VsmOptions{},
          .start = start_by_features,
          .view = view_kahfm,
          .shapes = kahfm_shapes,
          .memory = add_kahfm_memory,
          .memory_remedy = "a row is as wide as there are features: keep fewer with --kg-min-items"};
}

}  // namespace sotto::engine
