#include "engine/models/fedcars_model.h"

#include <algorithm>

#include "base/rng.h"
#include "engine/protect/training_consent.h"
#include "model/central/dense_layers.h"
#include "model/fedcars/fedcars_recommender.h"
#include "privacy/context_consent.h"

namespace sotto {

namespace {

constexpr float plain_rate = 1.0f;  // β of plain steps

// Rules for single features hold for models that keep them apart; here a dimension is let in or not.
Status check_rules(const ConsentPolicy& consent, const Split& split) {
  if (consent.people == nullptr || split.contexts == nullptr) return Done{};
  const auto of_items = [](const ContextDimension& dimension) {
    return dimension.source == ContextSource::item;
  };
  const auto has_rules = [](const ConsentTerms& terms) { return !terms.kept_back.empty(); };
  if (!std::ranges::any_of(split.contexts->dimensions, of_items) ||
      !std::ranges::any_of(consent.people->kinds(), has_rules))
    return Done{};
  return fail(
      Code::usage,
      "somebody's policy keeps back single features or predicates, and fedcars takes what items are like "
      "dimension by dimension: put the dimension off in the policy, or leave 'item' out of --contexts");
}

}  // namespace

FedcarsOptions fedcars_options(const TrainRequest& request) {
  const FedcarsRequest& asked = request.fedcars;
  FedcarsOptions options;
  options.factors = request.plan.fpl.factors;
  options.hidden = asked.hidden;
  options.rating = asked.rating;
  options.error_bend = asked.error_bend;
  options.choice = asked.choice;
  options.choice.order = asked.rating.order;
  options.choice.adapts = asked.rating.adapts;
  options.chooses = asked.choices;
  options.choice_rate = asked.choice_rate;
  options.negatives = asked.negatives;
  options.query = asked.query;
  options.query_share = asked.query_share;
  options.few_share = asked.few_share;
  options.half_life = request.recency;
  options.choice_half_life = asked.choice_recency;
  options.popularity_start = asked.popularity_start;
  options.init_sd = request.plan.fpl.init_sd;
  options.seed = request.plan.seed;
  options.server.step = request.factors.server.value_or(options.server.step);
  const float usual = options.server.step == ServerStep::adam ? options.server.rate : plain_rate;
  options.server.rate = request.factors.server_lr.value_or(usual);
  options.server.beta1 = request.factors.beta1;
  options.server.beta2 = request.factors.beta2;
  return options;
}

bool learns_from_test(const TrainRequest& request) {
  return request.model == ModelKind::fedcars && request.fedcars.query == QueryFrom::test;
}

Status check_fedcars(const TrainRequest& request) {
  const double share = request.fedcars.participation;
  if (!(share > 0.0 && share <= 1.0))
    return fail(Code::usage, "participation is a share of the people: above 0 and at most 1");
  if (request.fedcars.query == QueryFrom::test && (request.plan.consent.pi < 1.0 || request.consent.any()))
    return fail(
        Code::usage,
        "with --query test devices learn from the records they are judged on, which no consent covers: "
        "leave it out, or everybody's consent");
  return check(fedcars_options(request));
}

bool answers_at(double participation, std::uint64_t seed, UserIndex user) {
  return participation >= 1.0 ||
         Stream(seed, Purpose::draw_participants, 0, user.value).chance(participation);
}

Histories participants(const TrainRequest& request, const Histories& histories) {
  const double share = request.model == ModelKind::fedcars ? request.fedcars.participation : 1.0;
  if (share >= 1.0) return histories;
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::uint32_t user = 0; user < histories.users(); ++user) {
    const auto own = histories.of(UserIndex{user});
    if (answers_at(share, request.plan.seed, UserIndex{user}))
      items.insert(items.end(), own.begin(), own.end());
    offsets.push_back(items.size());
  }
  return {std::move(offsets), std::move(items)};
}

Result<Fedcars> make_fedcars(const TrainRequest& request, const Split& split) {
  if (split.records == nullptr || !split.records->has_ratings)
    return fail(Code::bad_input,
                "Fed-CARS learns from ratings and the data has none: give files with a rating column "
                "(--columns rating=3), not a saved split");
  if ((request.recency > 0.0f || request.fedcars.choice_recency > 0.0f) && !split.train.has_ages())
    return fail(
        Code::bad_input,
        "recency needs the order in time, and the split has none: split by time (temporal:0.8), or leave "
        "--recency and --choice-recency out");
  SOTTO_TRY_DONE(check_rules(request.plan.consent, split));
  const FedcarsOptions options = fedcars_options(request);
  auto devices = std::make_shared<const FedcarsDevices>(split, shareable(request.plan.consent, split.train),
                                                        context_terms(request.plan.consent), options);
  return Fedcars(options, std::move(devices));
}

Result<std::unique_ptr<Recommender>> rebuild_fedcars(const TrainRequest& asked, const Split& split,
                                                     Parameters parameters) {
  SOTTO_TRY(const TrainRequest request, with_people(asked, split));
  SOTTO_TRY(Fedcars model, make_fedcars(request, split));
  if (shape_of(parameters.items) != MatrixShape{model.shared_rows(), model.shared_width()} ||
      !parameters.layers.empty())
    return fail(Code::bad_input, "the model does not fit its plan and its contexts: train again");
  return std::unique_ptr<Recommender>(
      std::make_unique<FedcarsRecommender>(std::move(model), std::move(parameters.items)));
}

}  // namespace sotto
