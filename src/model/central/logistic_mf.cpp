#include "model/central/logistic_mf.h"

#include <utility>

#include "base/math.h"
#include "model/factor_rows.h"

namespace sotto::model {

Status check(const LogisticMfOptions& options) {
  SOTTO_TRY_DONE(check_sampled(options.factors, options.learning_rate, options.lambda, options.init_sd));
  if (options.negatives == 0 || options.negatives > 1000)
    return fail(Code::usage, "negatives must be from 1 to 1000: without them everything would be liked");
  return Done{};
}

float logistic_step(float* user, float& user_bias, float* item, std::size_t width, bool positive, float rate,
                    float lambda) {
  const float x = dot_rows(user, item, RowMatrix::stride_for(width)) + user_bias;  // with the item's bias
  const float side = positive ? 1.0f : -1.0f;
  const float error = sigmoid_f32(-side * x);
  const float pull = rate * side * error;
  const float decay = rate * lambda;
  for (std::size_t k = 0; k + 1 < width; ++k) {
    const float p = user[k], q = item[k];
    user[k] = p + pull * q - decay * p;
    item[k] = q + pull * p - decay * q;
  }
  item[width - 1] += pull;
  user_bias += pull;
  // −ln(1 − error), where the error is not all of it.
  return error < 0.999f ? -log_f32(1.0f - error) : -side * x;
}

Result<std::unique_ptr<LogisticMf>> LogisticMf::start(const Histories& train, std::size_t catalogue,
                                                      const LogisticMfOptions& options) {
  SOTTO_TRY_DONE(check(options));
  SOTTO_TRY_DONE(check_sampled_data("MF", train, catalogue));
  return std::unique_ptr<LogisticMf>(new LogisticMf(train, catalogue, options));
}

LogisticMf::LogisticMf(const Histories& train, std::size_t catalogue, const LogisticMfOptions& options)
    : options_(options),
      consumed_(train, catalogue),
      blocks_(train, catalogue, 0, options.seed),
      users_(start_user_rows(train.users(), options.factors, options.init_sd, options.seed)),
      items_(start_item_rows(catalogue, options.factors, options.init_sd, options.seed)),
      biases_((train.users() + row_lanes - 1) / row_lanes, row_lanes) {}

Result<SampledEpoch> LogisticMf::run_epoch(std::uint32_t epoch, Executor& executor) {
  const auto step = [&](const UserItem& at, NegativeDraws& draws, SampledEpoch& done) {
    const auto example = [&](ItemIndex item, bool positive) {
      done.add(static_cast<double>(logistic_step(users_.row(at.user.value), biases_.row(0)[at.user.value],
                                                 items_.row(item.value), items_.width(), positive,
                                                 options_.learning_rate, options_.lambda)));
    };
    example(at.item, true);
    for (std::uint32_t n = 0; n < options_.negatives; ++n)
      if (const auto item = draws.next(at.user)) example(*item, false);
  };
  const SampledEpoch done = run_sampled_epoch(blocks_, consumed_, options_.seed, epoch, executor, step);
  if (!done.finite) return sampled_diverged("MF", epoch);
  return done;
}

void LogisticMf::restore(RowMatrix users, RowMatrix items, RowMatrix biases) {
  users_ = std::move(users);
  items_ = std::move(items);
  biases_ = std::move(biases);
}

}  // namespace sotto::model
