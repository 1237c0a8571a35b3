#include "model/ratings/svdpp.h"

#include <algorithm>
#include <cmath>

#include "model/ratings/biased_mf.h"

namespace sotto::model {

namespace {

// |N|^-½, 0 for nothing.
double weight_of(std::size_t count) { return count == 0 ? 0.0 : 1.0 / std::sqrt(static_cast<double>(count)); }

// |N|^-½ Σ y_j.
std::vector<double> implicit_vector(const SvdppParameters& parameters, std::span<const Rated> records,
                                    std::size_t factors) {
  std::vector<double> sum(factors, 0.0);
  for (const Rated& record : records) {
    const auto row = parameters.implicit.of(record.column);
    for (std::size_t f = 0; f < factors; ++f) sum[f] += row[f];
  }
  for (double& value : sum) value *= weight_of(records.size());
  return sum;
}

double error_of(const SvdppParameters& parameters, double bias, std::span<const double> own,
                std::span<const double> implicit, const Rated& record) {
  const auto item = parameters.items.of(record.column);
  return static_cast<double>(record.value) - (parameters.mean + bias + parameters.item_biases[record.column] +
                                              product(item, own) + product(item, implicit));
}

}  // namespace

void svdpp_pass(SvdppParameters& parameters, std::uint32_t user, std::span<const Rated> records,
                const SgdOptions& options) {
  const auto step = static_cast<double>(options.learning_rate), reg = static_cast<double>(options.reg);
  const double weight = weight_of(records.size()), keep = 1.0 - step * reg;
  std::vector<double> implicit = implicit_vector(parameters, records, options.factors);
  // What all records together do to each of the y: y ← kept · y + shift.
  std::vector<double> shift(options.factors, 0.0);
  double kept = 1.0;
  double& bias = parameters.user_biases[user];
  const auto own = parameters.users.of(user);
  for (const Rated& record : records) {
    const double error = error_of(parameters, bias, own, implicit, record);
    const auto item = parameters.items.of(record.column);
    double& item_bias = parameters.item_biases[record.column];
    bias += step * (error - reg * bias);
    item_bias += step * (error - reg * item_bias);
    for (std::size_t f = 0; f < own.size(); ++f) {
      const double its = item[f];
      item[f] += step * (error * (own[f] + implicit[f]) - reg * its);
      own[f] += step * (error * its - reg * own[f]);
      implicit[f] = keep * implicit[f] + step * error * its;
      shift[f] = keep * shift[f] + step * weight * error * its;
    }
    kept *= keep;
  }
  for (const Rated& record : records) {
    const auto row = parameters.implicit.of(record.column);
    for (std::size_t f = 0; f < row.size(); ++f) row[f] = kept * row[f] + shift[f];
  }
}

Result<std::unique_ptr<Svdpp>> Svdpp::fit(const RatingData& data, const SgdOptions& options) {
  SOTTO_TRY_DONE(check(data));
  SOTTO_TRY_DONE(check(options));
  return std::unique_ptr<Svdpp>(new Svdpp(data, options));
}

Svdpp::Svdpp(const RatingData& data, const SgdOptions& options)
    : RatingModel(data),
      options_(options),
      parameters_{mean(),
                  std::vector<double>(by_user().rows(), 0.0),
                  std::vector<double>(catalogue(), 0.0),
                  started_table(by_user().rows(), options.factors, options.seed, FactorStart::users),
                  started_table(catalogue(), options.factors, options.seed, FactorStart::items),
                  started_table(catalogue(), options.factors, options.seed, FactorStart::implicit)} {
  train();
}

void Svdpp::train() {
  for (std::uint32_t epoch = 0; epoch < options_.epochs; ++epoch)
    for (const std::uint32_t user : shuffled(by_user().rows(), options_.seed, epoch))
      svdpp_pass(parameters_, user, by_user().of(user), options_);
  // From here on a person's row is the whole vector that items are multiplied with.
  for (std::size_t user = 0; user < by_user().rows(); ++user) {
    const auto row = parameters_.users.of(user);
    const auto implicit = implicit_vector(parameters_, by_user().of(user), options_.factors);
    const bool known = !by_user().of(user).empty();
    for (std::size_t f = 0; f < row.size(); ++f) row[f] = known ? row[f] + implicit[f] : 0.0;
  }
}

void Svdpp::estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const {
  estimate_by({parameters_.mean, parameters_.item_biases, parameters_.items},
              {parameters_.user_biases[user.value], parameters_.users.of(user.value)}, items, out);
}

void Svdpp::estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                         std::span<float> out) const {
  const auto step = static_cast<double>(options_.learning_rate), reg = static_cast<double>(options_.reg);
  const std::vector<double> implicit = implicit_vector(parameters_, history, options_.factors);
  std::vector<double> own(options_.factors, 0.0);
  double bias = 0.0;
  for (std::uint32_t epoch = 0; epoch < options_.epochs; ++epoch)
    for (const Rated& record : history) {
      const double error = error_of(parameters_, bias, own, implicit, record);
      const auto item = parameters_.items.of(record.column);
      bias += step * (error - reg * bias);
      for (std::size_t f = 0; f < own.size(); ++f) own[f] += step * (error * item[f] - reg * own[f]);
    }
  for (std::size_t f = 0; f < own.size(); ++f) own[f] += implicit[f];
  estimate_by({parameters_.mean, parameters_.item_biases, parameters_.items}, {bias, own}, items, out);
}

Status Svdpp::similar(ItemIndex item, std::span<float> out) const {
  cosines_to(parameters_.items, item.value, out);
  return Done{};
}

}  // namespace sotto::model
