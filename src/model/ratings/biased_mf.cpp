#include "model/ratings/biased_mf.h"

#include <algorithm>
#include <cmath>

namespace sotto::model {

namespace {

struct Rates {
  explicit Rates(const SgdOptions& options)
      : step(static_cast<double>(options.learning_rate)), reg(static_cast<double>(options.reg)) {}
  double step, reg;
};

double error_of(const BiasedMfParameters& parameters, const RatingTaste& taste, const Rated& record) {
  return static_cast<double>(record.value) -
         (parameters.mean + taste.bias + parameters.item_biases[record.column] +
          product(taste.vector, parameters.items.of(record.column)));
}

// Moves the private half alone.
void private_step(const BiasedMfParameters& parameters, RatingTaste taste, const Rated& record,
                  const Rates& rates) {
  const double error = error_of(parameters, taste, record);
  const auto item = parameters.items.of(record.column);
  taste.bias += rates.step * (error - rates.reg * taste.bias);
  for (std::size_t f = 0; f < item.size(); ++f)
    taste.vector[f] += rates.step * (error * item[f] - rates.reg * taste.vector[f]);
}

}  // namespace

void biased_mf_step(BiasedMfParameters& parameters, std::uint32_t user, const Rated& record,
                    const SgdOptions& options) {
  const Rates rates(options);
  const RatingTaste taste = parameters.taste(user);
  const double error = error_of(parameters, taste, record);
  double& item_bias = parameters.item_biases[record.column];
  const auto item = parameters.items.of(record.column);
  taste.bias += rates.step * (error - rates.reg * taste.bias);
  item_bias += rates.step * (error - rates.reg * item_bias);
  for (std::size_t f = 0; f < item.size(); ++f) {
    const double own = taste.vector[f], its = item[f];
    taste.vector[f] += rates.step * (error * its - rates.reg * own);
    item[f] += rates.step * (error * own - rates.reg * its);
  }
}

Result<std::unique_ptr<BiasedMf>> BiasedMf::fit(const RatingData& data, const SgdOptions& options) {
  SOTTO_TRY_DONE(check(data));
  SOTTO_TRY_DONE(check(options));
  return std::unique_ptr<BiasedMf>(new BiasedMf(data, options));
}

BiasedMf::BiasedMf(const RatingData& data, const SgdOptions& options)
    : RatingModel(data),
      options_(options),
      parameters_{mean(), std::vector<double>(by_user().rows(), 0.0), std::vector<double>(catalogue(), 0.0),
                  started_table(by_user().rows(), options.factors, options.seed, FactorStart::users),
                  started_table(catalogue(), options.factors, options.seed, FactorStart::items)} {
  train();
}

void BiasedMf::train() {
  std::vector<std::pair<std::uint32_t, Rated>> records;
  for (std::uint32_t user = 0; user < by_user().rows(); ++user) {
    for (const Rated& record : by_user().of(user)) records.emplace_back(user, record);
    // Somebody without ratings has no taste.
    if (by_user().of(user).empty()) std::ranges::fill(parameters_.users.of(user), 0.0);
  }
  for (std::uint32_t epoch = 0; epoch < options_.epochs; ++epoch)
    for (const std::uint32_t n : shuffled(records.size(), options_.seed, epoch))
      biased_mf_step(parameters_, records[n].first, records[n].second, options_);
}

void BiasedMf::estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const {
  estimate_by({parameters_.mean, parameters_.item_biases, parameters_.items},
              {parameters_.user_biases[user.value], parameters_.users.of(user.value)}, items, out);
}

void BiasedMf::estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                            std::span<float> out) const {
  double bias = 0.0;
  std::vector<double> vector(options_.factors, 0.0);
  for (std::uint32_t epoch = 0; epoch < options_.epochs; ++epoch)
    for (const Rated& record : history) private_step(parameters_, {bias, vector}, record, Rates(options_));
  estimate_by({parameters_.mean, parameters_.item_biases, parameters_.items}, {bias, vector}, items, out);
}

Status BiasedMf::similar(ItemIndex item, std::span<float> out) const {
  cosines_to(parameters_.items, item.value, out);
  return Done{};
}

void estimate_by(const ItemSide& side, const PersonSide& person, std::span<const ItemIndex> items,
                 std::span<float> out) {
  for (std::size_t n = 0; n < items.size(); ++n) {
    double value = side.mean + person.bias;
    if (items[n].value < side.biases.size())
      value += side.biases[items[n].value] + product(person.vector, side.vectors.of(items[n].value));
    out[n] = static_cast<float>(value);
  }
}

void cosines_to(const FactorTable& rows, std::uint32_t item, std::span<float> out) {
  const double own = std::sqrt(product(rows.of(item), rows.of(item)));
  for (std::size_t row = 0; row < out.size(); ++row) {
    const double lengths = own * std::sqrt(product(rows.of(row), rows.of(row)));
    out[row] = lengths > 0.0 ? static_cast<float>(product(rows.of(item), rows.of(row)) / lengths) : 0.0f;
  }
}

}  // namespace sotto::model
