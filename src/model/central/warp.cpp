#include "model/central/warp.h"

#include <cmath>
#include <string>
#include <utility>

#include "base/math.h"
#include "model/factor_rows.h"

namespace sotto::model {

Status check(const WarpOptions& options) {
  SOTTO_TRY_DONE(check_sampled(options.factors, options.learning_rate, options.lambda, options.init_sd));
  if (options.max_trials == 0) return fail(Code::usage, "max-trials is 0: WARP draws at least 1 item a step");
  return Done{};
}

void warp_step(float* user, float* positive, float* negative, std::size_t width, float weight, float rate,
               float lambda) {
  const float pull = rate * weight;
  const float decay = rate * lambda;
  for (std::size_t k = 0; k + 1 < width; ++k) {
    const float p = user[k], i = positive[k], j = negative[k];
    user[k] = p + pull * (i - j) - decay * p;
    positive[k] = i + pull * p - decay * i;
    negative[k] = j - pull * p - decay * j;
  }
  positive[width - 1] += pull;
  negative[width - 1] -= pull;
}

float warp_weight(std::size_t catalogue, std::uint32_t draws) {
  const std::size_t rank = (catalogue - 1) / draws;
  return log_f32(1.0f + static_cast<float>(rank)) / log_f32(1.0f + static_cast<float>(catalogue));
}

Result<std::unique_ptr<Warp>> Warp::start(const Histories& train, std::size_t catalogue,
                                          const WarpOptions& options) {
  SOTTO_TRY_DONE(check(options));
  SOTTO_TRY_DONE(check_sampled_data("WARP", train, catalogue));
  return std::unique_ptr<Warp>(new Warp(train, catalogue, options));
}

Warp::Warp(const Histories& train, std::size_t catalogue, const WarpOptions& options)
    : options_(options),
      consumed_(train, catalogue),
      blocks_(train, catalogue, 0, options.seed),
      users_(start_user_rows(train.users(), options.factors, options.init_sd, options.seed)),
      items_(start_item_rows(catalogue, options.factors, options.init_sd, options.seed)) {}

Result<SampledEpoch> Warp::run_epoch(std::uint32_t epoch, Executor& executor) {
  const std::size_t stride = items_.stride();
  const auto step = [&](const UserItem& at, NegativeDraws& draws, SampledEpoch& done) {
    float* user = users_.row(at.user.value);
    float* positive = items_.row(at.item.value);
    const float target = dot_rows(user, positive, stride);
    for (std::uint32_t n = 1; n <= options_.max_trials; ++n) {
      const auto item = draws.next(at.user);
      if (!item) break;
      float* negative = items_.row(item->value);
      const float missed = 1.0f - target + dot_rows(user, negative, stride);
      if (missed <= 0.0f) continue;
      const float weight = warp_weight(items_.rows(), n);
      warp_step(user, positive, negative, items_.width(), weight, options_.learning_rate, options_.lambda);
      return done.add(static_cast<double>(weight * missed));
    }
    done.add(0.0);
  };
  const SampledEpoch done = run_sampled_epoch(blocks_, consumed_, options_.seed, epoch, executor, step);
  if (!done.finite) return sampled_diverged("WARP", epoch);
  return done;
}

void Warp::restore(RowMatrix users, RowMatrix items) {
  users_ = std::move(users);
  items_ = std::move(items);
}

}  // namespace sotto::model
