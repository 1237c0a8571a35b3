#include "engine/models/kgflex_model.h"

#include "engine/protect/training_consent.h"
#include "model/central/dense_layers.h"
#include "model/kgflex/kgflex_recommender.h"
#include "privacy/feature_consent.h"

namespace sotto {

namespace {

constexpr float adam_rate = 0.02f;

KgflexOptions kgflex_options(const TrainRequest& request) {
  const ServerStep step = request.factors.server.value_or(ServerStep::sgd);
  const float usual = step == ServerStep::adam ? adam_rate : request.plan.fpl.learning_rate;
  return {.factors = request.plan.fpl.factors,
          .learning_rate = request.plan.fpl.learning_rate,
          .personal_reg = request.user_reg.value_or(0.0f),
          .shared_reg = request.positive_reg.value_or(0.0f),
          .init_sd = request.plan.fpl.init_sd,
          .local = request.local.value_or(LocalSteps::batch),
          .pairs = request.plan.triples,
          .seed = request.plan.seed,
          .server = {.step = step,
                     .rate = request.factors.server_lr.value_or(usual),
                     .beta1 = request.factors.beta1,
                     .beta2 = request.factors.beta2}};
}

}  // namespace

ProfileOptions profile_options(const TrainRequest& request) {
  const KgflexRequest& asked = request.kgflex;
  ProfileOptions options;
  options.gain = asked.gain;
  const std::array limits{asked.first_hop, asked.second_hop};
  for (std::size_t hop = 0; hop < limits.size(); ++hop)
    options.most[hop] = asked.all_features ? ProfileOptions::all : limits[hop].value_or(options.most[hop]);
  options.negatives = asked.negatives;
  options.least_gain = asked.min_gain;
  options.seed = request.plan.seed;
  return options;
}

Status check_kgflex(const TrainRequest& request) {
  if (!is_kgflex(request.model)) return Done{};
  if (request.kgflex.all_features && (request.kgflex.first_hop || request.kgflex.second_hop))
    return fail(Code::usage, "all features and a limit of features contradict each other: give one of them");
  SOTTO_TRY_DONE(check(profile_options(request)));
  return check(kgflex_options(request));
}

Result<Kgflex> make_kgflex(const TrainRequest& request, const Split& split, Executor& executor) {
  if (split.features == nullptr)
    return fail(Code::usage,
                "KGFlex needs what is known about the items: give a knowledge graph or a list of "
                "features with --kg");
  auto devices = std::make_shared<const KgflexDevices>(
      split.features, shareable(request.plan.consent, split.train), split.catalogue, profile_options(request),
      keeps_back(request.plan.consent), executor);
  return Kgflex(kgflex_options(request), std::move(devices));
}

Result<std::unique_ptr<Recommender>> rebuild_kgflex(const TrainRequest& asked, const Split& split,
                                                    Parameters parameters, Executor& executor) {
  SOTTO_TRY(const TrainRequest request, with_people(asked, split));
  SOTTO_TRY(Kgflex model, make_kgflex(request, split, executor));
  RowMatrix& users = parameters.users.on_device();
  const MatrixShape own{split.users.size(), model.private_width()};
  if (shape_of(parameters.items) != MatrixShape{model.shared_rows(), model.shared_width()} ||
      shape_of(users) != own || !parameters.layers.empty())
    return fail(Code::bad_input, "the model does not fit its plan and its features: train again");
  return std::unique_ptr<Recommender>(
      std::make_unique<KgflexRecommender>(std::move(model), std::move(users), std::move(parameters.items)));
}

}  // namespace sotto
