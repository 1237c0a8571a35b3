#include "model/ratings/nmf.h"

#include <algorithm>

#include "base/rng.h"
#include "model/ratings/biased_mf.h"

namespace sotto::model {

namespace {

// Uniform in (0, 1]: no factor is stuck at 0.
void start_row(std::span<double> row, std::uint64_t seed, FactorStart what, std::size_t index) {
  Stream draws(seed, Purpose::rating_start, static_cast<std::uint32_t>(what),
               static_cast<std::uint32_t>(index));
  for (double& value : row) value = 1.0 - draws.uniform();
}

FactorTable started(std::size_t rows, const NmfOptions& options, FactorStart what) {
  FactorTable table(rows, options.factors);
  for (std::size_t row = 0; row < rows; ++row) start_row(table.of(row), options.seed, what, row);
  return table;
}

}  // namespace

void nmf_step(std::span<double> row, std::span<const Rated> ratings, const FactorTable& columns, double reg) {
  std::vector<double> up(row.size(), 0.0), down(row.size(), 0.0);
  for (const Rated& entry : ratings) {
    const auto column = columns.of(entry.column);
    const double predicted = product(row, column);
    for (std::size_t f = 0; f < row.size(); ++f) {
      up[f] += static_cast<double>(entry.value) * column[f];
      down[f] += predicted * column[f];
    }
  }
  const double weight = reg * static_cast<double>(ratings.size());
  for (std::size_t f = 0; f < row.size(); ++f) {
    const double below = down[f] + weight * row[f];
    if (below > 0.0) row[f] *= up[f] / below;
  }
}

Result<std::unique_ptr<Nmf>> Nmf::fit(const RatingData& data, const NmfOptions& options) {
  SOTTO_TRY_DONE(check(data));
  SOTTO_TRY_DONE(check(SgdOptions{.factors = options.factors, .reg = options.reg}));
  if (data.scale.lowest < 0.0f)
    return fail(Code::bad_input,
                "NMF adds up what is never below 0, but the scale of the ratings reaches below: "
                "take biasedmf");
  return std::unique_ptr<Nmf>(new Nmf(data, options));
}

Nmf::Nmf(const RatingData& data, const NmfOptions& options)
    : RatingModel(data),
      options_(options),
      users_(started(by_user().rows(), options, FactorStart::users)),
      items_(started(catalogue(), options, FactorStart::items)) {
  const RatedMatrix by_item = by_user().transposed();
  const auto reg = static_cast<double>(options.reg);
  for (std::size_t item = 0; item < catalogue(); ++item)
    item_means_.push_back(mean_of(by_item.of(item), mean()));
  for (std::uint32_t epoch = 0; epoch < options.epochs; ++epoch) {
    for (std::size_t user = 0; user < by_user().rows(); ++user)
      nmf_step(users_.of(user), by_user().of(user), items_, reg);
    for (std::size_t item = 0; item < catalogue(); ++item)
      nmf_step(items_.of(item), by_item.of(item), users_, reg);
  }
}

void Nmf::estimate_for(std::span<const double> vector, std::span<const Rated> history,
                       std::span<const ItemIndex> items, std::span<float> out) const {
  const double own = mean_of(history, mean());
  for (std::size_t n = 0; n < items.size(); ++n) {
    double value = own;
    if (in_catalogue(items[n]))
      value = history.empty() ? item_means_[items[n].value] : product(vector, items_.of(items[n].value));
    out[n] = static_cast<float>(value);
  }
}

void Nmf::estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const {
  estimate_for(users_.of(user.value), by_user().of(user.value), items, out);
}

void Nmf::estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                       std::span<float> out) const {
  std::vector<double> vector(options_.factors);
  start_row(vector, options_.seed, FactorStart::users, users_.rows());
  for (std::uint32_t epoch = 0; epoch < options_.epochs; ++epoch)
    nmf_step(vector, history, items_, static_cast<double>(options_.reg));
  estimate_for(vector, history, items, out);
}

Status Nmf::similar(ItemIndex item, std::span<float> out) const {
  cosines_to(items_, item.value, out);
  return Done{};
}

}  // namespace sotto::model
