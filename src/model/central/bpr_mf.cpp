#include "model/central/bpr_mf.h"

#include <cmath>
#include <limits>

#include "base/math.h"

namespace sotto {

namespace {

// Beyond this a difference of two scores is no model any more; well within what exp_f32 takes.
constexpr float largest_difference = 1e30f;

bool is_rate(float value) { return std::isfinite(value) && value >= 0.0f; }

void start_row(Stream stream, float sd, std::size_t count, float* row) {
  for (std::size_t k = 0; k < count; ++k) row[k] = sd * static_cast<float>(stream.normal());
}

Error diverged(std::uint32_t epoch) {
  return fail(Code::diverged, "BPR-MF diverged in epoch " + std::to_string(epoch + 1) +
                                  ": its numbers left the finite range; take a smaller learning rate");
}

}  // namespace

Status check(const BprMfOptions& options) {
  if (options.factors == 0) return fail(Code::usage, "the number of factors is 0: a model needs at least 1");
  if (!is_rate(options.learning_rate) || options.learning_rate == 0.0f)
    return fail(Code::usage, "the learning rate must be a number above 0");
  for (const auto& reg : {options.user_reg, options.positive_reg, options.negative_reg})
    if (reg && !is_rate(*reg))
      return fail(Code::usage, "a regularisation must be a number that is 0 or larger");
  if (!is_rate(options.init_sd)) return fail(Code::usage, "init_sd must be a number that is 0 or larger");
  return Done{};
}

float bpr_step(float* user, float* positive, float* negative, std::size_t factors, std::size_t stride,
               const BprRates& rates) {
  const float difference = dot_rows(user, positive, stride) - dot_rows(user, negative, stride);
  if (!(std::fabs(difference) < largest_difference)) [[unlikely]]
    return std::numeric_limits<float>::quiet_NaN();
  const float error = sigmoid_f32(-difference);
  const float pull = rates.learning_rate * error;
  const float user_decay = rates.learning_rate * rates.user_reg;
  const float positive_decay = rates.learning_rate * rates.positive_reg;
  const float negative_decay = rates.learning_rate * rates.negative_reg;
  const float positive_bias = positive[factors] + pull;
  const float negative_bias = negative[factors] - pull;
  float* __restrict p = user;
  float* __restrict q_i = positive;
  float* __restrict q_j = negative;
  for (std::size_t k = 0; k < stride; ++k) {
    const float old = p[k];
    const float a = q_i[k];
    const float c = q_j[k];
    p[k] = old + (pull * (a - c) - user_decay * old);
    q_i[k] = a + (pull * old - positive_decay * a);
    q_j[k] = c - (pull * old + negative_decay * c);
  }
  // The last column went through the loop like the others; it has rules of its own.
  user[factors] = 1.0f;
  positive[factors] = positive_bias;
  negative[factors] = negative_bias;
  return error;
}

Result<std::unique_ptr<BprMf>> BprMf::start(const Histories& train, std::size_t catalogue,
                                            const BprMfOptions& options) {
  SOTTO_TRY_DONE(check(options));
  if (train.interactions() == 0 || catalogue < 2)
    return fail(Code::bad_input,
                "BPR-MF has nothing to compare: the training part needs interactions and at least two items");
  if (train.interactions() > std::numeric_limits<std::uint32_t>::max())
    return fail(Code::bad_input, "BPR-MF takes at most 4,294,967,295 interactions; sample the training part");
  return std::unique_ptr<BprMf>(new BprMf(train, catalogue, options));
}

BprMf::BprMf(const Histories& train, std::size_t catalogue, const BprMfOptions& options)
    : train_(train),
      options_(options),
      consumed_(train, catalogue),
      users_(train.users(), options.factors + 1),
      items_(catalogue, options.factors + 1) {
  owner_.reserve(train.interactions());
  for (std::uint32_t user = 0; user < train.users(); ++user)
    owner_.insert(owner_.end(), train.of(UserIndex{user}).size(), UserIndex{user});
  for (std::uint32_t user = 0; user < train.users(); ++user) {
    start_row(Stream(options.seed, Purpose::init_private, 0, user), options.init_sd, options.factors,
              users_.row(user));
    users_.row(user)[options.factors] = 1.0f;
  }
  for (std::uint32_t item = 0; item < catalogue; ++item)
    start_row(Stream(options.seed, Purpose::init_shared, 0, item), options.init_sd, options.factors + 1,
              items_.row(item));
}

std::size_t BprMf::draw(Stream& draws, std::uint32_t& draws_left, Triple* triples) const {
  const auto interactions = static_cast<std::uint32_t>(train_.interactions());
  const auto catalogue = static_cast<std::uint32_t>(items_.rows());
  std::size_t drawn = 0;
  for (; drawn < batch_triples && draws_left > 0; --draws_left) {
    const std::uint32_t interaction = draws.below(interactions);
    Triple& triple = triples[drawn];
    triple.user = owner_[interaction];
    triple.positive = train_.items()[interaction];
    if (train_.of(triple.user).size() == catalogue) continue;
    do triple.negative.value = draws.below(catalogue);
    while (consumed_.contains(triple.user, triple.negative));
    __builtin_prefetch(users_.row(triple.user.value), 1);
    __builtin_prefetch(items_.row(triple.positive.value), 1);
    __builtin_prefetch(items_.row(triple.negative.value), 1);
    ++drawn;
  }
  return drawn;
}

Result<double> BprMf::run_epoch(std::uint32_t epoch) {
  const float rate = options_.learning_rate;
  const BprRates rates{rate, options_.user_reg.value_or(rate / 20.0f),
                       options_.positive_reg.value_or(rate / 20.0f),
                       options_.negative_reg.value_or(rate / 200.0f)};
  Stream draws(options_.seed, Purpose::central_triples, epoch);
  auto draws_left = static_cast<std::uint32_t>(train_.interactions());
  Triple triples[batch_triples];
  LogSum loss;
  std::uint64_t steps = 0;
  while (draws_left > 0) {
    const std::size_t drawn = draw(draws, draws_left, triples);
    for (const Triple& triple : std::span(triples).first(drawn)) {
      const float d = bpr_step(users_.row(triple.user.value), items_.row(triple.positive.value),
                               items_.row(triple.negative.value), options_.factors, items_.stride(), rates);
      if (std::isnan(d)) [[unlikely]]
        return diverged(epoch);
      loss.add(1.0f - d);
    }
    steps += drawn;
  }
  return steps > 0 ? -loss.value() / static_cast<double>(steps) : 0.0;
}

void BprMf::restore(RowMatrix users, RowMatrix items) {
  users_ = std::move(users);
  items_ = std::move(items);
}

Status BprMf::run(const std::function<bool(std::uint32_t)>& look) {
  for (std::uint32_t epoch = 0; epoch < options_.epochs; ++epoch) {
    SOTTO_TRY([[maybe_unused]] const double loss, run_epoch(epoch));
    if (look && !look(epoch + 1)) break;
  }
  return Done{};
}

std::unique_ptr<MfRecommender> BprMf::view() const {
  return std::make_unique<MfRecommender>(&users_, &items_, options_.fold_in);
}

std::unique_ptr<MfRecommender> BprMf::finish() && {
  return std::make_unique<MfRecommender>(std::move(users_), std::move(items_), options_.fold_in);
}

}  // namespace sotto
