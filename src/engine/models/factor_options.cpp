#include "engine/models/factor_options.h"

#include "engine/models/averaged_networks.h"
#include "engine/models/fedcars_model.h"
#include "engine/models/kgflex_model.h"
#include "model/fed_als.h"

namespace sotto {

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

AlsOptions als_options(const TrainRequest& request) {
  const AlsOptions defaults;
  return {.factors = request.plan.fpl.factors,
          .lambda = request.lambda.value_or(defaults.lambda),
          .confidence = request.factors.confidence.value_or(defaults.confidence),
          .reg_power = request.factors.reg_power,
          .init_sd = request.plan.fpl.init_sd,
          .seed = request.plan.seed};
}

FcfOptions fcf_options(const TrainRequest& request) {
  // A step of plain gradient descent goes along a sum over all users: it must be short.
  constexpr float sgd_rate = 1e-4f;
  const FcfOptions defaults;
  const ServerStep step = request.factors.server.value_or(ServerStep::adam);
  const float usual = step == ServerStep::adam ? defaults.server.rate : sgd_rate;
  AlsOptions als = als_options(request);
  als.reg_power = 0.0f;  // the server's half has one λ for all
  return {.als = als,
          .server = {.step = step,
                     .rate = request.factors.server_lr.value_or(usual),
                     .beta1 = request.factors.beta1,
                     .beta2 = request.factors.beta2}};
}

WarpOptions warp_options(const TrainRequest& request) {
  return {.factors = request.plan.fpl.factors,
          .learning_rate = request.plan.fpl.learning_rate,
          .lambda = request.lambda.value_or(WarpOptions{}.lambda),
          .max_trials = request.factors.max_trials,
          .init_sd = request.plan.fpl.init_sd,
          .seed = request.plan.seed};
}

LogisticMfOptions logistic_options(const TrainRequest& request) {
  return {.factors = request.plan.fpl.factors,
          .learning_rate = request.plan.fpl.learning_rate,
          .lambda = request.lambda.value_or(LogisticMfOptions{}.lambda),
          .negatives = request.factors.negatives,
          .init_sd = request.plan.fpl.init_sd,
          .seed = request.plan.seed};
}

bool solves_exactly(ModelKind model) {
  return model == ModelKind::ials || model == ModelKind::fedals || model == ModelKind::fcf;
}

Status check_factor_options(const TrainRequest& request) {
  switch (request.model) {
    case ModelKind::ials:
      return check(als_options(request));
    case ModelKind::fedals:
      if (request.plan.cohort < 1.0)
        return fail(Code::usage,
                    "federated ALS solves the items from one sum over everybody: leave --cohort at 1");
      return check_fed_als(als_options(request));
    case ModelKind::fcf:
      return check(fcf_options(request));
    case ModelKind::warp:
      return check(warp_options(request));
    case ModelKind::mf:
      return check(logistic_options(request));
    case ModelKind::kgflex:
    case ModelKind::kgflex_central:
      return check_kgflex(request);
    case ModelKind::fedcars:
      return check_fedcars(request);
    case ModelKind::fedmultvae:
    case ModelKind::fedneumf:
      return check_averaged(request);
    default:
      return Done{};
  }
}

}  // namespace sotto
