#include "model/ratings/rating_means.h"

#include <algorithm>
#include <cmath>

namespace sotto::model {

namespace {

std::vector<double> means_of(const RatedMatrix& rows, double otherwise) {
  std::vector<double> means;
  for (std::size_t row = 0; row < rows.rows(); ++row) means.push_back(mean_of(rows.of(row), otherwise));
  return means;
}

}  // namespace

Result<std::unique_ptr<RatingMeans>> RatingMeans::fit(const RatingData& data, MeanOf of) {
  SOTTO_TRY_DONE(check(data));
  return std::unique_ptr<RatingMeans>(new RatingMeans(data, of));
}

RatingMeans::RatingMeans(const RatingData& data, MeanOf of)
    : RatingModel(data),
      of_(of),
      user_means_(means_of(by_user(), mean())),
      item_means_(means_of(by_user().transposed(), mean())) {
  for (const std::uint32_t count : data.train->popularity(data.catalogue))
    popularity_.push_back(static_cast<float>(count));
}

void RatingMeans::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  if (of_ != MeanOf::popular) return RatingModel::score(users, items, out);
  for (std::size_t k = 0; k < users.size(); ++k)
    std::copy(popularity_.begin() + items.begin, popularity_.begin() + items.end,
              out.begin() + static_cast<std::ptrdiff_t>(k * items.size()));
}

void RatingMeans::score_items(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const {
  if (of_ != MeanOf::popular) return RatingModel::score_items(user, items, out);
  for (std::size_t n = 0; n < items.size(); ++n) out[n] = popularity_[items[n].value];
}

void RatingMeans::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  if (of_ != MeanOf::popular) return RatingModel::score_history(history, out);
  std::copy(popularity_.begin(), popularity_.end(), out.begin());
}

bool RatingMeans::knows(UserIndex user, ItemIndex item) const {
  if (of_ == MeanOf::all) return false;
  if (of_ == MeanOf::user) return !by_user().of(user.value).empty();
  return in_catalogue(item) && popularity_[item.value] > 0.0f;
}

void RatingMeans::estimate_for(double user_mean, std::span<const ItemIndex> items,
                               std::span<float> out) const {
  const bool by_item = of_ == MeanOf::item || of_ == MeanOf::popular;
  for (std::size_t n = 0; n < items.size(); ++n) {
    double value = of_ == MeanOf::user ? user_mean : mean();
    if (by_item && in_catalogue(items[n])) value = item_means_[items[n].value];
    out[n] = static_cast<float>(value);
  }
}

void RatingMeans::estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const {
  estimate_for(user_means_[user.value], items, out);
}

void RatingMeans::estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                               std::span<float> out) const {
  estimate_for(mean_of(history, mean()), items, out);
}

Status check(const BiasOptions& options) {
  if (std::isfinite(options.user_reg) && std::isfinite(options.item_reg) && options.user_reg >= 0.0f &&
      options.item_reg >= 0.0f)
    return Done{};
  return fail(Code::usage, "lambda must be 0 or more");
}

Result<std::unique_ptr<BiasModel>> BiasModel::fit(const RatingData& data, const BiasOptions& options) {
  SOTTO_TRY_DONE(check(data));
  SOTTO_TRY_DONE(check(options));
  return std::unique_ptr<BiasModel>(new BiasModel(data, options));
}

BiasModel::BiasModel(const RatingData& data, const BiasOptions& options)
    : RatingModel(data), options_(options), biases_(fit_biases(by_user(), options)) {}

void BiasModel::estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const {
  for (std::size_t n = 0; n < items.size(); ++n)
    out[n] = static_cast<float>(biases_.of(user.value, items[n].value));
}

void BiasModel::estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                             std::span<float> out) const {
  const double own = biases_.user_with(history, options_.user_reg);
  for (std::size_t n = 0; n < items.size(); ++n)
    out[n] = static_cast<float>(biases_.mean + own + biases_.item(items[n].value));
}

}  // namespace sotto::model
