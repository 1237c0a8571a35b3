#include "engine/models/item_models.h"

#include <fmt/core.h>

#include "engine/models/private_ease.h"
#include "engine/protect/dp.h"
#include "engine/protect/protection.h"
#include "engine/protect/training_consent.h"
#include "fed/weights_message.h"
#include "model/central/pair_knn.h"
#include "model/central/rp3beta.h"
#include "model/central/slim.h"
#include "model/central/wide_ease.h"
#include "privacy/pair_contribution.h"
#include "sim/pair_round.h"

namespace sotto {

namespace {

EaseOptions ease_options(const TrainRequest& request) {
  return {.lambda = request.lambda.value_or(EaseOptions{}.lambda),
          .most_items = request.linear.dense_items,
          .recency = request.recency};
}

SlimOptions slim_options(const TrainRequest& request) {
  SlimOptions options;
  options.l1 = request.linear.l1;
  options.l2 = request.lambda.value_or(options.l2);
  options.non_negative = request.linear.non_negative;
  options.neighbors = request.knn.neighbors;
  return options;
}

Rp3Options rp3_options(const TrainRequest& request) {
  return {.alpha = request.linear.alpha, .beta = request.linear.beta, .neighbors = request.knn.neighbors};
}

Result<ItemWeights> weights_from(const PairCounts& pairs, const TrainRequest& request, Executor& executor) {
  if (request.model == ModelKind::slim) return fit_slim(pairs, slim_options(request), executor);
  if (request.model == ModelKind::feditemknn) return fit_pair_knn(pairs, request.knn, executor);
  return fit_rp3beta(pairs, rp3_options(request), executor);
}

Result<DirectModel> make_central(const TrainRequest& request, const Split& split, Executor& executor) {
  DirectModel made;
  if (request.model == ModelKind::ease) {
    const EaseOptions options = ease_options(request);
    if (ease_is_wide(request, split.train.users(), split.catalogue)) {
      SOTTO_TRY(made.model, WideEase::fit(split.train, split.catalogue, options, executor));
    } else if (split.catalogue <= options.most_items) {
      SOTTO_TRY(made.model, Ease::fit(split.train, split.catalogue, options, executor));
    } else {
      const Audiences audiences(split.train, split.catalogue);
      const HistoryPairs pairs(split.train, audiences, PersonWeight());
      SOTTO_TRY(made.model, Ease::solve(pairs, split.train, options, executor));
    }
    return made;
  }
  const Audiences audiences(split.train, split.catalogue);
  const HistoryPairs pairs(split.train, audiences, weight_of(request));
  SOTTO_TRY(ItemWeights weights, weights_from(pairs, request, executor));
  made.model = std::make_unique<WeightedItems>(split.train, std::move(weights), Recency(request.recency));
  return made;
}

}  // namespace

PersonWeight weight_of(const TrainRequest& request) {
  if (request.model == ModelKind::fedease) return PersonWeight(request.linear.gram_power);
  const bool walks = request.model == ModelKind::rp3beta || request.model == ModelKind::fedrp3beta;
  return walks ? PersonWeight(request.linear.alpha) : PersonWeight();
}

Result<PairRound> gather_item_pairs(const TrainRequest& request, const Split& split, Executor& executor) {
  const PairLayout layout(split.catalogue);
  const SumShape shape{layout.rows(), PairLayout::width};
  SOTTO_TRY(Protection protection, protect(request, shape, executor));
  SOTTO_TRY_DONE(watch_device(request, split, shape, protection));
  Collector* collector = protection.first();
  if (collector == nullptr)
    return gather_pairs(split.train, split.catalogue, request.plan, weight_of(request), executor,
                        request.wire ? Path::wire : Path::fast);
  SOTTO_TRY(PairTotals totals,
            collect_pairs(split.train, split.catalogue, request.plan, weight_of(request), *collector));
  const RoundReport report = totals.report;
  SOTTO_TRY(PairSum sum, pair_sum_of(std::move(totals)));
  return PairRound{std::move(sum), report};
}

// Everybody gets the whole model: asking for the rows of one's own items would name them.
Result<DirectModel> solve_item_pairs(const PairRound& round, const TrainRequest& request, const Split& split,
                                     Executor& executor) {
  DirectModel made{nullptr, round.report};
  std::uint64_t bytes = 0;
  if (request.model == ModelKind::fedease) {
    SOTTO_TRY(auto model, Ease::solve(round.sum, split.train, ease_options(request), executor));
    bytes = encoded_model_bytes(model->solved().size(), model->solved().size());
    made.model = std::move(model);
  } else {
    SOTTO_TRY(ItemWeights weights, weights_from(round.sum, request, executor));
    bytes = encoded_weights_bytes(weights);
    made.model = std::make_unique<WeightedItems>(split.train, std::move(weights), Recency(request.recency));
  }
  made.totals.bytes_down = bytes * made.totals.exchanges;
  return made;
}

bool is_item_model(ModelKind model) {
  return model == ModelKind::ease || model == ModelKind::slim || model == ModelKind::rp3beta ||
         model == ModelKind::fedease || model == ModelKind::feditemknn || model == ModelKind::fedrp3beta;
}

bool ease_is_wide(const TrainRequest& request, std::size_t users, std::size_t catalogue) {
  return request.model == ModelKind::ease && catalogue > request.linear.dense_items && users < catalogue;
}

Status check_item_model(const TrainRequest& request) {
  if (request.model == ModelKind::ease || request.model == ModelKind::fedease) {
    if (request.linear.dense_items == 0 || request.linear.dense_items > 46'340)
      return fail(Code::usage, "dense-items must be a number from 1 to 46340");
    if (!(request.linear.gram_power >= 0.0f && request.linear.gram_power <= 2.0f))
      return fail(Code::usage, "gram-power must be a number from 0 (everybody counts 1) to 2");
    return check(ease_options(request));
  }
  if (request.model == ModelKind::slim) return check(slim_options(request));
  if (request.model == ModelKind::rp3beta || request.model == ModelKind::fedrp3beta)
    return check(rp3_options(request));
  return Done{};
}

Result<DirectModel> make_item_model(const TrainRequest& request, const Split& split, Executor& executor) {
  if (!facts_of(request.model).federated) return make_central(request, split, executor);
  SOTTO_TRY(const TrainRequest consented, with_people(request, split));
  if (request.dp.asked()) return make_private_ease(consented, split, ease_options(request), executor);
  SOTTO_TRY(const PairRound round, gather_item_pairs(consented, split, executor));
  return solve_item_pairs(round, consented, split, executor);
}

std::string item_model_settings(const TrainRequest& request) {
  const LinearOptions& linear = request.linear;
  std::string text;
  if (request.model == ModelKind::ease || request.model == ModelKind::fedease)
    text = fmt::format("lambda {} items {}", ease_options(request).lambda, linear.dense_items);
  if (request.model == ModelKind::slim)
    text = fmt::format("l1 {} l2 {} non-negative {} k {}", linear.l1, slim_options(request).l2,
                       linear.non_negative, request.knn.neighbors);
  if (request.model == ModelKind::rp3beta || request.model == ModelKind::fedrp3beta)
    text = fmt::format("alpha {} beta {} k {}", linear.alpha, linear.beta, request.knn.neighbors);
  if (request.model == ModelKind::feditemknn)
    text = fmt::format("k {} shrink {} {}", request.knn.neighbors, request.knn.shrink,
                       to_string(request.knn.similarity));
  if (request.model == ModelKind::fedease) text += fmt::format(" power {}", linear.gram_power);
  const ConsentPolicy& consent = request.plan.consent;
  if (facts_of(request.model).federated && consent.pi < 1.0)
    text += fmt::format(" pi {} {} seed {}", consent.pi, to_string(consent.mask), request.plan.seed);
  if (request.consent.any()) text += fmt::format("{} seed {}", describe(request.consent), request.plan.seed);
  return text + robust_settings(request) + dp_settings(request);
}

}  // namespace sotto
