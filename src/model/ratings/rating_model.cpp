#include "model/ratings/rating_model.h"

#include <algorithm>

namespace sotto::model {

namespace {

std::vector<ItemIndex> items_in(ItemRange range) {
  std::vector<ItemIndex> items;
  items.reserve(range.size());
  for (std::uint32_t item = range.begin; item < range.end; ++item) items.push_back({item});
  return items;
}

// The mean of the ratings that are not below the mean of all.
float liked_rating(std::span<const float> ratings, double mean) {
  double sum = 0.0, count = 0.0;
  for (const float rating : ratings) {
    if (static_cast<double>(rating) < mean) continue;
    sum += static_cast<double>(rating);
    count += 1.0;
  }
  // Rounding may lift the mean of equal ratings above them all.
  return static_cast<float>(count > 0.0 ? sum / count : mean);
}

}  // namespace

Status check(const RatingData& data) {
  if (data.ratings.empty())
    return fail(Code::bad_input,
                "the training part has no ratings: name their column (--columns user=1,item=2,value=3), or "
                "take a model that needs none, such as itemknn");
  if (data.ratings.size() != data.train->interactions())
    return fail(Code::incompatible,
                "the training part has more or fewer ratings than interactions: split the "
                "data again");
  for (const float rating : data.ratings)
    if (!(rating >= data.scale.lowest && rating <= data.scale.highest))
      return fail(Code::bad_input, "a rating of the training part lies off the scale: split the data again");
  return Done{};
}

RatingModel::RatingModel(const RatingData& data)
    : users_(*data.train, data.ratings, data.catalogue),
      scale_(data.scale),
      mean_(users_.mean()),
      liked_(liked_rating(data.ratings, mean_)),
      rated_(data.catalogue, 0) {
  for (const ItemIndex item : data.train->items()) rated_[item.value] = 1;
}

void RatingModel::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  const std::vector<ItemIndex> asked = items_in(items);
  for (std::size_t k = 0; k < users.size(); ++k)
    estimate(users[k], asked, out.subspan(k * items.size(), items.size()));
}

void RatingModel::score_items(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == items.size(), "one place for each score");
  estimate(user, items, out);
}

void RatingModel::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  std::vector<Rated> rated;
  for (const ItemIndex item : history) rated.push_back({item.value, liked_});
  score_rated(rated, out);
}

void RatingModel::score_rated(std::span<const Rated> history, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue(), "one place for each score");
  estimate_new(history, items_in({0, static_cast<std::uint32_t>(catalogue())}), out);
}

Status RatingModel::similar(ItemIndex, std::span<float>) const {
  return fail(
      Code::usage,
      "this model predicts ratings and does not say which items are alike; ask an Item-kNN, BPR-MF or "
      "FPL model");
}

void RatingModel::predict(UserIndex user, std::span<const Occasion> occasions, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == occasions.size(), "one place for each prediction");
  std::vector<ItemIndex> items;
  items.reserve(occasions.size());
  for (const Occasion& occasion : occasions) items.push_back(occasion.item);
  estimate(user, items, out);
  for (float& value : out) value = std::clamp(value, scale_.lowest, scale_.highest);
}

bool RatingModel::knows(UserIndex user, ItemIndex item) const {
  return !users_.of(user.value).empty() || (in_catalogue(item) && rated_[item.value] != 0);
}

}  // namespace sotto::model
