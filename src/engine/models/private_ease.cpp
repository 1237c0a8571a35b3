#include "engine/models/private_ease.h"

#include <cmath>
#include <numbers>

#include "base/hash.h"
#include "engine/protect/dp.h"
#include "engine/protect/lambda_choice.h"
#include "engine/protect/training_consent.h"
#include "fed/messages.h"
#include "model/central/noisy_gram.h"
#include "model/pair_sum.h"
#include "sim/private_gram.h"

namespace sotto::engine {

namespace {

constexpr std::uint32_t usual_items = 400;
constexpr double usual_popularity_share = 0.03;
constexpr float usual_half_life = 50.0f;

SumShape sum_shape_of(std::size_t numbers) { return {rows_for(numbers), numbers_a_row}; }

// Whatever else the request wants before a sum, with noise in front.
Result<Protection> noisy_sum(const TrainRequest& request, const Split& split, SumShape shape,
                             const DpRelease& release, const std::shared_ptr<DpAccount>& account,
                             Executor& executor) {
  Protection protection;
  protection.put_before(server_side(request, shape, executor));
  SOTTO_TRY_DONE(put_dp_before(protection, request, shape, release, account));
  SOTTO_TRY_DONE(watch_device(request, split, shape, protection));
  return protection;
}

// What the noise on each number of the Gram matrix amounts to, in units of the matrix.
double deviation_of(const TrainRequest& request, double noise, std::size_t users) {
  const DpRequest& dp = request.dp;
  // Laplace noise of scale b deviates by √2·b.
  const double on_sum = noise * dp.clip.value_or(1.0) * (dp.laplace() ? std::numbers::sqrt2 : 1.0);
  const auto people = static_cast<double>(users);
  if (dp.place == "local") return on_sum * std::sqrt(people);
  // All stay here, so that there are more shares than were needed.
  if (dp.place == "distributed") {
    DpSumPlan plan;
    plan.survivors = dp.survivors.value_or(1.0);
    plan.corrupt = request.sum.assumed.corrupt;
    return on_sum * std::sqrt(people / static_cast<double>(counted_shares(plan, users)));
  }
  return on_sum;
}

SymmetricMatrix matrix_of(const CollectedNumbers& triangle, std::size_t size) {
  SymmetricMatrix matrix(size);
  std::size_t next = 0;
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t column = 0; column <= row; ++column)
      matrix.at(row, column) = static_cast<double>(triangle.sums[next++]) / pair_unit;
  return matrix;
}

}  // namespace

Result<DirectModel> make_private_ease(const TrainRequest& asked, const Split& split,
                                      const EaseOptions& asked_options, Executor& executor) {
  SOTTO_TRY_DONE(check_candidates(asked, split));
  SOTTO_TRY(const TrainRequest request, with_noise(asked, 1, split));
  const DpRequest& dp = request.dp;
  const double share = dp.popularity_share.value_or(usual_popularity_share);
  // Two Gaussians with 1/σ² = share/σ² + (1 − share)/σ² cost what one with σ costs; two Laplaces with
  // 1/b = share/b + (1 − share)/b no more than one with b.
  const auto part = [&](double of_budget) {
    return *dp.noise / (dp.laplace() ? of_budget : std::sqrt(of_budget));
  };
  const DpRelease popularity{"popularity", part(share), double{pair_unit}};
  const DpRelease gram{"pairs", part(1.0 - share), double{pair_unit}};
  SOTTO_TRY(const std::shared_ptr<DpAccount> account, DpAccount::open(request));
  const std::size_t users = split.train.users();
  const auto charged = [&](const DpRelease& release) {
    return NoisyReleases{charged_noise(dp, release.noise), 1.0, 1, account->kind()};
  };
  std::vector<NoisyReleases> planned{charged(popularity), charged(gram)};
  if (dp.chooses()) planned.push_back(choice_release(dp));
  SOTTO_TRY_DONE(account->can_pay(planned));

  SOTTO_TRY(const Protection first,
            noisy_sum(request, split, sum_shape_of(split.catalogue), popularity, account, executor));
  SOTTO_TRY(const CollectedNumbers counts,
            collect_popularity(split.train, split.catalogue, request.plan, *first.first()));
  const KeptItems kept = KeptItems::most_popular(counts.sums, dp.items.value_or(usual_items));
  const std::size_t size = kept.items().size();

  SOTTO_TRY(const Protection second,
            noisy_sum(request, split, sum_shape_of(triangle_size(size)), gram, account, executor));
  const float half_life = split.train.has_ages() ? dp.half_life.value_or(usual_half_life) : 0.0f;
  SOTTO_TRY(const CollectedNumbers pairs,
            collect_weighted_pairs(split.train, kept, half_life, request.plan, *second.first()));

  SOTTO_TRY(CleanGram clean, clean_gram(matrix_of(pairs, size), deviation_of(request, gram.noise, users)));
  DirectModel made;
  made.totals = counts.report;
  made.totals.add(pairs.report);
  EaseOptions options = asked_options;
  Hasher sums;
  sums.array(std::span(counts.sums)).array(std::span(pairs.sums));
  ItemGram released{std::move(clean.gram), kept.items(), std::move(sums).hex()};
  double choice_cost = 0.0;
  if (dp.chooses()) {
    SOTTO_TRY(const LambdaChoice choice, choose_lambda(request, split, released, options, account, executor));
    options.lambda = choice.lambda;
    choice_cost = choice.epsilon;
    made.totals.add(choice.report);
  }
  SOTTO_TRY(made.model, Ease::solve(std::move(released), split.catalogue,
                                    dp.chooses() ? whole_histories(split) : split.train, options, executor));
  made.totals.bytes_down += encoded_model_bytes(size, size) * users;
  made.privacy = account->spent();
  if (dp.chooses()) made.privacy->choice = {options.lambda, choice_cost};
  return made;
}

}  // namespace sotto::engine
